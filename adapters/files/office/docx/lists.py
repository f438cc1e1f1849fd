"""Automatic numbers of Word as they are shown, and how deep an entry of a list stands."""

from __future__ import annotations

import re
from typing import NamedTuple

from adapters.files.office.docx.styles import Style, Styles, font, indent
from adapters.files.office.docx_xml import VALUE, Element, below, number, q, switch, value
from adapters.files.office.runs import TICKS, plain, written

LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_LONGEST_LABEL = 100
_TYPED = re.compile(r"\s*[•‣▪■●○◦❖➢·]\s+(?=\S)")
"""A mark of a list that somebody typed."""
_TICKED = re.compile(r"\s*[☐☑☒]\s*\w")
_INDENT = 360
"""Between two levels of lists, in twentieths of a point, where nothing is said."""


class Level(NamedTuple):
    """One level of a list."""

    shape: str = "decimal"
    start: int = 1
    text: str = ""
    """`%1.%2` with the numbers of the levels to be put in."""
    plain: bool = False
    """Whether all numbers in it are decimal."""
    after: int = -1
    """The level, from 1, that it begins anew after; 0 for never, -1 for each above."""
    style: str = ""
    indent: int | None = None
    font: str | None = None


_UNKNOWN = Level(shape="bullet", text="•")
"""A level that a file does not define, or whose definition is damaged."""


class Entry(NamedTuple):
    """A paragraph that is numbered or marked."""

    list_key: str
    level: int
    label: str
    """As shown, `2.1`; empty for a mark."""
    marked: bool
    """Whether it shows a mark or a number at all."""
    indent: int


class Numbering:
    """Counts as Word does: lists of one definition go on, but where one says that it starts over."""

    def __init__(self, root: Element | None, styles: Styles) -> None:
        self._styles = styles
        self._abstract: dict[str, Element] = {}
        self._numbers: dict[str, Element] = {}
        for child in () if root is None else root:
            if child.tag == q("w:abstractNum"):
                self._abstract[child.get(q("w:abstractNumId"), "")] = child
            elif child.tag == q("w:num"):
                self._numbers[child.get(q("w:numId"), "")] = child
        self._lists: dict[str, tuple[str, list[Level]]] = {}
        self._counts: dict[str, list[int | None]] = {}

    def of(self, properties: Element | None, style: Style) -> Entry | None:
        """The entry that a paragraph is, counted; None for one that is none."""
        own = below(properties, "w:numPr")
        list_id = value(own, "w:numId") or style.list_id
        if list_id in {"", "0"}:
            return None
        key, levels = self._lists[list_id] if list_id in self._lists else self._begin(list_id)
        said = value(own, "w:ilvl")
        by_style = next((place for place, one in enumerate(levels) if one.style and one.style in style.ids), None)
        level = number(said) if said else by_style if by_style is not None else style.list_level or 0
        level = min(max(level, 0), LEVELS - 1)
        self._count(key, level, levels)
        shown = levels[level]
        if shown.shape == "bullet":
            mark = plain(shown.text, shown.font).strip()
            label = mark if mark in TICKS else ""
        else:
            mark = label = self._label(key, shown, levels)
        far = next((one for one in (indent(properties), shown.indent, style.indent) if one is not None), 0)
        return Entry(key, level, label, bool(mark), far)

    def _begin(self, list_id: str) -> tuple[str, list[Level]]:
        own = self._numbers.get(list_id)
        key = f"unknown {list_id}" if own is None else value(own, "w:abstractNumId") or ""
        if linked := value(self._abstract.get(key), "w:numStyleLink"):  # defined by a style, which names another list
            key = value(self._numbers.get(self._styles.numbering(linked)), "w:abstractNumId") or key
        levels = [_UNKNOWN] * LEVELS
        counts = self._counts.setdefault(key, [None] * LEVELS)
        _define(levels, self._abstract.get(key))
        for change in () if own is None else own.iterchildren(q("w:lvlOverride")):
            _define(levels, change)
            start = value(change, "w:startOverride")
            place = number(change.get(q("w:ilvl")))
            if start is not None and 0 <= place < LEVELS:
                levels[place] = levels[place]._replace(start=number(start))
                counts[place] = None
        self._lists[list_id] = key, levels
        return key, levels

    def _count(self, key: str, at: int, levels: list[Level]) -> None:
        counts = self._counts[key]
        for place, (level, count) in enumerate(zip(levels, counts, strict=True)):
            if place <= at and count is None:  # a level that was passed over counts as begun
                counts[place] = level.start
            elif place == at and count is not None:
                counts[place] = count + 1
            elif place > at and (level.after < 0 or at < level.after):
                counts[place] = None

    def _label(self, key: str, shown: Level, levels: list[Level]) -> str:
        counts = self._counts[key]

        def filled_in(found: re.Match[str]) -> str:
            place = int(found[1]) - 1
            level, count = levels[place], counts[place]
            return written(level.start if count is None else count, "decimal" if shown.plain else level.shape)

        return " ".join(_PLACE.sub(filled_in, shown.text).split())


def _define(levels: list[Level], parent: Element | None) -> None:
    for level in () if parent is None else parent.iterchildren(q("w:lvl")):
        after = value(level, "w:lvlRestart")
        place = number(level.get(q("w:ilvl")))
        if 0 <= place < LEVELS:
            levels[place] = Level(
                shape=_shape(level),
                start=number(value(level, "w:start"), 0 if below(level, "w:start") is None else 1),
                text=(value(level, "w:lvlText") or "")[:_LONGEST_LABEL],
                plain=bool(switch(level, "w:isLgl")),
                after=-1 if after is None else number(after),
                style=value(level, "w:pStyle") or "",
                indent=indent(level.find(q("w:pPr"))),
                font=font(level.find(q("w:rPr"))),
            )


def _shape(level: Element) -> str:
    found = next(level.iter(q("w:numFmt")), None)
    shape = "decimal" if found is None else found.get(VALUE, "decimal")
    if shape == "custom" and found is not None:
        shape = found.get(q("w:format"), "").partition(",")[0]
    return "01" if shape == "decimalZero" else shape


class Place(NamedTuple):
    """Where a paragraph stands among lists."""

    depth: int
    label: str | None = None
    """What stands before an entry, empty for a mark; None for text and a number that nobody knows."""
    listed: bool = True
    typed: int = 0
    """How many characters of it are a mark that somebody typed."""


class Depths:
    """How deep the entries of lists stand: as the one above of the same level of their list or else in the last one
    of a higher level or, of another list, less far in."""

    def __init__(self) -> None:
        self._open: list[tuple[str, int, int]] = []
        """List, level and indent of the entries that the next one may stand in, the outermost first."""
        self._seen: dict[tuple[str, int], int] = {}
        """By list and level: the depth."""
        self._outside = 0
        """Indent of the text outside of lists."""

    def entry(self, key: str, level: int, far: int) -> int:
        del self._open[self._seen.get((key, level), len(self._open)) :]
        while self._open:
            other, above, out = self._open[-1]
            if (above < level) if other == key else (out < far):
                break
            self._open.pop()
        self._open.append((key, level, far))
        depth = self._seen[key, level] = len(self._open) - 1
        return depth

    def place(self, text: str, entry: Entry | None, properties: Element | None, style: Style) -> Place:
        """An entry of a list is a paragraph that is marked as one, by a style or by hand."""
        own, typed = indent(properties), _TYPED.match(text)
        far = entry.indent if entry else (own if own is not None else style.indent) or 0
        label = entry.label if entry and entry.marked else None
        if style.listed and value(properties, "w:numPr/w:numId") != "0":
            level = style.depth + (entry.level if entry else 0)
            label = "" if label is None and style.listed == "bullet" else label
            return Place(self.entry("", level, far or _INDENT * (level + 1)), label)
        if label is not None and entry:
            return Place(self.entry(entry.list_key, entry.level, far), label)
        if typed or _TICKED.match(text):
            return Place(self.entry(f"typed {far}", 0, far), "", typed=typed.end() if typed else 0)
        return Place(self.text(far), listed=False)

    def text(self, far: int) -> int:
        """That of a paragraph so far in: within an entry above it, or else, as where the text above the list stands
        as far in, the end of all lists."""
        depth = next((n for n in range(len(self._open), 0, -1) if 0 < self._open[n - 1][2] <= far != self._outside), 0)
        if not depth:
            self._outside = far
            self.close()
        return depth

    def close(self) -> None:
        self._open.clear()
        self._seen.clear()
