"""An `Answer` as rich renderables. Pure: everything shown comes from the answer's fields."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.syntax import Syntax
from rich.table import Column, Table
from rich.text import Text

from adapters.console.table import WholeWords
from pipeline import wording
from pipeline.compose.cite import closest, label, listed, mark, numbered, place
from pipeline.translations import ENGLISH, Message, Words
from pipeline.values import Answer, BlockKind, Citation, CitationStyle, CitedSentence, Level, row_cells

_KEPT = frozenset("\n\t\u200c\u200d")
"""Line ends, and the joiners that scripts and emoji need."""
_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
"""Unicode categories: control, format (direction, tags, zero width), private use, surrogates, separators."""
_LINKABLE = re.compile(r"https?://[^\s\x00-\x20\x7f]+", re.ASCII | re.IGNORECASE)
_TABLE = frozenset({BlockKind.HEADER, BlockKind.ROW})
_GOES_ON = {
    BlockKind.PROSE: frozenset({BlockKind.PROSE}),
    BlockKind.HEADER: frozenset({BlockKind.ROW}),
    BlockKind.ROW: frozenset({BlockKind.ROW}),
}
"""What may stand in one paragraph or table behind what."""
_WHY = Message("Why: {score} of 1")
_COLOUR = {Level.HIGH: "green", Level.MEDIUM: "yellow", Level.LOW: "red"}


def clean(text: str) -> str:
    """`text` without control, bidirectional and invisible characters: nothing in it can move the cursor or hide."""
    return "".join(c for c in text if c in _KEPT or unicodedata.category(c) not in _HIDDEN)


def render(
    answer: Answer, *, citations: bool = True, confidence: bool = True, passages: bool = False, why: bool = False
) -> RenderableType:
    """The whole answer: sentences, badge, sources, and on request the quoted passages and the confidence's parts."""
    words = Words(answer.language)
    parts: list[RenderableType] = []
    if answer.preface:
        parts.append(Text(clean(answer.preface), style="italic"))
    if answer.sentences:
        parts.append(Group(*_sentences(answer.sentences, answer.citations, answer.citation_style, words)))
    else:
        parts.append(Text(clean(answer.body)))
    if answer.closing:
        parts.append(Text(clean(answer.closing), style="italic"))
    if confidence and answer.sentences:
        parts.append(_badge(answer, words))
    if citations and answer.citations:
        parts.append(_sources(wording.SOURCES, answer.citations, answer.citation_style, words))
    if citations and answer.nearest:
        parts.append(_sources(wording.NEAREST, answer.nearest, CitationStyle.NUMBERED, words, quoted=True))
    if passages:
        parts.extend(_passages(answer))
    if why:
        parts.append(_why(answer, words))
    return Group(*(Padding(part, (0, 0, 0 if last else 1, 0)) for part, last in _with_last(parts)))


def draft(written: Sequence[CitedSentence], preface: str, words: Words = ENGLISH) -> RenderableType:
    """The checked sentences of an answer that is still being written."""
    before = [Padding(Text(clean(preface), style="italic"), (0, 0, 1, 0))] if preface else []
    return Group(*before, *_sentences(written, (), CitationStyle.NUMBERED, words))


def _with_last(parts: Sequence[RenderableType]) -> Iterator[tuple[RenderableType, bool]]:
    for number, part in enumerate(parts, start=1):
        yield part, number == len(parts)


def _sentences(
    sentences: Sequence[CitedSentence], citations: Sequence[Citation], style: CitationStyle, words: Words
) -> Iterator[RenderableType]:
    by_number = {citation.number: citation for citation in citations}
    step = 0
    before: CitedSentence | None = None
    for run in _runs(sentences):
        first = run[0]
        if above := label(before, first, words):
            yield Text(above, style="bold")
        step = numbered(step, first, begins=first.opens or bool(above))
        marked = [(sentence, clean(mark(sentence.numbers, by_number, style, words))) for sentence in run]
        if first.kind in _TABLE:
            yield _table(marked, words)
        elif first.kind is BlockKind.PROSE:
            yield Text(" ").join(_text(*one, words) for one in marked)
        else:
            yield _line(*marked[0], step, words)
        before = run[-1]


def _runs(sentences: Sequence[CitedSentence]) -> Iterator[list[CitedSentence]]:
    """The sentences of a paragraph together, the rows of a table too, everything else by itself."""
    run: list[CitedSentence] = []
    for sentence in sentences:
        before = run[-1] if run else sentence
        goes_on = sentence.kind in _GOES_ON.get(before.kind, ()) and sentence.section == before.section
        if run and (sentence.opens or not goes_on):
            yield run
            run = []
        run.append(sentence)
    if run:
        yield run


def _text(sentence: CitedSentence, marked: str, words: Words) -> Text:
    return _warning(sentence, words).append(clean(sentence.text)).append(marked, style="cyan")


def _warning(sentence: CitedSentence, words: Words) -> Text:
    warned = not sentence.verified and sentence.kind is not BlockKind.HEADER
    return Text(f"{words(wording.UNVERIFIED)}: ", style="yellow") if warned else Text()


def _line(sentence: CitedSentence, marked: str, step: int, words: Words) -> RenderableType:
    if sentence.kind is BlockKind.HEADING:
        return Text("", style="bold").append_text(_text(sentence, marked, words))
    if sentence.kind is BlockKind.CODE:
        code = Syntax(clean(sentence.text), sentence.language or "text", background_color="default", word_wrap=True)
        return Group(Padding(code, (0, 0, 0, 2)), _warning(sentence, words).append(marked.strip(), style="cyan"))
    grid = _grid(1, 2)
    grid.add_row(f"{step}." if sentence.kind is BlockKind.STEP else "•", _text(sentence, marked, words))
    return grid


def _grid(gap: int, columns: int) -> Table:
    """Columns without lines, in which a long word goes on in the next line and is never cut off."""
    return Table.grid(*(Column(overflow="fold") for _ in range(columns)), padding=(0, gap))


def _table(rows: Sequence[tuple[CitedSentence, str]], words: Words) -> WholeWords:
    headed = rows[0][0].kind is BlockKind.HEADER
    table = Table(show_header=headed)
    cells = [_cells(*row, words) for row in rows]
    for column in range(max(map(len, cells))):
        name = cells[0][column] if headed and column < len(cells[0]) else ""
        table.add_column(name, overflow="fold")
    for line in cells[1:] if headed else cells:
        table.add_row(*line)
    return WholeWords(table)


def _cells(sentence: CitedSentence, marked: str, words: Words) -> list[Text]:
    cells = [Text(clean(cell.strip())) for cell in row_cells(sentence.text)]
    cells[-1].append(marked, style="cyan")
    return [_warning(sentence, words).append_text(cells[0]), *cells[1:]]


def _badge(answer: Answer, words: Words) -> Text:
    badge = Text(wording.badge(answer.confidence, words), style=_COLOUR[answer.confidence.level])
    return badge.append(f"  {clean(answer.reasoning)}", style="dim")


def _sources(
    title: Message, citations: Sequence[Citation], style: CitationStyle, words: Words, *, quoted: bool = False
) -> RenderableType:
    grid = _grid(1, 3)
    for citation in citations:
        where = place(citation, words)
        line = Text(clean(citation.title), style="bold").append(f" - {clean(where)}" if where else "", style="not bold")
        line.append(
            f"  {clean(citation.filename)}" if citation.filename != citation.title else "", style="dim not bold"
        )
        if citation.url:
            line.append("  ").append(clean(citation.url), style=_linked(citation.url))
        number = Text(listed(citation.number, style), style="cyan")
        grid.add_row(number, line, Text(f"{citation.score:.3f}", style="dim"))
        if quoted and (quote := closest(citation)):
            grid.add_row("", Text(clean(quote)), "")
    return Group(Text(words(title), style="dim"), grid)


def _linked(url: str) -> Style:
    """Blue, and a link where a browser can open it: where a terminal shows links, the only ones are sources' own."""
    return Style(color="blue", bold=False, link=url if _LINKABLE.fullmatch(url) and clean(url) == url else None)


def _passages(answer: Answer) -> Iterator[RenderableType]:
    style = answer.citation_style if answer.citations else CitationStyle.NUMBERED
    for citation in answer.citations or answer.nearest:
        quoted = Text(f"{listed(citation.number, style)} ", style="cyan").append(
            clean(citation.quote or citation.snippet), style="default"
        )
        yield Padding(quoted, (0, 0, 0, 2))


def _why(answer: Answer, words: Words) -> RenderableType:
    grid = _grid(2, 2)
    for factor in answer.confidence.reasons:
        grid.add_row(Text(f"{factor.value:.2f}", style="dim"), Text(clean(factor.text)))
    title = words(_WHY, score=f"{answer.confidence.score:.2f}")
    return Group(Text(title, style="dim"), grid, Text(clean(wording.written_by(answer.usage, words)), style="dim"))
