"""A language model that is measured while it works: how fast its server reads and writes, and how much fits into it."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
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
_PLAUSIBLE_RATIO = (0.4, 2.0)
"""Tokens for each estimated one between which a server's count is believed; SmolLM2 counts .8 of English prose."""
_CUT_RATIO = 0.8
"""Share of the usual ratio below which a prompt was cut: Ollama drops what passes its window, and says nothing."""
_MIN_WINDOW = 256


@dataclass
class _Request:
    """One request while it runs."""

    text: str
    started: float
    first_at: float | None = None
    last_at: float = 0.0
    written: str = ""

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
        self._ratio: float | None = None
        """Tokens that the server counts for each estimated one; None while that is not known, or not plausible."""

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
        request = _Request(_joined(messages), self._clock())
        end: StreamEnd | None = None
        try:
            async with aclosing(self._model.stream(messages, max_tokens=max_tokens, tools=offered)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, TextDelta):
                        request.add(piece.text, self._clock())
                    elif isinstance(piece, StreamEnd):
                        end = piece
                    yield piece
        except PromptTooLong as error:
            self._learn_refusal(error, request)
            raise
        except (asyncio.CancelledError, GeneratorExit):
            self._learn_given_up(request)
            raise
        finally:
            self._learn_speeds(request, end)
            if end and end.reason:
                self._learn_window(request, end)
            self._last_text = request.text

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        """See `LanguageModel`."""
        request = _Request(_joined(messages), self._clock())
        try:
            return await self._model.structured(messages, into, max_tokens=max_tokens)
        except PromptTooLong as error:
            self._learn_refusal(error, request)
            raise
        except asyncio.CancelledError:
            self._learn_given_up(request)
            raise
        finally:
            self._last_text = request.text

    # --- What is learnt ---------------------------------------------------------------------------

    def _learn_speeds(self, request: _Request, end: StreamEnd | None) -> None:
        tokens = estimate_tokens(request.text)
        cached = self._cached_tokens(request, end, tokens)
        seconds = self._read_seconds(request, end)
        unread = tokens - cached
        if seconds and unread >= _MIN_READ_TOKENS:
            self._reading.append((unread, unread / seconds))
        written = estimate_tokens(request.written)
        took = (end and end.write_seconds) or (request.last_at - (request.first_at or request.last_at))
        if took > 0 and written >= _MIN_WRITE_TOKENS:
            self._writing.append(written / took)
        share = min(1.0, cached / tokens) if end and end.cached_tokens is not None and tokens else None
        self.capacity = replace(
            self.capacity,
            read_per_second=self._reading_speed(),
            measured_prompt=int(max((read for read, _ in self._reading), default=0)),
            write_per_second=median(self._writing) if self._writing else None,
            cached_share=share if share is not None else self.capacity.cached_share,
            reasoning_tokens=end.reasoning_tokens if end else self.capacity.reasoning_tokens,
        )

    def _reading_speed(self) -> float | None:
        """Return the usual speed for the longest of the last prompts and those of like length."""
        longest = max((read for read, _ in self._reading), default=0.0)
        speeds = [speed for read, speed in self._reading if read >= _COMPARABLE * longest]
        return median(speeds) if speeds else None

    def _read_seconds(self, request: _Request, end: StreamEnd | None) -> float | None:
        """Return how long the prompt was read, without what was thought before the first word; None if unknown."""
        if end and end.read_seconds:
            return end.read_seconds
        if request.first_at is None:
            return None
        thought = self.capacity.writing_seconds(end.reasoning_tokens) if end else 0.0
        seconds = request.first_at - request.started
        return seconds - thought if seconds > thought else None

    def _cached_tokens(self, request: _Request, end: StreamEnd | None, tokens: int) -> float:
        if end and end.cached_tokens is not None and end.input_tokens:
            return tokens * min(1.0, end.cached_tokens / end.input_tokens)
        return tokens * _common_prefix(request.text, self._last_text) / max(1, len(request.text))

    def _learn_given_up(self, request: _Request) -> None:
        """Learn from a request that was given up: before its first word, its reading was slower than the wait."""
        waited = self._clock() - request.started
        if request.first_at is not None or waited < _MIN_WAIT:
            return
        tokens = estimate_tokens(request.text)
        unread = tokens - self._cached_tokens(request, None, tokens)
        known = self.capacity.read_per_second
        slowest = unread / waited
        self.busy_until = self._clock() + max(0.0, self.capacity.reading_seconds(unread) - waited)
        if unread >= _MIN_READ_TOKENS and (known is None or slowest < known):
            self._reading.clear()  # what was measured before holds no more
            self._reading.append((unread / _GIVEN_UP_DIVISOR, slowest / _GIVEN_UP_DIVISOR))

    def _learn_window(self, request: _Request, end: StreamEnd) -> None:
        """Learn from a reply how long a prompt may be: it was read whole, was cut, or filled the window."""
        tokens = estimate_tokens(request.text)
        ratio = end.input_tokens / max(1, tokens)
        plausible = _PLAUSIBLE_RATIO[0] <= ratio <= _PLAUSIBLE_RATIO[1]
        if self._ratio is None and plausible:
            self._ratio = ratio
        if end.reason == "window":
            self._narrow(end.input_tokens + end.output_tokens)
        elif self._ratio is not None and ratio < _CUT_RATIO * self._ratio:
            self._narrow(end.input_tokens)
        else:
            self.capacity = replace(self.capacity, largest_prompt=max(self.capacity.largest_prompt, tokens))

    def _learn_refusal(self, error: PromptTooLong, request: _Request) -> None:
        """Learn the window from a refusal; where that does not tell it, it is taken to be three quarters of the
        prompt."""
        tokens = estimate_tokens(request.text)
        if error.prompt_tokens and tokens:
            self._ratio = error.prompt_tokens / tokens
        self._narrow(error.window or int(0.75 * (error.prompt_tokens or tokens)))

    def _narrow(self, window: int) -> None:
        window = max(window, _MIN_WINDOW)
        known = self.capacity.window
        self.capacity = replace(self.capacity, window=min(window, known) if known else window)


def _joined(messages: Sequence[ChatMessage]) -> str:
    return "\n".join(message.content for message in messages)


def _common_prefix(text: str, other: str) -> int:
    """Return the number of characters at the beginning of both texts."""
    differing = (number for number, (one, another) in enumerate(zip(text, other, strict=False)) if one != another)
    return next(differing, min(len(text), len(other)))
