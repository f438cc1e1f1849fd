"""Rendering of blocks as pieces of Markdown, for platforms that take a dialect of it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Protocol

from adapters.chat.reply.inline import heading_markdown, to_markdown
from adapters.chat.reply.parts import (
    ReplyBlock,
    ReplyCode,
    ReplyHeading,
    ReplyList,
    ReplyNote,
    ReplyParagraph,
    ReplyQuote,
    ReplyTable,
    ReplyText,
)
from adapters.chat.reply.splitting import PieceKind, TextPiece
from adapters.chat.reply.splitting import wrap_text as cut
from pipeline.compose.body import INDENT
from pipeline.words.text import sentence_separator

MAX_ROW_LENGTH = 120
"""Characters of a table row that is shown as one list item."""
MAX_LINK_LENGTH = 600
"""Characters of link addresses in one piece: with them, too, a piece fits a message."""
_LINK_OVERHEAD = len("[](<>)")
CELL_SEPARATOR = " · "
"""Separator of the cells in a row that is one line: cells have commas and semicolons of their own."""


class MarkdownDialect(Protocol):
    """A platform's Markdown. Every method makes its text inert."""

    heading_separator: str
    """Text between a heading and what follows it."""

    def inline(self, text: str, links: Mapping[str, str]) -> str:
        """Render foreign Markdown in one line. Only words and addresses in `links` may be opened, each with its
        address."""
        ...

    def literal(self, text: str) -> str:
        """Render words that show as they are."""
        ...

    def link(self, text: str, url: str) -> str:
        """Render words that open `url`; plain words where it could be read as another address."""
        ...

    def note(self, text: str) -> str:
        """Render a line of our own."""
        ...

    def code(self, line: str) -> str:
        """Render a line of code inside a fence."""
        ...

    def quote(self, quote: ReplyQuote) -> Iterator[TextPiece]: ...

    def table(self, table: ReplyTable, links: Mapping[str, str]) -> Iterator[TextPiece]:
        """Yield the rows of a table, each but the first after a line end."""
        ...


def render_pieces(
    blocks: Iterable[ReplyBlock], dialect: MarkdownDialect, links: Collection[str] = ()
) -> Iterator[TextPiece]:
    """Yield pieces that may be split between any two. A heading shares a piece with what follows it."""
    addresses = {address: address for address in links}
    above = ""
    separator: str | None = ""
    for block in blocks:
        if isinstance(block, ReplyHeading):
            if above:
                yield TextPiece(above, "\n\n" if separator is None else separator)
                separator = None
            above = f"**{_heading(block.text, dialect)}**"
            separator = "\n\n" if separator is None else separator
            continue
        for piece in _pieces(block, dialect, addresses):
            separated = piece._replace(separator=separator) if separator is not None else piece
            separator = None
            if above:
                yield from _join_heading(above, separated, dialect)
                above = ""
            else:
                yield separated
        separator = "\n\n" if separator is None else separator
    if above:
        yield TextPiece(above, separator or "")


def _join_heading(above: str, piece: TextPiece, dialect: MarkdownDialect) -> Iterator[TextPiece]:
    if piece.kind is PieceKind.TEXT:
        yield piece._replace(text=f"{above}{dialect.heading_separator}{piece.text}")
    else:
        yield TextPiece(above, piece.separator)
        yield piece._replace(separator="\n\n")


def _pieces(block: ReplyBlock, dialect: MarkdownDialect, links: Mapping[str, str]) -> Iterator[TextPiece]:
    match block:
        case ReplyParagraph():
            previous = ""
            for text in block.sentences:
                yield from _text(text, dialect, links, sentence_separator(previous))
                previous = text.marks or text.text
        case ReplyList():
            for number, text in enumerate(block.items, start=block.first):
                bullet = f"{number}. " if block.first else "- "
                yield from _text(text, dialect, links, "\n", f"{INDENT * text.depth}{bullet}")
        case ReplyTable():
            yield from dialect.table(block, links)
        case ReplyCode():
            yield from _code(block, dialect)
        case ReplyQuote():
            yield from dialect.quote(block)
        case ReplyNote():
            for line in cut(block.text):
                yield TextPiece(dialect.note(line), "\n")
        case ReplyHeading():
            yield TextPiece(f"**{_heading(block.text, dialect)}**")


def _text(
    text: ReplyText, dialect: MarkdownDialect, links: Mapping[str, str], separator: str, bullet: str = ""
) -> Iterator[TextPiece]:
    """Yield a sentence as one piece, or as several where it is very long."""
    if text.url:
        yield TextPiece(f"{bullet}{dialect.link(text.text, text.url)}", separator)
        return
    # An empty text is still one piece: its marks follow.
    *first, last = [*cut(to_markdown(text))] or [""]
    warned = f"{bullet}{text.warning}"
    for part in first:
        yield TextPiece(f"{warned}{dialect.inline(part, add_links(text, links, part))}", separator)
        warned, separator = "", " "
    yield TextPiece(
        f"{warned}{dialect.inline(last, add_links(text, links, last))}{append_marks(text, dialect)}", separator
    )


def add_links(text: ReplyText, links: Mapping[str, str], part: str, room: int = MAX_LINK_LENGTH) -> Mapping[str, str]:
    """Return `links` and those of the text whose addresses take at most `room` characters in this `part` of it."""
    opened = dict(links)
    for link in text.links:
        length = part.count(link.text) * (len(link.url) + _LINK_OVERHEAD)
        if length <= room:
            room -= length
            opened[link.text] = link.url
    return opened


def _heading(text: ReplyText, dialect: MarkdownDialect) -> str:
    return f"{text.warning}{dialect.inline(heading_markdown(text), {})}{append_marks(text, dialect)}"


def _code(code: ReplyCode, dialect: MarkdownDialect) -> Iterator[TextPiece]:
    for line in code.text.split("\n"):
        for part in cut(line) if line.strip() else (line,):
            yield TextPiece(dialect.code(part) or " ", "\n", PieceKind.CODE, code.language)
    if code.caption:
        yield TextPiece(f"{code.caption.warning}{append_marks(code.caption, dialect).strip()}", "\n\n")


def render_table_list(table: ReplyTable, dialect: MarkdownDialect, links: Mapping[str, str]) -> Iterator[TextPiece]:
    """Yield a table as a list, with the column names: a short row is one item, a longer one an item for each cell."""
    names = table.header if table.rows else ()
    rows = [list(zip_longest(names, row, fillvalue=ReplyText(text=""))) for row in table.rows or (table.header,)]
    longest = max(sum(len(name.text) + len(cell.text) for name, cell in row) for row in rows)
    separator = "\n"
    for cells in rows:
        if longest <= MAX_ROW_LENGTH:
            room = MAX_LINK_LENGTH // len(cells)
            entry = CELL_SEPARATOR.join(
                _cell(name, cell, dialect, add_links(cell, links, cell.text, room)) for name, cell in cells
            )
            yield TextPiece(f"- {cells[0][1].warning}{entry}", separator)
            separator = "\n"
            continue
        for name, cell in cells:
            prefix = f"- **{dialect.inline(heading_markdown(name), {})}:** " if name.text else "- "
            yield from _text(cell if cell.text else ReplyText(text="–"), dialect, links, separator, prefix)
            separator = "\n"
        separator = "\n\n"


def _cell(name: ReplyText, cell: ReplyText, dialect: MarkdownDialect, links: Mapping[str, str]) -> str:
    prefix = f"**{dialect.inline(heading_markdown(name), {})}:** " if name.text else ""
    return f"{prefix}{dialect.inline(to_markdown(cell), links) or '–'}{append_marks(cell, dialect)}"


def append_marks(text: ReplyText, dialect: MarkdownDialect) -> str:
    """Return the citation marks that follow a text: superscripts close to it, all others after a space."""
    if not text.marks:
        return ""
    space = "" if text.marks[0] in "⁰¹²³⁴⁵⁶⁷⁸⁹" else " "
    return f"{space}{dialect.literal(text.marks)}"
