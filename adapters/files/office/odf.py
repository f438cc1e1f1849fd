"""ODT, ODS and ODP -> blocks: text with headings, lists, tables and notes; sheets; slides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lxml import etree

from adapters.files.office.elements import attribute, local
from adapters.files.office.odf_text import OdfText
from adapters.files.office.package import Package
from adapters.files.office.slide_order import Box, in_order
from adapters.files.outline import Content, Outline, Progress, given_title, unheard
from adapters.files.regions import tables
from pipeline.errors import Refused

_LENGTH = re.compile(r"(-?[\d.]+)(cm|mm|in|pt|px)?")
_UNITS = {"cm": 10.0, "mm": 1.0, "in": 25.4, "pt": 0.353, "px": 0.265}


def read_odf(content: bytes, on_pages: Progress = unheard) -> Content:
    """A text, a workbook or a presentation, whichever it is: `sheet` and `row`, or `page`, tell the place."""
    outline = Outline()
    package = Package(content, outline.unread, declares=True)
    if b"encryption-data" in (package.read("META-INF/manifest.xml") or b""):
        raise Refused("the file is protected by a password", what_to_do="Remove the password.")
    document = package.xml("content.xml")
    if document is None:
        raise Refused("the file is no document of OpenDocument", what_to_do="Open and save it again.")
    text = OdfText(outline, package, document)
    for body in document.iterfind("{*}body/*"):
        match local(body):
            case "spreadsheet":
                _sheets(text, body, on_pages)
            case "presentation" | "drawing":
                _slides(text, body)
            case _:
                text.flow(body)
    meta = package.xml("meta.xml")
    return outline.content(title=given_title(meta.findtext("{*}meta/{*}title") if meta is not None else ""))


def _sheets(text: OdfText, body: etree._Element, on_pages: Progress) -> None:
    sheets = [table for table in body.iterfind("{*}table") if text.style(table, "table", "display") != "false"]
    for place, table in enumerate(sheets, 1):
        on_pages(place, 0)
        text.outline.sheet = name = attribute(table, "name")
        if len(sheets) > 1:
            text.outline.heading(1, name)
        tables(text.outline, text.sheet(table))
        for shape in table.iterfind("{*}shapes/*"):
            text.shape(shape)
    text.outline.sheet = None


def _slides(text: OdfText, body: etree._Element) -> None:
    outline, text.runs_on = text.outline, True
    for number, slide in enumerate(body.iterfind("{*}page"), 1):
        if text.style(slide, "drawing-page", "visibility") == "hidden":
            continue
        outline.page, text.outline = number, Outline()
        text.outline.page = number
        shapes = list(slide.iterchildren("*"))
        title = next((one for one in shapes if attribute(one, "class") == "title" and text.words(one)), None)
        shown = [one for one in shapes if one is not title and local(one) not in {"notes", "forms"}]
        for box in in_order(_boxes(shown)):
            if box.heads and attribute(box.shape, "class"):
                text.outline.heading(1, text.words(box.shape))
            else:
                text.shape(box.shape)
        if title is None and not text.outline.size and slide.find("{*}frame/{*}image") is not None:
            text.outline.unread(f"slide {number}: no text, only a picture")
        text.outline.leave(1)
        for note in slide.iterfind("{*}notes/{*}frame"):
            if attribute(note, "class") == "notes":
                text.shape(note)
        outline.section(text.outline.content(), "" if title is None else text.words(title), f"Slide {number}")
    outline.page, text.outline = None, outline


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
