"""The data that the sheets of a workbook (XLSX and its kin) share: styles, texts, and the relations of its parts."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from lxml import etree

from adapters.files.inline_marks import format_subscript, format_superscript
from adapters.files.office.number_format import BUILT_IN_FORMATS, NumberFormat, parse_number_format
from adapters.files.office.package import OfficePackage, local_name, parse_bounded_int, relationship_id
from pipeline.errors import Refused

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_OFF = {"0", "false", "off"}


class CellStyle(NamedTuple):
    """The look of a cell, as far as it changes its meaning."""

    format: NumberFormat
    is_emphasized: bool = False
    """True where it is bold, or has a coloured background, as headers have."""
    is_struck: bool = False


class WorkbookSheet(NamedTuple):
    name: str
    kind: str
    """`worksheet`, `chartsheet`."""
    part: str
    is_visible: bool


class Workbook:
    """A workbook. Raises Refused where the file is none."""

    def __init__(self, content: bytes, on_unread: Callable[[str], None]) -> None:
        self.package = package = OfficePackage(content, on_unread)
        path = package.main_part("xl/workbook.xml")
        book, parts = package.xml(path), package.relationships(path)
        if book is None:
            raise Refused("the file is no workbook", what_to_do="Open and save it again.")
        self.from_1904 = _is_switched_on(book.find("{*}workbookPr"), "date1904", "0")
        self.calculates = _is_switched_on(book.find("{*}calcPr"), "fullCalcOnLoad", "0")
        """True where stored values only serve until the file is opened."""
        self.sheets = [
            WorkbookSheet(sheet.get("name", ""), part.kind, part.target, sheet.get("state", "visible") == "visible")
            for sheet in book.iterfind("{*}sheets/{*}sheet")
            if (part := parts.get(relationship_id(sheet)))
        ]
        kinds = {part.kind: part.target for part in parts.values()}
        self.styles = _read_styles(package.xml(kinds.get("styles", "")))
        self.strings: list[str] = []
        try:
            items = iter_elements(package.read(kinds.get("sharedStrings", "")) or b"<sst/>", "si")
            self.strings.extend(inline_text(item).strip() for item in items)
        except etree.XMLSyntaxError:
            on_unread("texts that cells share: damaged, those behind were not read")
        self.title = package.title()


def iter_elements(part: bytes, *tags: str) -> Iterator[Any]:
    """Yield elements of these names as they end. Each is freed when the next is asked for."""
    safe: dict[str, Any] = {"resolve_entities": False, "no_network": True, "huge_tree": True, "recover": False}
    for _, element in etree.iterparse(io.BytesIO(part), tag=tuple(f"{{*}}{tag}" for tag in tags), **safe):
        yield element
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]


def unescape_text(text: str | None) -> str:
    """Decode the characters that XML lacks from their form `_x000D_`."""
    if not text or "_x" not in text:
        return text or ""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def inline_text(holder: Any) -> str:
    """Return the text of a cell like `rich_text`, in one step where it is a single text."""
    if len(holder) == 1 and holder[0].tag[-2:] == "}t":
        return unescape_text(holder[0].text)
    return rich_text(holder)


def rich_text(holder: Any) -> str:
    """Return the text of a cell, without struck runs and phonetic readings, with raised figures marked."""
    text = ""
    for run in holder:
        match local_name(run):
            case "t":
                text += unescape_text(run.text)
            case "r" if not _is_switched_on(run.find("{*}rPr/{*}strike"), "val", "1"):
                run_text = unescape_text(run.findtext("{*}t"))
                align = run.find("{*}rPr/{*}vertAlign")
                alignment = align.get("val") if align is not None else ""
                text += (
                    format_superscript(run_text, text)
                    if alignment == "superscript"
                    else format_subscript(run_text)
                    if alignment == "subscript"
                    else run_text
                )
    return text


def _read_styles(tree: Any) -> list[CellStyle]:
    """Return the styles that cells name by their places."""
    if tree is None:
        return [CellStyle(parse_number_format("General"))]
    codes = {form.get("numFmtId"): form.get("formatCode", "") for form in tree.iterfind("{*}numFmts/{*}numFmt")}
    bold, struck = (
        [_is_switched_on(font.find(f"{{*}}{mark}"), "val", "1") for font in tree.iterfind("{*}fonts/{*}font")]
        for mark in ("b", "strike")
    )
    solid = [
        fill.find("{*}patternFill[@patternType='solid']") is not None for fill in tree.iterfind("{*}fills/{*}fill")
    ]
    styles = []
    for form in tree.iterfind("{*}cellXfs/{*}xf"):
        code = codes.get(form.get("numFmtId")) or BUILT_IN_FORMATS.get(
            parse_bounded_int(form.get("numFmtId"), 0), "General"
        )
        font = form.get("fontId")
        strong = _flag_at(bold, font) or _flag_at(solid, form.get("fillId"))
        styles.append(CellStyle(parse_number_format(code), strong, _flag_at(struck, font)))
    return styles or _read_styles(None)


def _is_switched_on(element: Any, name: str, default: str) -> bool:
    """Return whether an element is there and not switched off. `default` is its value without the attribute."""
    return element is not None and element.get(name, default).lower() not in _OFF


def _flag_at(values: list[bool], position: str | None) -> bool:
    index = parse_bounded_int(position, 0)
    return index < len(values) and values[index]
