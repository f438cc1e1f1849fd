"""DOCX -> blocks: headings, lists and tables in the order of the document."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from docx import Document
from docx.oxml.ns import qn
from docx.table import Table
from docx.text.paragraph import Paragraph

from adapters.files.office.archive import check_archive
from adapters.files.outline import Content, Outline, given_title
from pipeline.values import BlockKind

_TEXT, _TAB, _BREAK = qn("w:t"), qn("w:tab"), (qn("w:br"), qn("w:cr"))
_VALUE, _LEVEL = qn("w:val"), qn("w:ilvl")


def read_docx(content: bytes) -> Content:
    """Accepted and proposed text; deleted, hidden and repeated parts (headers, footers) are left out."""
    check_archive(content)
    document = Document(io.BytesIO(content))
    walk = _DocxWalk(document)
    walk.blocks(document.iter_inner_content())
    return walk.outline.content(title=walk.title or given_title(document.core_properties.title))


class _DocxWalk:
    def __init__(self, document: Any) -> None:
        self.outline = Outline()
        self.title = ""
        self._ordered = _ordered_lists(document)
        self._styles: dict[str | None, list[str]] = {}

    def blocks(self, elements: Iterator[Paragraph | Table]) -> None:
        for element in elements:
            if isinstance(element, Table):
                self._table(element)
            else:
                self._paragraph(element)

    def _paragraph(self, paragraph: Paragraph) -> None:
        text = _text(paragraph)
        styles = self._styles_of(paragraph)
        if "title" in styles and text and not self.title:
            self.title = text
            self.outline.heading(1, text, title=True)
        elif level := _heading_level(paragraph, styles):
            self.outline.heading(level, text)
        else:
            self.outline.add(self._kind(paragraph, styles), text)

    def _styles_of(self, paragraph: Paragraph) -> list[str]:
        """Looked up once for each style: python-docx goes through all of them for every paragraph without one."""
        name = paragraph._p.style  # noqa: SLF001
        if name not in self._styles:
            self._styles[name] = list(_styles(paragraph))
        return self._styles[name]

    def _kind(self, paragraph: Paragraph, styles: list[str]) -> BlockKind:
        number = _first(paragraph, "./w:pPr/w:numPr/w:numId/@w:val")
        depth = _first(paragraph, "./w:pPr/w:numPr/w:ilvl/@w:val") or "0"
        if number is not None and number != "0":
            return BlockKind.STEP if (number, depth) in self._ordered and depth == "0" else BlockKind.ITEM
        if any(style.startswith("list number") for style in styles):
            return BlockKind.STEP if "list number" in styles else BlockKind.ITEM
        if any(style.startswith("list bullet") for style in styles):
            return BlockKind.ITEM
        return BlockKind.PROSE

    def _table(self, table: Table) -> None:
        """A table of one column is a box around text."""
        rows = [list(_distinct(row.cells)) for row in table.rows]
        if all(len(cells) == 1 for cells in rows):
            for (cell,) in rows:
                self.blocks(cell.iter_inner_content())
            return
        texts = [[" ".join(_text(p) for p in _paragraphs(cell)) for cell in cells] for cells in rows]
        self.outline.table(texts, header=len(texts) > 1)


def _distinct(cells: Any) -> Iterator[Any]:
    """Cells without the repetitions that stand for merged ones."""
    before = None
    for cell in cells:
        if cell._tc is not before:  # noqa: SLF001 the only mark of a merged cell
            yield cell
        before = cell._tc  # noqa: SLF001


def _paragraphs(cell: Any) -> Iterator[Paragraph]:
    for element in cell.iter_inner_content():
        if isinstance(element, Paragraph):
            yield element
        else:
            for row in element.rows:
                for inner in _distinct(row.cells):
                    yield from _paragraphs(inner)


def _text(paragraph: Paragraph) -> str:
    """Also what stands in links and proposed insertions, which `paragraph.text` leaves out."""
    parts = []
    for node in paragraph._p.iter(_TEXT, _TAB, *_BREAK):  # noqa: SLF001 python-docx has no reader of insertions
        run = node.getparent()
        if run is not None and run.find(f"{qn('w:rPr')}/{qn('w:vanish')}") is not None:
            continue
        parts.append(node.text or "" if node.tag == _TEXT else "\n" if node.tag in _BREAK else " ")
    return "".join(parts)


def _styles(paragraph: Paragraph) -> Iterator[str]:
    """Names of the style and those it is based on, lower case; Word stores built-in names in English."""
    style: Any = paragraph.style
    for _ in range(10):
        if style is None:
            return
        yield (style.name or "").lower()
        style = getattr(style, "base_style", None)


def _heading_level(paragraph: Paragraph, styles: list[str]) -> int:
    for style in styles:
        if style.startswith("heading ") and style[8:].isdigit():
            return int(style[8:])
    outline = _first(paragraph, "./w:pPr/w:outlineLvl/@w:val")
    return int(outline) + 1 if outline and outline.isdigit() and int(outline) < 9 else 0


def _first(paragraph: Paragraph, path: str) -> str | None:
    found = paragraph._p.xpath(path)  # noqa: SLF001 python-docx does not read numbering
    return str(found[0]) if found else None


def _ordered_lists(document: Any) -> frozenset[tuple[str | None, str | None]]:
    """(list, level) pairs that count rather than mark."""
    try:
        numbering = document.part.numbering_part.element
    except (KeyError, NotImplementedError):
        return frozenset()
    formats: dict[str | None, dict[str | None, str]] = {}
    for abstract in numbering.findall(qn("w:abstractNum")):
        shapes = {level.get(_LEVEL): level.find(qn("w:numFmt")) for level in abstract.findall(qn("w:lvl"))}
        shown = {level: found.get(_VALUE) for level, found in shapes.items() if found is not None}
        formats[abstract.get(qn("w:abstractNumId"))] = shown
    counting = set()
    for number in numbering.findall(qn("w:num")):
        abstract = number.find(qn("w:abstractNumId"))
        known = formats.get(abstract.get(_VALUE), {}) if abstract is not None else {}
        levels = (level for level, shape in known.items() if shape not in {"bullet", "none"})
        counting |= {(number.get(qn("w:numId")), level) for level in levels}
    return frozenset(counting)
