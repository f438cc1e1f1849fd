"""A guarded reranker is left when it is late, wrong or down, and tried again now and then."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from adapters.models.resilience import FAILURE_THRESHOLD, PROBE_SECONDS, GuardedReranker
from pipeline.errors import Unavailable

PASSAGES = ["one", "two"]


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Scripted:
    """Says what `says` holds, raises it, or says nothing for ever."""

    def __init__(self, says: Sequence[float] | Exception | None) -> None:
        self.says = says
        self.asked = 0

    async def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        self.asked += 1
        if self.says is None:
            await asyncio.Event().wait()
        if isinstance(self.says, Exception):
            raise self.says
        return self.says or ()


DOWN = Unavailable("r", "down")


async def test_scores_are_given_on() -> None:
    assert await GuardedReranker(Scripted([0.5, -3.0]), "r").score("q", PASSAGES) == [0.5, -3.0]


@pytest.mark.parametrize("says", [None, DOWN, [0.5], [0.5, 0.1, 0.2], [0.5, float("nan")], [float("-inf"), 0.5]])
async def test_what_is_late_or_wrong_is_unavailable(says: Sequence[float] | Exception | None) -> None:
    with pytest.raises(Unavailable):
        await GuardedReranker(Scripted(says), "r", seconds=0.01).score("q", PASSAGES)


@pytest.mark.parametrize("says", [None, DOWN, [0.5]])
async def test_one_that_keeps_failing_is_not_waited_for_by_everybody(
    says: Sequence[float] | Exception | None,
) -> None:
    clock, reranker = Clock(), Scripted(says)
    guarded = GuardedReranker(reranker, "r", seconds=0.01, clock=clock)

    async def fails() -> None:
        with pytest.raises(Unavailable):
            await guarded.score("q", PASSAGES)

    for _ in range(FAILURE_THRESHOLD + 4):
        await fails()
    assert reranker.asked == FAILURE_THRESHOLD
    clock.now += PROBE_SECONDS
    reranker.says = [1.0, 2.0]
    assert await guarded.score("q", PASSAGES) == [1.0, 2.0]
    assert await guarded.score("q", PASSAGES) == [1.0, 2.0]


async def test_a_question_that_is_taken_back_is_no_failure_of_its() -> None:
    reranker = Scripted(None)
    guarded = GuardedReranker(reranker, "r", clock=Clock())
    for _ in range(FAILURE_THRESHOLD + 1):
        asking = asyncio.create_task(guarded.score("q", PASSAGES))
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    reranker.says = [1.0, 2.0]
    assert await guarded.score("q", PASSAGES) == [1.0, 2.0]
