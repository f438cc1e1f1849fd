"""DOCX as blocks: headings, lists, tables and code in the order of the document."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from adapters.files.content import OutlineBuilder, ParsedFile
from adapters.files.office.charts import add_chart, add_diagram
from adapters.files.office.docx.inline import DocxInlineReader, DocxLine
from adapters.files.office.docx.lists import DocxNumbering, ListDepths, ListPosition
from adapters.files.office.docx.styles import DocxStyle, DocxStyles, parse_outline_level
from adapters.files.office.docx_xml import (
    OFF_VALUES,
    VAL_ATTRIBUTE,
    XmlElement,
    find_descendant,
    find_value,
    formula_to_tex,
    parse_xml_int,
    qname,
    toggle_value,
    visible_children,
)
from adapters.files.office.package import OfficePackage, local_name
from adapters.files.office.runs import STEP_LABEL, OfficeRun
from adapters.files.office.slides import content_to_cell
from adapters.files.table_grid import Cell, fill_spans
from adapters.files.table_regions import add_document_table as add_table
from pipeline.errors import Refused
from pipeline.values import BlockKind

# --- Tables as a grid: one text a column, spans filled in -----------------------------------------

_ROW, _CELL = qname("w:tr"), qname("w:tc")
_UNMERGED, _MERGED_ABOVE, _MERGE_START = 1, 0, -1
"""Values of a cell's `row_span` until the grid is made: not merged, merged with the cell above, or first of those
merged below."""


class DocxRow(NamedTuple):
    cells: list[XmlElement]
    grid_before: int
    grid_after: int
    """Columns that the row leaves out."""
    header: bool


def visible_rows(table: XmlElement) -> list[DocxRow]:
    """Return the rows that are shown."""
    rows = []
    for row in visible_children(table):
        properties = row.find(qname("w:trPr"))
        if row.tag == _ROW and not any(find_descendant(properties, name) is not None for name in ("w:del", "w:hidden")):
            cells = [
                c for c in visible_children(row) if c.tag == _CELL and find_descendant(c, "w:tcPr/w:cellDel") is None
            ]
            before, after = (parse_xml_int(find_value(properties, f"w:grid{side}")) for side in ("Before", "After"))
            rows.append(DocxRow(cells, before, after, bool(toggle_value(properties, "w:tblHeader"))))
    return rows


def docx_table_grid(rows: list[DocxRow], read_cell: Callable[[XmlElement], Cell]) -> list[list[Cell]]:
    """Return a table's cells, with spans filled in."""
    return _merge_cells(fill_spans(_read_cells(row, read_cell) for row in rows))


def marked_header_rows(table: XmlElement, rows: list[DocxRow]) -> int | None:
    """Count the rows that are marked as header. Return 0 where the table's look has none, None where it does not
    say."""
    look = find_descendant(table, "w:tblPr/w:tblLook")
    plain = look is not None and look.get(qname("w:firstRow"), "1") in OFF_VALUES
    return next((index for index, row in enumerate(rows) if not row.header), 0) or (0 if plain else None)


def continues_table(table: XmlElement) -> bool:
    """Return whether Word shows the table and the one above as one."""
    above = table.getprevious()
    return above is not None and above.tag == table.tag and _count_columns(above) == _count_columns(table) > 0


def _read_cells(row: DocxRow, cell_of: Callable[[XmlElement], Cell]) -> Iterator[Cell]:
    if row.grid_before > 0:
        yield Cell("", row.grid_before)
    merged = Cell("")
    for cell in row.cells:
        properties = cell.find(qname("w:tcPr"))
        merge, beside = find_descendant(properties, "w:vMerge"), find_descendant(properties, "w:hMerge")
        kind = _UNMERGED if merge is None else _MERGE_START if merge.get(VAL_ATTRIBUTE) == "restart" else _MERGED_ABOVE
        if beside is None or beside.get(VAL_ATTRIBUTE) == "restart":
            merged = cell_of(cell)._replace(is_emphasized=_is_bold(cell) or _is_shaded(properties))
        yield merged._replace(column_span=parse_xml_int(find_value(properties, "w:gridSpan"), 1), row_span=kind)
    if row.grid_after > 0:
        yield Cell("", row.grid_after)


def _merge_cells(grid: list[list[Cell]]) -> list[list[Cell]]:
    """Repeat a cell in each cell below that it is merged with. A cell that claims a merge in vain keeps its own
    text."""
    for index, line in enumerate(grid):
        merged_cells: dict[int, Cell] = {}
        for column, cell in enumerate(line):
            if cell.row_span == _MERGE_START:
                last = index + 1
                while last < len(grid) and _is_merged_above(grid[last], column):
                    last += 1
                merged = merged_cells.setdefault(id(cell), cell._replace(row_span=last - index))
                for row in grid[index:last]:
                    row[column] = merged
    return grid


def _is_merged_above(line: list[Cell], column: int) -> bool:
    return column < len(line) and line[column].row_span == _MERGED_ABOVE


def _count_columns(table: XmlElement) -> int:
    return len(table.findall(f"{qname('w:tblGrid')}/{qname('w:gridCol')}"))


def _is_bold(cell: XmlElement) -> bool:
    """Return whether all text of a cell is bold."""
    runs = [run for run in cell.iter(qname("w:r")) if any(text.strip() for text in run.itertext(qname("w:t")))]
    return bool(runs) and all(toggle_value(find_descendant(run, "w:rPr"), "w:b") for run in runs)


def _is_shaded(properties: XmlElement | None) -> bool:
    shade = find_descendant(properties, "w:shd")
    return shade is not None and (shade.get(qname("w:fill")) or "auto").lower() not in {"auto", "ffffff"}


# --- The document ---------------------------------------------------------------------------------

_SENTENCE = re.compile(r"[.;,]\s*\Z|.{150}", re.DOTALL)
"""Texts with an outline level that are no headings."""
_HEADING_FORM = re.compile(r"(?=\D*\Z|(?:.*?[^\W\d_]){4})(?=.*[^\W\d_])[^\n\t]{,79}[^\n\t.,;:!]\s*")
"""Form of a heading that is styled by hand."""
_SIZES = (32, 26, 0)
"""Sizes of its bold letters, in half points by level, larger than the text."""
_PROGRAM = re.compile(r"[{}\[\];=<>$|\\]|^\s{2,}\S|\(\)|\):$|::|\s--?\w", re.MULTILINE)
"""Signs that a line of code has, and prose in its font has not."""
_PARTS = {"tbl": "table", "altChunk": "part"}


def read_docx(content: bytes, read_embedded: Callable[[str, bytes], ParsedFile]) -> ParsedFile:
    """Read accepted and proposed text with its notes. Deleted, moved, struck and hidden text is left out, and so are
    comments. Headers and footers are read where there is nothing else. `read_embedded` reads an embedded file by its
    name."""
    outline = OutlineBuilder()
    package = OfficePackage(content, outline.note_unread)
    main = package.main_part("word/document.xml")
    root = package.xml(main)
    if root is None:
        raise ValueError(main)
    if root.tag != qname("w:document"):
        raise Refused("the file is no document of Word", what_to_do="Open it in its program and save it as .docx.")
    walk = _DocumentWalker(package, main, outline, read_embedded)
    for body in root.iterchildren(qname("w:body")):
        walk.read_blocks(body)
    title = walk.title or package.title()
    if (document := outline.build(title=title)).has_text:
        return document
    for part in (*package.parts_of_kind(main, "header"), *package.parts_of_kind(main, "footer")):
        walk.read_blocks(package.xml(part))
    return outline.build(title=title)


class _DocumentWalker:
    def __init__(
        self,
        package: OfficePackage,
        main: str,
        outline: OutlineBuilder,
        read_embedded: Callable[[str, bytes], ParsedFile],
    ) -> None:
        self.title = ""
        self._read_embedded = read_embedded
        self._outline = outline
        self._package = package
        self._styles = DocxStyles(package.related_xml(main, "styles"))
        self._numbering = DocxNumbering(package.related_xml(main, "numbering"), self._styles)
        self._inline = DocxInlineReader(package, main, self._styles, outline.note_unread)
        self._depths = ListDepths()
        self._code: list[str] = []
        self._begun: list[str] = []
        """Texts of a paragraph that continues in the next: a drop cap, or one whose end was deleted."""
        self._in_cell = False

    def read_blocks(self, container: XmlElement | None) -> None:
        """Read the blocks of `container`, each by itself: a block that is not understood is noted as unread, and the
        rest is read."""
        for element in () if container is None else visible_children(container):
            with self._outline.skip_damaged(f"a {_PARTS.get(local_name(element), 'paragraph')} that is not understood"):
                self._read_block(element)
        self._flush()

    def _read_block(self, element: XmlElement) -> None:
        name = local_name(element)
        if name == "p":
            return self._read_paragraph(element)
        if name in {"tbl", "altChunk", "oMath", "oMathPara"}:
            self._flush()
        match name:
            case "tbl":
                self._depths.close_lists()
                self._read_table(element)
            case "altChunk":
                self._read_embedded_file(element.get(qname("r:id"), ""))
            case "oMath" | "oMathPara":
                self._outline.add(BlockKind.PROSE, formula_to_tex(element))
        return None

    def _flush(self) -> None:
        """Write the text that waited for more of its kind."""
        code, begun = self._code, self._begun
        self._code, self._begun = [], []
        if code:
            self._outline.add(BlockKind.CODE, "\n".join(code))
        if begun:
            self._outline.add(BlockKind.PROSE, "".join(begun))

    def _read_paragraph(self, paragraph: XmlElement) -> None:
        properties = find_descendant(paragraph, "w:pPr")
        style = self._styles.style_for(properties)
        line = self._inline.read_line(paragraph, style.marks)
        text = line.text()
        if (below_it := paragraph.getnext()) is None or below_it.tag == qname("w:sectPr"):
            line.size = 0
        if _continues(properties):
            self._begun.append(text.strip("\n"))
        elif style.code or (line.is_code and (self._code or _PROGRAM.search(text))):
            self._code.append("".join([*self._begun, text]))
            self._begun = []
        elif self._begun or line.runs:
            if self._begun:
                line.runs.insert(0, OfficeRun("".join(self._begun)))
                self._begun = []
            self._flush()
            self._write(line, properties, style)
        elif not line.drawings and not toggle_value(find_descendant(properties, "w:rPr"), "w:vanish"):
            self._write(line, properties, style)
        self._read_drawings(line.drawings)

    def _write(self, line: DocxLine, properties: XmlElement | None, style: DocxStyle) -> None:
        """Write a heading, an entry of a list, or text."""
        entry = self._numbering.entry_for(properties, style)
        text = line.text()
        level = style.outline_level or parse_outline_level(find_value(properties, "w:outlineLvl"))
        level = style.heading_level or (0 if _SENTENCE.search(text) else level)
        plain = not (level or entry or style.list_kind or style.is_title)
        if plain and line.size > self._styles.size and _HEADING_FORM.fullmatch(text):
            level = next(level for level, size in enumerate(_SIZES, 1) if line.size >= size)
        if (style.is_title or level) and (bare := line.text(notes=False).strip()):
            first = style.is_title and not self.title
            self.title = self.title or (bare if first else "")
            self._depths.close_lists()
            self._outline.add_heading(level or 1, f"{entry.label if entry else ''} {bare}", title=first, code=line.code)
            for note in line.notes:
                self._outline.add(BlockKind.PROSE, note)
        elif text.strip():
            self._write_text(text, line, self._depths.position_of(text, entry, properties, style))
        elif entry and self._in_cell:
            self._outline.add(BlockKind.PROSE, entry.label)

    def _write_text(self, text: str, line: DocxLine, position: ListPosition) -> None:
        """Write a paragraph that is no heading. The number of a nested entry stands in its text."""
        step = STEP_LABEL.fullmatch(position.label or "")
        kind, number = BlockKind.PROSE, 0
        if position.is_listed and not position.depth and (step or position.label is None):
            kind, number = BlockKind.STEP, int(step[1]) if step else 0
        elif position.is_listed:
            kind, text = BlockKind.ITEM, f"{position.label or ''} {text[position.marker_length :]}"
        self._outline.add(kind, text, depth=position.depth, number=number, links=line.links, code=line.code)

    def _read_table(self, table: XmlElement) -> None:
        """Write a table. A table of one column is a box around text, and so are the cells of a table that contains
        sections."""
        rows = visible_rows(table)
        if all(len(row.cells) <= 1 or any(map(self._is_section, row.cells)) for row in rows):
            for row in rows:
                for cell in row.cells:
                    self.read_blocks(cell)
                    self._depths.close_lists()
            return
        grid = docx_table_grid(rows, self._read_cell)
        add_table(self._outline, grid, marked_header_rows(table, rows), continues=continues_table(table))

    def _is_section(self, cell: XmlElement) -> bool:
        """Return whether a cell has a heading and text below it."""
        paragraphs = cell.findall(qname("w:p"))
        return len(paragraphs) > 1 and self._styles.style_for(find_descendant(paragraphs[0], "w:pPr")).heading_level > 0

    def _read_cell(self, cell: XmlElement) -> Cell:
        """Return the text of a cell, a line a paragraph. A list or a table in it is one line."""
        paragraph = cell[-1] if len(cell) and len(cell) <= 1 + (local_name(cell[0]) == "tcPr") else None
        if paragraph is not None and paragraph.tag == qname(
            "w:p"
        ):  # as most cells: one paragraph, and no entry of a list
            properties = find_descendant(paragraph, "w:pPr")
            style = self._styles.style_for(properties)
            if not (style.list_kind or style.list_id) and find_descendant(properties, "w:numPr") is None:
                line = self._inline.read_line(paragraph, style.marks)
                if not line.drawings:
                    return Cell(line.text(), links=tuple(line.links), code=tuple(line.code))
        saved = self._outline, self._depths, self._in_cell
        self._outline, self._depths, self._in_cell = OutlineBuilder(), ListDepths(), True
        self.read_blocks(cell)
        content = self._outline.build()
        self._outline, self._depths, self._in_cell = saved
        for description in content.unread:
            self._outline.note_unread(description)
        return content_to_cell(content)

    def _read_drawings(self, boxes: list[XmlElement]) -> None:
        """Write text boxes, charts and diagrams behind the paragraph that they are anchored in."""
        for box in boxes:
            outer, self._depths = self._depths, ListDepths()
            match local_name(box):
                case "txbxContent":
                    self.read_blocks(box)
                case "chart" if (chart := self._related_root(box.get(qname("r:id"), ""))) is not None:
                    add_chart(self._outline, chart)
                case "relIds" if (data := self._related_root(box.get(qname("r:dm"), ""))) is not None:
                    add_diagram(self._outline, data)
            self._depths = outer

    def _related_root(self, name: str) -> XmlElement | None:
        relation = self._inline.relations.get(name)
        root = self._package.xml(relation.target) if relation else None
        if root is None:
            self._outline.note_unread(f"{relation.target if relation else name}: missing")
        return root

    def _read_embedded_file(self, name: str) -> None:
        """Read a file of any format that the document embeds."""
        relation = self._inline.relations.get(name)
        content = self._package.read(relation.target) if relation else None
        if relation is None or content is None:
            self._outline.note_unread(f"{relation.target if relation else name}: missing")
            return
        try:
            self._outline.add_content(self._read_embedded(posixpath.basename(relation.target), content))
        except Refused as error:
            self._outline.note_unread(f"{relation.target}: {error}")
        except (ValueError, LookupError, ArithmeticError, RecursionError):
            self._outline.note_unread(f"{relation.target}: it is damaged")


def _continues(properties: XmlElement | None) -> bool:
    """Return whether the text of a paragraph continues in the next one."""
    end, frame = find_descendant(properties, "w:rPr"), find_descendant(properties, "w:framePr")
    removed = any(find_descendant(end, mark) is not None for mark in ("w:del", "w:moveFrom"))
    return removed or (frame is not None and frame.get(qname("w:dropCap"), "none") != "none")
