"""The terminal as a platform: answers and tables as rich renderables, and an answer as it comes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.measure import Measurement
from rich.padding import Padding
from rich.spinner import Spinner
from rich.style import Style
from rich.table import Column, Table
from rich.text import Text

from adapters.chat.reply import panels
from adapters.chat.reply.builder import build_reply
from adapters.chat.reply.draft import Draft
from adapters.chat.reply.inline import text_runs
from adapters.chat.reply.parts import (
    RenderOptions,
    Reply,
    ReplyBlock,
    ReplyCode,
    ReplyHeading,
    ReplyList,
    ReplyNote,
    ReplyParagraph,
    ReplyQuote,
    ReplySource,
)
from adapters.chat.reply.parts import ReplyTable as TablePart
from adapters.chat.reply.parts import ReplyText as TextPart
from pipeline.ports import AnswerStream
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import Answer, ConfidenceLevel, require_every
from pipeline.words.text import sentence_separator, strip_invisible

# --- Parts of an answer, and tables that keep words whole -----------------------------------------

_LINE, _PADDING = 1, 2
"""Columns of the screen that each column of a table takes beside its text."""


@dataclass(frozen=True)
class WordSafeTable:
    """A table with lines around its columns, each of which has room for its longest word. Where the screen is too
    narrow for that, only the widest columns break words."""

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width - len(self.table.columns) * (_LINE + _PADDING) - _LINE
        sizes = [
            [Measurement.get(console, options, cell) for cell in (column.header, *column.cells)]
            for column in self.table.columns
        ]
        natural_widths = [max(size.maximum for size in column) for column in sizes]
        if sum(natural_widths) > room:
            min_widths = _narrow([max(size.minimum for size in column) for column in sizes], room)
            free, missing = room - sum(min_widths), sum(natural_widths) - sum(min_widths)
            for column, low, high in zip(self.table.columns, min_widths, natural_widths, strict=True):
                column.width = max(1, low + free * (high - low) // missing)
        yield self.table


def _narrow(widths: list[int], room: int) -> list[int]:
    """Return `widths` with the widest cut until all fit into `room`."""
    cuts = ([min(width, max_width) for width in widths] for max_width in range(max(widths), 0, -1))
    return next((cut for cut in cuts if sum(cut) <= room), [0] * len(widths))


_LINKABLE = re.compile(r"https?://[^\s\x00-\x20\x7f]+", re.ASCII | re.IGNORECASE)
_CODE = Style(color="magenta", bold=False)
_COLOUR = {ConfidenceLevel.HIGH: "green", ConfidenceLevel.MEDIUM: "yellow", ConfidenceLevel.LOW: "red"}
require_every(ConfidenceLevel, _COLOUR)


def render(
    answer: Answer, *, citations: bool = True, confidence: bool = True, passages: bool = False, why: bool = False
) -> RenderableType:
    """Render the whole answer: its text, badge and sources, and on request the passages and the confidence's parts."""
    reply = build_reply(answer, RenderOptions(citations=citations, confidence=confidence))
    parts = list(_render_blocks(reply.blocks))
    if reply.status:
        parts.append(Text(reply.status, style=_COLOUR[answer.confidence.level]))
    if reply.sources:
        parts.append(Group(Text(reply.sources_title, style="dim"), _render_sources(reply.sources)))
    if passages:
        parts += _render_blocks(panels.passages_panel(answer).blocks)
    if why:
        parts += _render_blocks(panels.confidence_panel(answer).blocks)
    return _stack(parts)


def render_draft(draft: Reply) -> RenderableType:
    """Render an answer that is still being written."""
    return _stack(list(_render_blocks(draft.blocks)))


def _stack(parts: Sequence[RenderableType]) -> RenderableType:
    """Stack the parts with a blank line between them."""
    last = len(parts) - 1
    return Group(*(Padding(part, (0, 0, 0 if index == last else 1, 0)) for index, part in enumerate(parts)))


def _render_blocks(blocks: Sequence[ReplyBlock]) -> Iterator[RenderableType]:
    """Render the blocks; a heading stands close to the block below it."""
    heading: list[RenderableType] = []
    for block in blocks:
        if isinstance(block, ReplyHeading):
            heading.append(_render_text(block.text, "bold"))
        else:
            yield Group(*heading, _render_block(block)) if heading else _render_block(block)
            heading = []
    if heading:
        yield Group(*heading)


def _render_block(block: ReplyBlock) -> RenderableType:
    match block:
        case ReplyParagraph():
            text = Text()
            for part in block.sentences:
                text.append(sentence_separator(text.plain) if text else "").append_text(_render_text(part))
            return text
        case ReplyList():
            return _render_list(block)
        case TablePart():
            return _render_table(block)
        case ReplyCode():
            from rich.syntax import Syntax

            code = Syntax(block.text, block.language or "text", background_color="default", word_wrap=True)
            after = [_render_text(block.caption)] if block.caption else []
            return Group(Padding(code, (0, 0, 0, 2)), *after)
        case ReplyQuote():
            return Padding(Text(block.text), (0, 0, 0, 2))
        case ReplyNote():
            return Text(block.text, style="italic")
        case ReplyHeading():
            return _render_text(block.text, "bold")


def _render_text(part: TextPart, style: str = "") -> Text:
    text = Text(part.warning, style="yellow")
    for run, url, code in text_runs(part):
        text.append(run, style=Style.parse(style) + (_link_style(url) if url else _CODE if code else Style()))
    return text.append(f"{_gap(part)}{strip_invisible(part.marks)}", style="cyan") if part.marks else text


def _gap(part: TextPart) -> str:
    return " " if part.text and part.marks[0] not in "⁰¹²³⁴⁵⁶⁷⁸⁹" else ""


def _render_list(listing: ReplyList) -> Table:
    grid = _grid(1, 2)
    for number, item in enumerate(listing.items, start=listing.first):
        row: tuple[str, RenderableType] = (f"{number}." if listing.first else "•", _render_text(item))
        for _ in range(item.depth):
            inner = _grid(1, 2)
            inner.add_row(*row)
            row = ("", inner)
        grid.add_row(*row)
    return grid


def _grid(gap: int, columns: int) -> Table:
    """Return columns without lines, in which a long word goes on in the next line and is never cut off."""
    return Table.grid(*(Column(overflow="fold") for _ in range(columns)), padding=(0, gap))


def _render_table(part: TablePart) -> WordSafeTable:
    table = Table(show_header=bool(part.header))
    for column in range(max(map(len, (part.header, *part.rows)))):
        table.add_column(_render_text(part.header[column]) if column < len(part.header) else "", overflow="fold")
    for row in part.rows:
        table.add_row(*map(_render_text, row))
    return WordSafeTable(table)


def _render_sources(sources: Sequence[ReplySource]) -> Table:
    """Render one line for each source: mark, title, place, date, path of the file, address."""
    grid = _grid(1, 2)
    for source in sources:
        line = Text(source.title, style="bold")
        for part in filter(None, (source.location, source.date)):
            line.append(f" · {part}", style="not bold")
        if source.file_path and source.file_path not in (source.title, source.url):
            line.append("  ").append(source.file_path, style="dim not bold")
        if source.url:
            line.append("  ").append(strip_invisible(source.url), style=_link_style(source.url))
        grid.add_row(Text(source.mark, style="cyan"), line)
    return grid


def _link_style(url: str) -> Style:
    """Return the style of a URL: blue, and a link where a browser can open it. In terminals that show links, the only
    ones are those of sources."""
    return Style(
        color="blue", bold=False, link=url if _LINKABLE.fullmatch(url) and strip_invisible(url) == url else None
    )


# --- Streaming an answer --------------------------------------------------------------------------


async def follow_answer(stream: AnswerStream, console: Console, translator: Translator = ENGLISH_TRANSLATOR) -> Answer:
    """Show an answer on a terminal while it comes, and return it; elsewhere show nothing. The draft is removed when
    this returns: the caller prints the answer."""
    draft = Draft(translator=translator)
    spinner = Spinner("dots", draft.status)
    with Live(spinner, console=console, transient=True) as live:
        async with stream:
            async for event in stream:
                draft.add(event)
                spinner.update(text=draft.status)
                if draft.is_begun:
                    live.update(Group(render_draft(draft.partial_reply), spinner))
            answer = await stream.answer()
        live.update(Text(""))
    return answer
