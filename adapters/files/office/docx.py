"""DOCX -> blocks: headings, lists, tables and code in the order of the document."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from adapters.files.office.charts import chart_table, diagram_items
from adapters.files.office.docx_inline import Inline, Line
from adapters.files.office.docx_lists import Depths, Entry, Numbering
from adapters.files.office.docx_math import tex
from adapters.files.office.docx_styles import Style, Styles, indent, outline_level
from adapters.files.office.docx_tables import goes_on, grid_of, marked, rows_of
from adapters.files.office.docx_xml import Element, below, children, q, switch, value
from adapters.files.office.elements import local
from adapters.files.office.package import Package
from adapters.files.outline import Content, Outline
from adapters.files.regions import table as add_table
from adapters.files.tables import ENTRY, Cell
from pipeline.errors import Refused
from pipeline.values import BlockKind

_SENTENCE = re.compile(r"[.;,]\s*\Z|.{150}", re.DOTALL)
"""What has an outline level and is no heading."""
_STEP = re.compile(r"([1-9]\d{0,8})[.)]?")
_LOOKS = re.compile(r"(?=\D*\Z|(?:.*?[^\W\d_]){4})(?=.*[^\W\d_])[^\n\t]{,79}[^\n\t.,;:!]\s*")
"""How a heading that is styled by hand reads."""
_SIZES = (32, 26, 0)
"""Of its bold letters, in half points by level; larger than text."""
_TYPED = re.compile(r"\s*[•‣▪■●○◦❖➢·]\s+(?=\S)")
"""A mark of a list that somebody typed."""
_TICKED = re.compile(r"\s*[☐☑☒]\s*\w")
_PROGRAM = re.compile(r"[{}\[\];=<>$|\\]|^\s{2,}\S|\(\)|\):$|::|\s--?\w", re.MULTILINE)
"""What a line of code has, and prose in its font has not."""
_DEEPEST = 3
_INDENT = 360
"""Between two levels of lists, in twentieths of a point, where nothing is said."""


def read_docx(content: bytes, *, depth: int = 0) -> Content:
    """Accepted and proposed text with its notes; deleted, moved, struck and hidden text is left out, and so are
    comments. Headers and footers are read where there is nothing else. `depth`: how many documents it stands in."""
    outline = Outline()
    package = Package(content, outline.unread)
    main = package.main()
    root = package.xml(main)
    if root is None:
        raise ValueError(main)
    if root.tag != q("w:document"):
        raise Refused("the file is no document of Word", what_to_do="Open it in its program and save it as .docx.")
    walk = _Walk(package, main, outline, depth)
    for body in root.iterchildren(q("w:body")):
        walk.blocks(body)
    title = walk.title or package.title()
    if (found := outline.content(title=title)).has_text:
        return found
    for part in (*package.of_kind(main, "header"), *package.of_kind(main, "footer")):
        walk.blocks(package.xml(part))
    return outline.content(title=title)


class _Walk:
    def __init__(self, package: Package, main: str, outline: Outline, depth: int) -> None:
        self.title = ""
        self._depth = depth
        self._outline = outline
        self._package = package
        self._styles = Styles(package.related(main, "styles"))
        self._numbering = Numbering(package.related(main, "numbering"), self._styles)
        self._inline = Inline(package, main, self._styles, outline.unread)
        self._depths = Depths()
        self._code: list[str] = []
        self._begun: list[str] = []
        """Of a paragraph that goes on in the next: a drop cap, or one whose end was deleted."""
        self._beside: list[Element] = []
        """What is drawn in the cells of a table."""

    def blocks(self, container: Element | None) -> None:
        """Those in `container`, each for itself: one that is not understood is named, and the rest is read."""
        for element in () if container is None else children(container):
            try:
                self._block(element)
            except (Refused, MemoryError):
                raise
            except Exception:  # noqa: BLE001 whatever a file of any program leads to
                self._outline.unread(f"a {'table' if local(element) == 'tbl' else 'paragraph'} that is not understood")
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
        self._outline.add(BlockKind.PROSE, "".join(begun))

    def _paragraph(self, paragraph: Element) -> None:
        properties = below(paragraph, "w:pPr")
        style = self._styles.of(properties)
        line = self._inline.line(paragraph, style.marks)
        text = line.upon()
        if (below_it := paragraph.getnext()) is None or below_it.tag == q("w:sectPr"):
            line.size = 0
        if _goes_on(properties):
            self._begun.append(text.strip("\n"))
        elif style.code or (line.mono and _is_code(text, properties, style, begun=bool(self._code))):
            self._code.append("".join([*self._begun, text]))
            self._begun = []
        elif self._begun or line.pieces:
            line.pieces.insert(0, ("", "".join(self._begun)))
            self._begun = []
            self._close()
            self._write(line, properties, style)
        elif not line.boxes and not switch(below(properties, "w:rPr"), "w:vanish"):
            self._numbering.of(properties, style)
        self._boxes(line.boxes)

    def _write(self, line: Line, properties: Element | None, style: Style) -> None:
        """A heading, an entry of a list, or text."""
        entry = self._numbering.of(properties, style)
        text, bare = line.upon(), line.upon(notes=False).strip()
        level = style.outline or outline_level(value(properties, "w:outlineLvl"))
        level = style.level or (0 if _SENTENCE.search(text) else level)
        plain = not (level or entry or style.listed or style.title)
        if plain and line.size > self._styles.size and _LOOKS.fullmatch(text):
            level = next(level for level, size in enumerate(_SIZES, 1) if line.size >= size)
        if bare and (style.title or level):
            first = style.title and not self.title
            self.title = self.title or (bare if first else "")
            self._depths.close()
            self._outline.heading(level or 1, f"{entry.label if entry else ''} {bare}", title=first, code=line.code)
            for note in line.notes:
                self._outline.add(BlockKind.PROSE, note)
        elif text.strip():
            self._text(text, line, entry, properties, style)

    def _text(self, text: str, line: Line, entry: Entry | None, properties: Element | None, style: Style) -> None:
        """A paragraph that is no heading: an entry of a list where it is marked as one, by a style or by hand."""
        own, typed = indent(properties), _TYPED.match(text)
        far = entry.indent if entry else (own if own is not None else style.indent) or 0
        label = entry.label if entry and entry.marked else None
        if style.listed and value(properties, "w:numPr/w:numId") != "0":
            level = style.depth + (entry.level if entry else 0)
            depth = self._depths.entry("", level, far or _INDENT * (level + 1))
            label = "" if label is None and style.listed == "bullet" else label
        elif label is not None and entry:
            depth = self._depths.entry(entry.list_key, entry.level, far)
        elif typed or _TICKED.match(text):
            depth, label = self._depths.entry(f"typed {far}", 0, far), ""
            text = text[typed.end() if typed else 0 :]
        else:
            depth = self._depths.text(far)
            self._outline.add(BlockKind.PROSE, text, depth=depth, links=line.links, code=() if line.mono else line.code)
            return
        step = _STEP.fullmatch(label or "")
        if not depth and (step or label is None):
            number = int(step[1]) if step else 0
            self._outline.add(BlockKind.STEP, text, number=number, links=line.links, code=line.code)
        else:
            shown = f"{label or ''} {text}"
            self._outline.add(BlockKind.ITEM, shown, depth=depth, links=line.links, code=line.code)

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
        beside, self._beside = self._beside, []
        self._boxes(beside)

    def _is_section(self, cell: Element) -> bool:
        """Whether it has a heading and text below it."""
        paragraphs = cell.findall(q("w:p"))
        return len(paragraphs) > 1 and self._styles.of(below(paragraphs[0], "w:pPr")).level > 0

    def _cell(self, cell: Element) -> Cell:
        """All that a cell says, line by line; of a table in it the rows."""
        said: list[Cell] = []
        for element in children(cell):
            if element.tag == q("w:p"):
                properties = below(element, "w:pPr")
                style = self._styles.of(properties)
                line = self._inline.line(element, style.marks)
                entry = self._numbering.of(properties, style)
                text = f"{ENTRY}{entry.label} {line.upon()}" if entry else line.upon()
                said.append(Cell(text, links=tuple(line.links), code=tuple(line.code)))
                said += (self._cell(box) for box in line.boxes if local(box) == "txbxContent")
                self._beside += (box for box in line.boxes if local(box) != "txbxContent")
            elif element.tag == q("w:tbl"):
                rows = (_together(map(self._cell, row.cells), ", ") for row in rows_of(element))
                said += (row._replace(text=ENTRY + row.text) for row in rows)
            elif local(element) in {"oMath", "oMathPara"}:
                said.append(Cell(tex(element)))
        return _together(said, "\n")

    def _boxes(self, boxes: list[Element]) -> None:
        """Text boxes, charts and diagrams, behind the paragraph that they are anchored in."""
        for box in boxes:
            outer, self._depths = self._depths, Depths()
            match local(box):
                case "txbxContent":
                    self.blocks(box)
                case "chart" if (chart := self._related(box.get(q("r:id"), ""))) is not None:
                    title, rows = chart_table(chart)
                    self._outline.add(BlockKind.PROSE, title)
                    self._outline.table(rows, header=1)
                case "relIds" if (data := self._related(box.get(q("r:dm"), ""))) is not None:
                    for depth, lines in diagram_items(data):
                        text = "\n".join("".join(map(str, line.itertext(q("a:t")))) for line in lines)
                        self._outline.add(BlockKind.ITEM, text, depth=depth)
            self._depths = outer

    def _related(self, name: str) -> Element | None:
        found = self._inline.relations.get(name)
        root = self._package.xml(found.target) if found else None
        if root is None:
            self._outline.unread(f"{found.target if found else name}: missing")
        return root

    def _other(self, name: str) -> None:
        """A file of another format that the document takes in."""
        found = self._inline.relations.get(name)
        content = self._package.read(found.target) if found else None
        suffix = found.target.rpartition(".")[2].lower() if found else ""
        if content is None:
            self._outline.unread(f"{found.target if found else name}: missing")
        elif suffix in {"docx", "docm", "dotx", "dotm"} and self._depth < _DEEPEST:
            try:
                inner = read_docx(content, depth=self._depth + 1)
            except (Refused, ValueError) as error:
                self._outline.unread(f"{suffix} in it: {error}")
            else:
                self._outline.include(inner)
        elif suffix == "txt":
            self._outline.add(BlockKind.PROSE, content.decode("utf-8-sig", "replace"))
        elif page := _page(suffix, content):
            from adapters.files.text.html import read_into

            read_into(self._outline, page)
        else:
            self._outline.unread(f"{found.target if found else name}: a part of another format")


def _page(suffix: str, content: bytes) -> str:
    """The HTML of a part that is a page, or a page with its pictures as a mail; empty for another part."""
    if suffix in {"mht", "mhtml"}:
        import email.policy

        body = email.message_from_bytes(content, policy=email.policy.default).get_body(("html", "plain"))
        return str(body.get_content()) if body else ""
    return content.decode("utf-8", "replace") if suffix in {"htm", "html", "xhtml"} else ""


def _together(cells: Iterable[Cell], between: str) -> Cell:
    said = [cell for cell in cells if cell.text.strip()]
    links, code = chain(*(cell.links for cell in said)), chain(*(cell.code for cell in said))
    return Cell(between.join(cell.text for cell in said), links=tuple(links), code=tuple(code))


def _goes_on(properties: Element | None) -> bool:
    """Whether the text of a paragraph goes on in the next one."""
    end, frame = below(properties, "w:rPr"), below(properties, "w:framePr")
    removed = any(below(end, mark) is not None for mark in ("w:del", "w:moveFrom"))
    return removed or (frame is not None and frame.get(q("w:dropCap"), "none") != "none")


def _is_code(text: str, properties: Element | None, style: Style, *, begun: bool) -> bool:
    """Whether a paragraph in the font of code is a line of it: it has its signs, or such a line stands above it."""
    other = style.level or style.title or style.listed or style.list_id or below(properties, "w:numPr") is not None
    return not other and (begun or bool(_PROGRAM.search(text)))
