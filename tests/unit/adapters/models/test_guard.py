"""A guarded model retries once, stops asking a dead service, notices its return, and limits what runs at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import pytest

from adapters.models.resilience import GuardedModel
from pipeline.errors import Unavailable, UnusableResponse
from pipeline.ports import ChatMessage, StreamEnd, T, TextDelta, Tool, ToolCall
from pipeline.values import Usage
from pipeline.values.model_capacity import UNKNOWN_CAPACITY

DOWN = Unavailable("m", "down")
GONE = Unavailable("m", "no such model", permanent=True)
BUSY = Unavailable("m", "busy", retry_after=1.5)
CLOSED = Unavailable("m", "come back tomorrow", retry_after=3600)
STOP = StreamEnd(reason="stop")
Call = list[str | StreamEnd | Exception | asyncio.Event]


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


class FlakyModel:
    """Plays one list of pieces a call; an event is waited for, an exception raised."""

    capacity = UNKNOWN_CAPACITY

    name = "flaky"

    def __init__(self, *calls: Call) -> None:
        self.calls = list(calls)
        self.made = self.open = self.most_open = 0

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | ToolCall | StreamEnd, None]:
        self.made += 1
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            for piece in self.calls.pop(0) if self.calls else ["ok", STOP]:
                if isinstance(piece, Exception):
                    raise piece
                if isinstance(piece, asyncio.Event):
                    await piece.wait()
                else:
                    yield TextDelta(text=piece) if isinstance(piece, str) else piece
        finally:
            self.open -= 1

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        raise DOWN

    async def connect(self) -> None: ...

    async def close(self) -> None: ...


def guarded(model: FlakyModel, clock: Clock, limit: int = 100) -> GuardedModel:
    return GuardedModel(model, limit=limit, clock=clock, sleep=clock.sleep)


async def read(model: GuardedModel) -> str:
    pieces = [piece async for piece in model.stream([], max_tokens=9)]
    return "".join(piece.text for piece in pieces if isinstance(piece, TextDelta))


@pytest.mark.parametrize(("error", "wait"), [(DOWN, 0.3), (BUSY, 1.5)], ids=["ours", "what the service asks for"])
async def test_a_call_that_failed_before_it_began_is_made_once_more_after_a_wait(error: Exception, wait: float) -> None:
    model, clock = FlakyModel([error], ["fine", STOP]), Clock()
    assert await read(guarded(model, clock)) == "fine"
    assert clock.slept == [wait]


@pytest.mark.parametrize(
    ("call", "error"),
    [([GONE], GONE), ([CLOSED], CLOSED), (["half", DOWN], DOWN), ([bad := UnusableResponse("a bad request")], bad)],
    ids=["permanent", "too long a wait", "already begun", "unusable"],
)
async def test_a_call_that_would_not_gain_by_it_is_not_repeated(call: Call, error: Exception) -> None:
    model = FlakyModel(call)
    with pytest.raises(type(error), match=str(error)):
        await read(guarded(model, Clock()))
    assert model.made == 1


async def test_a_call_is_repeated_only_once() -> None:
    model = FlakyModel([DOWN], [DOWN], ["never", STOP])
    with pytest.raises(Unavailable):
        await read(guarded(model, Clock()))
    assert model.made == 2


@pytest.mark.parametrize(("apart", "made"), [(1, 5), (8, 9)])
async def test_after_five_failures_in_half_a_minute_the_service_is_left_alone(apart: int, made: int) -> None:
    model, clock = FlakyModel(*[[GONE]] * 9), Clock()
    guard = guarded(model, clock)
    for _ in range(9):
        with pytest.raises(Unavailable):
            await read(guard)
        clock.now += apart
    assert model.made == made


async def test_one_probe_finds_out_that_the_service_is_back() -> None:
    model, clock = FlakyModel(*[[GONE]] * 6), Clock()
    guard = guarded(model, clock)
    for pause in (0, 0, 0, 0, 10, 10):
        with pytest.raises(Unavailable):
            await read(guard)
        clock.now += pause
    assert model.made == 6
    assert await read(guard) == "ok"
    assert [await read(guard) for _ in range(3)] == ["ok"] * 3


async def test_while_a_probe_is_under_way_nobody_else_waits() -> None:
    answer = asyncio.Event()
    model, clock = FlakyModel(*[[GONE]] * 5, [answer, "back", STOP]), Clock()
    guard = guarded(model, clock)
    for _ in range(5):
        with pytest.raises(Unavailable):
            await read(guard)
    clock.now += 10
    probe = asyncio.create_task(read(guard))
    await asyncio.sleep(0)
    with pytest.raises(Unavailable, match="not asked"):
        await read(guard)
    answer.set()
    assert await probe == "back"


async def test_a_probe_whose_reader_has_enough_finds_the_service_back() -> None:
    model, clock = FlakyModel(*[[GONE]] * 5, ["long", " story", STOP]), Clock()
    guard = guarded(model, clock)
    for _ in range(5):
        with pytest.raises(Unavailable):
            await read(guard)
    clock.now += 10
    async with aclosing(guard.stream([], max_tokens=5)) as probe:
        await anext(probe)
    assert await read(guard) == "ok"


@pytest.mark.parametrize(("waited", "made"), [(6.0, 5), (1.0, 9)], ids=["long", "short"])
async def test_calls_cancelled_after_a_long_wait_count_as_failures(waited: float, made: int) -> None:
    model, clock = FlakyModel(*[[asyncio.Event()]] * 9), Clock()
    guard = guarded(model, clock)
    calls = [asyncio.create_task(read(guard)) for _ in range(5)]
    await asyncio.sleep(0)
    clock.now += waited
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    for _ in range(4):
        late = asyncio.create_task(read(guard))
        await asyncio.sleep(0)
        late.cancel()
        await asyncio.gather(late, return_exceptions=True)
    assert model.made == made


async def test_cut_streams_count_as_failures() -> None:
    model = FlakyModel(*[["half", StreamEnd(reason="")]] * 5)
    guard = guarded(model, Clock())
    for _ in range(5):
        await read(guard)
    with pytest.raises(Unavailable, match="not asked"):
        await read(guard)


async def test_failing_structured_calls_count_too_and_are_made_once() -> None:
    guard = guarded(FlakyModel(), Clock())
    for _ in range(5):
        with pytest.raises(Unavailable, match="down"):
            await guard.structured([], Usage, max_tokens=9)
    with pytest.raises(Unavailable, match="not asked"):
        await guard.structured([], Usage, max_tokens=9)


async def test_no_more_calls_run_at_once_than_the_limit_allows() -> None:
    go = asyncio.Event()
    model = FlakyModel(*[[go, "ok", STOP]] * 10)
    guard = guarded(model, Clock(), limit=3)
    calls = [asyncio.create_task(read(guard)) for _ in range(10)]
    await asyncio.sleep(0)
    go.set()
    assert await asyncio.gather(*calls) == ["ok"] * 10
    assert model.most_open == 3


async def test_a_short_call_does_not_wait_for_an_open_stream() -> None:
    guard = guarded(FlakyModel(["one", asyncio.Event()]), Clock(), limit=1)
    stream = guard.stream([], max_tokens=9)
    assert await anext(aiter(stream)) == TextDelta(text="one")
    async with asyncio.timeout(5):
        with pytest.raises(Unavailable, match="down"):
            await guard.structured([], Usage, max_tokens=9)
    await stream.aclose()  # type: ignore[attr-defined]


async def test_a_reader_that_leaves_frees_its_place() -> None:
    model = FlakyModel(*[["one", asyncio.Event()]] * 3)
    guard = guarded(model, Clock(), limit=1)
    for _ in range(3):
        stream = guard.stream([], max_tokens=9)
        assert await anext(aiter(stream)) == TextDelta(text="one")
        await stream.aclose()  # type: ignore[attr-defined]
    assert model.open == 0
