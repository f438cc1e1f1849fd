"""reStructuredText as HTML, then as blocks, without anything that it could include, run or fetch."""

from __future__ import annotations

import copy
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from typing import Any

from docutils import nodes
from docutils.core import publish_doctree
from docutils.frontend import Values, get_default_settings
from docutils.parsers.rst import Parser, directives, roles
from docutils.readers.standalone import Reader
from docutils.transforms.writer_aux import Admonitions
from docutils.writers.html5_polyglot import HTMLTranslator, Writer

from adapters.files.content import OutlineBuilder, ParsedFile
from adapters.files.decode import decode_text
from adapters.files.html.reader import append_html
from adapters.files.text.sphinx import (
    HANDLED_DIRECTIVES,
    SphinxDirective,
    directive_names,
    render_role,
    role_names,
    strip_directive_options,
)

_SETTINGS: dict[str, Any] = {
    "file_insertion_enabled": False,
    "raw_enabled": True,
    "_disable_config": True,
    "traceback": True,
    "halt_level": 5,
    "report_level": 3,
    "line_length_limit": 1_000_000,
    "doctitle_xform": True,
    "docinfo_xform": False,
    "syntax_highlight": "none",
    "initial_header_level": 2,
    "math_output": "MathJax unused",
    "image_loading": "link",
    "embed_stylesheet": False,
    "stylesheet_path": "",
    "toc_backlinks": False,
}
_BORDER = re.compile(r"=+(?: +=+)+")
_GRID_BORDER = re.compile(r"\+(?:-+\+)+|\+(?:=+\+)+")
_ROLES = frozenset(
    """emphasis strong literal code math sub subscript sup superscript title title-reference t pep rfc pep-reference
    rfc-reference raw abbreviation ab acronym ac""".split()
)
"""Roles that docutils reads."""
_ABOUT_THE_FILE = re.compile(r"\A(?:\s*:(?:orphan|tocdepth|nocomments|no-?search):[^\n]*\n)+")
"""Fields that Sphinx reads and readers never see."""


def read_rst(content: bytes) -> ParsedFile:
    """Read sections, lists, tables, notes and code. Directives that only Sphinx knows are read as what they show."""
    outline = OutlineBuilder()
    append_html(outline, rst_to_html(_ABOUT_THE_FILE.sub("", decode_text(content))), titled=True)
    return outline.build()


def rst_to_html(text: str) -> str:
    with _register_names(text):
        tree = _parse(text)
        _replace_messages(tree)
    for picture in list(tree.findall(nodes.image)):
        if not picture.get("alt") and picture.parent is not None:
            picture.parent.remove(picture)
    Admonitions(tree).apply()
    page = HTMLTranslator(tree)
    tree.walkabout(page)
    return "".join([*page.body_pre_docinfo, *page.body])


@contextmanager
def _register_names(text: str) -> Iterator[None]:
    """Register the directives and roles that `text` uses and docutils does not know itself."""
    registered, own = vars(directives)["_directives"], vars(directives)["_directive_registry"]
    unknown = [
        name for name in directive_names(text) if name in HANDLED_DIRECTIVES or not (name in registered or name in own)
    ]
    before = {name: registered[name] for name in unknown if name in registered}
    for name in unknown:
        directives.register_directive(name, SphinxDirective)
    strange = [name for name in role_names(text) if name not in _ROLES]
    for name in strange:
        roles.register_local_role(name, render_role)
    try:
        yield
    finally:
        for name in unknown:
            registered.pop(name, None)
        registered.update(before)
        for name in strange:
            vars(roles)["_roles"].pop(name, None)


def _parse(text: str) -> nodes.document:
    settings = copy.copy(_settings())
    settings.warning_stream = io.StringIO()
    return publish_doctree(text, settings=settings)


@cache
def _settings() -> Values:
    """Return the settings, made once: docutils takes milliseconds for them, and each table that it refused is a text of
    its own."""
    settings = get_default_settings(Reader, Parser, Writer)
    for name, value in _SETTINGS.items():
        setattr(settings, name, value)
    return settings


def _replace_messages(tree: nodes.document) -> None:
    """Replace the messages of docutils by the text that it did not take otherwise."""
    for message in list(tree.findall(nodes.system_message)):
        taken = "too short" in message.astext().partition("\n")[0]  # the line under a title
        refused = (
            [] if taken else [child.astext() for child in message.children if isinstance(child, nodes.literal_block)]
        )
        if message.parent is not None:
            message.parent.replace(message, [node for text in refused for node in _read_refused(text)])


def _read_refused(text: str) -> list[nodes.Node]:
    """Return the text that docutils did not understand."""
    table = widen_table(text)
    tables = _parse(table).children if table != text else []
    if tables and all(isinstance(node, nodes.table) for node in tables):
        return list(tables)
    prose = strip_directive_options(text)
    return [nodes.paragraph("", prose)] if prose else []


def widen_table(text: str) -> str:
    """Widen the lines of a simple or grid table to its columns, and return any other text unchanged. Docutils refuses
    tables whose text is wider than the lines drawn for it, readers do not."""
    lines = [line.rstrip() for line in text.strip("\n").split("\n")]
    if _BORDER.fullmatch(lines[0]):
        return "\n".join(_widen_simple_table(lines))
    if _GRID_BORDER.fullmatch(lines[0]):
        return "\n".join(_widen_grid_table(lines))
    return text


def _widen_simple_table(lines: list[str]) -> list[str]:
    """Extend the drawn lines up to the next column, where every text ends before that."""
    starts = [column.start() for column in re.finditer("=+", lines[0])]
    if any(line[start - 1 : start].strip() for line in lines for start in starts[1:]):
        return lines
    last = max(len(lines[0]), *map(len, lines)) + 1
    border = " ".join("=" * (after - start - 1) for start, after in pairwise([*starts, last]))
    return [border if _BORDER.fullmatch(line) else line for line in lines]


def _widen_grid_table(lines: list[str]) -> list[str]:
    """Make every cell as wide as the widest of its column, where all rows have the same columns."""
    split = [re.split(r"\+" if _GRID_BORDER.fullmatch(line) else r"\|", line) for line in lines]
    if any(len(row) != len(split[0]) or row[0] or row[-1] for row in split):
        return lines
    rows = [row[1:-1] for row in split]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        _draw_row(row, widths, "+", row[0][0]) if _GRID_BORDER.fullmatch(line) else _draw_row(row, widths, "|", " ")
        for line, row in zip(lines, rows, strict=True)
    ]


def _draw_row(row: list[str], widths: list[int], edge: str, fill: str) -> str:
    return edge + edge.join(cell.ljust(width, fill) for cell, width in zip(row, widths, strict=True)) + edge
