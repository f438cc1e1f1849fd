"""Parts -> Markdown in pieces, for platforms that take some dialect of it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Protocol

from adapters.chat.reply.cut import PieceKind, TextPiece
from adapters.chat.reply.cut import words as cut
from adapters.chat.reply.inline import heading, markdown
from adapters.chat.reply.parts import Block, Code, Heading, Listing, Note, Paragraph, Quote, Table, Text
from pipeline.compose.body import INDENT
from pipeline.words.text import space

SHORT_ROW = 120
"""Characters of a row of a table that is one entry of a list."""
ADDRESSES = 600
"""Characters of addresses behind words of one piece: with them, too, a piece fits a message."""
_AROUND = len("[](<>)")
BETWEEN = " · "
"""Between the cells of a row that is a line: cells have commas and semicolons of their own."""


class Dialect(Protocol):
    """How a platform writes Markdown down; every method makes its text inert."""

    below_heading: str
    """What separates a heading from what it stands above."""

    def inline(self, text: str, links: Mapping[str, str]) -> str:
        """Foreign Markdown in one line; of words and addresses only `links` may be opened, each as its address."""
        ...

    def literal(self, text: str) -> str:
        """Words that show as they are."""
        ...

    def link(self, text: str, url: str) -> str:
        """Words that open `url`, or only words where it could be read as another address."""
        ...

    def note(self, text: str) -> str:
        """A line of ours."""
        ...

    def code(self, line: str) -> str:
        """A line of code as it stands in a fence."""
        ...

    def quote(self, quote: Quote) -> Iterator[TextPiece]: ...

    def table(self, table: Table, links: Mapping[str, str]) -> Iterator[TextPiece]:
        """Its rows, each but the first after a line end."""
        ...


def pieces(blocks: Iterable[Block], dialect: Dialect, links: Collection[str] = ()) -> Iterator[TextPiece]:
    """What may be cut apart between any two. A heading stands in one piece with what it is above."""
    known = {address: address for address in links}
    above = ""
    gap: str | None = ""
    for block in blocks:
        if isinstance(block, Heading):
            if above:
                yield TextPiece(above, "\n\n" if gap is None else gap)
                gap = None
            above = f"**{_whole(block.text, dialect)}**"
            gap = "\n\n" if gap is None else gap
            continue
        for piece in _pieces(block, dialect, known):
            begun = piece._replace(gap=gap) if gap is not None else piece
            gap = None
            if above:
                yield from _under(above, begun, dialect)
                above = ""
            else:
                yield begun
        gap = "\n\n" if gap is None else gap
    if above:
        yield TextPiece(above, gap or "")


def _under(above: str, piece: TextPiece, dialect: Dialect) -> Iterator[TextPiece]:
    if piece.kind is PieceKind.TEXT:
        yield piece._replace(text=f"{above}{dialect.below_heading}{piece.text}")
    else:
        yield TextPiece(above, piece.gap)
        yield piece._replace(gap="\n\n")


def _pieces(block: Block, dialect: Dialect, links: Mapping[str, str]) -> Iterator[TextPiece]:
    match block:
        case Paragraph():
            before = ""
            for text in block.sentences:
                yield from _text(text, dialect, links, space(before))
                before = text.marks or text.text
        case Listing():
            for number, text in enumerate(block.items, start=block.first):
                bullet = f"{number}. " if block.first else "- "
                yield from _text(text, dialect, links, "\n", f"{INDENT * text.depth}{bullet}")
        case Table():
            yield from dialect.table(block, links)
        case Code():
            yield from _code(block, dialect)
        case Quote():
            yield from dialect.quote(block)
        case Note():
            for line in cut(block.text):
                yield TextPiece(dialect.note(line), "\n")
        case Heading():
            yield TextPiece(f"**{_whole(block.text, dialect)}**")


def _text(text: Text, dialect: Dialect, links: Mapping[str, str], gap: str, bullet: str = "") -> Iterator[TextPiece]:
    """A sentence as one piece, or as several where it is very long."""
    if text.url:
        yield TextPiece(f"{bullet}{dialect.link(text.text, text.url)}", gap)
        return
    *first, last = [*cut(markdown(text))] or [""]
    warned = f"{bullet}{text.warning}"
    for part in first:
        yield TextPiece(f"{warned}{dialect.inline(part, with_own(text, links, part))}", gap)
        warned, gap = "", " "
    yield TextPiece(f"{warned}{dialect.inline(last, with_own(text, links, last))}{marks(text, dialect)}", gap)


def with_own(text: Text, links: Mapping[str, str], part: str, room: int = ADDRESSES) -> Mapping[str, str]:
    """`links` and, as far as their addresses take at most `room` in this `part` of it, those of the text."""
    known = dict(links)
    for link in text.links:
        taken = part.count(link.text) * (len(link.url) + _AROUND)
        if taken <= room:
            room -= taken
            known[link.text] = link.url
    return known


def _whole(text: Text, dialect: Dialect) -> str:
    return f"{text.warning}{dialect.inline(heading(text), {})}{marks(text, dialect)}"


def _code(code: Code, dialect: Dialect) -> Iterator[TextPiece]:
    for line in code.text.split("\n"):
        for part in cut(line) if line.strip() else (line,):
            yield TextPiece(dialect.code(part) or " ", "\n", PieceKind.CODE, code.language)
    if code.after:
        yield TextPiece(f"{code.after.warning}{marks(code.after, dialect).strip()}", "\n\n")


def listed(table: Table, dialect: Dialect, links: Mapping[str, str]) -> Iterator[TextPiece]:
    """A table as a list: short rows are an entry each, of longer ones each cell is; behind the names of the columns."""
    names = table.header if table.rows else ()
    rows = [list(zip_longest(names, row, fillvalue=Text(text=""))) for row in table.rows or (table.header,)]
    longest = max(sum(len(name.text) + len(cell.text) for name, cell in row) for row in rows)
    gap = "\n"
    for cells in rows:
        if longest <= SHORT_ROW:
            room = ADDRESSES // len(cells)
            entry = BETWEEN.join(
                _cell(name, cell, dialect, with_own(cell, links, cell.text, room)) for name, cell in cells
            )
            yield TextPiece(f"- {cells[0][1].warning}{entry}", gap)
            gap = "\n"
            continue
        for name, cell in cells:
            named = f"- **{dialect.inline(heading(name), {})}:** " if name.text else "- "
            yield from _text(cell if cell.text else Text(text="–"), dialect, links, gap, named)
            gap = "\n"
        gap = "\n\n"


def _cell(name: Text, cell: Text, dialect: Dialect, links: Mapping[str, str]) -> str:
    named = f"**{dialect.inline(heading(name), {})}:** " if name.text else ""
    return f"{named}{dialect.inline(markdown(cell), links) or '–'}{marks(cell, dialect)}"


def marks(text: Text, dialect: Dialect) -> str:
    """Superscripts close to the text, all other marks apart from it."""
    if not text.marks:
        return ""
    apart = "" if text.marks[0] in "⁰¹²³⁴⁵⁶⁷⁸⁹" else " "
    return f"{apart}{dialect.literal(text.marks)}"
