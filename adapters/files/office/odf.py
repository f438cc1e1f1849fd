"""ODT, ODS and ODP -> blocks: text with headings, lists, tables and notes; sheets; slides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lxml import etree

from adapters.files.kinds import ZIP
from adapters.files.office.elements import attribute, local
from adapters.files.office.odf_sheets import read_sheets
from adapters.files.office.odf_text import SHAPES, OdfText
from adapters.files.office.package import Package, parsed
from adapters.files.office.slide_order import Box, in_order, titled
from adapters.files.outline import Content, Outline, Progress, given_title, unheard
from pipeline.errors import Refused

_SHEETS = re.compile(rb"<office:spreadsheet")
_START = 2_000_000
"""Bytes, after all styles, in which the body begins."""
_DRAWN = frozenset({"custom-shape", "rect"})
_LENGTH = re.compile(r"(-?\d{0,9}(?:\d|\.\d{1,20}))(cm|mm|in|pt|px)?")
_UNITS = {"cm": 10.0, "mm": 1.0, "in": 25.4, "pt": 0.353, "px": 0.265}


def read_odf(file: bytes, on_pages: Progress = unheard) -> Content:
    """A text, a workbook or a presentation, whichever it is: `sheet` and `row`, or `page`, tell the place."""
    outline = Outline()
    package = Package(file, outline.unread) if file.startswith(ZIP) else None
    if package and b"encryption-data" in (package.read("META-INF/manifest.xml") or b""):
        raise Refused("the file is protected by a password", what_to_do="Remove the password.")
    content = (package.read("content.xml") or b"") if package else file
    sheets = _SHEETS.search(content[:_START]) or (package and b"spreadsheet" in (package.read("mimetype") or b""))
    if package:
        document, meta = None if sheets else package.xml("content.xml"), package.xml("meta.xml")
    else:
        document = meta = None if sheets else parsed(file)
    if document is None and not sheets:
        raise Refused("the file is no document of OpenDocument", what_to_do="Open and save it again.")
    text = OdfText(outline, package, document)
    if sheets:
        read_sheets(text, content, on_pages)
    for body in () if document is None else document.iterfind("{*}body/*"):
        match local(body):
            case "presentation" | "drawing":
                _slides(text, body)
            case _:
                text.flow(body)
    return outline.content(title=given_title(meta.findtext("{*}meta/{*}title") if meta is not None else ""))


def _slides(text: OdfText, body: etree._Element) -> None:
    outline, text.runs_on = text.outline, True
    for number, slide in enumerate(body.iterfind("{*}page"), 1):
        if text.styles.said("drawing-page", attribute(slide, "style-name"), "visibility") == "hidden":
            continue
        outline.page, text.outline = number, Outline()
        text.outline.page = number
        shapes = [shape for shape in slide.iterchildren("*") if local(shape) in SHAPES]
        title = next((one for one in shapes if attribute(one, "class") == "title" and text.runs.words(one)), None)
        boxes = list(_boxes(text, shapes))
        if title is None:
            title = titled(boxes, text.runs.lines)
        for box in in_order(box for box in boxes if box.shape is not title):
            if box.heads and attribute(box.shape, "class") and len(text.runs.lines(box.shape)) == 1:
                text.outline.heading(1, text.runs.words(box.shape))
            else:
                text.shape(box.shape)
        if title is None and not text.outline.size and slide.find("{*}frame/{*}image") is not None:
            text.outline.unread(f"slide {number}: no text, only a picture")
        text.outline.leave(1)
        for note in slide.iterfind("{*}notes/{*}frame"):
            if attribute(note, "class") == "notes":
                text.shape(note)
        outline.section(text.outline.content(), "" if title is None else text.runs.words(title), f"Slide {number}")
    outline.page, text.outline = None, outline


def _boxes(text: OdfText, shapes: Iterable[etree._Element]) -> Iterator[Box]:
    for shape in shapes:
        x, y, width, height = (_length(attribute(shape, name)) for name in ("x", "y", "width", "height"))
        if local(shape) == "g":  # a group has no place of its own
            inner = [box for box in _boxes(text, shape.iterchildren("*")) if box.width]
            x, y = min((box.x for box in inner), default=0), min((box.y for box in inner), default=0)
        yield Box(shape, x, y, width, height, panel=local(shape) in _DRAWN and not text.runs.lines(shape))


def _length(given: str) -> int:
    """In hundredths of a millimetre."""
    found = _LENGTH.fullmatch(given)
    return int(100 * float(found[1]) * _UNITS[found[2] or "mm"]) if found else 0
