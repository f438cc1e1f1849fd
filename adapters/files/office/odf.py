"""ODT, ODS and ODP -> blocks: text with headings, lists, tables and notes; sheets; slides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lxml import etree

from adapters.files.office.elements import attribute, local
from adapters.files.office.odf_sheets import read_sheets
from adapters.files.office.odf_text import OdfText
from adapters.files.office.package import Package
from adapters.files.office.slide_order import Box, in_order
from adapters.files.outline import Content, Outline, Progress, given_title, unheard
from pipeline.errors import Refused

_SHEETS = re.compile(rb"<office:spreadsheet")
_START = 2_000_000
"""Bytes, after all styles, in which the body begins."""
_LENGTH = re.compile(r"(-?[\d.]+)(cm|mm|in|pt|px)?")
_UNITS = {"cm": 10.0, "mm": 1.0, "in": 25.4, "pt": 0.353, "px": 0.265}


def read_odf(file: bytes, on_pages: Progress = unheard) -> Content:
    """A text, a workbook or a presentation, whichever it is: `sheet` and `row`, or `page`, tell the place."""
    outline = Outline()
    package = Package(file, outline.unread)
    if b"encryption-data" in (package.read("META-INF/manifest.xml") or b""):
        raise Refused("the file is protected by a password", what_to_do="Remove the password.")
    mimetype = package.read("mimetype") or b""
    content = package.read("content.xml") or b""
    if b"spreadsheet" in mimetype or _SHEETS.search(content[:_START]):
        read_sheets(OdfText(outline, package, None), content, on_pages)
        return outline.content(title=_title(package))
    document = package.xml("content.xml")
    if document is None:
        raise Refused("the file is no document of OpenDocument", what_to_do="Open and save it again.")
    text = OdfText(outline, package, document)
    for body in document.iterfind("{*}body/*"):
        match local(body):
            case "presentation" | "drawing":
                _slides(text, body)
            case _:
                text.flow(body)
    return outline.content(title=_title(package))


def _title(package: Package) -> str:
    meta = package.xml("meta.xml")
    return given_title(meta.findtext("{*}meta/{*}title") if meta is not None else "")


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
