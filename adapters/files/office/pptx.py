"""PPTX as blocks: slides as pages, their titles as headings, speaker notes after them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from lxml import etree

from adapters.files.content import OutlineBuilder, ParsedFile
from adapters.files.office.charts import add_chart, add_diagram
from adapters.files.office.package import OfficePackage, local_name, parse_bounded_int, relationship_id
from adapters.files.office.slides import (
    SlideShape,
    add_paragraphs,
    content_to_cell,
    find_title_shape,
    paragraph_text,
    sort_shapes,
)
from adapters.files.table_grid import Cell, fill_spans
from adapters.files.table_regions import add_document_table as add_table
from pipeline.errors import Refused

_TITLES = frozenset({"title", "ctrTitle"})
_AROUND = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})
"""Placeholders of the parts around every slide."""
_BULLETED = frozenset({"body", "obj"})
_UNITS = re.compile(r"-?[0-9]{1,12}")
_FILE_NAME = re.compile(r"\S+\.\w{2,4}")


def read_pptx(content: bytes) -> ParsedFile:
    """Read text, tables, charts and diagrams of each visible slide. `page` is the slide's number. A broken slide or
    part is noted as unread."""
    outline = OutlineBuilder()

    def unread(description: str) -> None:
        outline.note_unread(f"slide {outline.page}: {description}" if outline.page else description)

    package = OfficePackage(content, unread)
    main = package.main_part("ppt/presentation.xml")
    deck = package.xml(main)
    if deck is None:
        raise Refused("the file is no presentation", what_to_do="Open and save it again as .pptx.")
    parts = package.relationships(main)
    for number, slide_id in enumerate(deck.iterfind("{*}sldIdLst/{*}sldId"), 1):
        outline.page = number
        part = parts.get(relationship_id(slide_id))
        slide = package.xml(part.target) if part else None
        if part is None or slide is None:
            unread("it is damaged")
        elif slide.get("show") not in {"0", "false"}:
            try:
                _Slide(package, part.target, slide, number).read(outline)
            except (ValueError, LookupError, ArithmeticError, RecursionError):
                unread("it is damaged")
    outline.page = None
    return outline.build(title=package.title())


class _Slide:
    def __init__(self, package: OfficePackage, part: str, slide: etree._Element, number: int) -> None:
        self._package = package
        self._part_name = part
        self._slide = slide
        self._outline = OutlineBuilder()
        self._outline.page = number
        self._relations = package.relationships(part)
        self._pictures = 0

    def read(self, outline: OutlineBuilder) -> None:
        """Append the slide under its title, or nothing where it is empty."""
        tree = self._slide.find("{*}cSld/{*}spTree")
        shapes = [] if tree is None else list(_visible_shapes(tree))
        titles = [shape for shape in shapes if _placeholder_key(shape)[0] in _TITLES]
        boxes = [box for box in self._place_shapes(shapes) if _placeholder_key(box.shape)[0] not in _AROUND]
        title = next((shape for shape in titles if self._title_text(shape)), None)
        if title is None:
            title = find_title_shape(boxes, self._shape_lines)
        heading = "" if title is None else self._title_text(title)
        self._read_shapes(box for box in boxes if box.shape is not title)
        if not self._outline.character_count and self._pictures and not heading:
            self._note_unread("no text, only a picture")
        self._outline.close_sections(1)
        self._read_notes()
        outline.add_section(self._outline.build(), heading, f"Slide {self._outline.page}")

    def _note_unread(self, description: str) -> None:
        self._outline.note_unread(f"slide {self._outline.page}: {description}")

    def _related_part(self, drawn: etree._Element, name: str = "id") -> etree._Element | None:
        """Return the part that a shape refers to, if it can be read."""
        relation = self._relations.get(relationship_id(drawn, name))
        return self._package.xml(relation.target) if relation else None

    def _title_text(self, shape: etree._Element) -> str:
        """Return the words of a title, or the description of a picture that stands for one."""
        if local_name(shape) == "pic":
            properties = shape.find(".//{*}cNvPr")
            description = "" if properties is None else properties.get("descr", "")
            return "" if _FILE_NAME.fullmatch(description.strip()) else description
        return " ".join(" ".join(self._shape_lines(shape)).split())

    def _shape_lines(self, shape: etree._Element) -> list[str]:
        texts = (paragraph_text(paragraph, self._relations)[0] for paragraph in shape.iterfind("{*}txBody/{*}p"))
        return [text for text in texts if text.strip()]

    def _read_shapes(self, boxes: Iterable[SlideShape]) -> None:
        for box in sort_shapes(boxes):
            try:
                if box.is_column_heading and _placeholder_key(box.shape)[0] and len(self._shape_lines(box.shape)) == 1:
                    self._outline.add_heading(1, self._title_text(box.shape))
                else:
                    self._read_shape(box.shape)
            except (KeyError, ValueError, StopIteration):
                self._note_unread(f"a {_NAMES.get(local_name(box.shape), 'shape')} that is damaged")

    def _place_shapes(self, shapes: Iterable[etree._Element]) -> Iterator[SlideShape]:
        """Yield shapes with their places. A shape without a place of its own or of its layout follows the one
        before."""
        place = (0, 0, 0, 0)
        for shape in shapes:
            for holder in (shape, *self._inherited_placeholders(shape)):
                if own_place := _shape_place(holder):
                    place = own_place
                    break
            yield SlideShape(shape, *place, is_panel=local_name(shape) == "sp" and not _has_text(shape))

    def _read_shape(self, shape: etree._Element) -> None:
        match local_name(shape):
            case "grpSp":
                self._read_shapes(self._place_shapes(_visible_shapes(shape)))
            case "graphicFrame":
                self._read_frame(shape)
            case "pic":
                self._pictures += 1
            case _:
                kind, _ = _placeholder_key(shape)
                for body in shape.iter("{*}txBody"):
                    styles = [
                        style
                        for placeholder in self._inherited_placeholders(shape)
                        for style in placeholder.iterfind(".//{*}lstStyle")
                    ]
                    add_paragraphs(self._outline, body, [*styles, *self._master_styles(kind)], self._relations)

    def _read_frame(self, frame: etree._Element) -> None:
        data = frame.find("{*}graphic/{*}graphicData")
        for part in () if data is None else data.iterchildren("*"):
            match local_name(part):
                case "tbl":
                    self._read_table(part)
                case "chart":
                    chart = self._related_part(part)
                    if chart is None or not add_chart(self._outline, chart):
                        self._note_unread(f"a chart {'that is damaged' if chart is None else 'without its figures'}")
                case "relIds" if (drawn := self._related_part(part, "dm")) is not None:
                    add_diagram(self._outline, drawn)
                case _:
                    for embedded in part.iter("{*}oleObj"):
                        program = embedded.get("progId", "").partition(".")[0] or "another program"
                        self._note_unread(f"an object of {program}")
                        break

    def _read_table(self, table: etree._Element) -> None:
        rows = []
        for row in table.iterfind("{*}tr"):
            cells = [
                self._read_cell(cell)
                for cell in row.iterfind("{*}tc")
                if not {cell.get("hMerge"), cell.get("vMerge")} & {"1", "true"}
            ]
            rows.append(cells)
        look = table.find("{*}tblPr")
        says = look is not None and (look.attrib or len(look))  # PowerPoint leaves out what is off
        marked = int(look.get("firstRow") in {"1", "true"}) if look is not None and says else None
        add_table(self._outline, fill_spans(rows), marked)

    def _read_cell(self, cell: etree._Element) -> Cell:
        spans = parse_bounded_int(cell.get("gridSpan")), parse_bounded_int(cell.get("rowSpan"))
        runs = [run.find("{*}rPr") for run in cell.iter("{*}r")]
        bold = bool(runs) and all(run is not None and run.get("b") in {"1", "true"} for run in runs)
        strong = bold or cell.find("{*}tcPr/{*}solidFill") is not None
        if len(paragraphs := cell.findall("{*}txBody/{*}p")) == 1 and paragraphs[0].find("{*}pPr/{*}buAutoNum") is None:
            text, links = paragraph_text(paragraphs[0], self._relations)
            return Cell(text, *spans, tuple(links), is_emphasized=strong)
        inner = OutlineBuilder()
        for body in cell.iterfind("{*}txBody"):
            add_paragraphs(inner, body, (), self._relations)
        return content_to_cell(inner.build())._replace(column_span=spans[0], row_span=spans[1], is_emphasized=strong)

    def _read_notes(self) -> None:
        for part in self._package.parts_of_kind(self._part_name, "notesSlide")[:1]:
            for shape in _part_shapes(self._package.xml(part)):
                if _placeholder_key(shape)[0] == "body":
                    for body in shape.iterfind("{*}txBody"):
                        add_paragraphs(self._outline, body, (), self._package.relationships(part))

    def _inherited_placeholders(self, shape: etree._Element) -> Iterator[etree._Element]:
        """Yield the placeholders of the layout and of the master that give a shape its place and its bullets."""
        kind, index = _placeholder_key(shape)
        if not kind:
            return
        layout, master = self._layout_and_master
        own_kind = kind
        for placeholder in _part_shapes(layout):
            its_kind, its_index = _placeholder_key(placeholder)
            if its_index == index and (index or its_kind == kind):
                own_kind = its_kind
                yield placeholder
                break
        master_kind = "title" if own_kind in _TITLES else "body" if own_kind in _BULLETED else own_kind
        yield from (
            placeholder for placeholder in _part_shapes(master) if _placeholder_key(placeholder)[0] == master_kind
        )

    def _master_styles(self, kind: str) -> Iterator[etree._Element]:
        """Yield the master's list styles for placeholders of that kind."""
        master = self._layout_and_master[1]
        if master is not None and kind in _BULLETED | {"subTitle"}:
            yield from master.iterfind("{*}txStyles/{*}bodyStyle")

    @cached_property
    def _layout_and_master(self) -> tuple[etree._Element | None, etree._Element | None]:
        """The slide's layout and master, as far as they can be read."""
        layout = next(iter(self._package.parts_of_kind(self._part_name, "slideLayout")), "")
        return self._package.xml(layout), self._package.related_xml(layout, "slideMaster") if layout else None


_NAMES = {"graphicFrame": "table, chart or diagram", "pic": "picture", "grpSp": "group"}


def _visible_shapes(tree: etree._Element) -> Iterator[etree._Element]:
    """Yield the visible shapes. Of alternatives the first is taken, unless only the other one can be read."""
    for shape in tree.iterchildren("*"):
        if local_name(shape) == "AlternateContent":
            choice, instead = shape.find("{*}Choice"), shape.find("{*}Fallback")
            is_readable = choice is not None and any(
                local_name(element) in {"txBody", "graphicFrame"} for element in choice.iter("*")
            )
            taken = choice if is_readable or instead is None else instead
            yield from _visible_shapes(taken) if taken is not None else ()
        elif local_name(shape) not in {"nvGrpSpPr", "grpSpPr", "extLst"}:
            properties = next(shape.iter("{*}cNvPr"), None)
            if properties is None or properties.get("hidden") not in {"1", "true"}:
                yield shape


def _has_text(shape: etree._Element) -> bool:
    return any(text.text and not text.text.isspace() for text in shape.iter("{*}t"))


def _part_shapes(part: etree._Element | None) -> Iterator[etree._Element]:
    return iter(()) if part is None else part.iter("{*}sp")


def _placeholder_key(shape: etree._Element) -> tuple[str, str]:
    """Return the kind and the index of a placeholder; empty where the shape is none."""
    placeholder = next(
        (element for properties in shape.iterchildren("*") for element in properties.iterfind("{*}nvPr/{*}ph")), None
    )
    return ("", "") if placeholder is None else (placeholder.get("type", "obj"), placeholder.get("idx", ""))


def _shape_place(shape: etree._Element) -> tuple[int, int, int, int] | None:
    transform = shape.find("{*}xfrm")
    for properties in shape.iterchildren("*") if transform is None else ():
        transform = properties.find("{*}xfrm") if local_name(properties) in {"spPr", "grpSpPr"} else None
        if transform is not None:
            break
    offset, extent = (None, None) if transform is None else (transform.find("{*}off"), transform.find("{*}ext"))
    if offset is None or extent is None:
        return None
    x, y, width, height = (
        int(value) if _UNITS.fullmatch(value := part.get(name, "")) else 0
        for part, name in ((offset, "x"), (offset, "y"), (extent, "cx"), (extent, "cy"))
    )
    return x, y, width, height
