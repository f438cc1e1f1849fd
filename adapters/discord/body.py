"""The text of an answer as pieces of Discord Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from adapters.discord.markdown import code, escape, inline
from adapters.discord.split import Piece
from adapters.discord.tables import table
from pipeline import wording
from pipeline.compose.cite import label, mark, numbered
from pipeline.values import Answer, BlockKind, Citation, CitationStyle, CitedSentence

_LINES = frozenset({BlockKind.ITEM, BlockKind.STEP})
_TABLE = frozenset({BlockKind.HEADER, BlockKind.ROW})


def body(answer: Answer) -> Iterator[Piece]:
    """Preface, sentences and closing; or the wording of an answer that has no sentences."""
    if answer.sentences:
        yield from sentences(
            answer.sentences,
            preface=answer.preface,
            closing=answer.closing,
            citations=answer.citations,
            style=answer.citation_style,
        )
        return
    gap = ""
    for line in f"{answer.preface}\n\n{answer.body}\n\n{answer.closing}".strip().splitlines():
        if line.strip():
            yield Piece(_line(line.strip()), gap)
            gap = "\n"
        else:
            gap = "\n\n"


def sentences(
    written: Sequence[CitedSentence],
    *,
    preface: str = "",
    closing: str = "",
    citations: Sequence[Citation] = (),
    style: CitationStyle = CitationStyle.NUMBERED,
) -> Iterator[Piece]:
    """Checked sentences with their marks; an address is a link only where a citation has exactly that address."""
    by_number = {citation.number: citation for citation in citations}
    addresses = frozenset(citation.url for citation in citations if citation.url)
    before: CitedSentence | None = None
    step = 0
    if preface:
        yield Piece(f"*{escape(preface)}*")
    for run in _runs(written):
        first = run[0]
        above = label(before, first)
        if first.kind in _TABLE:
            pieces = table(run)
        else:
            step = numbered(step, first, begins=first.opens or bool(above))
            gap = _gap(before, first) if before or not preface else "\n\n"
            pieces = _sentence(first, gap, step, _mark(first, by_number, style), addresses)
        yield from _labelled(above, pieces) if above else pieces
        before = run[-1]
    for line in closing.splitlines():
        if line.strip():
            yield Piece(f"*{escape(line)}*", "\n\n")


def _labelled(above: str, pieces: Iterator[Piece]) -> Iterator[Piece]:
    """A label and what it stands above, in one piece where that is not code, so that no message ends with a label."""
    first = next(pieces)
    if first.fence is None:
        yield first._replace(text=f"**{above}**\n{first.text}")
    else:
        yield Piece(f"**{above}**", first.gap)
        yield first._replace(gap="\n")
    yield from pieces


def _runs(written: Sequence[CitedSentence]) -> Iterator[list[CitedSentence]]:
    """The rows of one table together, everything else by itself."""
    rows: list[CitedSentence] = []
    for sentence in written:
        if rows and (sentence.kind is not BlockKind.ROW or sentence.opens or sentence.section != rows[-1].section):
            yield rows
            rows = []
        if sentence.kind in _TABLE:
            rows.append(sentence)
        else:
            yield [sentence]
    if rows:
        yield rows


def _sentence(sentence: CitedSentence, gap: str, step: int, marked: str, addresses: frozenset[str]) -> Iterator[Piece]:
    warning = "" if sentence.verified else f"{wording.UNVERIFIED}: "
    if sentence.kind is BlockKind.CODE:
        yield from _code(sentence, gap)
        if marked or warning:
            yield Piece(f"{warning}{marked.strip()}", "\n")
        return
    text = f"{warning}{inline(sentence.text, addresses)}{marked}"
    match sentence.kind:
        case BlockKind.ITEM:
            yield Piece(f"- {text}", gap)
        case BlockKind.STEP:
            yield Piece(f"{step}. {text}", gap)
        case BlockKind.HEADING:
            yield Piece(f"**{text}**", gap)
        case _:
            yield Piece(text, gap)


def _code(sentence: CitedSentence, gap: str) -> Iterator[Piece]:
    language = "".join(c for c in sentence.language.lower() if c.isascii() and c.isalnum())[:20]
    for line in code(sentence.text).split("\n"):
        yield Piece(line or " ", gap, language)
        gap = "\n"


def _gap(before: CitedSentence | None, sentence: CitedSentence) -> str:
    if before is None:
        return ""
    same_run = before.kind is sentence.kind and before.section == sentence.section
    if sentence.opens or not same_run or sentence.kind is BlockKind.CODE:
        return "\n\n"
    return "\n" if sentence.kind in _LINES else " "


def _mark(sentence: CitedSentence, citations: Mapping[int, Citation], style: CitationStyle) -> str:
    """What stands behind a sentence. Marks that name their source are numbers while the source is not known yet."""
    known = all(number in citations for number in sentence.numbers)
    marked = mark(sentence.numbers, citations, style if known else CitationStyle.NUMBERED)
    return f" {escape(marked)}" if marked.startswith(" ") else marked


def _line(line: str) -> str:
    """A line of our own wording, which may be a list item."""
    return f"- {inline(line[2:])}" if line.startswith("- ") else inline(line)
