"""Predictions of the grounding check on complete responses: the check that people's answers pass."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from pipeline.check.judge_prompt import PendingClaim
from pipeline.check.model_judge import ModelJudge
from pipeline.check.risk import EVEN_RISK, risk_probability
from pipeline.check.word_check import judge_sentence
from pipeline.values import BlockKind, Chunk, Document, DraftSentence, Judgement, RetrievedChunk, SupportBasis, Unit
from pipeline.words.text import sentence_spans
from pipeline.write.draft_parser import DraftParser, ParsedSentence

HAZARD_THRESHOLD = 5.0
"""Hazard from which a response is flagged: a number or date that no source has, and more."""
_WORD = re.compile(r"[^\W_]+")


async def predict_grounding(row: dict[str, Any], judge: ModelJudge | None = None) -> dict[str, Any]:
    """Return the prediction for a row: `score` is 1 for unsupported.

    `sentences` are those that the parser of model drafts finds in the response, each `shown` when the check supports it
    with all sources cited: by words, and by `judge` when they do not decide. `spans` are the unsupported ones.
    """
    passages = [_passage(number, source) for number, source in enumerate(row["sources"])]
    question, response = row.get("question") or "", row["response"]
    sentences = split_response(response)
    judgements = await _judge_sentences([marked for marked, _, _ in sentences], passages, question, judge)
    judged = [(start, end, judgement) for (_, start, end), judgement in zip(sentences, judgements, strict=True)]
    hazard = sum(_hazard(judgement) for _, _, judgement in judged)
    return {
        "id": row["id"],
        "score": round(risk_probability(hazard, HAZARD_THRESHOLD), 4),
        "flag": hazard >= HAZARD_THRESHOLD,
        "spans": [[start, end] for start, end, judgement in judged if _hazard(judgement) >= EVEN_RISK],
        "sentences": [
            {"start": start, "end": end, "shown": judgement.is_supported} for start, end, judgement in judged
        ],
    }


def _hazard(judgement: Judgement) -> float:
    """Return a sentence's hazard: 0 if it is supported, enough for a flag if the judge refused it, else by its
    words."""
    if judgement.is_supported:
        return 0.0
    return (
        HAZARD_THRESHOLD
        if judgement.support is SupportBasis.REFUSED
        else -EVEN_RISK * math.log2(max(judgement.score, 1e-9))
    )


async def _judge_sentences(
    marked: Sequence[ParsedSentence], passages: Sequence[RetrievedChunk], question: str, judge: ModelJudge | None
) -> Sequence[Judgement]:
    chunk_ids = tuple(passage.chunk.id for passage in passages)
    claims = [
        PendingClaim(DraftSentence(text=sentence.text, kind=sentence.kind, chunk_ids=chunk_ids)) for sentence in marked
    ]
    if judge is None:
        return [judge_sentence(claim.sentence, passages, question=question) for claim in claims]
    return (await judge.review(claims, passages, question=question))[0]


def split_response(response: str) -> list[tuple[ParsedSentence, int, int]]:
    """Return each sentence with its start and end in the response."""
    parser = DraftParser()
    sentences, at = [], 0
    for marked in (*parser.feed(response), *parser.close()):
        words = _WORD.findall(marked.text)
        start = end = at
        for number, word in enumerate(words):
            place = response.find(word, end)
            if place >= 0:
                start, end = (start if number else place), place + len(word)
        at = end
        sentences.append((marked, start, end))
    return sentences


def _passage(number: int, source: str) -> RetrievedChunk:
    """Return a source as a passage of prose."""
    name = str(number)
    units = tuple(Unit(start=start, end=end, kind=BlockKind.PROSE) for start, end in sentence_spans(source))
    return RetrievedChunk(
        chunk=Chunk(id=name, document_id=name, text=source, units=units),
        document=Document(id=name, filename="", title=""),
        score=1.0,
    )
