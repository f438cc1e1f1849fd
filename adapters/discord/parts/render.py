"""The parts of a reply -> Discord messages: pure, and within Discord's limits whatever the reply holds."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from adapters.chat.reply import labels as words
from adapters.chat.reply.cut import Message, PieceKind, TextPiece, pack
from adapters.chat.reply.cut import words as cut
from adapters.chat.reply.markdown import listed, pieces
from adapters.chat.reply.parts import Button, File, Quote, Reply, Source, Table, Text
from adapters.discord import limits
from adapters.discord.parts.markup import code, escape, inline, link
from pipeline.translations import ENGLISH, Words
from pipeline.values import Stage, Value, replace
from pipeline.words import wording

BODY = limits.TEXT - 40
"""Room for the text of one message: the rest is for `Part 2 of 3`."""
WIDTH = 56
"""Columns that a phone shows without breaking a line."""
AROUND = 30
"""Characters that the fences of a block of code take."""


class Page(Value):
    """One message of a reply: its texts from top to bottom, together at most 4,000 characters."""

    above: str = ""
    body: str = ""
    sources: str = ""
    status: str = ""
    """A line in small print."""
    language: str = "en"
    answer_id: str = ""
    actions: tuple[Button, ...] = ()
    ask: str = ""
    files: tuple[File, ...] = ()


class DiscordMarkdown:
    """Discord's Markdown."""

    below_heading = "\n"

    def inline(self, text: str, links: Mapping[str, str]) -> str:
        return inline(text, links)

    def literal(self, text: str) -> str:
        return escape(text)

    def link(self, text: str, url: str) -> str:
        return link(text, url)

    def note(self, text: str) -> str:
        return f"*{escape(text)}*" if text.strip() else ""

    def code(self, line: str) -> str:
        return code(line)

    def quote(self, quote: Quote) -> Iterator[TextPiece]:
        for line in quote.text.splitlines():
            indent = "\u00a0" * (len(line) - len(line.lstrip(" ")))
            for part in cut(line):
                yield TextPiece(f"> {indent}{escape(part)}", "\n")
                indent = ""

    def table(self, table: Table, links: Mapping[str, str]) -> Iterator[TextPiece]:
        """Aligned text where it is narrow and nothing in it can be opened: Discord has no tables."""
        rows = [[_cell(cell) for cell in row] for row in (table.header, *table.rows) if row]
        columns = max(map(len, rows))
        rows = [row + [""] * (columns - len(row)) for row in rows]
        widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
        opens = any(cell.links for row in table.rows for cell in row)
        if opens or sum(widths) + 3 * (columns - 1) > WIDTH:
            yield from listed(table, self, links)
            return
        lines = [" | ".join(cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True))
                 for row in rows]  # fmt: skip
        if table.header:
            lines.insert(1, "-+-".join("-" * width for width in widths) or "-")
        for text in lines:
            yield TextPiece(code(text.rstrip()) or " ", "\n", PieceKind.CODE)


MARKDOWN = DiscordMarkdown()


def pages(reply: Reply) -> tuple[Page, ...]:
    """The whole reply. All but the last page hold text only."""
    texts, sources = _texts(pieces(reply.blocks, MARKDOWN, reply.links)), _texts(_sources(reply))
    status = f"-# {escape(reply.status)}" if reply.status else ""
    together = texts[-1:] + sources[:1] + [status]
    if texts and len(sources) == 1 and limits.length("".join(together)) <= BODY:
        drafts = [Page(body=text) for text in texts[:-1]] + [Page(body=texts[-1], sources=sources[0])]
    else:
        drafts = [Page(body=text) for text in texts] + [Page(sources=text) for text in sources]
    if not drafts or limits.length(drafts[-1].body + drafts[-1].sources + status) > BODY:
        drafts.append(Page(body="" if drafts else "-"))
    speech = Words(reply.language)
    drafts[-1] = replace(
        drafts[-1],
        language=reply.language,
        status=status,
        answer_id=reply.answer_id,
        actions=reply.actions,
        ask=reply.ask,
        files=reply.files,
    )
    numbered = [
        replace(page, status=f"-# {speech(words.PART, number=number, parts=len(drafts))}")
        for number, page in enumerate(drafts[:-1], start=1)
    ]
    return (*numbered, drafts[-1])


def progress(reply: Reply, stage: Stage, speech: Words = ENGLISH) -> Page:
    """What is shown while an answer is being written: the beginning of what `pages` will show."""
    texts = _texts(pieces(reply.blocks, MARKDOWN, reply.links))
    return Page(body=texts[0] if texts else "", status=f"-# {speech(wording.PROGRESS[stage])} …")


def plain(reply: Reply) -> tuple[str, ...]:
    """The reply as message contents, for where components cannot be shown: at most 2,000 characters each."""
    below = [TextPiece(f"-# {escape(reply.status)}", "\n\n")] if reply.status else []
    told = [*pieces(reply.blocks, MARKDOWN, reply.links), *_sources(reply, gap="\n\n"), *below]
    return tuple(_texts(told, limits.CONTENT))


def texts(reply: Reply) -> tuple[str, ...]:
    """A panel, as the texts of its messages."""
    return tuple(_texts(pieces(reply.blocks, MARKDOWN, reply.links))) or ("-",)


def _texts(told: Iterable[TextPiece], limit: int = BODY) -> list[str]:
    packed = pack((piece for piece in told if piece.text), limit, length=limits.length, around=AROUND)
    return [text for text in map(_text, packed) if text.strip()]


def _text(message: Message) -> str:
    """Segments under each other; code in fences."""
    return "\n".join(
        f"```{segment.language}\n{segment.text}\n```" if segment.kind is PieceKind.CODE else segment.text
        for segment in message
    )


def _cell(cell: Text) -> str:
    behind = f"  {cell.marks}" if cell.marks else ""
    return f"{cell.warning}{cell.text}{behind}".replace("|", "∣")


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _sources(reply: Reply, *, gap: str = "") -> Iterator[TextPiece]:
    if reply.sources:
        yield TextPiece(f"**{escape(reply.sources_title)}**", gap)
    for one in reply.sources:
        yield TextPiece(source(one), "\n")


def source(source: Source) -> str:
    """One line: the title, linked where it can be opened, the place in it and its date."""
    told = (f"{escape(source.mark)} {link(source.title, source.url)}", escape(source.place), escape(source.date))
    return " · ".join(part for part in told if part)
