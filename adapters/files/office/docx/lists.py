"""Automatic numbers of Word as they are shown, and the depth of list entries."""

from __future__ import annotations

import re
from typing import NamedTuple

from adapters.files.office.docx.styles import DocxStyle, DocxStyles, font_name, indent_twips
from adapters.files.office.docx_xml import (
    VAL_ATTRIBUTE,
    XmlElement,
    find_descendant,
    find_value,
    parse_xml_int,
    qname,
    toggle_value,
)
from adapters.files.office.runs import TICK_MARKS, format_list_number, replace_symbol_chars

LIST_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_MAX_LABEL_LENGTH = 100
_TYPED = re.compile(r"\s*[•‣▪■●○◦❖➢·]\s+(?=\S)")
"""Mark of a list that somebody typed."""
_TICKED = re.compile(r"\s*[☐☑☒]\s*\w")
_INDENT = 360
"""Indent between two levels of lists, in twentieths of a point, where the file gives none."""


class ListLevel(NamedTuple):
    """A level of a list."""

    number_format: str = "decimal"
    start: int = 1
    label_pattern: str = ""
    """Pattern such as `%1.%2`, into which the numbers of the levels are put."""
    is_decimal: bool = False
    """True where all numbers in it are decimal."""
    restart_after: int = -1
    """Level, from 1, after which it restarts; 0 for never, -1 for every level above."""
    style: str = ""
    indent: int | None = None
    font: str | None = None


_UNKNOWN = ListLevel(number_format="bullet", label_pattern="•")
"""A level that a file does not define, or whose definition is damaged."""


class ListEntry(NamedTuple):
    """A paragraph that is numbered or marked."""

    list_key: str
    level: int
    label: str
    """Label as shown, `2.1`; empty for a mark."""
    has_marker: bool
    """True where it shows a mark or a number at all."""
    indent: int


class DocxNumbering:
    """Counter of list entries like Word's: lists of one definition continue, unless one says that it starts over."""

    def __init__(self, root: XmlElement | None, styles: DocxStyles) -> None:
        self._styles = styles
        self._abstract: dict[str, XmlElement] = {}
        self._numbers: dict[str, XmlElement] = {}
        for child in () if root is None else root:
            if child.tag == qname("w:abstractNum"):
                self._abstract[child.get(qname("w:abstractNumId"), "")] = child
            elif child.tag == qname("w:num"):
                self._numbers[child.get(qname("w:numId"), "")] = child
        self._lists: dict[str, tuple[str, list[ListLevel]]] = {}
        self._counts: dict[str, list[int | None]] = {}

    def entry_for(self, properties: XmlElement | None, style: DocxStyle) -> ListEntry | None:
        """Count a paragraph and return its list entry, or None where it is none."""
        own = find_descendant(properties, "w:numPr")
        list_id = find_value(own, "w:numId") or style.list_id
        if list_id in {"", "0"}:
            return None
        key, levels = self._lists[list_id] if list_id in self._lists else self._begin_list(list_id)
        level_value = find_value(own, "w:ilvl")
        by_style = next(
            (index for index, candidate in enumerate(levels) if candidate.style and candidate.style in style.ids), None
        )
        level = (
            parse_xml_int(level_value) if level_value else by_style if by_style is not None else style.list_level or 0
        )
        level = min(max(level, 0), LIST_LEVELS - 1)
        self._count(key, level, levels)
        list_level = levels[level]
        if list_level.number_format == "bullet":
            mark = replace_symbol_chars(list_level.label_pattern, list_level.font).strip()
            label = mark if mark in TICK_MARKS else ""
        else:
            mark = label = self._format_label(key, list_level, levels)
        indent = next(
            (
                candidate
                for candidate in (indent_twips(properties), list_level.indent, style.indent)
                if candidate is not None
            ),
            0,
        )
        return ListEntry(key, level, label, bool(mark), indent)

    def _begin_list(self, list_id: str) -> tuple[str, list[ListLevel]]:
        own = self._numbers.get(list_id)
        key = f"unknown {list_id}" if own is None else find_value(own, "w:abstractNumId") or ""
        if linked := find_value(
            self._abstract.get(key), "w:numStyleLink"
        ):  # defined by a style, which names another list
            key = find_value(self._numbers.get(self._styles.list_id_of(linked)), "w:abstractNumId") or key
        levels = [_UNKNOWN] * LIST_LEVELS
        counts = self._counts.setdefault(key, [None] * LIST_LEVELS)
        _define_levels(levels, self._abstract.get(key))
        for change in () if own is None else own.iterchildren(qname("w:lvlOverride")):
            _define_levels(levels, change)
            start = find_value(change, "w:startOverride")
            index = parse_xml_int(change.get(qname("w:ilvl")))
            if start is not None and 0 <= index < LIST_LEVELS:
                levels[index] = levels[index]._replace(start=parse_xml_int(start))
                counts[index] = None
        self._lists[list_id] = key, levels
        return key, levels

    def _count(self, key: str, current: int, levels: list[ListLevel]) -> None:
        counts = self._counts[key]
        for index, (level, count) in enumerate(zip(levels, counts, strict=True)):
            if index <= current and count is None:  # a level that was passed over counts as begun
                counts[index] = level.start
            elif index == current and count is not None:
                counts[index] = count + 1
            elif index > current and (level.restart_after < 0 or current < level.restart_after):
                counts[index] = None

    def _format_label(self, key: str, list_level: ListLevel, levels: list[ListLevel]) -> str:
        counts = self._counts[key]

        def filled_in(match: re.Match[str]) -> str:
            index = int(match[1]) - 1
            level, count = levels[index], counts[index]
            return format_list_number(
                level.start if count is None else count, "decimal" if list_level.is_decimal else level.number_format
            )

        return " ".join(_PLACE.sub(filled_in, list_level.label_pattern).split())


def _define_levels(levels: list[ListLevel], parent: XmlElement | None) -> None:
    for level in () if parent is None else parent.iterchildren(qname("w:lvl")):
        after = find_value(level, "w:lvlRestart")
        index = parse_xml_int(level.get(qname("w:ilvl")))
        if 0 <= index < LIST_LEVELS:
            levels[index] = ListLevel(
                number_format=_number_style(level),
                start=parse_xml_int(
                    find_value(level, "w:start"), 0 if find_descendant(level, "w:start") is None else 1
                ),
                label_pattern=(find_value(level, "w:lvlText") or "")[:_MAX_LABEL_LENGTH],
                is_decimal=bool(toggle_value(level, "w:isLgl")),
                restart_after=-1 if after is None else parse_xml_int(after),
                style=find_value(level, "w:pStyle") or "",
                indent=indent_twips(level.find(qname("w:pPr"))),
                font=font_name(level.find(qname("w:rPr"))),
            )


def _number_style(level: XmlElement) -> str:
    element = next(level.iter(qname("w:numFmt")), None)
    style = "decimal" if element is None else element.get(VAL_ATTRIBUTE, "decimal")
    if style == "custom" and element is not None:
        style = element.get(qname("w:format"), "").partition(",")[0]
    return "01" if style == "decimalZero" else style


class ListPosition(NamedTuple):
    """Position of a paragraph among lists."""

    depth: int
    label: str | None = None
    """Label before an entry, empty for a mark; None for text and for an unknown number."""
    is_listed: bool = True
    marker_length: int = 0
    """Characters at its start that are a typed mark."""


class ListDepths:
    """Depths of list entries. An entry stands as deep as the one above of its list and level, or else in the last entry
    of a higher level or, of another list, of a smaller indent."""

    def __init__(self) -> None:
        self._open: list[tuple[str, int, int]] = []
        """List, level and indent of the entries that may contain the next one, outermost first."""
        self._depths: dict[tuple[str, int], int] = {}
        """Depth by list and level."""
        self._text_indent = 0
        """Indent of the text outside of lists."""

    def entry_depth(self, key: str, level: int, indent: int) -> int:
        del self._open[self._depths.get((key, level), len(self._open)) :]
        while self._open:
            other, above, out = self._open[-1]
            if (above < level) if other == key else (out < indent):
                break
            self._open.pop()
        self._open.append((key, level, indent))
        depth = self._depths[key, level] = len(self._open) - 1
        return depth

    def position_of(
        self, text: str, entry: ListEntry | None, properties: XmlElement | None, style: DocxStyle
    ) -> ListPosition:
        """Return the position of a paragraph. A list entry is marked by a number, by a style or by hand."""
        own_indent, typed = indent_twips(properties), _TYPED.match(text)
        indent = entry.indent if entry else (own_indent if own_indent is not None else style.indent) or 0
        label = entry.label if entry and entry.has_marker else None
        if style.list_kind and find_value(properties, "w:numPr/w:numId") != "0":
            level = style.list_depth + (entry.level if entry else 0)
            label = "" if label is None and style.list_kind == "bullet" else label
            return ListPosition(self.entry_depth("", level, indent or _INDENT * (level + 1)), label)
        if label is not None and entry:
            return ListPosition(self.entry_depth(entry.list_key, entry.level, indent), label)
        if typed or _TICKED.match(text):
            return ListPosition(
                self.entry_depth(f"typed {indent}", 0, indent), "", marker_length=typed.end() if typed else 0
            )
        return ListPosition(self.text_depth(indent), is_listed=False)

    def text_depth(self, indent: int) -> int:
        """Return the depth of a paragraph with this indent: inside an entry above it, or else, or where the text above
        the list has the same indent, at the end of all lists."""
        depth = next(
            (n for n in range(len(self._open), 0, -1) if 0 < self._open[n - 1][2] <= indent != self._text_indent), 0
        )
        if not depth:
            self._text_indent = indent
            self.close_lists()
        return depth

    def close_lists(self) -> None:
        self._open.clear()
        self._depths.clear()
