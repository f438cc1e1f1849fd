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


def judge(sentence: Sentence, passages: Sequence[RetrievedChunk], *, question: str = "") -> Judgement:
    """Judge one sentence against the passages it names; a passage it does not name cannot support it.

    Of a table row, every cell must be supported. A header may also use the words of the `question`."""
    named = [passage for passage in passages if passage.chunk.id in sentence.chunk_ids]
    if not named:
        return Judgement(supported=False, score=0.0, reason="it names no passage")
    if addressed_to_assistant(sentence.text):
        return Judgement(supported=False, score=0.0, reason="it is an instruction to an assistant")
    if sentence.kind in (BlockKind.HEADER, BlockKind.ROW):
        return _row(sentence, named, question if sentence.kind is BlockKind.HEADER else "")
    return _best(sentence.text, named)


def _row(sentence: Sentence, named: Sequence[RetrievedChunk], question: str) -> Judgement:
    asked = set(terms(question))
    cells = [cell for cell in sentence.text.split(" | ") if terms(cell) and not set(terms(cell)) <= asked]
    judged = [_best(cell, named) for cell in cells]
    if not judged:
        return Judgement(supported=True, score=1.0, chunk_ids=tuple(passage.chunk.id for passage in named))
    worst = min(judged, key=lambda judgement: (judgement.supported, judgement.score))
    if not worst.supported:
        return worst
    chunk_ids = tuple(dict.fromkeys(chunk_id for judgement in judged for chunk_id in judgement.chunk_ids[:1]))
    quote = " | ".join(judgement.quote for judgement in judged)
    return Judgement(supported=True, score=worst.score, chunk_ids=chunk_ids, quote=quote)


def _best(text: str, named: Sequence[RetrievedChunk]) -> Judgement:
    judged = sorted((_against(text, passage) for passage in named), key=lambda j: -j.score)
    if not judged[0].supported:
        return judged[0]
    return judged[0].model_copy(update={"chunk_ids": tuple(j.chunk_ids[0] for j in judged if j.supported)})


def _against(claim: str, passage: RetrievedChunk) -> Judgement:
    text = passage.chunk.text
    quote = _verbatim(claim, text)
    chunk_ids = (passage.chunk.id,)
    if quote:
        return Judgement(supported=True, score=1.0, chunk_ids=chunk_ids, quote=quote)
    missing = sorted(set(_NUMBER.findall(claim)) - set(_NUMBER.findall(text)))
    wanted = set(terms(claim))
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
    if bool(_NEGATION.search(claim)) != bool(_NEGATION.search(best)):
        return Judgement(
            supported=False, score=score / 2, chunk_ids=chunk_ids, reason="it negates what the passage says"
        )
    supported = score >= SUPPORTED
    reason = "" if supported else "too few of its words are in the passage"
    return Judgement(supported=supported, score=score, chunk_ids=chunk_ids, quote=best, reason=reason)


def _verbatim(claim: str, text: str) -> str:
    """The span of `text` that is the claim, white space aside."""
    words = claim.split()
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
