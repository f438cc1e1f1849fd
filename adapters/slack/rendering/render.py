"""Rendering of a reply's blocks as Slack messages. Pure.

Each message stays under every limit Slack has: 12,000 characters of Markdown, 50 blocks, about 13,000 characters in
all, 3,000 in a text object, 4,000 in the `text` of `chat.update` (platform notes, A2 and A3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from adapters.chat.reply import builder
from adapters.chat.reply.inline import escape_markdown, to_markdown
from adapters.chat.reply.markdown import add_links, append_marks, render_pieces, render_table_list
from adapters.chat.reply.parts import Reply, ReplyQuote, ReplyTable, ReplyText
from adapters.chat.reply.splitting import MessageSegments, PieceKind, Segment, TextPiece, pack_messages
from adapters.chat.reply.splitting import wrap_text as cut
from adapters.slack.rendering import markup
from adapters.slack.rendering.blocks import SlackBlock, code_block, quote_block
from adapters.slack.rendering.footer import render_footers

MAX_MESSAGE_LENGTH = 3_500
"""Characters of one message: its plain-text twin then fits `chat.update` (4,000) as well."""
BLOCK_OVERHEAD = 150
"""Characters that a block takes besides its text."""
MAX_TABLE_ROW = 3_000
LONGEST_CACHED_LITERAL = 40
"""Characters up to which literal text is rendered once: marks and captions come again and again."""
MAX_FALLBACK_LENGTH = 3_900
_ESCAPED = re.compile(r"\\([\\*_~])")


@dataclass(frozen=True)
class SlackPost:
    """One message: its text, the blocks above and below, and the plain text for notifications and old clients."""

    message: MessageSegments
    footer: tuple[SlackBlock, ...]
    text: str
    header: tuple[SlackBlock, ...] = ()

    @property
    def markdown(self) -> str:
        """The whole message where it is Markdown and nothing else: what a stream can end as."""
        return self.message[0].text if len(self.message) == 1 and self.message[0].kind is PieceKind.TEXT else ""

    @property
    def blocks(self) -> list[SlackBlock]:
        """The blocks without empty ones, which Slack refuses, also where all characters are invisible."""
        return [*self.header, *(_block(segment) for segment in self.message if segment.text.strip()), *self.footer]


class SlackMarkdown:
    """The dialect of the `markdown` block and of streams."""

    heading_separator = "\n\n"

    def inline(self, text: str, links: Mapping[str, str]) -> str:
        return markup.render_inline(text, links)

    def literal(self, text: str) -> str:
        return _short_literal(text) if len(text) <= LONGEST_CACHED_LITERAL else _literal(text)

    def link(self, text: str, url: str) -> str:
        return f"[{self.literal(text)}]({url})" if markup.is_linkable(url) else self.literal(text)

    def note(self, text: str) -> str:
        return self.literal(text)

    def code(self, line: str) -> str:
        return line

    def quote(self, quote: ReplyQuote) -> Iterator[TextPiece]:
        for part in cut(quote.text, MAX_MESSAGE_LENGTH - 2 * BLOCK_OVERHEAD):
            yield TextPiece(part, "\n", PieceKind.QUOTE)

    def table(self, table: ReplyTable, links: Mapping[str, str]) -> Iterator[TextPiece]:
        columns = max(map(len, (table.header, *table.rows)))
        rows = [_row([self._cell(cell, links) for cell in row], columns) for row in (table.header, *table.rows)]
        if not (table.header and table.rows) or max(map(len, rows)) > MAX_TABLE_ROW // 2:
            yield from render_table_list(table, self, links)
            return
        head = f"{rows[0]}\n{_row(['---'] * columns, columns)}"
        yield TextPiece(head)
        for row in rows[1:]:
            yield TextPiece(row, "\n", repeated_header=head)

    def _cell(self, cell: ReplyText, links: Mapping[str, str]) -> str:
        inner = self.inline(to_markdown(cell), add_links(cell, links, cell.text))
        return f"{cell.warning}{inner}{append_marks(cell, self)}".replace("|", "∣")


def _literal(text: str) -> str:
    return markup.render_inline(escape_markdown(text), {})


_short_literal = lru_cache(maxsize=256)(_literal)

SLACK_MARKDOWN = SlackMarkdown()


def render_posts(reply: Reply) -> list[SlackPost]:
    """Return the messages of a reply in order, with sources and buttons below the last one.

    The Markdown of the first is what was streamed of it, unless that had no files and no single source yet.
    """
    posts = [
        _post(message)
        for message in pack_messages(
            render_pieces(reply.blocks, SLACK_MARKDOWN, reply.links), MAX_MESSAGE_LENGTH, overhead=BLOCK_OVERHEAD
        )
    ]
    footers = list(render_footers(reply))
    posts = posts or ([] if footers else [render_line("-")])
    if footers:
        last = posts.pop() if posts else SlackPost((), (), reply.sources_title)
        posts.append(SlackPost(last.message, footers[0], last.text))
    return posts + [SlackPost((), footer, reply.sources_title) for footer in footers[1:]]


def render_streamed(reply: Reply) -> str:
    """Return a partial reply as Markdown that only grows; empty where it does not fit one message.

    A table is left out until it is complete: how it is shown depends on all of its rows.
    """
    withheld = 1 if reply.blocks and isinstance(reply.blocks[-1], ReplyTable) else 0
    complete = reply.blocks[: len(reply.blocks) - withheld]
    messages = pack_messages(
        render_pieces(complete, SLACK_MARKDOWN, reply.links), MAX_MESSAGE_LENGTH, overhead=BLOCK_OVERHEAD
    )
    return "\n\n".join(map(_streamed_segment, messages[0])) if len(messages) == 1 else ""


def render_line(text: str) -> SlackPost:
    """Return one message of our own words, or of foreign words as literal text."""
    (post, *_) = render_posts(builder.text_reply(text or "-"))
    return post


def fallback_text(markdown: str) -> str:
    """Return Markdown as inert plain text of at most 3,900 characters; ` …` marks a cut."""
    text = _ESCAPED.sub(r"\1", markdown.replace("&lt;", "<").replace("&gt;", ">"))
    length = len(text)
    while len(markup.escape_text(text)) > MAX_FALLBACK_LENGTH:
        # Escaping lengthens a text by as much as it holds of `&<>`: cut a tenth at a time until it fits.
        text = text[: len(text) * 9 // 10]
        text = text.rpartition(" ")[0] or text
    return markup.escape_text(text) + (" …" if len(text) < length else "")


def _post(message: MessageSegments) -> SlackPost:
    return SlackPost(message, (), fallback_text("\n".join(segment.text for segment in message)))


def _block(segment: Segment) -> SlackBlock:
    match segment.kind:
        case PieceKind.CODE:
            return code_block(segment.text)
        case PieceKind.QUOTE:
            return quote_block(segment.text)
    return {"type": "markdown", "text": segment.text}


def _streamed_segment(segment: Segment) -> str:
    if segment.kind is not PieceKind.CODE:
        return segment.text
    return f"```{segment.language}\n{markup.escape_code(segment.text)}\n```"


def _row(cells: Sequence[str], columns: int) -> str:
    return f"| {' | '.join([*(cell or ' ' for cell in cells), *[' '] * (columns - len(cells))])} |"
