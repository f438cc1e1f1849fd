"""What is learnt of a model while it works."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.models.meter import MeteredModel
from pipeline.errors import PromptTooLong
from pipeline.ports import ChatMessage, StreamEnd, TextDelta, Tool
from pipeline.values import UNKNOWN_CAPACITY
from pipeline.words.text import estimate_tokens
from tests.doubles.clock import Clock

PROMPT = "Leave is counted in working days and hours. " * 100
TOKENS = estimate_tokens(PROMPT)


class Timed:
    """A model that takes `reads` seconds to its first word and `writes` for each word of `words`."""

    name = "timed:m"
    capacity = UNKNOWN_CAPACITY

    def __init__(self, clock: Clock, *, reads: float = 2.0, writes: float = 0.1, end: StreamEnd | None = None) -> None:
        self.clock, self.reads, self.writes = clock, reads, writes
        self.end = end or StreamEnd(reason="stop")
        self.words = 21
        self.refusal: PromptTooLong | None = None
        self.tools: Sequence[Tool] = ()

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | StreamEnd, None]:
        self.tools = tools
        if self.refusal:
            raise self.refusal
        self.clock.now += self.reads
        for number in range(self.words):
            yield TextDelta(text="word ")
            self.clock.now += self.writes if number < self.words - 1 else 0.0
        yield self.end

    async def structured(self, *_: object, **__: object) -> None:
        raise self.refusal or AssertionError

    async def connect(self) -> None: ...

    async def close(self) -> None: ...


@pytest.fixture
def clock() -> Clock:
    return Clock()


def metered(model: Timed, *, is_billed: bool = False) -> MeteredModel:
    return MeteredModel(model, is_billed=is_billed, clock=model.clock)  # type: ignore[arg-type]


async def ask(model: MeteredModel, text: str = PROMPT) -> None:
    async for _ in model.stream([ChatMessage(role="user", content=text)], max_tokens=100):
        pass


async def test_the_speeds_are_those_of_the_last_answers(clock: Clock) -> None:
    model = metered(Timed(clock))
    await ask(model)
    assert model.capacity.read_per_second == pytest.approx(TOKENS / 2)
    assert model.capacity.write_per_second == pytest.approx(10)


async def test_one_slow_answer_changes_no_speed_and_three_do(clock: Clock) -> None:
    timed = Timed(clock)
    model = metered(timed)
    for number in range(3):
        await ask(model, f"{number} {PROMPT}")
    fast = model.capacity.read_per_second
    timed.reads = 20.0
    await ask(model, f"slow {PROMPT}")
    assert model.capacity.read_per_second == pytest.approx(fast, rel=0.02)
    for number in range(2):
        await ask(model, f"slower {number} {PROMPT}")
    assert model.capacity.read_per_second == pytest.approx(TOKENS / 20, rel=0.02)


async def test_what_was_cached_is_no_speed(clock: Clock) -> None:
    end = StreamEnd(reason="stop", input_tokens=TOKENS, output_tokens=21, cached_tokens=TOKENS // 2, read_seconds=4.0)
    model = metered(Timed(clock, end=end))
    await ask(model)
    assert model.capacity.read_per_second == pytest.approx(TOKENS / 2 / 4, rel=0.02)
    assert model.capacity.cached_share == pytest.approx(0.5, rel=0.02)


async def test_where_a_server_does_not_say_it_the_same_beginning_counts_as_cached(clock: Clock) -> None:
    model = metered(Timed(clock))
    await ask(model)
    known = model.capacity.read_per_second
    await ask(model)  # the same prompt: nothing may have been read
    assert model.capacity.read_per_second == known


async def test_what_is_thought_before_the_first_word_is_not_reading(clock: Clock) -> None:
    timed = Timed(clock)
    model = metered(timed)
    await ask(model)
    timed.reads, timed.end = 5.0, StreamEnd(reason="stop", reasoning_tokens=30)  # 30 tokens at 10 a second
    model_speeds = [model.capacity.read_per_second]
    for number in range(3):
        await ask(model, f"{number} {PROMPT}")
        model_speeds.append(model.capacity.read_per_second)
    assert model_speeds == [pytest.approx(TOKENS / 2, rel=0.02)] * 4
    assert model.capacity.reasoning_tokens == 30


async def test_a_prompt_that_was_given_up_tells_that_the_model_is_slower(clock: Clock) -> None:
    timed = Timed(clock)
    model = metered(timed)
    await ask(model)

    async def hang(*_: object, **__: object) -> AsyncGenerator[TextDelta, None]:
        clock.now += 10.0
        await asyncio.Event().wait()
        yield TextDelta(text="")

    timed.stream = hang  # type: ignore[method-assign,assignment]
    asking = asyncio.create_task(ask(model, f"other {PROMPT}"))
    await asyncio.sleep(0)
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking
    assert model.capacity.read_per_second is not None
    assert model.capacity.read_per_second < TOKENS / 10
    assert model.busy_until > clock()


async def test_a_refusal_tells_the_window(clock: Clock) -> None:
    timed = Timed(clock)
    timed.refusal = PromptTooLong("timed", window=1024, prompt_tokens=TOKENS)
    model = metered(timed)
    with pytest.raises(PromptTooLong):
        await ask(model)
    assert model.capacity.window == 1024
    timed.refusal = PromptTooLong("timed")
    with pytest.raises(PromptTooLong):
        await ask(model, PROMPT[: len(PROMPT) // 2])
    assert model.capacity.window == int(0.75 * estimate_tokens(PROMPT[: len(PROMPT) // 2]))


class Serial(Timed):
    """A model whose server begins the next reply when the last one has ended."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.free = asyncio.Lock()

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | StreamEnd, None]:
        async with self.free:
            await asyncio.sleep(0)
            async for piece in super().stream(messages, max_tokens=max_tokens):
                yield piece


async def test_requests_that_waited_for_each_other_tell_that_there_is_one_slot(clock: Clock) -> None:
    model = metered(Serial(clock))
    await ask(model)
    speed = model.capacity.read_per_second
    await asyncio.gather(*(ask(model, f"{number} {PROMPT}") for number in range(4)))
    assert model.capacity.slots == 1
    assert model.capacity.read_per_second == pytest.approx(speed, rel=0.02), "waiting is no reading"


async def test_requests_that_did_not_wait_tell_nothing_about_slots(clock: Clock) -> None:
    model = metered(Timed(clock))
    await asyncio.gather(*(ask(model, f"{number} {PROMPT}") for number in range(4)))
    assert model.capacity.slots is None


async def test_a_structured_reply_that_was_given_up_tells_no_speed(clock: Clock) -> None:
    timed = Timed(clock)
    model = metered(timed)
    await ask(model)
    known = model.capacity

    async def hang(*_: object, **__: object) -> None:
        clock.now += 10.0
        await asyncio.Event().wait()

    timed.structured = hang  # type: ignore[method-assign,assignment]
    asking = asyncio.create_task(model.structured([ChatMessage(role="user", content=PROMPT)], Tool, max_tokens=5))
    await asyncio.sleep(0)
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking
    assert model.capacity == known
    assert model.busy_until > clock()


async def test_a_reply_that_ran_into_the_window_tells_it(clock: Clock) -> None:
    model = metered(Timed(clock, end=StreamEnd(reason="window", input_tokens=700, output_tokens=324)))
    await ask(model)
    assert model.capacity.window == 1024


async def test_tools_that_do_not_reach_the_model_are_not_sent(clock: Clock) -> None:
    timed = Timed(clock)
    model = metered(timed)
    tool = Tool(name="search", description="", parameters={})
    for takes_tools, sent in ((True, (tool,)), (False, ())):
        model.learn(window=None, slots=None, takes_tools=takes_tools)
        async with aclosing(
            model.stream([ChatMessage(role="user", content="?")], max_tokens=5, tools=(tool,))
        ) as pieces:
            await anext(pieces)
        assert timed.tools == sent


@given(
    ends=st.lists(
        st.builds(
            StreamEnd,
            reason=st.sampled_from(["stop", "length", "window", ""]),
            input_tokens=st.integers(0, 10**7),
            output_tokens=st.integers(0, 10**6),
            cached_tokens=st.none() | st.integers(0, 10**7),
            read_seconds=st.none() | st.floats(0, 1e4),
            write_seconds=st.none() | st.floats(0, 1e4),
            reasoning_tokens=st.integers(0, 10**5),
        ),
        max_size=8,
    )
)
def test_nothing_that_a_server_tells_makes_a_speed_of_zero_or_less(ends: list[StreamEnd]) -> None:
    async def all_asked() -> None:
        timed = Timed(Clock())
        model = metered(timed)
        for number, end in enumerate(ends):
            timed.end = end
            await ask(model, f"{number} {PROMPT}")
            capacity = model.capacity
            assert capacity.read_per_second is None or capacity.read_per_second > 0
            assert capacity.write_per_second is None or capacity.write_per_second > 0
            assert capacity.window is None or capacity.window >= 256
            assert capacity.cached_share is None or 0 <= capacity.cached_share <= 1

    asyncio.run(all_asked())
