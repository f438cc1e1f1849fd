"""Rendering of a reply's blocks as Discord messages, within Discord's limits whatever the reply holds. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from adapters.chat.reply import labels as words
from adapters.chat.reply.markdown import render_pieces, render_table_list
from adapters.chat.reply.parts import Reply, ReplyButton, ReplyFile, ReplyQuote, ReplySource, ReplyTable, ReplyText
from adapters.chat.reply.splitting import MessageSegments, PieceKind, TextPiece, pack_messages
from adapters.chat.reply.splitting import wrap_text as cut
from adapters.discord import limits
from adapters.discord.rendering.markup import escape_code, escape_text, render_inline, render_link
from pipeline.translations import Translator
from pipeline.values import Value, replace

MAX_BODY_LENGTH = limits.MAX_TEXT - 40
"""Characters for the text of one message; the rest is for `Part 2 of 3`."""
MAX_TABLE_WIDTH = 56
"""Columns that a phone shows without breaking a line."""
FENCE_OVERHEAD = 30
"""Characters that the fences of a block of code take."""


class DiscordPage(Value):
    """One message of a reply: its texts from top to bottom, together at most 4,000 characters."""

    above: str = ""
    body: str = ""
    sources: str = ""
    status: str = ""
    """A line in small print."""
    language: str = "en"
    answer_id: str = ""
    buttons: tuple[ReplyButton, ...] = ()
    ask_label: str = ""
    files: tuple[ReplyFile, ...] = ()


class DiscordMarkdown:
    """Discord's Markdown."""

    heading_separator = "\n"

    def inline(self, text: str, links: Mapping[str, str]) -> str:
        return render_inline(text, links)

    def literal(self, text: str) -> str:
        return escape_text(text)

    def link(self, text: str, url: str) -> str:
        return render_link(text, url)

    def note(self, text: str) -> str:
        return f"*{escape_text(text)}*" if text.strip() else ""

    def code(self, line: str) -> str:
        return escape_code(line)

    def quote(self, quote: ReplyQuote) -> Iterator[TextPiece]:
        for line in quote.text.splitlines():
            indent = "\u00a0" * (len(line) - len(line.lstrip(" ")))
            for part in cut(line):
                yield TextPiece(f"> {indent}{escape_text(part)}", "\n")
                indent = ""

    def table(self, table: ReplyTable, links: Mapping[str, str]) -> Iterator[TextPiece]:
        """Yield aligned text where it is narrow and has no links: Discord has no tables."""
        rows = [[_cell(cell) for cell in row] for row in (table.header, *table.rows) if row]
        columns = max(map(len, rows))
        rows = [row + [""] * (columns - len(row)) for row in rows]
        widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
        opens = any(cell.links for row in table.rows for cell in row)
        if opens or sum(widths) + 3 * (columns - 1) > MAX_TABLE_WIDTH:
            yield from render_table_list(table, self, links)
            return
        lines = [" | ".join(cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True))
                 for row in rows]  # fmt: skip
        if table.header:
            lines.insert(1, "-+-".join("-" * width for width in widths) or "-")
        for text in lines:
            yield TextPiece(escape_code(text.rstrip()) or " ", "\n", PieceKind.CODE)


DISCORD_MARKDOWN = DiscordMarkdown()


def render_pages(reply: Reply) -> tuple[DiscordPage, ...]:
    """Return the whole reply. All but the last page hold text only."""
    texts, sources = _texts(render_pieces(reply.blocks, DISCORD_MARKDOWN, reply.links)), _texts(_sources(reply))
    status = f"-# {escape_text(reply.status)}" if reply.status else ""
    together = texts[-1:] + sources[:1] + [status]
    if texts and len(sources) == 1 and limits.utf16_length("".join(together)) <= MAX_BODY_LENGTH:
        drafts = [DiscordPage(body=text) for text in texts[:-1]] + [DiscordPage(body=texts[-1], sources=sources[0])]
    else:
        drafts = [DiscordPage(body=text) for text in texts] + [DiscordPage(sources=text) for text in sources]
    if not drafts or limits.utf16_length(drafts[-1].body + drafts[-1].sources + status) > MAX_BODY_LENGTH:
        drafts.append(DiscordPage(body="" if drafts else "-"))
    translator = Translator(reply.language)
    drafts[-1] = replace(
        drafts[-1],
        language=reply.language,
        status=status,
        answer_id=reply.answer_id,
        buttons=reply.buttons,
        ask_label=reply.ask_label,
        files=reply.files,
    )
    numbered = [
        replace(page, status=f"-# {translator(words.PART_OF, number=number, parts=len(drafts))}")
        for number, page in enumerate(drafts[:-1], start=1)
    ]
    return (*numbered, drafts[-1])


def render_progress(reply: Reply, status: str) -> DiscordPage:
    """Return the page shown while an answer is being written: the beginning of what `render_pages` will show."""
    texts = _texts(render_pieces(reply.blocks, DISCORD_MARKDOWN, reply.links))
    return DiscordPage(body=texts[0] if texts else "", status=f"-# {status} …")


def render_plain(reply: Reply) -> tuple[str, ...]:
    """Return the reply as message contents of at most 2,000 characters each, where components are refused."""
    status_piece = [TextPiece(f"-# {escape_text(reply.status)}", "\n\n")] if reply.status else []
    pieces = [
        *render_pieces(reply.blocks, DISCORD_MARKDOWN, reply.links),
        *_sources(reply, separator="\n\n"),
        *status_piece,
    ]
    return tuple(_texts(pieces, limits.MAX_CONTENT))


def render_texts(reply: Reply) -> tuple[str, ...]:
    """Return a panel as the texts of its messages."""
    return tuple(_texts(render_pieces(reply.blocks, DISCORD_MARKDOWN, reply.links))) or ("-",)


def _texts(pieces: Iterable[TextPiece], limit: int = MAX_BODY_LENGTH) -> list[str]:
    packed = pack_messages(
        (piece for piece in pieces if piece.text), limit, length=limits.utf16_length, overhead=FENCE_OVERHEAD
    )
    return [text for text in map(_text, packed) if text.strip()]


def _text(message: MessageSegments) -> str:
    """Return the segments below each other, with code in fences."""
    return "\n".join(
        f"```{segment.language}\n{segment.text}\n```" if segment.kind is PieceKind.CODE else segment.text
        for segment in message
    )


def _cell(cell: ReplyText) -> str:
    marks = f"  {cell.marks}" if cell.marks else ""
    return f"{cell.warning}{cell.text}{marks}".replace("|", "∣")


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _sources(reply: Reply, *, separator: str = "") -> Iterator[TextPiece]:
    if reply.sources:
        yield TextPiece(f"**{escape_text(reply.sources_title)}**", separator)
    for source in reply.sources:
        yield TextPiece(render_source(source), "\n")


def render_source(source: ReplySource) -> str:
    """Return a source as one line: the title, linked where possible, the location and the date."""
    segments = (
        f"{escape_text(source.mark)} {render_link(source.title, source.url)}",
        escape_text(source.location),
        escape_text(source.date),
    )
    return " · ".join(part for part in segments if part)
