"""The relevance scorer that comes with Citewell: a cross-encoder, run by onnxruntime in the process that answers."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from adapters.models.onnx.model import TOKENIZER, OnnxModel
from adapters.models.resilience import CircuitBreaker
from pipeline.errors import Unavailable

FOLDER = Path(__file__).parent
MODEL = "model.int8.onnx"
MODEL_SHA256 = "c9cfec0a7df7eca0fe307283f7ffd80d9d391a8e0a11ad2968b2bfa984a22ca1"
TOKENIZER_SHA256 = "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448"
MAX_TOKENS = 192
"""Tokens of question and passage together; the rest is cut off."""
LOGIT_RANGE = 11.0
"""Its logits are from -11 to 11."""
DEADLINE_SECONDS = 1.0
"""Seconds that a question waits for it at most."""
QUEUE_SHARE = 0.5
"""Share of the deadline up to which another scoring begins beside those under way."""
BUSY, CALM = 1.5, 0.5
"""Seconds of scoring that are asked for in a second. From BUSY on it would take the processor from everything else, and
does not score until the load is down to CALM. Questions asked one after the other come to 1.1."""
_GUESS = 0.03
"""Seconds of processor time for a passage, before any was scored."""


class MiniLMCrossEncoder:
    """ms-marco-MiniLM-L-12-v2. Between processors its scores differ by less than .01. It steps aside where scoring for
    all callers would take longer than they can wait, by the processor time that passages take, which other work does
    not lengthen. A single caller is always served."""

    def __init__(
        self,
        folder: Path = FOLDER,
        *,
        threads: int | None = None,
        seconds: float = DEADLINE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._graph = OnnxModel("reader", folder / MODEL, folder / TOKENIZER, max_tokens=MAX_TOKENS, threads=threads)
        self._seconds = seconds
        self._clock = clock
        self._breaker = CircuitBreaker(clock)
        self._running = 0
        self._overloaded = False
        self._rate, self._asked_at = 0.0, clock()

    async def load(self) -> None:
        """Load the files now rather than while somebody waits. Raises Unavailable."""
        await asyncio.to_thread(self._graph.load)

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float] | None:
        """See `RelevanceScorer`. Loading does not count as part of the time."""
        seconds = self._estimate_seconds(texts)
        self._overloaded = self._question_rate() * seconds > (CALM if self._overloaded else BUSY)
        if self._overloaded or (self._running and (self._running + 1) * seconds > QUEUE_SHARE * self._seconds):
            return None
        if not self._breaker.allow_call():
            return None
        try:
            await self.load()
        except Unavailable:
            self._breaker.record_failure()
            raise
        return await self._run(question, texts)

    async def _run(self, question: str, passages: Sequence[str]) -> Sequence[float] | None:
        self._running += 1
        try:
            async with asyncio.timeout(self._seconds):
                rows = await self._graph.run([(question, passage) for passage in passages])
        except TimeoutError:
            self._breaker.record_failure()
            return None
        finally:
            self._running -= 1
        self._breaker.record_success()
        return [min(max((float(row[0]) + LOGIT_RANGE) / (2 * LOGIT_RANGE), 0.0), 1.0) for row in rows]

    def _estimate_seconds(self, passages: Sequence[str]) -> float:
        """Return the seconds of scoring `passages` on all processors."""
        seconds_each = self._graph.cpu_seconds / self._graph.texts_run if self._graph.texts_run else _GUESS
        return seconds_each * len(passages) / self._graph.threads

    def _question_rate(self) -> float:
        """Return the questions a second, weighted towards the last second."""
        now = self._clock()
        self._rate = 1 + self._rate * math.exp(self._asked_at - now)
        self._asked_at = now
        return self._rate
