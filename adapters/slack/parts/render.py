"""The parts of a reply -> the messages that show it. Pure.

Each message stays under every limit Slack has: 12,000 characters of Markdown, 50 blocks, about 13,000
characters in all, 3,000 in a text object, 4,000 in the `text` of `chat.update` (platform notes, A2 and A3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from adapters.chat.reply import answer
from adapters.chat.reply.cut import Message, PieceKind, Segment, TextPiece, pack
from adapters.chat.reply.cut import words as cut
from adapters.chat.reply.inline import literal, markdown
from adapters.chat.reply.markdown import listed, marks, pieces, with_own
from adapters.chat.reply.parts import Quote, Reply, Table, Text
from adapters.slack.parts import markup
from adapters.slack.parts.blocks import Block, preformatted, quoted
from adapters.slack.parts.footer import footers

PART = 3_500
"""Characters of one message: its plain-text twin then fits `chat.update` (4,000) as well."""
SEGMENT = 150
"""Characters that a block takes besides its text."""
ROW = 3_000
FALLBACK = 3_900
_ESCAPED = re.compile(r"\\([\\*_~])")


@dataclass(frozen=True)
class Post:
    """One message: what it says, what stands below and above, and the plain text for notifications and old clients."""

    message: Message
    footer: tuple[Block, ...]
    text: str
    header: tuple[Block, ...] = ()

    @property
    def markdown(self) -> str:
        """All it says, where that is Markdown and nothing else: what a stream can end as."""
        return self.message[0].text if len(self.message) == 1 and self.message[0].kind is PieceKind.TEXT else ""

    @property
    def blocks(self) -> list[Block]:
        """Slack takes none that is empty, as one is of characters that nobody sees."""
        return [*self.header, *(_block(one) for one in self.message if one.text.strip()), *self.footer]


class SlackMarkdown:
    """What the `markdown` block takes, streams too."""

    below_heading = "\n\n"

    def inline(self, text: str, links: Mapping[str, str]) -> str:
        return markup.inline(text, links)

    def literal(self, text: str) -> str:
        return markup.inline(literal(text), {})

    def link(self, text: str, url: str) -> str:
        return f"[{self.literal(text)}]({url})" if markup.linkable(url) else self.literal(text)

    def note(self, text: str) -> str:
        return self.literal(text)

    def code(self, line: str) -> str:
        return line

    def quote(self, quote: Quote) -> Iterator[TextPiece]:
        for part in cut(quote.text, PART - 2 * SEGMENT):
            yield TextPiece(part, "\n", PieceKind.QUOTE)

    def table(self, table: Table, links: Mapping[str, str]) -> Iterator[TextPiece]:
        columns = max(map(len, (table.header, *table.rows)))
        rows = [_row([self._cell(cell, links) for cell in row], columns) for row in (table.header, *table.rows)]
        if not (table.header and table.rows) or max(map(len, rows)) > ROW // 2:
            yield from listed(table, self, links)
            return
        head = f"{rows[0]}\n{_row(['---'] * columns, columns)}"
        yield TextPiece(head)
        for row in rows[1:]:
            yield TextPiece(row, "\n", head=head)

    def _cell(self, cell: Text, links: Mapping[str, str]) -> str:
        told = self.inline(markdown(cell), with_own(cell, links, cell.text))
        return f"{cell.warning}{told}{marks(cell, self)}".replace("|", "∣")


MARKDOWN = SlackMarkdown()


def posts(reply: Reply) -> list[Post]:
    """The messages of a reply, in order; below the last one its sources and its buttons.

    The Markdown of the first is what was streamed of it, unless that had no files and no single source yet."""
    made = [_post(message) for message in pack(pieces(reply.blocks, MARKDOWN, reply.links), PART, around=SEGMENT)]
    below = list(footers(reply))
    made = made or ([] if below else [line("-")])
    if below:
        last = made.pop() if made else Post((), (), reply.sources_title)
        made.append(Post(last.message, below[0], last.text))
    return made + [Post((), footer, reply.sources_title) for footer in below[1:]]


def streamed(reply: Reply) -> str:
    """A growing reply as Markdown that only ever gets longer; empty where it fits no one message.

    A table is not there before it is whole: how it is shown depends on all of its rows."""
    held = 1 if reply.blocks and isinstance(reply.blocks[-1], Table) else 0
    begun = reply.blocks[: len(reply.blocks) - held]
    messages = pack(pieces(begun, MARKDOWN, reply.links), PART, around=SEGMENT)
    return "\n\n".join(map(_fenced, messages[0])) if len(messages) == 1 else ""


def line(text: str) -> Post:
    """One message of our own words, or of foreign words as literal text."""
    (post, *_) = posts(answer.plain(text or "-"))
    return post


def fallback(told: str) -> str:
    """Markdown as inert plain text of at most 3,900 characters; what is left out is said with ` …`."""
    text = _ESCAPED.sub(r"\1", told.replace("&lt;", "<").replace("&gt;", ">"))
    whole = len(text)
    while len(markup.mrkdwn(text)) > FALLBACK:
        text = text[: len(text) * 9 // 10]
        text = text.rpartition(" ")[0] or text
    return markup.mrkdwn(text) + (" …" if len(text) < whole else "")


def _post(message: Message) -> Post:
    return Post(message, (), fallback("\n".join(segment.text for segment in message)))


def _block(segment: Segment) -> Block:
    match segment.kind:
        case PieceKind.CODE:
            return preformatted(segment.text)
        case PieceKind.QUOTE:
            return quoted(segment.text)
    return {"type": "markdown", "text": segment.text}


def _fenced(segment: Segment) -> str:
    if segment.kind is not PieceKind.CODE:
        return segment.text
    return f"```{segment.language}\n{markup.code(segment.text)}\n```"


def _row(cells: Sequence[str], columns: int) -> str:
    return f"| {' | '.join([*(cell or ' ' for cell in cells), *[' '] * (columns - len(cells))])} |"
