"""DOCX -> blocks: headings, lists, tables and code in the order of the document."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from adapters.files.office.charts import add_chart, add_diagram
from adapters.files.office.docx.inline import Inline, Line
from adapters.files.office.docx.lists import Depths, Numbering, Place
from adapters.files.office.docx.styles import Style, Styles, outline_level
from adapters.files.office.docx_xml import OFF, VALUE, Element, below, children, number, q, switch, tex, value
from adapters.files.office.package import Package, local
from adapters.files.office.runs import STEP, Run
from adapters.files.office.slides import in_cell
from adapters.files.outline import Content, Outline
from adapters.files.regions import table as add_table
from adapters.files.tables import Cell, filled
from pipeline.errors import Refused
from pipeline.values import BlockKind

# --- Tables as a grid: one text a column, spans filled in -----------------------------------------

_ROW, _CELL = q("w:tr"), q("w:tc")
_ALONE, _GOES_ON, _BEGINS = 1, 0, -1
"""Kept as the `rows` of a cell until the grid is made: whether Word merges it with that above, or those below."""


class Row(NamedTuple):
    cells: list[Element]
    before: int
    after: int
    """Columns that it leaves out."""
    header: bool


def rows_of(table: Element) -> list[Row]:
    """Those that are shown."""
    found = []
    for row in children(table):
        properties = row.find(q("w:trPr"))
        if row.tag == _ROW and not any(below(properties, gone) is not None for gone in ("w:del", "w:hidden")):
            cells = [c for c in children(row) if c.tag == _CELL and below(c, "w:tcPr/w:cellDel") is None]
            before, after = (number(value(properties, f"w:grid{side}")) for side in ("Before", "After"))
            found.append(Row(cells, before, after, bool(switch(properties, "w:tblHeader"))))
    return found


def grid_of(rows: list[Row], cell_of: Callable[[Element], Cell]) -> list[list[Cell]]:
    """A table's cells."""
    return _merged(filled(_cells(row, cell_of) for row in rows))


def marked(table: Element, rows: list[Row]) -> int | None:
    """How many rows are marked as its header; 0 where its look has none, None where it does not say."""
    look = below(table, "w:tblPr/w:tblLook")
    plain = look is not None and look.get(q("w:firstRow"), "1") in OFF
    return next((place for place, row in enumerate(rows) if not row.header), 0) or (0 if plain else None)


def goes_on(table: Element) -> bool:
    """Whether Word shows it and the table above as one."""
    above = table.getprevious()
    return above is not None and above.tag == table.tag and _columns(above) == _columns(table) > 0


def _cells(row: Row, cell_of: Callable[[Element], Cell]) -> Iterator[Cell]:
    if row.before > 0:
        yield Cell("", row.before)
    held = Cell("")
    for cell in row.cells:
        properties = cell.find(q("w:tcPr"))
        merge, beside = below(properties, "w:vMerge"), below(properties, "w:hMerge")
        kind = _ALONE if merge is None else _BEGINS if merge.get(VALUE) == "restart" else _GOES_ON
        if beside is None or beside.get(VALUE) == "restart":
            held = cell_of(cell)._replace(strong=_is_bold(cell) or _is_shaded(properties))
        yield held._replace(columns=number(value(properties, "w:gridSpan"), 1), rows=kind)
    if row.after > 0:
        yield Cell("", row.after)


def _merged(grid: list[list[Cell]]) -> list[list[Cell]]:
    """With what a cell says in each below that it is merged with; one that claims so without need says its own."""
    for place, line in enumerate(grid):
        found: dict[int, Cell] = {}
        for column, cell in enumerate(line):
            if cell.rows == _BEGINS:
                last = place + 1
                while last < len(grid) and _reaches(grid[last], column):
                    last += 1
                held = found.setdefault(id(cell), cell._replace(rows=last - place))
                for one in grid[place:last]:
                    one[column] = held
    return grid


def _reaches(line: list[Cell], column: int) -> bool:
    return column < len(line) and line[column].rows == _GOES_ON


def _columns(table: Element) -> int:
    return len(table.findall(f"{q('w:tblGrid')}/{q('w:gridCol')}"))


def _is_bold(cell: Element) -> bool:
    """Whether all that it says is bold."""
    runs = [run for run in cell.iter(q("w:r")) if any(text.strip() for text in run.itertext(q("w:t")))]
    return bool(runs) and all(switch(below(run, "w:rPr"), "w:b") for run in runs)


def _is_shaded(properties: Element | None) -> bool:
    shade = below(properties, "w:shd")
    return shade is not None and (shade.get(q("w:fill")) or "auto").lower() not in {"auto", "ffffff"}


# --- The document ---------------------------------------------------------------------------------

_SENTENCE = re.compile(r"[.;,]\s*\Z|.{150}", re.DOTALL)
"""What has an outline level and is no heading."""
_LOOKS = re.compile(r"(?=\D*\Z|(?:.*?[^\W\d_]){4})(?=.*[^\W\d_])[^\n\t]{,79}[^\n\t.,;:!]\s*")
"""How a heading that is styled by hand reads."""
_SIZES = (32, 26, 0)
"""Of its bold letters, in half points by level; larger than text."""
_PROGRAM = re.compile(r"[{}\[\];=<>$|\\]|^\s{2,}\S|\(\)|\):$|::|\s--?\w", re.MULTILINE)
"""What a line of code has, and prose in its font has not."""
_PARTS = {"tbl": "table", "altChunk": "part"}


def read_docx(content: bytes, held: Callable[[str, bytes], Content]) -> Content:
    """Accepted and proposed text with its notes; deleted, moved, struck and hidden text is left out, and so are
    comments. Headers and footers are read where there is nothing else. `held` reads a file that it takes in, by its
    name."""
    outline = Outline()
    package = Package(content, outline.unread)
    main = package.main("word/document.xml")
    root = package.xml(main)
    if root is None:
        raise ValueError(main)
    if root.tag != q("w:document"):
        raise Refused("the file is no document of Word", what_to_do="Open it in its program and save it as .docx.")
    walk = _Walk(package, main, outline, held)
    for body in root.iterchildren(q("w:body")):
        walk.blocks(body)
    title = walk.title or package.title()
    if (found := outline.content(title=title)).has_text:
        return found
    for part in (*package.of_kind(main, "header"), *package.of_kind(main, "footer")):
        walk.blocks(package.xml(part))
    return outline.content(title=title)


class _Walk:
    def __init__(self, package: Package, main: str, outline: Outline, held: Callable[[str, bytes], Content]) -> None:
        self.title = ""
        self._held = held
        self._outline = outline
        self._package = package
        self._styles = Styles(package.related(main, "styles"))
        self._numbering = Numbering(package.related(main, "numbering"), self._styles)
        self._inline = Inline(package, main, self._styles, outline.unread)
        self._depths = Depths()
        self._code: list[str] = []
        self._begun: list[str] = []
        """Of a paragraph that goes on in the next: a drop cap, or one whose end was deleted."""
        self._in_cell = False

    def blocks(self, container: Element | None) -> None:
        """Those in `container`, each for itself: one that is not understood is named, and the rest is read."""
        for element in () if container is None else children(container):
            with self._outline.damaged(f"a {_PARTS.get(local(element), 'paragraph')} that is not understood"):
                self._block(element)
        self._close()

    def _block(self, element: Element) -> None:
        name = local(element)
        if name == "p":
            return self._paragraph(element)
        if name in {"tbl", "altChunk", "oMath", "oMathPara"}:
            self._close()
        match name:
            case "tbl":
                self._depths.close()
                self._table(element)
            case "altChunk":
                self._other(element.get(q("r:id"), ""))
            case "oMath" | "oMathPara":
                self._outline.add(BlockKind.PROSE, tex(element))
        return None

    def _close(self) -> None:
        """Write what waited for more of its kind."""
        code, begun = self._code, self._begun
        self._code, self._begun = [], []
        if code:
            self._outline.add(BlockKind.CODE, "\n".join(code))
        if begun:
            self._outline.add(BlockKind.PROSE, "".join(begun))

    def _paragraph(self, paragraph: Element) -> None:
        properties = below(paragraph, "w:pPr")
        style = self._styles.of(properties)
        line = self._inline.line(paragraph, style.marks)
        text = line.text()
        if (below_it := paragraph.getnext()) is None or below_it.tag == q("w:sectPr"):
            line.size = 0
        if _goes_on(properties):
            self._begun.append(text.strip("\n"))
        elif style.code or (line.mono and (self._code or _PROGRAM.search(text))):
            self._code.append("".join([*self._begun, text]))
            self._begun = []
        elif self._begun or line.runs:
            if self._begun:
                line.runs.insert(0, Run("".join(self._begun)))
                self._begun = []
            self._close()
            self._write(line, properties, style)
        elif not line.boxes and not switch(below(properties, "w:rPr"), "w:vanish"):
            self._write(line, properties, style)
        self._boxes(line.boxes)

    def _write(self, line: Line, properties: Element | None, style: Style) -> None:
        """A heading, an entry of a list, or text."""
        entry = self._numbering.of(properties, style)
        text = line.text()
        level = style.outline or outline_level(value(properties, "w:outlineLvl"))
        level = style.level or (0 if _SENTENCE.search(text) else level)
        plain = not (level or entry or style.listed or style.title)
        if plain and line.size > self._styles.size and _LOOKS.fullmatch(text):
            level = next(level for level, size in enumerate(_SIZES, 1) if line.size >= size)
        if (style.title or level) and (bare := line.text(notes=False).strip()):
            first = style.title and not self.title
            self.title = self.title or (bare if first else "")
            self._depths.close()
            self._outline.heading(level or 1, f"{entry.label if entry else ''} {bare}", title=first, code=line.code)
            for note in line.notes:
                self._outline.add(BlockKind.PROSE, note)
        elif text.strip():
            self._text(text, line, self._depths.place(text, entry, properties, style))
        elif entry and self._in_cell:
            self._outline.add(BlockKind.PROSE, entry.label)

    def _text(self, text: str, line: Line, place: Place) -> None:
        """A paragraph that is no heading. The number of an entry in another one stands in its text."""
        step = STEP.fullmatch(place.label or "")
        kind, number = BlockKind.PROSE, 0
        if place.listed and not place.depth and (step or place.label is None):
            kind, number = BlockKind.STEP, int(step[1]) if step else 0
        elif place.listed:
            kind, text = BlockKind.ITEM, f"{place.label or ''} {text[place.typed :]}"
        self._outline.add(kind, text, depth=place.depth, number=number, links=line.links, code=line.code)

    def _table(self, table: Element) -> None:
        """A table of one column is a box around text, and so are the cells of one in which sections stand."""
        rows = rows_of(table)
        if all(len(row.cells) <= 1 or any(map(self._is_section, row.cells)) for row in rows):
            for row in rows:
                for cell in row.cells:
                    self.blocks(cell)
                    self._depths.close()
            return
        grid = grid_of(rows, self._cell)
        add_table(self._outline, grid, marked(table, rows), goes_on=goes_on(table))

    def _is_section(self, cell: Element) -> bool:
        """Whether it has a heading and text below it."""
        paragraphs = cell.findall(q("w:p"))
        return len(paragraphs) > 1 and self._styles.of(below(paragraphs[0], "w:pPr")).level > 0

    def _cell(self, cell: Element) -> Cell:
        """All that a cell says, a line a paragraph; of a list or a table in it one line."""
        paragraph = cell[-1] if len(cell) and len(cell) <= 1 + (local(cell[0]) == "tcPr") else None
        if paragraph is not None and paragraph.tag == q("w:p"):  # as most cells: one paragraph, and no entry of a list
            properties = below(paragraph, "w:pPr")
            style = self._styles.of(properties)
            if not (style.listed or style.list_id) and below(properties, "w:numPr") is None:
                line = self._inline.line(paragraph, style.marks)
                if not line.boxes:
                    return Cell(line.text(), links=tuple(line.links), code=tuple(line.code))
        kept = self._outline, self._depths, self._in_cell
        self._outline, self._depths, self._in_cell = Outline(), Depths(), True
        self.blocks(cell)
        found = self._outline.content()
        self._outline, self._depths, self._in_cell = kept
        for what in found.unread:
            self._outline.unread(what)
        return in_cell(found)

    def _boxes(self, boxes: list[Element]) -> None:
        """Text boxes, charts and diagrams, behind the paragraph that they are anchored in."""
        for box in boxes:
            outer, self._depths = self._depths, Depths()
            match local(box):
                case "txbxContent":
                    self.blocks(box)
                case "chart" if (chart := self._related(box.get(q("r:id"), ""))) is not None:
                    add_chart(self._outline, chart)
                case "relIds" if (data := self._related(box.get(q("r:dm"), ""))) is not None:
                    add_diagram(self._outline, data)
            self._depths = outer

    def _related(self, name: str) -> Element | None:
        found = self._inline.relations.get(name)
        root = self._package.xml(found.target) if found else None
        if root is None:
            self._outline.unread(f"{found.target if found else name}: missing")
        return root

    def _other(self, name: str) -> None:
        """A file of any format that the document takes in."""
        found = self._inline.relations.get(name)
        content = self._package.read(found.target) if found else None
        if found is None or content is None:
            self._outline.unread(f"{found.target if found else name}: missing")
            return
        try:
            self._outline.include(self._held(posixpath.basename(found.target), content))
        except Refused as error:
            self._outline.unread(f"{found.target}: {error}")
        except (ValueError, LookupError, ArithmeticError, RecursionError):
            self._outline.unread(f"{found.target}: it is damaged")


def _goes_on(properties: Element | None) -> bool:
    """Whether the text of a paragraph goes on in the next one."""
    end, frame = below(properties, "w:rPr"), below(properties, "w:framePr")
    removed = any(below(end, mark) is not None for mark in ("w:del", "w:moveFrom"))
    return removed or (frame is not None and frame.get(q("w:dropCap"), "none") != "none")
