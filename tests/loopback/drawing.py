"""The parts of a reply as plain text: what can be opened and pressed stands beside it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adapters.chat.reply.markdown import render_pieces
from adapters.chat.reply.parts import Reply, ReplyButton, ReplyQuote, ReplyTable
from adapters.chat.reply.splitting import TextPiece, pack_messages
from tests.loopback.world import Page

MOST = 2_000
"""Characters of one message."""


class Plain:
    """A `MarkdownDialect` in which nothing is markup; what may be opened is noted."""

    heading_separator = "\n"

    def __init__(self) -> None:
        self.opened: set[str] = set()

    def inline(self, text: str, links: Mapping[str, str]) -> str:
        self.opened |= {url for words, url in links.items() if words in text}
        return text

    def literal(self, text: str) -> str:
        return text

    def link(self, text: str, url: str) -> str:
        return text

    def note(self, text: str) -> str:
        return text

    def code(self, line: str) -> str:
        return line

    def quote(self, quote: ReplyQuote) -> Iterator[TextPiece]:
        yield from (TextPiece(line, "\n") for line in quote.text.splitlines())

    def table(self, table: ReplyTable, links: Mapping[str, str]) -> Iterator[TextPiece]:
        for row in filter(None, (table.header, *table.rows)):
            self.opened |= {link.url for cell in row for link in cell.links}
            cells = (f"{cell.warning}{cell.text} {cell.marks}".strip() for cell in row)
            yield TextPiece(" | ".join(cells), "\n")


def drawn(reply: Reply, above: str = "", pinged: str = "") -> list[Page]:
    """The whole reply, with what can be pressed below its last message."""
    plain = Plain()
    told = [TextPiece(above, ""), *render_pieces(reply.blocks, plain, reply.links)]
    if reply.sources:
        told.append(TextPiece(reply.sources_title, "\n\n"))
    for one in reply.sources:
        plain.opened.add(one.url)
        told.append(TextPiece(" ".join(filter(None, (one.mark, one.title, one.location, one.date))), "\n"))
    told.append(TextPiece(reply.status, "\n\n"))
    packed = pack_messages([one for one in told if one.text], MOST, length=len, overhead=0)
    *first, last = ["\n".join(segment.text for segment in message) for message in packed] or ["-"]
    buttons = tuple(
        (str(one), reply.upload_button_value if one is ReplyButton.ADD else reply.answer_id) for one in reply.buttons
    )
    files = tuple((one.name, one.content) for one in reply.files)
    pages = [*map(Page, first), Page(last, frozenset(plain.opened - {""}), buttons, files)]
    return [pages[0]._replace(pinged=pinged), *pages[1:]]
