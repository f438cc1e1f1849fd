"""The content that documents of OpenDocument share: paragraphs, lists, tables, notes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from adapters.files.content import OutlineBuilder
from adapters.files.inline_marks import insert_footnote
from adapters.files.office.odf_runs import HIDDEN_ELEMENTS, OUTLINE_STYLE, PLAIN_STYLE, TEXT_STYLE, OdfRunReader
from adapters.files.office.package import OfficePackage, local_attribute, local_name, parse_bounded_int
from adapters.files.office.runs import NOTE_RUN, add_list_entry, replace_symbol_chars, runs_links, runs_text
from adapters.files.office.slides import content_to_cell
from adapters.files.table_grid import MAX_COLUMNS, Cell, fill_spans
from adapters.files.table_regions import add_document_table as add_table
from pipeline.values import BlockKind, Link

_CODE = frozenset({"Preformatted_20_Text", "Source_20_Code", "Source_20_Text"})
_HEADING = re.compile(r"Heading_20_[1-6]")
_LIST_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}list-style-name"
_PARAGRAPH = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}p"
_TABLE_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}style-name"
SHAPES = frozenset("frame custom-shape g rect text-box a ellipse line connector polygon path".split())
_MAX_REPEATS = 100
"""Times that a row with text may be repeated."""


class OdfContentReader:
    """A reader that fills `outline` from the elements of `document`."""

    def __init__(self, outline: OutlineBuilder, package: OfficePackage | None, document: etree._Element | None) -> None:
        self.outline = outline
        self.runs_on = False
        """True where numbers continue in a list that follows another, as on slides."""
        self.runs = OdfRunReader(package, document)
        self.styles = self.runs.styles
        self._in_cell = False
        self._counts: dict[str, dict[int, int]] = {}
        """Last number of each level, by the name of a list or of its style."""
        self._last_numbers: dict[int, int] = {}
        self._open: list[int] = []
        """Levels of the entries that may contain the next one."""

    def add_flow(self, parent: etree._Element, depth: int = 0) -> None:
        """Append the content of `parent`, nested in `depth` list entries."""
        code: list[str] = []
        for element in parent.iterchildren("*"):
            if local_name(element) == "p" and self.styles.style_names(element) & _CODE:
                code.append(runs_text(self.runs.read_runs(element)))
                continue
            self.outline.add(BlockKind.CODE, "\n".join(code), depth=depth)
            code.clear()
            if local_name(element) != "list":
                self._open.clear()
            match local_name(element):
                case "p":
                    self._add_paragraph(element, depth)
                case "h":
                    self._add_numbered_heading(element)
                case "list":
                    self._add_list(element, depth)
                case "table":
                    self._add_table(element, depth)
                case "section" | "index-body" if local_attribute(element, "display") != "none":
                    self.add_flow(element, depth)
                case name if name in SHAPES:
                    self.add_shape(element, depth)
        self.outline.add(BlockKind.CODE, "\n".join(code), depth=depth)

    def add_shape(self, shape: etree._Element, depth: int = 0) -> None:
        """Append the text, the table or the chart of a shape."""
        if local_attribute(shape, "display") == "none":
            return
        if shape.find("{*}object") is not None:
            self._add_embedded(shape, depth)
        elif local_name(shape) == "frame":  # of several kinds of content the first is meant
            first = next((part for part in shape.iterchildren("*") if local_name(part) not in HIDDEN_ELEMENTS), None)
            if first is not None:
                self._add_table(first, depth) if local_name(first) == "table" else self.add_flow(first, depth)
        else:
            self.add_flow(shape, depth)

    def _add_embedded(self, frame: etree._Element, depth: int) -> None:
        """Append a formula, or a chart by the table that is stored with it."""
        if formula := self.runs.formula(frame):
            return self.outline.add(BlockKind.PROSE, formula, depth=depth)
        inner = self.runs.embedded_object(frame)
        chart = None if inner is None else next(inner.iterfind(".//{*}chart/{*}chart"), None)
        if chart is None:
            return self.outline.note_unread("an object of another program")
        title = chart.find("{*}title")
        self.outline.add(BlockKind.PROSE, "" if title is None else self.runs.element_text(title))
        rows = [
            [_chart_cell_text(cell) for cell in row.iterfind("{*}table-cell")] for row in chart.iter("{*}table-row")
        ]
        return self.outline.add_table(rows, header=1)

    def _add_paragraph(self, paragraph: etree._Element, depth: int, label: str | None = None) -> None:
        """Append a paragraph. `label` stands before an entry of a list; None means text, or a heading by its style."""
        names = self.styles.style_names(paragraph)
        level = next((int(name[-1]) for name in names if _HEADING.fullmatch(name)), 0)
        if label is None and ("Title" in names or level):
            self._add_heading(paragraph, level or 1, title="Title" in names)
        else:
            runs = list(self.runs.read_runs(paragraph))
            add_list_entry(self.outline, runs_text(runs), label, depth, runs_links(runs))
        for frame in paragraph.iter("{*}frame", "{*}custom-shape"):
            within = next(
                above for above in frame.iterancestors() if local_name(above) in {"frame", "note"} or above is paragraph
            )
            if within is paragraph and not self.runs.formula(frame):
                self.add_shape(frame, depth)

    def _add_numbered_heading(self, heading: etree._Element, label: str = "") -> None:
        """Append a heading. `label` is the number of the list entry around it."""
        level = parse_bounded_int(local_attribute(heading, "outline-level"))
        chain = self.styles.style_chain("paragraph", local_attribute(heading, "style-name"))
        has_own_list = any(style.get(_LIST_STYLE) is not None for style in chain)
        if not label and not has_own_list and local_attribute(heading, "is-list-header") != "true":
            label = self.styles.next_label(OUTLINE_STYLE, level, self._counts.setdefault(OUTLINE_STYLE, {})) or ""
        self._add_heading(heading, level, label)

    def _add_heading(self, paragraph: etree._Element, level: int, label: str = "", *, title: bool = False) -> None:
        """Append a heading, and its notes below it."""
        runs = list(self.runs.read_runs(paragraph))
        self.outline.add_heading(level, f"{label} {runs_text(runs, notes=False)}", title=title)
        for run in runs:
            self.outline.add(BlockKind.PROSE, run.text if run.kind == NOTE_RUN else "")

    def _add_list(self, parent: etree._Element, base: int) -> None:
        """Append an outermost list, nested in `base` other entries."""
        style, before = local_attribute(parent, "style-name"), parent.getprevious()
        continued = style if local_attribute(parent, "continue-numbering") == "true" else ""
        continued = local_attribute(parent, "continue-list") or continued
        continues = self.runs_on and before is not None and local_name(before) == "list"
        self._last_numbers = self._last_numbers if continues else self._counts.get(continued, {}) if continued else {}
        self._counts[style] = self._counts[local_attribute(parent, "id")] = self._last_numbers
        self._add_entries(parent, base, 1, style)

    def _add_entries(self, parent: etree._Element, base: int, level: int, style: str) -> None:
        for entry in parent.iterchildren("*"):
            if started := local_attribute(entry, "start-value"):
                self._last_numbers[level] = parse_bounded_int(started) - 1
            opened = False
            for part in entry.iterchildren("*"):
                match local_name(part):
                    case "p" | "h" as name if not opened:
                        opened = True
                        if local_name(entry) == "list-item":
                            label = self.styles.next_label(style, level, self._last_numbers)
                        else:
                            label = None if self._last_numbers and self._open else ""
                        if name == "h":
                            self._open.clear()
                            self._add_numbered_heading(part, label or "")
                        else:
                            self._add_entry(part, base, level, label)
                    case "p":
                        self._add_paragraph(part, base + len(self._open))
                    case "table":
                        self._add_table(part, base + len(self._open))
                    case "list":
                        self._add_entries(part, base, level + 1, local_attribute(part, "style-name") or style)

    def _add_entry(self, paragraph: etree._Element, base: int, level: int, label: str | None) -> None:
        """Append a list entry inside the entries of lower levels before it. Without any mark it is more text of
        them."""
        while self._open and self._open[-1] >= level + (label is None):
            self._open.pop()
        depth = base + len(self._open)
        if label is None or not runs_text(self.runs.read_runs(paragraph)).strip():
            self._add_paragraph(paragraph, depth)
            self.outline.add(BlockKind.PROSE, (label or "") if self._in_cell else "")
        else:
            self._open.append(level)
            self._add_paragraph(paragraph, depth, label)

    def _add_table(self, table: etree._Element, depth: int = 0) -> None:
        """Append a table of a text or a slide, with the header that it marks."""
        head = sum(1 for rows in table.iterfind("{*}table-header-rows") for _ in rows.iterfind("{*}table-row"))
        template = local_attribute(table, "use-first-row-styles")
        marked = head or (int(template == "true") if template else None)
        add_table(self.outline, fill_spans(self._read_rows(table)), marked, depth=depth)

    def _is_strong(self, cell: etree._Element) -> bool:
        """Return whether a cell is coloured, or all its text is bold."""
        texts = [text for text in cell.iter("{*}p") if self.runs.element_text(text)]
        bold = bool(texts) and all(
            "Table_20_Heading" in self.styles.style_names(text)
            or self._font_weight("paragraph", text) == "bold"
            or not (text.text or any(self._font_weight("text", part) != "bold" or part.tail for part in text))
            for text in texts
        )
        colour = self.styles.property_value("table-cell", local_attribute(cell, "style-name"), "background-color")
        return bold or colour not in {"", "transparent", "#ffffff"}

    def _font_weight(self, family: str, element: etree._Element) -> str:
        return self.styles.property_value(family, local_attribute(element, "style-name"), "font-weight")

    def _read_rows(self, table: etree._Element) -> Iterator[list[Cell]]:
        """Yield each row's cells. Repeated rows are yielded as often as they repeat, an empty one once."""
        for row in table.iter("{*}table-row"):
            if next(row.iterancestors("{*}table")) is table:
                cells = list(self._read_cells(row))
                times = parse_bounded_int(local_attribute(row, "number-rows-repeated"), maximum=_MAX_REPEATS)
                yield from [cells] * (times if any(cell.text for cell in cells) else 1)

    def _read_cells(self, row: etree._Element) -> Iterator[Cell]:
        """Yield the cells of the row itself."""
        for cell in row.iterchildren("{*}table-cell"):
            text, links = self.read_cell(cell)
            spans = (
                parse_bounded_int(local_attribute(cell, "number-columns-spanned")),
                parse_bounded_int(local_attribute(cell, "number-rows-spanned")),
            )
            times = parse_bounded_int(local_attribute(cell, "number-columns-repeated"), maximum=MAX_COLUMNS)
            yield from [Cell(text, *spans, links, is_emphasized=bool(text) and self._is_strong(cell))] * times

    def read_cell(self, cell: etree._Element) -> tuple[str, tuple[Link, ...]]:
        """Return the text of a cell, a line a paragraph. The rows of a table in it stand behind each other."""
        look = self.styles.text_style("table-cell", cell.get(_TABLE_STYLE), PLAIN_STYLE)
        if len(cell) == 1 and not len(cell[0]) and cell[0].tag == _PARAGRAPH:  # as most cells of sheets
            look = self.styles.text_style("paragraph", cell[0].get(TEXT_STYLE), look)
            text = cell[0].text or ""
            return "" if look.is_hidden else text if text.isascii() else replace_symbol_chars(text, look.font), ()
        saved = self.outline, self._open, self.runs.base, self._in_cell
        self.outline, self._open, self.runs.base, self._in_cell = OutlineBuilder(), [], look, True
        self.add_flow(cell)
        content = self.outline.build()
        self.outline, self._open, self.runs.base, self._in_cell = saved
        joined = content_to_cell(content)
        text, links = joined.text, joined.links
        for description in content.unread:
            self.outline.note_unread(description)
        for note in cell.iterfind("{*}annotation"):
            text = insert_footnote(text, " ".join(self.runs.element_text(part) for part in note.iter("{*}p")))
        return text, links


def _chart_cell_text(cell: etree._Element) -> str:
    """Return a cell of the table behind a chart, in which categories of several levels are first whole, then one by
    one."""
    text = cell.findtext("{*}p") or ""
    return "" if text == "NaN" else text
