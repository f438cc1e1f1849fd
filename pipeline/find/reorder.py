"""What a reranker makes of what was found: another order of what is above the floor.

It reads question and passage together, which the fused scores do not, but gives numbers of its own scale, for which no
floor and no confidence is fitted. So it says which passage is the best and which comes next, and they get the scores
in that order: as many pass each threshold as before. With scores that stay where they were, the right order
helps no answer, since sentences are weighed by the score of their passage: of those to mtrag (121 questions) .273 hold
the gold then, .281 without a reranker, .355 as it is done here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipeline import ports
from pipeline.find.rank import Ranked

MOST = 15
"""Passages that are given to a reranker, as it takes its time for each. Of those answers .347 hold the gold with 15,
.355 with 30, were it always right; of doc2dial's .440 with either (.433 without)."""


async def reordered(reranker: ports.Reranker, question: str, ranked: Sequence[Ranked]) -> list[Ranked]:
    """`ranked` with the first of it in the order that `reranker` gives them for `question`; where it sees no difference
    they stay as they are. Raises Unavailable."""
    read, rest = ranked[:MOST], ranked[MOST:]
    worth = await reranker.scores(question, [_text(one) for one in read])
    order = sorted(range(len(read)), key=lambda place: -worth[place])
    return [*(replace(read[place], score=had.score) for place, had in zip(order, read, strict=True)), *rest]


def _text(one: Ranked) -> str:
    """Behind its title and headings, as it is searched."""
    return "\n".join((one.document.title, *one.chunk.heading, one.chunk.text))
