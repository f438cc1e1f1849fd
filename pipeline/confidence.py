"""How sure an answer is, computed from what was found and what was written; never asked of a model."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from pipeline.asked import read
from pipeline.evidence import Candidate, gather
from pipeline.values import Confidence, Factor, Judgement, Level, RetrievedChunk, Sentence, Value

HIGH = 0.75
MEDIUM = 0.5
ABSTAIN_BELOW = 0.35


class Assessment(Value):
    confidence: Confidence
    sufficient: bool
    """The passages hold an answer."""
    abstain: bool
    abstain_reason: str = ""


_STRONG = re.compile(
    r"not enough information|cannot (?:be )?determined?|unclear|please contact|i don['’]t know|not specified",
    re.IGNORECASE,
)
_MODERATE = re.compile(
    r"may depend|might vary|\bpossibly\b|\bperhaps\b|seems? to|\blikely\b|it depends|\bprobably\b", re.IGNORECASE
)
STRONG_HEDGE = 0.6
MODERATE_HEDGE = 0.8


def assess(
    question: str,
    passages: Sequence[RetrievedChunk],
    sentences: Sequence[tuple[Sentence, Judgement]],
    *,
    generator: str,
) -> Assessment:
    """Judge a draft as a whole: how sure it is, whether the passages suffice, and whether to say nothing."""
    supported = [(sentence, judgement) for sentence, judgement in sentences if judgement.supported]
    answerable = answerability(question, passages)
    hedge = hedging(" ".join(sentence.text for sentence, _ in supported))
    share = len(supported) / len(sentences) if sentences else 0.0
    score = answerable * hedge * share
    level = Level.HIGH if score >= HIGH else Level.MEDIUM if score >= MEDIUM else Level.LOW
    abstain = score < ABSTAIN_BELOW
    return Assessment(
        confidence=Confidence(
            level=level,
            score=score,
            reasons=(
                Factor(name="answerability", value=answerable, text="how well the best sentence fits the question"),
            ),
        ),
        sufficient=answerable >= ABSTAIN_BELOW,
        abstain=abstain,
        abstain_reason="no passage holds what was asked" if abstain else "",
    )


def answerability(question: str, passages: Sequence[RetrievedChunk]) -> float:
    """0 to 1: how likely the passages are to answer `question`."""
    found = [one for units in gather(read(question), passages) for one in units if one.says]
    if not found:
        return 0.0
    best: Candidate = max(found, key=lambda one: one.score)
    cosine = best.passage.unit_scores[best.index] if best.passage.unit_scores else best.coverage
    return 1 / (1 + math.exp(-(-4.0 + 3.0 * cosine + 3.0 * best.coverage)))


def hedging(text: str) -> float:
    """The factor by which hedged wording lowers confidence."""
    return STRONG_HEDGE if _STRONG.search(text) else MODERATE_HEDGE if _MODERATE.search(text) else 1.0
