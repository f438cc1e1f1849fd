"""The second reader that comes with Citewell: a cross-encoder, run by onnxruntime in the process that answers."""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from adapters.models.onnx.folder import TOKENIZER
from adapters.models.onnx.graph import Graph
from pipeline.errors import Unavailable

FOLDER = Path(__file__).parent
MODEL = "model.int8.onnx"
MODEL_SHA256 = "c9cfec0a7df7eca0fe307283f7ffd80d9d391a8e0a11ad2968b2bfa984a22ca1"
TOKENIZER_SHA256 = "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448"
MAX_TOKENS = 192
"""Of question and stretch together; the rest is not seen."""
LOGITS = 11.0
"""Its logits are from -11 to 11."""
SECONDS = 1.0
"""No question waits longer for it."""
PATIENCE = 0.5
"""Seconds that the last of those who wait may expect to wait, if each is read."""
MOST = 1.2
"""What is asked for in a second, in seconds of reading, above which it would take the processor from everything else:
one after the other is up to 1."""
_NEWEST = 0.2
"""What the newest time counts in the mean."""
_FORGOTTEN = 10.0
"""Seconds after which a time counts half: it is tried again where it was too slow for a while."""


class MiniLMReader:
    """ms-marco-MiniLM-L-12-v2. Between processors its scores differ by less than .01."""

    def __init__(
        self,
        folder: Path = FOLDER,
        *,
        threads: int | None = None,
        seconds: float = SECONDS,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._graph = Graph(
            "reader", folder / MODEL, folder / TOKENIZER, most_tokens=MAX_TOKENS, threads=threads or os.cpu_count()
        )
        self._seconds = seconds
        self._patience = patience
        self._clock = clock
        self._took = 0.0
        self._measured = self._asked = clock()
        self._rate = 0.0

    async def read(self, question: str, stretches: Sequence[str], waiting: int) -> Sequence[float]:
        """See `Reader`."""
        if not stretches:
            return []
        started = self._clock()
        takes, asked = self._takes(started), self._asked_for(started)
        if waiting * takes > self._patience or asked * takes > MOST:
            raise Unavailable("reader", f"left out, as {waiting} answers wait")
        try:
            async with asyncio.timeout(self._seconds):
                rows = await self._graph.rows([(question, stretch) for stretch in stretches])
        except TimeoutError as error:
            raise Unavailable("reader", f"did not read within {self._seconds:g} seconds") from error
        finally:
            self._measure(started, waiting)
        return [min(max((float(row[0]) + LOGITS) / (2 * LOGITS), 0.0), 1.0) for row in rows]

    def _asked_for(self, now: float) -> float:
        """Questions a second, those of the last second most."""
        self._rate = 1 + self._rate * math.exp(self._asked - now)
        self._asked = now
        return self._rate

    def _takes(self, now: float) -> float:
        """Seconds for one question, as far as is known."""
        half_lives = (now - self._measured) / _FORGOTTEN
        return self._took * math.pow(0.5, half_lives)

    def _measure(self, started: float, waiting: int) -> None:
        now = self._clock()
        before = self._takes(started)
        self._took = before + _NEWEST * ((now - started) / max(waiting, 1) - before)
        self._measured = now
