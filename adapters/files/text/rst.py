"""reStructuredText -> blocks, without what it could include, run or fetch."""

from __future__ import annotations

import copy
import io
import re
import textwrap
from functools import cache
from itertools import pairwise
from typing import Any

from docutils import nodes
from docutils.core import publish_doctree
from docutils.frontend import Values, get_default_settings
from docutils.parsers.rst import Parser
from docutils.readers.standalone import Reader

from adapters.files.outline import Content, Outline
from adapters.files.text.decode import decode
from pipeline.values import BlockKind

_SETTINGS: dict[str, Any] = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "traceback": True,
    "halt_level": 5,
    "report_level": 3,
    "line_length_limit": 1_000_000,
    "doctitle_xform": True,
    "syntax_highlight": "none",
}
MAX_DIRECTIVES = 8
"""Directives that only Sphinx knows, one in another, that are read; deeper ones are text."""
_ROLE = re.compile(r"(?<![\w:+.-])([\w+.-]*+):[\w:+.-]+:`([^`<]++)(?:<[^>]{0,1000}>)?`")
"""A role from the beginning of the run of letters that it is in, so that each run is read once."""
_DIRECTIVE = re.compile(r"\.\. (?:(?:group-)?tab(?:-item)?::(?P<tab>[^\n]*)|[\w:+.-]+::[^\n]*)\n?")
_OPTION = re.compile(r":[\w-]+:")
_BORDER = re.compile(r"=+(?: +=+)+")
_GRID_BORDER = re.compile(r"\+(?:-+\+)+|\+(?:=+\+)+")
_UNREAD = (nodes.comment, nodes.substitution_definition, nodes.target, nodes.docinfo, nodes.raw, nodes.image)


def read_rst(content: bytes) -> Content:
    """Sections, lists, tables and code. Directives and roles that only Sphinx knows are read as their text."""
    tree = _parse(decode(content))
    outline = Outline()
    walk = _RstWalk(outline)
    if tree.children and isinstance(tree.children[0], nodes.title):
        outline.heading(1, _text(tree.children[0]), title=True)
    walk.blocks(tree.children, level=1)
    return outline.content()


def _parse(text: str) -> nodes.document:
    """The tree; of what docutils says about the text, only the text that it did not take otherwise."""
    settings = copy.copy(_settings())
    settings.warning_stream = io.StringIO()
    tree = publish_doctree(text, settings=settings)
    for message in list(tree.findall(nodes.system_message)):
        taken = "too short" in message.astext().partition("\n")[0]  # the line under a title
        message.children = [] if taken else [c for c in message.children if isinstance(c, nodes.literal_block)]
    return tree


@cache
def _settings() -> Values:
    """Made once: docutils takes milliseconds for it, and each directive of Sphinx is a text of its own."""
    settings = get_default_settings(Reader, Parser)
    for name, value in _SETTINGS.items():
        setattr(settings, name, value)
    return settings


class _RstWalk:
    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._within = 0

    def blocks(self, children: list[nodes.Node], level: int, *, nested: int = 0) -> None:
        for node in children:
            self._block(node, level, nested=nested)

    def _block(self, node: nodes.Node, level: int, *, nested: int) -> None:
        match node:
            case nodes.section():
                if title := next((child for child in node.children if isinstance(child, nodes.title)), None):
                    self._outline.heading(level + 1, _text(title))
                self.blocks(node.children, level + 1)
            case nodes.paragraph() | nodes.subtitle() | nodes.rubric() | nodes.caption() | nodes.attribution():
                self._outline.add(BlockKind.PROSE, _text(node), depth=nested)
            case nodes.bullet_list() | nodes.enumerated_list():
                counts = isinstance(node, nodes.enumerated_list) and not nested
                first = int(node.get("start", 1)) if counts else 0
                for place, item in enumerate(node.children):
                    self._item(item, level, nested, number=first + place if counts else None)
            case nodes.definition_list_item():
                term = "".join(_text(child) for child in node.children if isinstance(child, nodes.term))
                self._outline.add(BlockKind.PROSE, term.rstrip(":") + ":", depth=nested)
                self.blocks([c for c in node.children if isinstance(c, nodes.definition)], level, nested=nested)
            case nodes.Admonition() if isinstance(node, nodes.Element):
                self._note(node)
                self.blocks(node.children, level, nested=nested)
            case nodes.field() | nodes.option_list_item():
                self._outline.add(BlockKind.ITEM, ": ".join(_text(child) for child in node.children), depth=nested)
            case nodes.literal_block() | nodes.doctest_block():
                self._outline.add(BlockKind.CODE, node.astext(), depth=nested)
            case nodes.line_block():
                self._outline.add(BlockKind.PROSE, node.astext(), depth=nested)
            case nodes.table():
                self._table(node, nested)
            case nodes.system_message():
                for literal in node.children:
                    self._refused(literal.astext(), level, nested)
            case nodes.title():
                pass
            case nodes.Element() if not isinstance(node, _UNREAD):
                self.blocks(node.children, level, nested=nested)
            case _:
                pass

    def _note(self, note: nodes.Element) -> None:
        """Put its title, or what kind of note it is, before its first words."""
        told = next((_text(child) for child in note.children if isinstance(child, nodes.title)), "")
        first = next((child for child in note.children if isinstance(child, nodes.paragraph)), None)
        if first is not None:
            first.insert(0, nodes.Text(f"{told or note.tagname.capitalize()}: "))

    def _refused(self, text: str, level: int, nested: int) -> None:
        """What docutils did not understand."""
        table = widened(text)
        found = _parse(table).children if table != text else []
        if found and all(isinstance(node, nodes.table) for node in found):
            self.blocks(found, level, nested=nested)
        elif self._within < MAX_DIRECTIVES and (directive := _DIRECTIVE.match(text)):
            if label := directive["tab"]:
                self._outline.add(BlockKind.PROSE, f"{label.strip()}:", depth=nested)
            self._within += 1
            self.blocks(_parse(_content(text[directive.end() :])).children, level, nested=nested)
            self._within -= 1
        else:
            self._outline.add(BlockKind.PROSE, _prose(text), depth=nested)

    def _item(self, item: nodes.Node, level: int, nested: int, *, number: int | None) -> None:
        children = list(item.children)
        own = 0
        while own < len(children) and isinstance(children[own], nodes.paragraph):
            own += 1
        kind = BlockKind.ITEM if number is None else BlockKind.STEP
        text = "\n".join(_text(child) for child in children[:own])
        self._outline.add(kind, text, depth=nested, number=number or 0)
        self.blocks(children[own:], level, nested=nested + 1)

    def _table(self, table: nodes.table, nested: int) -> None:
        if caption := next((child for child in table.children if isinstance(child, nodes.title)), None):
            self._outline.add(BlockKind.PROSE, _text(caption), depth=nested)
        rows = [[_cell(cell) for cell in row.children] for row in table.findall(nodes.row)]
        header = next(iter(table.findall(nodes.thead)), None) is not None
        self._outline.table(rows, header=header, depth=nested)


def _cell(cell: nodes.Node) -> str:
    parts = ([*child.children] if isinstance(child, nodes.system_message) else [child] for child in cell.children)
    return " ".join(_text(part) for some in parts for part in some).strip()


def _text(node: nodes.Node) -> str:
    """The words of `node` on one line; what docutils did not understand without its markup."""
    return " ".join(plain(node.astext()).split())


def _content(text: str) -> str:
    """What a directive is about, without its options."""
    lines = textwrap.dedent(text).split("\n")
    while lines and (not lines[0].strip() or _OPTION.match(lines[0])):
        lines.pop(0)
    return "\n".join(lines)


def _prose(text: str) -> str:
    lines = [line.strip() for line in text.splitlines()]
    return plain("\n".join(line for line in lines if not _OPTION.match(line)))


def plain(text: str) -> str:
    """`text` with roles replaced by what they show."""
    return _ROLE.sub(lambda role: role[1] + (role[2].rstrip() if role[0].endswith(">`") else role[2]), text)


def widened(text: str) -> str:
    """A simple or grid table with lines as wide as its columns; anything else as it is. Docutils refuses tables whose
    text is wider than the lines drawn for it, readers do not."""
    lines = [line.rstrip() for line in text.strip("\n").split("\n")]
    if _BORDER.fullmatch(lines[0]):
        return "\n".join(_simple(lines))
    if _GRID_BORDER.fullmatch(lines[0]):
        return "\n".join(_grid(lines))
    return text


def _simple(lines: list[str]) -> list[str]:
    """The lines drawn up to the next column, where every text ends before that."""
    starts = [column.start() for column in re.finditer("=+", lines[0])]
    if any(line[start - 1 : start].strip() for line in lines for start in starts[1:]):
        return lines
    last = max(len(lines[0]), *map(len, lines)) + 1
    border = " ".join("=" * (after - start - 1) for start, after in pairwise([*starts, last]))
    return [border if _BORDER.fullmatch(line) else line for line in lines]


def _grid(lines: list[str]) -> list[str]:
    """Every cell as wide as the widest of its column, where all rows have the same columns."""
    split = [re.split(r"\+" if _GRID_BORDER.fullmatch(line) else r"\|", line) for line in lines]
    if any(len(row) != len(split[0]) or row[0] or row[-1] for row in split):
        return lines
    rows = [row[1:-1] for row in split]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        _bordered(row, widths, "+", row[0][0]) if _GRID_BORDER.fullmatch(line) else _bordered(row, widths, "|", " ")
        for line, row in zip(lines, rows, strict=True)
    ]


def _bordered(row: list[str], widths: list[int], edge: str, fill: str) -> str:
    return edge + edge.join(cell.ljust(width, fill) for cell, width in zip(row, widths, strict=True)) + edge
