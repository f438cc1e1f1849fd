"""The second reader that comes with Citewell: a cross-encoder, run by onnxruntime in the process that answers."""

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
"""Of question and stretch together; the rest is not seen."""
LOGIT_RANGE = 11.0
"""Its logits are from -11 to 11."""
DEADLINE_SECONDS = 1.0
"""No question waits longer for it."""
QUEUE_SHARE = 0.5
"""Of that time, up to which another reading is begun beside those under way."""
BUSY, CALM = 1.5, 0.5
"""Seconds of reading that are asked for in a second: from BUSY on it would take the processor from everything else, and
does not read until it is CALM. What is asked one after the other comes to 1.1."""
_GUESS = 0.03
"""Seconds of processor time of a stretch, before any was read."""


class MiniLMCrossEncoder:
    """ms-marco-MiniLM-L-12-v2. Between processors its scores differ by less than .01.

    It steps aside where reading for all who ask would take longer than they can wait, reckoned with the processor time
    that stretches take, which other work does not lengthen. Who asks alone is read for."""

    def __init__(
        self,
        folder: Path = FOLDER,
        *,
        threads: int | None = None,
        seconds: float = DEADLINE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._graph = OnnxModel("reader", folder / MODEL, folder / TOKENIZER, most_tokens=MAX_TOKENS, threads=threads)
        self._seconds = seconds
        self._clock = clock
        self._breaker = CircuitBreaker(clock)
        self._reading = 0
        self._flooded = False
        self._rate, self._asked = 0.0, clock()

    async def load(self) -> None:
        """Get ready now rather than while somebody waits. Raises Unavailable."""
        await asyncio.to_thread(self._graph.load)

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float] | None:
        """See `Reader`. Loading is not part of the time."""
        takes = self._takes(texts)
        self._flooded = self._asked_for() * takes > (CALM if self._flooded else BUSY)
        if self._flooded or (self._reading and (self._reading + 1) * takes > QUEUE_SHARE * self._seconds):
            return None
        if not self._breaker.allow_call():
            return None
        try:
            await self.load()
        except Unavailable:
            self._breaker.record_failure()
            raise
        return await self._read(question, texts)

    async def _read(self, question: str, stretches: Sequence[str]) -> Sequence[float] | None:
        self._reading += 1
        try:
            async with asyncio.timeout(self._seconds):
                rows = await self._graph.run([(question, stretch) for stretch in stretches])
        except TimeoutError:
            self._breaker.record_failure()
            return None
        finally:
            self._reading -= 1
        self._breaker.record_success()
        return [min(max((float(row[0]) + LOGIT_RANGE) / (2 * LOGIT_RANGE), 0.0), 1.0) for row in rows]

    def _takes(self, stretches: Sequence[str]) -> float:
        """Seconds, with all processors."""
        each = self._graph.cpu_seconds / self._graph.texts_run if self._graph.texts_run else _GUESS
        return each * len(stretches) / self._graph.threads

    def _asked_for(self) -> float:
        """Questions a second, those of the last second most."""
        now = self._clock()
        self._rate = 1 + self._rate * math.exp(self._asked - now)
        self._asked = now
        return self._rate
