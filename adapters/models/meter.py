"""A language model that is measured while it works: how fast its server reads and writes, and how much fits into it."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from pipeline.errors import PromptTooLong
from pipeline.ports import ChatMessage, LanguageModel, StreamEnd, T, TextDelta, Tool, ToolCall
from pipeline.values import ModelCapacity, Usage, replace
from pipeline.words.text import estimate_tokens

_SAMPLES = 5
"""Number of measurements whose median is a speed: one slow answer changes little, three change it."""
_COMPARABLE = 0.5
"""Share of the longest prompt measured below which another tells nothing about it: a model reads long ones slower, and
SmolLM2 the 2,000th token in twice the time of the 100th."""
_MIN_READ_TOKENS, _MIN_WRITE_TOKENS = 100, 8
"""Tokens below which what was read or written tells no speed: the way to the server takes longer."""
_MIN_WAIT = 2.0
"""Seconds that a model must have been waited for in vain for the wait to tell a speed."""
_GIVEN_UP_DIVISOR = 2
"""How much of a prompt was read when it was given up is not known: half of it is assumed."""
_SERIAL_SECONDS, _SERIAL_FACTOR, _SERIAL_TIMES = 1.0, 2.0, 2
"""A server has one slot where requests waited for each other so many times: beside another for so many seconds, until
that one ended, and so many times as long as their reading takes."""
_FULL_SHARE = 0.9
"""Share of a window that prompt and reply have at least where the window ended the reply."""
_MAX_RATIO = 4.0
"""Most tokens for each estimated one that are believed; SmolLM2 counts 1.8 of Japanese."""
_MIN_WINDOW = 256


@dataclass(eq=False)
class _Request:
    """One request while it runs."""

    text: str
    started: float
    first_at: float | None = None
    last_at: float = 0.0
    written: str = ""
    beside: tuple[_Request, ...] = ()
    """Requests that were running when this one began."""
    ended_at: float | None = None

    @cached_property
    def tokens(self) -> int:
        """Estimated tokens of the prompt, counted once and only where somebody asks."""
        return estimate_tokens(self.text)

    def add(self, text: str, now: float) -> None:
        if self.first_at is None:
            self.first_at = now
        else:
            self.written += text
        self.last_at = now


class MeteredModel:
    """A `LanguageModel` around another, whose `capacity` is what was learnt so far.

    A speed is the median of the last measurements. Where the server does not say what it had cached, the beginning that
    a prompt shares with the one before counts as cached, so that a speed is rather too low than too high."""

    def __init__(
        self,
        model: LanguageModel,
        *,
        is_billed: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = model.name
        self.capacity = ModelCapacity(is_billed=is_billed)
        self.busy_until = 0.0
        """Moment (of `clock`) until which the server probably works on a request that was given up."""
        self._model = model
        self._clock = clock
        self._reading: deque[tuple[float, float]] = deque(maxlen=_SAMPLES)
        """Tokens read, and their number a second."""
        self._writing: deque[float] = deque(maxlen=_SAMPLES)
        self._last_text = ""
        self._running: set[_Request] = set()
        self._waited = 0
        """Number of requests that waited for another to end."""

    async def connect(self) -> None:
        await self._model.connect()

    async def close(self) -> None:
        await self._model.close()

    def learn(self, *, window: int | None, slots: int | None, takes_tools: bool | None) -> None:
        """Take over what the server told. None leaves what is known."""
        known = self.capacity
        self.capacity = replace(
            known,
            window=known.window if window is None else window,
            slots=known.slots if slots is None else slots,
            takes_tools=known.takes_tools if takes_tools is None else takes_tools,
        )

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | ToolCall | StreamEnd, None]:
        """See `LanguageModel`. Tools that do not reach the model are not sent."""
        offered = tools if self.capacity.takes_tools else ()
        request = self._begin(messages)
        end: StreamEnd | None = None
        try:
            async with aclosing(self._model.stream(messages, max_tokens=max_tokens, tools=offered)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, TextDelta):
                        request.add(piece.text, self._clock())
                    elif isinstance(piece, StreamEnd):
                        piece = end = self._settle_reason(piece)
                    yield piece
        except PromptTooLong as error:
            self._learn_refusal(error, request)
            raise
        except (asyncio.CancelledError, GeneratorExit):
            self._learn_given_up(request)
            raise
        finally:
            self._finish(request)
            self._learn_slots(request)
            self._learn_speeds(request, end)
            if end and end.reason:
                self._learn_window(request, end)
            self._last_text = request.text

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        """See `LanguageModel`."""
        request = self._begin(messages)
        try:
            return await self._model.structured(messages, into, max_tokens=max_tokens)
        except PromptTooLong as error:
            self._learn_refusal(error, request)
            raise
        except asyncio.CancelledError:
            self._mark_busy(request)
            raise
        finally:
            self._finish(request)
            self._last_text = request.text

    def _begin(self, messages: Sequence[ChatMessage]) -> _Request:
        request = _Request(_joined(messages), self._clock(), beside=tuple(self._running))
        self._running.add(request)
        return request

    def _finish(self, request: _Request) -> None:
        request.ended_at = self._clock()
        request.beside = tuple(other for other in request.beside if other.ended_at is not None)
        self._running.discard(request)

    # --- What is learnt ---------------------------------------------------------------------------

    def _settle_reason(self, end: StreamEnd) -> StreamEnd:
        """Return the end of a reply, which ran into the window only where the sums say so."""
        window = self.capacity.window
        filled = end.input_tokens + end.output_tokens
        doubtful = self.capacity.is_billed or (window and filled < _FULL_SHARE * window)
        return replace(end, reason="length") if end.reason == "window" and doubtful else end

    def _learn_speeds(self, request: _Request, end: StreamEnd | None) -> None:
        if self.capacity.is_billed:  # its times are those of the network and of other customers
            return
        tokens = request.tokens
        cached = self._cached_tokens(request, end, tokens)
        share = min(1.0, cached / tokens) if end and end.cached_tokens is not None and tokens else None
        self._learn_reading(request, end, tokens - cached)
        written = estimate_tokens(request.written)
        took = (end and end.write_seconds) or (request.last_at - (request.first_at or request.last_at))
        if took > 0 and written >= _MIN_WRITE_TOKENS:
            self._writing.append(written / took)
        self.capacity = replace(
            self.capacity,
            read_per_second=self._reading_speed(),
            measured_prompt=int(max((read for read, _ in self._reading), default=0)),
            write_per_second=median(self._writing) if self._writing else None,
            cached_share=self.capacity.cached_share if share is None else share,
            reasoning_tokens=end.reasoning_tokens if end else self.capacity.reasoning_tokens,
        )

    def _learn_reading(self, request: _Request, end: StreamEnd | None, unread: float) -> None:
        """Keep how fast `unread` tokens were read. A reply without a word was read within its whole time."""
        if unread < _MIN_READ_TOKENS:
            return
        if seconds := self._read_seconds(request, end):
            self._reading.append((unread, unread / seconds))
        elif end and end.reason and request.first_at is None and request.ended_at and not request.beside:
            least, known = unread / max(request.ended_at - request.started, 1e-3), self._reading_speed()
            if known is None or least > known:
                self._reading.clear()
                self._reading.append((unread, least))

    def _reading_speed(self) -> float | None:
        """Return the usual speed for the longest of the last prompts and those of like length."""
        longest = max((read for read, _ in self._reading), default=0.0)
        speeds = [speed for read, speed in self._reading if read >= _COMPARABLE * longest]
        return median(speeds) if speeds else None

    def _read_seconds(self, request: _Request, end: StreamEnd | None) -> float | None:
        """Return how long the prompt was read, without what was thought before the first word; None if unknown."""
        if end and end.read_seconds:
            return end.read_seconds
        if request.first_at is None or request.beside:
            return None
        thought = self.capacity.writing_seconds(end.reasoning_tokens) if end else 0.0
        seconds = request.first_at - request.started
        return seconds - thought if seconds > thought else None

    def _cached_tokens(self, request: _Request, end: StreamEnd | None, tokens: int) -> float:
        if end and end.cached_tokens is not None and end.input_tokens:
            return tokens * min(1.0, end.cached_tokens / end.input_tokens)
        return tokens * _common_prefix(request.text, self._last_text) / max(1, len(request.text))

    def _learn_given_up(self, request: _Request) -> None:
        """Learn from a stream that was given up: before its first word, its reading was slower than the wait."""
        waited = self._mark_busy(request)
        if waited < _MIN_WAIT or request.beside or self.capacity.is_billed:
            return
        tokens = request.tokens
        unread = tokens - self._cached_tokens(request, None, tokens)
        known, slowest = self.capacity.read_per_second, unread / waited
        if unread >= _MIN_READ_TOKENS and (known is None or slowest < known):
            self._reading.clear()  # what was measured before holds no more
            self._reading.append((unread / _GIVEN_UP_DIVISOR, slowest / _GIVEN_UP_DIVISOR))

    def _mark_busy(self, request: _Request) -> float:
        """Remember that the server may go on with a request that nobody waits for. Return the seconds that it was
        waited for in vain; 0 where something came: a server that writes notices at once."""
        if request.first_at is not None:
            return 0.0
        waited = self._clock() - request.started
        self.busy_until = self._clock() + waited
        return waited

    def _learn_slots(self, request: _Request) -> None:
        """Learn from requests that waited for each other that the server works on one at a time."""
        if self.capacity.slots is not None or self.capacity.is_billed or request.first_at is None:
            return
        expected = self.capacity.reading_seconds(request.tokens)
        waited = request.first_at - request.started
        ends = [other.ended_at for other in request.beside if other.ended_at is not None]
        last = max((end for end in ends if end - request.started >= _SERIAL_SECONDS), default=None)
        if last is not None and last <= request.first_at and waited >= _SERIAL_FACTOR * expected > 0:
            self._waited += 1
        if self._waited >= _SERIAL_TIMES:
            self.capacity = replace(self.capacity, slots=1)

    def _learn_window(self, request: _Request, end: StreamEnd) -> None:
        """Learn from a reply how long a prompt may be: it was read, or filled the window."""
        if end.reason == "window":
            self._narrow(end.input_tokens + end.output_tokens)
            return
        tokens = request.tokens
        self.capacity = replace(
            self.capacity,
            largest_prompt=max(self.capacity.largest_prompt, tokens),
            tokens_per_estimate=_ratio(end.input_tokens, tokens),
        )

    def _learn_refusal(self, error: PromptTooLong, request: _Request) -> None:
        """Learn the window from a refusal; where that does not tell it, it is taken to be three quarters of the
        prompt."""
        tokens = request.tokens
        self._narrow(error.window or int(0.75 * (error.prompt_tokens or tokens)))
        ratio = _ratio(error.prompt_tokens or 0, tokens)
        self.capacity = replace(self.capacity, tokens_per_estimate=ratio)

    def _narrow(self, window: int) -> None:
        """Take over a window, unless a smaller one is known."""
        window = max(window, _MIN_WINDOW)
        known = self.capacity.window
        self.capacity = replace(self.capacity, window=min(window, known) if known else window)


def _joined(messages: Sequence[ChatMessage]) -> str:
    return "\n".join(message.content for message in messages)


def _ratio(counted: int, estimated: int) -> float:
    """Return the tokens that a server counts for each estimated one: 1 at least, and where that cannot be true."""
    ratio = counted / max(1, estimated)
    return ratio if 1 < ratio <= _MAX_RATIO else 1.0


def _common_prefix(text: str, other: str) -> int:
    """Return the number of characters at the beginning of both texts."""
    differing = (number for number, (one, another) in enumerate(zip(text, other, strict=False)) if one != another)
    return next(differing, min(len(text), len(other)))
