"""Prompts are as long as the model can read in time, and begin alike."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ports import ChatMessage, StreamEnd, TextDelta, Tool
from pipeline.values import ModelCapacity, WritingBrief
from pipeline.words.text import estimate_tokens
from pipeline.write.prompt_fitting import PromptFitter
from pipeline.write.prompt_limit import fit_request
from pipeline.write.prompts import PromptOptions
from tests.doubles.llm.walk import passage

SLOW = ModelCapacity(
    is_billed=False, window=8192, read_per_second=250, write_per_second=75, measured_prompt=900, cached_share=0.5
)
FAST = ModelCapacity(is_billed=False, window=32_768, read_per_second=10_000, write_per_second=100, measured_prompt=900)
SENTENCES = [f"In building {n} the badge opens door number {n} until {n % 12 + 1} in the evening." for n in range(200)]
PASSAGES = [passage(f"c{n}", *SENTENCES[5 * n : 5 * n + 5]) for n in range(40)]


class Counting:
    """A model whose server counts .8 of the estimated tokens, cuts prompts to its window, and keeps what it was
    asked."""

    name = "counting:m"

    def __init__(self, capacity: ModelCapacity = FAST, *, cuts_at: int = 10**6, counts: int | None = None) -> None:
        self.capacity = capacity
        self.cuts_at, self.counts = cuts_at, counts
        self.asked: list[Sequence[ChatMessage]] = []

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | StreamEnd, None]:
        self.asked.append(messages)
        counted = int(0.8 * sum(estimate_tokens(message.content) for message in messages))
        yield TextDelta(text="1 2 3")
        yield StreamEnd(reason="stop", input_tokens=self.counts or min(counted, self.cuts_at), output_tokens=3)

    async def structured(self, *_: object, **__: object) -> None: ...

    async def connect(self) -> None: ...

    async def close(self) -> None: ...


def fitter(model: Counting, **more: object) -> PromptFitter:
    return PromptFitter(model, PromptOptions(context_tokens=12_000), **more)  # type: ignore[arg-type]


speeds = st.none() | st.floats(0.5, 1e6)


@given(
    capacity=st.builds(
        ModelCapacity,
        is_billed=st.booleans(),
        window=st.none() | st.integers(256, 10**6),
        largest_prompt=st.integers(0, 10**5),
        read_per_second=speeds,
        write_per_second=speeds,
        measured_prompt=st.integers(0, 10**5),
        reasoning_tokens=st.integers(0, 10**4),
    ),
    seconds=st.none() | st.floats(-5, 100),
    cached=st.integers(0, 500),
)
def test_no_request_is_over_the_window_the_setting_or_the_time(
    capacity: ModelCapacity, seconds: float | None, cached: int
) -> None:
    limit = fit_request(capacity, prompt=12_000, unproven=4000, reply=1000, seconds=seconds, cached=cached)
    assert limit.prompt <= 12_000
    assert 0 < limit.reply <= 1000
    if capacity.window and limit.prompt > 0:
        assert limit.prompt + limit.reply < capacity.window
    if limit.by_speed:
        assert seconds is not None
        assert capacity.reading_seconds(limit.prompt - cached) <= max(0.0, seconds)
    if not capacity.is_billed and capacity.read_per_second is None:
        assert limit.prompt <= max(4000, capacity.largest_prompt)


@given(seconds=st.floats(0, 60))
def test_more_time_never_makes_a_prompt_shorter(seconds: float) -> None:
    shorter, longer = (
        fit_request(SLOW, prompt=12_000, unproven=4000, reply=1000, seconds=given).prompt
        for given in (seconds, seconds + 1)
    )
    assert shorter <= longer


def test_a_vendors_model_of_which_nothing_is_known_gets_a_whole_prompt() -> None:
    limit = fit_request(ModelCapacity(), prompt=12_000, unproven=4000, reply=1000, seconds=9.0)
    assert (limit.prompt, limit.reply, limit.by_speed) == (12_000, 1000, False)


@pytest.mark.parametrize(("capacity", "words"), [(SLOW, "Answer the question"), (FAST, "You answer a colleague's")])
def test_a_slow_model_gets_the_short_rules(capacity: ModelCapacity, words: str) -> None:
    fitted = fitter(Counting(capacity)).fit(WritingBrief(question="Who?"), PASSAGES, [], seconds=9.0)
    assert fitted.prompt.messages[0].content.startswith(words)
    assert fitted.prompt.tokens <= fitted.limit.prompt


def test_a_follow_up_begins_as_the_prompt_before_and_most_of_it_is_old() -> None:
    fitting = fitter(Counting(SLOW))
    first = fitting.fit(WritingBrief(question="Who?", conversation="a"), PASSAGES[:20], [], seconds=9.0).prompt
    fitting.keep("a", first)
    brief = WritingBrief(question="And when?", conversation="a", style="detailed")  # type: ignore[arg-type]
    second = fitting.fit(brief, [*PASSAGES[30:], *PASSAGES[:20]], [], seconds=9.0).prompt
    begun = first.messages[1].content.rpartition("</passage-")[0]
    assert second.messages[0] == first.messages[0]
    assert second.messages[1].content.startswith(begun)
    assert estimate_tokens(begun) >= 0.55 * second.tokens
    assert second.passages[len(first.passages)].chunk.id == "c30"


def test_nothing_of_one_conversation_is_in_the_prompt_of_another() -> None:
    fitting = fitter(Counting(SLOW))
    brief = WritingBrief(question="Who?", conversation="a")
    fitting.keep("a", fitting.fit(brief, PASSAGES[:20], [], seconds=9.0).prompt)
    other = fitting.fit(WritingBrief(question="Who?", conversation="b"), PASSAGES[30:31], [], seconds=9.0).prompt
    assert [found.chunk.id for found in other.passages] == ["c30"]
    assert fitting.mark(brief) not in other.messages[1].content


def test_a_passage_that_was_changed_is_not_kept() -> None:
    fitting = fitter(Counting(SLOW))
    brief = WritingBrief(question="Who?", conversation="a")
    first = fitting.fit(brief, PASSAGES[:10], [], seconds=9.0).prompt
    fitting.keep("a", first)
    changed = passage("c1", "It says something else by now.")
    second = fitting.fit(brief, [PASSAGES[5], changed, *PASSAGES[:1]], [], seconds=9.0).prompt
    assert second.messages[1].content.count(SENTENCES[5]) == 0
    assert "something else by now" in second.messages[1].content


@pytest.mark.parametrize(
    ("model", "window"),
    [
        (Counting(ModelCapacity(is_billed=False, read_per_second=10_000), cuts_at=4096), 4096),
        (Counting(ModelCapacity(is_billed=False, read_per_second=10_000)), None),
        (Counting(ModelCapacity(is_billed=False, read_per_second=10_000), counts=10), None),
        (Counting(SLOW), None),
    ],
    ids=["it cuts", "it does not", "its counts cannot be true", "it is slow"],
)
def test_a_window_that_nobody_tells_is_found_at_the_start(model: Counting, window: int | None) -> None:
    assert asyncio.run(fitter(model).warm_up()) == window


def test_a_vendor_is_asked_for_nothing_long_at_the_start() -> None:
    model = Counting(ModelCapacity(read_per_second=10_000))
    asyncio.run(fitter(model).warm_up())
    assert sum(estimate_tokens(message.content) for message in model.asked[0]) < 1100
    assert len(model.asked) == 1
