"""Guards for models that many callers share: a language model with one retry, a circuit breaker and a limit on calls; a
reranker with a deadline."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from math import isfinite

from pipeline.errors import Unavailable
from pipeline.ports import ChatMessage, LanguageModel, Reranker, StreamEnd, T, TextDelta, Tool, ToolCall
from pipeline.values import ModelCapacity, Usage

# --- A language model -----------------------------------------------------------------------------

_MAX_WAIT = 2.0
"""Seconds: a service that asks for a longer wait is not asked again for this answer."""
FAILURE_THRESHOLD = 5
"""Failures within `FAILURE_WINDOW_SECONDS` that open the breaker: more than a hiccup."""
FAILURE_WINDOW_SECONDS = 30.0
PROBE_SECONDS = 10.0
"""Seconds between two probes: a recovery is noticed in well under half a minute."""


class CircuitBreaker:
    """A circuit breaker. After too many failures it refuses calls until one succeeds; now and then it lets a probe
    through."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failed_at: deque[float] = deque(maxlen=FAILURE_THRESHOLD)
        self._next_probe: float | None = None

    @property
    def is_open(self) -> bool:
        """True while calls are refused, except for a probe now and then."""
        return self._next_probe is not None

    def is_blocked(self) -> bool:
        """Return True where a call would be refused now."""
        return self._next_probe is not None and self._clock() < self._next_probe

    def allow_call(self) -> bool:
        """Return True where a call may be made now. While the breaker is open, True makes this call the probe."""
        if self.is_blocked():
            return False
        if self.is_open:
            self._next_probe = self._clock() + PROBE_SECONDS
        return True

    def record_success(self) -> None:
        self._failed_at.clear()
        self._next_probe = None

    def record_failure(self) -> None:
        now = self._clock()
        self._failed_at.append(now)
        if self.is_open or (
            len(self._failed_at) == FAILURE_THRESHOLD and now - self._failed_at[0] <= FAILURE_WINDOW_SECONDS
        ):
            self._next_probe = now + PROBE_SECONDS


class GuardedModel:
    """A `LanguageModel` around another. The caller keeps the deadline, and ends a call by cancelling it. A stream that
    failed before its first piece is retried once after `pause` seconds, or those the service named, unless the error is
    permanent. A call cancelled after `patience` seconds counts as the model's failure."""

    def __init__(
        self,
        model: LanguageModel,
        *,
        limit: int = 100,
        patience: float = 5.0,
        pause: float = 0.3,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = model.name
        self._model = model
        self._breaker = CircuitBreaker(clock)
        self._streams = asyncio.Semaphore(limit)
        self._calls = asyncio.Semaphore(limit)
        """Separate from streams: a claim is checked while the stream that it comes from is open."""
        self._patience = patience
        self._pause = pause
        self._sleep = sleep
        self._clock = clock

    @property
    def capacity(self) -> ModelCapacity:
        return self._model.capacity

    async def connect(self) -> None:
        await self._model.connect()

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | ToolCall | StreamEnd, None]:
        """See `LanguageModel`. Raise Unavailable at once while the breaker is open."""
        has_started = False
        try:
            async with aclosing(self._stream_once(messages, max_tokens, tools)) as attempt:
                async for piece in attempt:
                    has_started = True
                    yield piece
                return
        except Unavailable as error:
            wait = self._pause if error.retry_after is None else error.retry_after
            if has_started or error.permanent or wait > _MAX_WAIT or self._breaker.is_open:
                raise
        await self._sleep(wait)
        async with aclosing(self._stream_once(messages, max_tokens, tools)) as attempt:
            async for piece in attempt:
                yield piece

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        """See `LanguageModel`; never retried. Raise Unavailable at once while the breaker is open."""
        async with self._guard(self._calls):
            reply = await self._model.structured(messages, into, max_tokens=max_tokens)
            self._breaker.record_success()
            return reply

    async def close(self) -> None:
        await self._model.close()

    async def _stream_once(
        self, messages: Sequence[ChatMessage], max_tokens: int, tools: Sequence[Tool]
    ) -> AsyncGenerator[TextDelta | ToolCall | StreamEnd, None]:
        async with (
            self._guard(self._streams),
            aclosing(self._model.stream(messages, max_tokens=max_tokens, tools=tools)) as stream,
        ):
            async for piece in stream:
                if isinstance(piece, StreamEnd):
                    self._record(complete=bool(piece.reason))
                yield piece

    def _record(self, *, complete: bool) -> None:
        if complete:
            self._breaker.record_success()
        else:
            self._breaker.record_failure()

    @asynccontextmanager
    async def _guard(self, slots: asyncio.Semaphore) -> AsyncIterator[None]:
        """Hold a slot for one call, when the breaker and the limit let it through, and count its failures."""
        if self._breaker.is_blocked():
            raise self._refusal()
        async with slots:
            if not self._breaker.allow_call():
                raise self._refusal()
            started = self._clock()
            try:
                yield
            except GeneratorExit:  # whoever reads has enough
                self._breaker.record_success()
                raise
            except Unavailable:
                self._breaker.record_failure()
                raise
            except asyncio.CancelledError:
                if self._clock() - started >= self._patience:
                    self._breaker.record_failure()
                raise

    def _refusal(self) -> Unavailable:
        return Unavailable(self.name, "not asked, because it kept failing; it is tried again every few seconds")


# --- A reranker with a deadline -------------------------------------------------------------------

RERANK_TIMEOUT_SECONDS = 2.0
"""Seconds that a question waits for its passages to be ranked at most."""


class GuardedReranker:
    """A `Reranker` with a deadline and a circuit breaker around another."""

    def __init__(
        self,
        reranker: Reranker,
        service: str,
        *,
        seconds: float = RERANK_TIMEOUT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._reranker = reranker
        self._service = service
        self._seconds = seconds
        self._breaker = CircuitBreaker(clock)

    async def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """See `Reranker`. Raise Unavailable at once while it keeps failing."""
        if not self._breaker.allow_call():
            raise Unavailable(self._service, "not asked, because it kept failing; it is tried again every few seconds")
        try:
            scores = await self._score_in_time(question, passages)
        except Unavailable:
            self._breaker.record_failure()
            raise
        self._breaker.record_success()
        return scores

    async def _score_in_time(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        try:
            async with asyncio.timeout(self._seconds):
                scores = await self._reranker.score(question, passages)
        except TimeoutError as error:
            raise Unavailable(self._service, f"did not answer within {self._seconds:g} seconds") from error
        if len(scores) != len(passages) or not all(map(isfinite, scores)):
            raise Unavailable(self._service, "gave something other than a number for each passage")
        return scores
