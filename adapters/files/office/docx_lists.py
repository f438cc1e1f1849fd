"""Automatic numbers of Word as they are shown, and how deep an entry of a list stands."""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import NamedTuple

from adapters.files.office.docx_styles import Style, Styles, font, indent
from adapters.files.office.docx_symbols import plain
from adapters.files.office.docx_xml import Element, below, number, q, switch, value

LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_ROMAN = tuple(
    zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1), "M CM D CD C XC L XL X IX V IV I".split(), strict=True)
)
_TICKS = frozenset("☐☑☒✓✔✗✘□")
"""Marks that say something."""
_RUSSIAN, _HAN = "абвгдежзиклмнопрстуфхцчшщэюя", ("", *"一二三四五六七八九")
_LONGEST_LABEL, _MOST_OPEN = 100, 20
_MOST_ROMAN, _MOST_LETTERS, _CIRCLED = 3999, 780, 20


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
        self._levels: dict[str, tuple[str, dict[int, Level]]] = {}
        self._counts: dict[str, list[int | None]] = {}
        self._begun: set[str] = set()

    def of(self, properties: Element | None, style: Style) -> Entry | None:
        """The entry that a paragraph is, counted; None for one that is none."""
        own = below(properties, "w:numPr")
        list_id = value(own, "w:numId") or style.list_id
        if list_id in {"", "0"}:
            return None
        key, levels = self._read(list_id)
        said = value(own, "w:ilvl")
        by_style = next((place for place, level in levels.items() if level.style and level.style in style.ids), None)
        level = number(said) if said else by_style if by_style is not None else style.list_level or 0
        level = min(max(level, 0), LEVELS - 1)
        shown = levels.get(level, _UNKNOWN)
        self._count(list_id, key, level, levels)
        mark = plain(shown.text, shown.font).strip() if shown.shape == "bullet" else ""
        label = (mark if mark in _TICKS else "") if shown.shape == "bullet" else self._label(key, shown, levels)
        far = next((one for one in (indent(properties), shown.indent, style.indent) if one is not None), 0)
        return Entry(key, level, label, bool(mark or label), far)

    def _read(self, list_id: str) -> tuple[str, dict[int, Level]]:
        if list_id not in self._levels:
            own = self._numbers.get(list_id)
            abstract = f"unknown {list_id}" if own is None else value(own, "w:abstractNumId") or ""
            for _ in range(LEVELS):  # a list may be defined by a style, which names another list
                linked = value(self._abstract.get(abstract), "w:numStyleLink")
                other = self._numbers.get(self._styles.numbering(linked)) if linked else None
                if other is None:
                    break
                abstract = value(other, "w:abstractNumId") or ""
            levels = _levels(self._abstract.get(abstract))
            for change in () if own is None else own.iterchildren(q("w:lvlOverride")):
                levels |= _levels(change)
            self._levels[list_id] = abstract, levels
        return self._levels[list_id]

    def _count(self, list_id: str, key: str, level: int, levels: dict[int, Level]) -> None:
        counts = self._counts.setdefault(key, [None] * LEVELS)
        if list_id not in self._begun and list_id in self._numbers:
            self._begun.add(list_id)
            for change in self._numbers[list_id].iterchildren(q("w:lvlOverride")):
                start = value(change, "w:startOverride")
                place = number(change.get(q("w:ilvl")))
                if start is not None and 0 <= place < LEVELS:
                    levels[place] = levels.get(place, Level())._replace(start=number(start))
                    counts[place] = None
        for place in range(level):  # a level that was passed over counts as begun
            counts[place] = levels.get(place, Level()).start if counts[place] is None else counts[place]
        now = counts[level]
        counts[level] = levels.get(level, Level()).start if now is None else now + 1
        for place in range(level + 1, LEVELS):
            after = levels.get(place, Level()).after
            if after < 0 or level < after:
                counts[place] = None

    def _label(self, key: str, shown: Level, levels: dict[int, Level]) -> str:
        counts = self._counts[key]

        def filled_in(found: re.Match[str]) -> str:
            place = int(found[1]) - 1
            level, count = levels.get(place, Level()), counts[place]
            return written(level.start if count is None else count, "decimal" if shown.plain else level.shape)

        return " ".join(_PLACE.sub(filled_in, shown.text).split())


def _levels(parent: Element | None) -> dict[int, Level]:
    found: dict[int, Level] = {}
    for level in () if parent is None else parent.iterchildren(q("w:lvl")):
        after = value(level, "w:lvlRestart")
        found[number(level.get(q("w:ilvl")))] = Level(
            shape=value(level, "w:numFmt") or "decimal",
            start=number(value(level, "w:start"), 0 if below(level, "w:start") is None else 1),
            text=(value(level, "w:lvlText") or "")[:_LONGEST_LABEL],
            plain=bool(switch(level, "w:isLgl")),
            after=-1 if after is None else number(after),
            style=value(level, "w:pStyle") or "",
            indent=indent(level.find(q("w:pPr"))),
            font=font(level.find(q("w:rPr"))),
        )
    return found


def written(count: int, shape: str) -> str:
    """A number in one of Word's ways to write it; in figures where the way is rare."""
    match shape:
        case "none" | "bullet":
            return ""
        case "upperRoman" | "lowerRoman" if 0 < count <= _MOST_ROMAN:
            found = ""
            for worth, letters in _ROMAN:
                times, count = divmod(count, worth)
                found += letters * times
            return found if shape == "upperRoman" else found.lower()
        case "upperLetter" | "lowerLetter" | "russianUpper" | "russianLower" if 0 < count <= _MOST_LETTERS:
            letters = _RUSSIAN if shape.startswith("russian") else ascii_lowercase
            times, place = divmod(count - 1, len(letters))
            found = letters[place] * (times + 1)
            return found.upper() if "pper" in shape else found
        case "chineseCounting" | "chineseCountingThousand" | "japaneseCounting" | "taiwaneseCounting" if (
            0 < count < 100
        ):
            tens, ones = divmod(count, 10)
            return f"{_HAN[tens] if tens > 1 else ''}{'十' if tens else ''}{_HAN[ones]}"
        case "decimalZero":
            return f"{count:02}"
        case "ordinal":
            ending = "th" if count % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
            return f"{count}{ending}"
        case "decimalEnclosedCircle" if 0 < count <= _CIRCLED:
            return chr(0x245F + count)
        case _:
            return str(count)


class Depths:
    """How deep the entries of lists stand, by their levels; a list that begins further in than the entry before it
    stands within that."""

    def __init__(self) -> None:
        self._open: dict[str, int] = {}
        """By list: how deep its first level stands."""
        self._headed: dict[str, int] = {}
        """The same of lists whose upper levels are headings, in which nothing stands."""
        self._outside = 0
        """Indent of the text outside of lists."""
        self._trail: list[tuple[int, int]] = []
        """Indent and depth of the entries that are still open, the outermost first."""

    def entry(self, key: str, level: int, far: int) -> int:
        if key in self._open:
            for other in list(self._open)[list(self._open).index(key) + 1 :]:
                del self._open[other]
        else:
            while self._trail and self._trail[-1][0] > far:
                self._trail.pop()
            around = self._trail[-1] if self._trail else None
            inner = around and around[1] + (around[0] < far) - level
            self._open[key] = self._headed.get(key, 0) if inner is None else inner
            if len(self._open) > _MOST_OPEN:
                del self._open[next(iter(self._open))]
        depth = max(0, self._open[key] + level)
        while self._trail and (self._trail[-1][0] >= far or self._trail[-1][1] >= depth):
            self._trail.pop()
        self._trail.append((far, depth))
        return depth

    def text(self, far: int) -> int:
        """That of a paragraph so far in: within an entry above it, or else, as where the text above the list stands
        as far in, the end of all lists."""
        within = (depth + 1 for entry, depth in reversed(self._trail) if 0 < entry <= far != self._outside)
        if depth := next(within, 0):
            return depth
        self._outside = far
        self.close()
        return 0

    def head(self, key: str, level: int) -> None:
        """A heading is an entry of that list."""
        self.close()
        self._headed[key] = min(self._headed.get(key, 0), -level - 1)

    def close(self) -> None:
        self._open.clear()
        self._trail.clear()
