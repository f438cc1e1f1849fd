"""ODT, ODS and ODP -> blocks: text with headings, lists, tables and notes; sheets; slides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lxml import etree

from adapters.files.office.odf_text import OdfText, attribute
from adapters.files.office.parts import Package, local
from adapters.files.office.slide_order import Box, in_order
from adapters.files.outline import Content, Outline, Progress, given_title, unheard
from pipeline.errors import Refused

_LENGTH = re.compile(r"(-?[\d.]+)(cm|mm|in|pt|px)?")
_UNITS = {"cm": 10.0, "mm": 1.0, "in": 25.4, "pt": 0.353, "px": 0.265}


def read_odf(content: bytes, on_pages: Progress = unheard) -> Content:
    """A text, a workbook or a presentation, whichever it is: `sheet` and `row`, or `page`, tell the place."""
    package = Package(content, declares=True)
    manifest = package.bytes("META-INF/manifest.xml") if "META-INF/manifest.xml" in package else b""
    if b"encryption-data" in manifest:
        raise Refused("the file is protected by a password", what_to_do="Remove the password.")
    outline = Outline()
    document = package.xml("content.xml")
    styles = package.xml("styles.xml") if "styles.xml" in package else None
    text = OdfText(outline, package, document, styles)
    for body in document.iterfind("{*}body/*"):
        match local(body):
            case "spreadsheet":
                _sheets(text, body, on_pages)
            case "presentation" | "drawing":
                _slides(text, body)
            case _:
                text.flow(body)
    return outline.content(title=given_title(_title(package)))


def _title(package: Package) -> str:
    try:
        return package.xml("meta.xml").findtext("{*}meta/{*}title") or ""
    except (KeyError, etree.LxmlError):
        return ""


def _sheets(text: OdfText, body: etree._Element, on_pages: Progress) -> None:
    for place, table in enumerate(body.iterfind("{*}table"), 1):
        on_pages(place, 0)
        if text.style(table, "table", "display") != "false":
            text.outline.sheet = attribute(table, "name")
            text.sheet(table)
            for shape in table.iterfind("{*}shapes/*"):
                text.shape(shape)
    text.outline.sheet = None


def _slides(text: OdfText, body: etree._Element) -> None:
    outline = text.outline
    for number, slide in enumerate(body.iterfind("{*}page"), 1):
        if text.style(slide, "drawing-page", "visibility") == "hidden":
            continue
        outline.page = number
        shapes = list(slide.iterchildren("*"))
        title = next((one for one in shapes if attribute(one, "class") == "title" and text.words(one)), None)
        outline.heading(1, f"Slide {number}" if title is None else text.words(title))
        before, pictures = outline.size, 0
        shown = [one for one in shapes if one is not title and local(one) not in {"notes", "forms"}]
        for box in in_order(_boxes(shown)):
            if box.heads and attribute(box.shape, "class"):
                outline.heading(2, text.words(box.shape))
            else:
                pictures += box.shape.find("{*}image") is not None
                text.shape(box.shape)
        outline.leave(2)
        for note in slide.iterfind("{*}notes/{*}frame"):
            if attribute(note, "class") == "notes":
                text.shape(note)
        if pictures and outline.size == before and title is None:
            outline.unread(f"slide {number}: no text, only a picture")
    outline.page = None


def _boxes(shapes: Iterable[etree._Element]) -> Iterator[Box]:
    for shape in shapes:
        x, y, width, height = (_length(attribute(shape, name)) for name in ("x", "y", "width", "height"))
        if local(shape) == "g":  # a group has no place of its own
            inner = [box for box in _boxes(shape.iterchildren("*")) if box.width]
            x, y = min((box.x for box in inner), default=0), min((box.y for box in inner), default=0)
        yield Box(shape, x, y, width, height)


def _length(given: str) -> int:
    """In hundredths of a millimetre."""
    found = _LENGTH.fullmatch(given)
    return int(100 * float(found[1]) * _UNITS[found[2] or "mm"]) if found else 0
