"""The parts of a workbook (XLSX and its kin): its sheets, styles, texts that cells share, and how parts relate."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from typing import Any, NamedTuple

from lxml import etree

from adapters.files.inline import lowered, raised
from adapters.files.office.number_format import BUILT_IN, NumberFormat, number_format

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_OFF = {"0", "false", "off"}


class Relation(NamedTuple):
    kind: str
    """The last part of its type: `worksheet`, `comments`, `drawing`."""
    path: str


class Style(NamedTuple):
    """How a cell looks, as far as it changes what it says."""

    format: NumberFormat
    strong: bool = False
    """Bold, or with a colour behind: so headers look."""
    struck: bool = False


class Sheet(NamedTuple):
    name: str
    part: Relation
    shown: bool


def local(element: Any) -> str:
    """An element's name without its namespace, which Strict files have otherwise."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def named(element: Any, *names: str) -> Iterator[Any]:
    """The elements below that have one of these names, in any namespace."""
    return element.iter(*(f"{{*}}{name}" for name in names)) if element is not None else iter(())


def first(element: Any, name: str) -> Any:
    return next(named(element, name), None)


def on(element: Any, name: str) -> bool:
    """Whether an element such as `b` or `strike` is there, and not switched off."""
    found = first(element, name)
    return found is not None and found.get("val", "1").lower() not in _OFF


def plain(text: str | None) -> str:
    """Without the form in which characters are written that XML lacks: `_x000D_`."""
    if not text or "_x" not in text:
        return text or ""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def rich_text(holder: Any) -> str:
    """The text of a cell, without struck runs and phonetic readings; raised figures are told apart."""
    text = ""
    for run in holder:
        match local(run):
            case "t":
                text += plain(run.text)
            case "r" if not on(run.find("{*}rPr"), "strike"):
                said = plain(run.findtext("{*}t"))
                align = first(run.find("{*}rPr"), "vertAlign")
                place = align.get("val") if align is not None else ""
                text += (
                    raised(said, text) if place == "superscript" else lowered(said) if place == "subscript" else said
                )
    return text


class Workbook:
    """What all sheets of a file share. Raises KeyError where the file is no workbook."""

    def __init__(self, content: bytes) -> None:
        self._archive = zipfile.ZipFile(io.BytesIO(content))
        self._names = {name.lower(): name for name in self._archive.namelist()}
        start = next((part for part in self.relations("").values() if part.kind == "officeDocument"), None)
        path = start.path if start else "xl/workbook.xml"
        book, parts = self.tree(path), self.relations(path)
        self.from_1904 = (_attribute(first(book, "workbookPr"), "date1904") or "0").lower() not in _OFF
        self.calculates = (_attribute(first(book, "calcPr"), "fullCalcOnLoad") or "0").lower() not in _OFF
        """Whether stored values are only there until the file is opened."""
        self.sheets = [
            Sheet(sheet.get("name", ""), part, sheet.get("state", "visible") == "visible")
            for sheet in named(book, "sheet")
            if (part := parts.get(next((v for k, v in sheet.attrib.items() if k.endswith("}id")), "")))
        ]
        kinds = {part.kind: part.path for part in parts.values()}
        self.styles = self._styles(kinds.get("styles", ""))
        self.strings = list(self._strings(kinds.get("sharedStrings", "")))
        self.title = next((e.text or "" for e in named(self._optional("docProps/core.xml"), "title")), "").strip()

    def open(self, path: str) -> Any:
        return self._archive.open(self._names[path.lower()])

    def tree(self, path: str) -> Any:
        with self.open(path) as part:
            return etree.parse(part, _parser()).getroot()

    def _optional(self, path: str) -> Any:
        """A part that may be missing or broken without harm to the rest."""
        try:
            return self.tree(path)
        except (KeyError, etree.XMLSyntaxError):
            return None

    def relations(self, path: str) -> dict[str, Relation]:
        """The parts that a part refers to, by their ids; those outside of the file are left out."""
        folder, name = posixpath.split(path)
        found = {}
        for relation in named(self._optional(posixpath.join(folder, "_rels", f"{name}.rels")), "Relationship"):
            target = relation.get("Target", "")
            if relation.get("TargetMode") != "External":
                joined = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
                found[relation.get("Id", "")] = Relation(relation.get("Type", "").rpartition("/")[2], joined)
        return found

    def _styles(self, path: str) -> list[Style]:
        tree = self._optional(path)
        codes = {form.get("numFmtId"): form.get("formatCode", "") for form in named(tree, "numFmt")}
        fonts = [(on(font, "b"), on(font, "strike")) for font in _children(first(tree, "fonts"))]
        fills = [_attribute(first(fill, "patternFill"), "patternType") for fill in _children(first(tree, "fills"))]
        styles = []
        for form in _children(first(tree, "cellXfs")):
            number = form.get("numFmtId", "0")
            code = codes.get(number) or BUILT_IN.get(int(number) if number.isdigit() else 0, "General")
            bold, struck = _at(fonts, form.get("fontId"), (False, False))
            filled = _at(fills, form.get("fillId"), None) == "solid"
            styles.append(Style(number_format(code), bold or filled, struck))
        return styles or [Style(number_format("General"))]

    def _strings(self, path: str) -> Iterator[str]:
        if path.lower() not in self._names:
            return
        with self.open(path) as part:
            for _, item in etree.iterparse(part, tag="{*}si", **_SAFE):
                simple = len(item) == 1 and item[0].tag.endswith("}t")
                yield (plain(item[0].text) if simple else rich_text(item)).strip()
                item.clear()
                while item.getprevious() is not None:
                    del item.getparent()[0]


_SAFE: dict[str, Any] = {"resolve_entities": False, "no_network": True, "huge_tree": True, "recover": False}


def rows_of(part: Any, *tags: str) -> Iterator[Any]:
    """Elements of these names as they end, each forgotten once the next is asked for."""
    for _, element in etree.iterparse(part, tag=tuple(f"{{*}}{tag}" for tag in tags), **_SAFE):
        yield element
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]


def _parser() -> Any:
    return etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)


def _children(element: Any) -> list[Any]:
    return list(element) if element is not None else []


def _attribute(element: Any, name: str) -> str | None:
    return element.get(name) if element is not None else None


def _at(values: list[Any], place: str | None, otherwise: Any) -> Any:
    index = int(place) if place and place.isdigit() else 0
    return values[index] if index < len(values) else otherwise
