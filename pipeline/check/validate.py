"""Is a sentence supported by the passages it names? Deterministic, and the same for every writer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.check.cells import complete
from pipeline.check.ground import Ground, read
from pipeline.check.quotes import Quote, quotes
from pipeline.check.rewording import NOTHING, reworded
from pipeline.check.risk import Risk, assess, likelihood
from pipeline.check.rows import judge_header, judge_row
from pipeline.check.sources import addressed
from pipeline.check.verdict import rejected, supported
from pipeline.text import sentences
from pipeline.values import BlockKind, Judgement, RetrievedChunk, Sentence, Value

DOUBTFUL = 2.0
"""Hazard from which a sentence of a response is marked."""
FLAGGED = 5.0
"""Hazard from which a whole response is flagged: a number or date that no source has, and more."""
_CLAUSE = re.compile(r"[,;:()]\s*|(?<!\s)\s+(?=(?:and|but|which|while|because|so|such as|including)\b)")


def judge(sentence: Sentence, passages: Sequence[RetrievedChunk], *, question: str = "", header: str = "") -> Judgement:
    """Judge one sentence against the passages it names; a passage it does not name cannot support it.

    A sentence, item, row or code block of a passage is supported word for word, white space aside; code has to be.
    Less than that must not lose a negation or condition by being cut out. Of a row, every cell must be said of the
    first one, or of its side in the table's `header`. A header may use the words of the `question`, and a condition in
    these words may be left out. An instruction to an assistant is forbidden."""
    named = [passage for passage in passages if passage.chunk.id in sentence.chunk_ids]
    found = quotes(sentence.text, named)
    if addressed(sentence.text, found[0].passage.chunk.text if found else ""):
        return rejected("it is an instruction to an assistant", forbidden=True)
    if not named:
        return rejected("it names no passage")
    heard = [quote for quote in found if not quote.ordered]
    if found and not heard:
        return rejected("it rests on an instruction to an assistant", forbidden=True)
    if sentence.kind is BlockKind.CODE:
        code = [quote for quote in heard if quote.code or not quote.loss(question)]
        return _quoted(code) or rejected("the passage does not have this code")
    if exact := _quoted([quote for quote in heard if quote.whole]):
        return exact
    if sentence.kind is BlockKind.HEADER:
        return judge_header(sentence.text, named, question)
    if sentence.kind is BlockKind.ROW:
        return judge_row(sentence.text, named, question, header)
    if rows := complete(sentence.text, named):
        return supported(1.0, (row.passage for row in rows), rows[0].text)
    if not heard:
        return reworded(sentence.text, named, question)
    losses = [quote.loss(question) for quote in heard]
    return _quoted([quote for quote, loss in zip(heard, losses, strict=True) if not loss]) or rejected(losses[0])


def _quoted(found: Sequence[Quote]) -> Judgement | None:
    return supported(1.0, [quote.passage for quote in found], found[0].text) if found else None


class Checked(Value):
    """A whole response against its sources."""

    score: float
    """0 to 1: how likely something in it is unsupported."""
    flag: bool
    spans: tuple[tuple[int, int], ...]
    """Start and end of what is unsupported."""


def check_response(response: str, sources: Sequence[str], *, question: str = "") -> Checked:
    """Check every sentence of `response` against all of `sources`; the words of the `question` need no source."""
    grounds = [Ground(source, sentences(source), question) for source in sources]
    hazard, spans = 0.0, []
    for start, end in sentences(response):
        said = read(response[start:end])
        risk = assess(said, grounds, NOTHING)
        hazard += risk.hazard
        if risk.hazard >= DOUBTFUL:
            spans.append(_span(said.text, start, risk))
    return Checked(score=likelihood(hazard, FLAGGED), flag=hazard >= FLAGGED, spans=tuple(spans))


def _span(text: str, start: int, risk: Risk) -> tuple[int, int]:
    """From the first to the last clause that has something unsupported, as places in the response."""
    marks = [found.start for found in (*risk.words, *risk.facts)]
    edges = [0, *(match.end() for match in _CLAUSE.finditer(text)), len(text)]
    if not marks:
        return start, start + len(text)
    first = max(edge for edge in edges if edge <= min(marks))
    last = min(edge for edge in edges if edge > max(marks))
    return start + first, start + first + len(text[first:last].rstrip(" ,;:("))
