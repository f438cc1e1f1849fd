"""A reranker that somebody waits for: a deadline, a circuit breaker, and a look at what it says."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from math import isfinite

from adapters.models.guard import Breaker
from pipeline.errors import Unavailable
from pipeline.ports import Reranker

SECONDS = 2.0
"""No question waits longer for its passages to be put in order."""


class GuardedReranker:
    """A `Reranker` around another."""

    def __init__(
        self,
        reranker: Reranker,
        service: str,
        *,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._reranker = reranker
        self._service = service
        self._seconds = seconds
        self._breaker = Breaker(clock)

    async def scores(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """See `Reranker`. Raises Unavailable at once while it keeps failing."""
        if not self._breaker.admit():
            raise Unavailable(self._service, "not asked, because it kept failing; it is tried again every few seconds")
        try:
            scores = await self._asked(question, passages)
        except Unavailable:
            self._breaker.failed()
            raise
        self._breaker.succeeded()
        return scores

    async def _asked(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        try:
            async with asyncio.timeout(self._seconds):
                scores = await self._reranker.scores(question, passages)
        except TimeoutError as error:
            raise Unavailable(self._service, f"did not answer within {self._seconds:g} seconds") from error
        if len(scores) != len(passages) or not all(map(isfinite, scores)):
            raise Unavailable(self._service, "gave something other than a number for each passage")
        return scores
