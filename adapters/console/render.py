"""An `Answer` as rich renderables. Pure: everything shown comes from the answer's fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from pipeline import wording
from pipeline.response.cite import mark, place
from pipeline.values import Answer, BlockKind, Citation, CitedSentence, Level

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_COLOUR = {Level.HIGH: "green", Level.MEDIUM: "yellow", Level.LOW: "red"}


def clean(text: str) -> str:
    """`text` without control, bidirectional and invisible characters: nothing in it can move the cursor or hide."""
    return _CONTROL.sub("", text)


def render(
    answer: Answer, *, citations: bool = True, confidence: bool = True, passages: bool = False, why: bool = False
) -> RenderableType:
    """The whole answer: sentences, badge, sources, and on request the quoted passages and the confidence's parts."""
    parts: list[RenderableType] = []
    if answer.preface:
        parts.append(Text(answer.preface, style="italic"))
    parts.append(Group(*_sentences(answer)) if answer.sentences else Text(clean(answer.body)))
    if answer.closing:
        parts.append(Text(answer.closing, style="italic"))
    if confidence and answer.sentences:
        parts.append(_badge(answer))
    if citations and answer.citations:
        parts.append(_sources("Sources", answer.citations))
    if citations and answer.nearest:
        parts.append(_sources(wording.NEAREST.rstrip(":"), answer.nearest))
    if passages:
        parts.extend(_passages(answer.citations or answer.nearest))
    if why:
        parts.append(_why(answer))
    return Group(*(Padding(part, (0, 0, 0 if last else 1, 0)) for part, last in _with_last(parts)))


def _with_last(parts: Sequence[RenderableType]) -> Iterator[tuple[RenderableType, bool]]:
    for number, part in enumerate(parts, start=1):
        yield part, number == len(parts)


def _sentences(answer: Answer) -> Iterator[RenderableType]:
    by_number = {citation.number: citation for citation in answer.citations}
    step = 0
    run: Text | None = None
    table: Table | None = None
    for sentence in answer.sentences:
        marked = mark(sentence.numbers, by_number, answer.citation_style)
        if sentence.kind in (BlockKind.HEADER, BlockKind.ROW):
            table = _row(table, sentence, marked)
            continue
        if table is not None:
            yield table
            table = None
        if sentence.kind in (BlockKind.PROSE, BlockKind.HEADING):
            if run is not None and sentence.opens:
                yield run
                run = None
            run = (run.append(" ") if run else Text()).append_text(_text(sentence, marked))
            continue
        if run is not None:
            yield run
            run = None
        step = step + 1 if sentence.kind is BlockKind.STEP else 0
        yield _line(sentence, step, marked)
    yield from (part for part in (run, table) if part is not None)


def _text(sentence: CitedSentence, marked: str) -> Text:
    text = Text() if sentence.verified else Text(f"{wording.UNVERIFIED}: ", style="yellow")
    return text.append(clean(sentence.text)).append(marked, style="cyan")


def _line(sentence: CitedSentence, step: int, marked: str) -> RenderableType:
    if sentence.kind is BlockKind.CODE:
        code = Syntax(clean(sentence.text), sentence.language or "text", background_color="default", word_wrap=True)
        return Group(Padding(code, (0, 0, 0, 2)), Text(marked.strip(), style="cyan"))
    grid = Table.grid(padding=(0, 1))
    grid.add_row(f"{step}." if step else "•", _text(sentence, marked))
    return grid


def _row(table: Table | None, sentence: CitedSentence, marked: str) -> Table:
    cells = [Text(clean(cell.strip())) for cell in sentence.text.split(" | ")]
    if sentence.kind is BlockKind.HEADER or table is None:
        table = Table(show_header=sentence.kind is BlockKind.HEADER)
        for cell in cells:
            table.add_column(cell if sentence.kind is BlockKind.HEADER else "")
        if sentence.kind is BlockKind.HEADER:
            return table
    cells[-1] = cells[-1].append(marked, style="cyan")
    table.add_row(*cells)
    return table


def _badge(answer: Answer) -> Text:
    badge = Text(wording.badge(answer.confidence), style=_COLOUR[answer.confidence.level])
    return badge.append(f"  {answer.reasoning}", style="dim")


def _sources(title: str, citations: Sequence[Citation]) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    for citation in citations:
        where = place(citation)
        line = Text(clean(citation.title), style="bold").append(f" - {clean(where)}" if where else "", style="not bold")
        line.append(
            f"  {clean(citation.filename)}" if citation.filename != citation.title else "", style="dim not bold"
        )
        line.append(f"  {citation.url}" if citation.url else "", style="blue not bold")
        grid.add_row(Text(f"[{citation.number}]", style="cyan"), line, Text(f"{citation.score:.3f}", style="dim"))
    return Group(Text(title, style="dim"), grid)


def _passages(citations: Sequence[Citation]) -> Iterator[RenderableType]:
    for citation in citations:
        quoted = Text(f"[{citation.number}] ", style="cyan").append(
            clean(citation.quote or citation.snippet), style="default"
        )
        yield Padding(quoted, (0, 0, 0, 2))


def _why(answer: Answer) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    for factor in answer.confidence.reasons:
        grid.add_row(Text(f"{factor.value:.2f}", style="dim"), Text(clean(factor.text)))
    title = f"Why: {answer.confidence.score:.2f} of 1"
    return Group(Text(title, style="dim"), grid)
