"""Is a sentence supported by the passages it names? Deterministic, and the same for every writer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.screen import addressed_to_assistant
from pipeline.text import sentences, terms
from pipeline.values import BlockKind, Judgement, RetrievedChunk, Sentence, Value

SUPPORTED = 0.6
"""Share of a sentence's content terms that its best window must hold."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|can't|won't|don't|doesn't|isn't|aren't)\b", re.IGNORECASE
)


def judge(sentence: Sentence, passages: Sequence[RetrievedChunk]) -> Judgement:
    """Judge one sentence against the passages it names; a passage it does not name cannot support it."""
    named = [passage for passage in passages if passage.chunk.id in sentence.chunk_ids]
    if not named:
        return Judgement(supported=False, score=0.0, reason="it names no passage")
    if addressed_to_assistant(sentence.text):
        return Judgement(supported=False, score=0.0, reason="it is an instruction to an assistant")
    judged = sorted((_against(sentence, passage) for passage in named), key=lambda j: -j.score)
    best = judged[0]
    if not best.supported:
        return best
    return best.model_copy(update={"chunk_ids": tuple(j.chunk_ids[0] for j in judged if j.supported)})


def _against(sentence: Sentence, passage: RetrievedChunk) -> Judgement:
    text = passage.chunk.text
    quote = _verbatim(sentence, text)
    chunk_ids = (passage.chunk.id,)
    if quote:
        return Judgement(supported=True, score=1.0, chunk_ids=chunk_ids, quote=quote)
    missing = sorted(set(_NUMBER.findall(sentence.text)) - set(_NUMBER.findall(text)))
    wanted = set(terms(sentence.text))
    best, score = "", 0.0
    units = passage.chunk.units
    for i, unit in enumerate(units):
        window = text[units[max(0, i - 1)].start : unit.end]
        share = len(wanted & set(terms(window))) / len(wanted) if wanted else 0.0
        if share > score:
            best, score = window, share
    if missing:
        return Judgement(
            supported=False, score=score / 2, chunk_ids=chunk_ids, reason=f"{', '.join(missing)} is not there"
        )
    if bool(_NEGATION.search(sentence.text)) != bool(_NEGATION.search(best)):
        return Judgement(
            supported=False, score=score / 2, chunk_ids=chunk_ids, reason="it negates what the passage says"
        )
    supported = score >= SUPPORTED
    reason = "" if supported else "too few of its words are in the passage"
    return Judgement(supported=supported, score=score, chunk_ids=chunk_ids, quote=best, reason=reason)


def _verbatim(sentence: Sentence, text: str) -> str:
    """The span of `text` that is the sentence, white space aside; for a table row, all of its cells."""
    words = sentence.text.split()
    if sentence.kind in (BlockKind.ROW, BlockKind.HEADER):
        cells = [cell.strip() for cell in sentence.text.split(" | ")]
        return " | ".join(cells) if all(cell in text for cell in cells) else ""
    match = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    return match.group() if match else ""


class Checked(Value):
    """A whole response against its sources."""

    score: float
    """0 to 1: how likely something in it is unsupported."""
    flag: bool
    spans: tuple[tuple[int, int], ...]
    """Start and end of what is unsupported."""


def check_response(response: str, sources: Sequence[str], *, question: str = "") -> Checked:
    """Check every sentence of `response` against all of `sources`."""
    known = set(terms(" ".join([question, *sources])))
    spans = []
    new = 0
    for start, end in sentences(response):
        missing = set(terms(response[start:end])) - known
        new += len(missing)
        if len(missing) > 2:
            spans.append((start, end))
    score = 1 - 1 / (1 + new / 5)
    return Checked(score=score, flag=score >= 0.5, spans=tuple(spans))
