"""A model's part in an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pipeline.ports import Planner, Writer
from pipeline.response.budget import TokenBudget
from pipeline.values import Judgement, RetrievedChunk, Sentence


class Judge(Protocol):
    """Reads the sentences that words cannot decide about."""

    async def review(
        self, sentence: Sentence, passages: Sequence[RetrievedChunk], *, question: str = "", header: str = ""
    ) -> tuple[Judgement, int]:
        """The judgement, and the tokens it cost."""
        ...


@dataclass(frozen=True)
class Pen:
    """A model's part in an answer. It is asked for nothing that the budget has set no tokens aside for."""

    name: str
    writer: Writer
    budget: TokenBudget
    judge: Judge | None = None
    planner: Planner | None = None
    reviews: int = 8
    """Sentences of one answer that the judge is asked about, the first ones: tokens are set aside for so many."""
