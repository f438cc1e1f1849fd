"""What an answer costs a person's day, however it ends: what its model gave, and nothing where it gave nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.budget import Reservation, TokenBudget, estimate_prompt_tokens
from pipeline.check.judge_prompt import PendingClaim
from pipeline.drafting.task import AnswerModel, ClaimJudge
from pipeline.errors import CitewellError, PromptTooLong, Unavailable, UnusableResponse
from pipeline.ports import ChatMessage, StreamEnd, TextDelta, TokenLedger, Tool
from pipeline.respond import Responder
from pipeline.values import (
    UNKNOWN_CAPACITY,
    Answer,
    AnswerLimits,
    AnswerOptions,
    AnswerRequest,
    Judgement,
    SentenceEvent,
)
from pipeline.words.text import estimate_tokens
from pipeline.write.model_writer import ModelWriter
from pipeline.write.prompt_fitting import PromptFitter
from pipeline.write.prompts import PromptOptions
from storage.people.budget import SQLTokenLedger
from tests.doubles.engines import Engine
from tests.doubles.llm.walk import EVERYBODY, NoHistory, Straight, Tally, passage

QUESTION = "How many days of paid leave do full-time staff get a year?"
SAID = "Full-time staff get 25 days of paid leave a year."
UNSURE = "Each year, someone who works full-time can take 25 days off with pay."
PER_ANSWER = 5000
BRIEFLY = AnswerLimits(first_sentence_seconds=0.03, total_seconds=0.03)
HANGS = "hangs"
"""The end of a reply that does not end."""

Ending = StreamEnd | CitewellError | str


@dataclass(frozen=True)
class Reply:
    """The pieces that a model gives, and what follows them."""

    pieces: tuple[str, ...]
    ending: Ending


@dataclass
class Giving:
    """A language model that gives its replies one after the other, and knows what they cost."""

    replies: list[Reply]
    name: str = "giving:m"
    capacity = UNKNOWN_CAPACITY
    asked: int = 0
    cost: int = 0
    has_given: asyncio.Event = field(default_factory=asyncio.Event)
    """Set by the last piece before the ending."""

    async def connect(self) -> None: ...

    async def close(self) -> None: ...

    async def structured(self, *_: object, **__: object) -> NoReturn:
        raise Unavailable(self.name, "down")

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | StreamEnd, None]:
        reply, before = self.replies[self.asked], self.cost
        self.asked += 1
        has_reply = reply.pieces or (isinstance(reply.ending, StreamEnd) and reply.ending.reason)
        self.cost += estimate_prompt_tokens(messages) if has_reply else 0
        for piece in reply.pieces:
            self.cost += estimate_tokens(piece)
            yield TextDelta(text=piece)
        self.has_given.set()
        if isinstance(reply.ending, CitewellError):
            raise reply.ending
        if isinstance(reply.ending, str):
            await asyncio.Event().wait()
        else:
            counted = reply.ending.input_tokens + reply.ending.output_tokens
            self.cost = before + counted if counted else self.cost
            yield reply.ending


def answering(
    model: Giving, ledger: TokenLedger, *, judge: ClaimJudge | None = None, limits: AnswerLimits = BRIEFLY
) -> Responder:
    """A responder whose asker has tokens for one answer beside those that `model` has counted."""
    found = Straight([passage("c1", SAID, "Unused days may be carried into March.")])
    budget = TokenBudget(ledger, per_person=PER_ANSWER + model.cost, per_space=0, per_answer=PER_ANSWER)
    return Responder(
        planner=found,
        retriever=found,
        model=AnswerModel(
            name=model.name, writer=ModelWriter(PromptFitter(model, PromptOptions())), budget=budget, judge=judge
        ),
        history=NoHistory(),
        options=AnswerOptions(limits=limits),
        report=lambda _, error: pytest.fail(repr(error)),
        warn=lambda *_: None,
    )


ASKING = AnswerRequest(text=QUESTION, audience=EVERYBODY, author="ann")


async def read_whole(responder: Responder, _: Giving) -> None:
    answer = await responder.respond(ASKING).answer()
    assert isinstance(answer, Answer)


async def read_one_sentence(responder: Responder, _: Giving) -> None:
    async with responder.respond(ASKING) as stream:
        async for event in stream:
            if isinstance(event, SentenceEvent):
                break


async def cancelled(responder: Responder, model: Giving) -> None:
    """Cancel an answer while its model writes, or is silent."""
    model.has_given.clear()
    reading = asyncio.create_task(responder.respond(ASKING).answer())
    await model.has_given.wait()
    reading.cancel()
    with suppress(asyncio.CancelledError):
        await reading


PIECES = st.sampled_from([(), ("Full-time",), (f"{SAID[:-1]} [1]. ",), (f"{SAID[:-1]} [1]. ", "Unused days may ")])
ENDINGS = st.sampled_from(
    [
        StreamEnd(reason="stop", input_tokens=321, output_tokens=12),
        StreamEnd(reason="stop"),
        StreamEnd(reason="length"),
        StreamEnd(reason=""),
        Unavailable("giving:m", "refused", permanent=True),
        UnusableResponse("giving:m: an event of unknown shape"),
        HANGS,
    ]
)
ANSWERS = st.tuples(st.builds(Reply, PIECES, ENDINGS), st.sampled_from([read_whole, read_one_sentence, cancelled]))


@given(st.lists(ANSWERS, max_size=6))
@settings(deadline=None, max_examples=40)
async def test_a_day_costs_what_the_models_gave_however_the_answers_ended(
    answers: list[tuple[Reply, object]],
) -> None:
    model, tally = Giving([reply for reply, _ in answers]), Tally()
    for reply, read in answers:
        before = model.cost
        await read(answering(model, tally), model)  # type: ignore[operator]
        assert tally.used["person ann"] == model.cost
        assert reply.pieces or isinstance(reply.ending, StreamEnd) or model.cost == before
    assert model.asked == len(answers)


class Slow(Tally):
    """A ledger that takes a few turns of the loop before and after it counts."""

    async def adjust(self, subjects: Collection[str], tokens: int, day: date) -> None:
        await pass_turns(3)
        await super().adjust(subjects, tokens, day)
        await pass_turns(3)


async def pass_turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    "ending",
    [HANGS, StreamEnd(reason="stop"), Unavailable("giving:m", "down")],
    ids=["hangs", "whole", "down"],
)
@pytest.mark.parametrize("pieces", [(), (f"{SAID[:-1]} [1]. ", "Unused days may ")], ids=["nothing", "text"])
async def test_an_answer_that_is_cancelled_at_any_moment_costs_what_its_model_gave_until_then(
    pieces: tuple[str, ...], ending: Ending
) -> None:
    for turns in range(60):
        model, tally = Giving([Reply(pieces, ending)]), Slow()
        reading = asyncio.create_task(answering(model, tally, limits=AnswerLimits()).respond(ASKING).answer())
        await pass_turns(turns)
        reading.cancel()
        with suppress(asyncio.CancelledError):
            await reading
        assert tally.used.get("person ann", 0) == model.cost, turns


@pytest.mark.parametrize(
    "ending",
    [HANGS, PromptTooLong("giving:m", window=1024), Unavailable("giving:m", "no connection", permanent=True)],
    ids=["time-out", "too long", "refused"],
)
async def test_a_hundred_answers_in_a_row_from_which_nothing_came_leave_the_day_as_it_was(
    tmp_path: Path, ending: Ending
) -> None:
    model = Giving([Reply((), ending)] * 100)
    async with Engine(tmp_path, "").database() as database:
        ledger = SQLTokenLedger(database)
        responder = answering(model, ledger, limits=AnswerLimits(first_sentence_seconds=0.01, total_seconds=0.01))
        for _ in range(100):
            await read_whole(responder, model)
        counts = await database.read(lambda connection: connection.execute("SELECT tokens FROM token_use").fetchall())
    assert [tuple(row) for row in counts] == [(0,)]
    assert model.asked == 100


class Pondering:
    """A judge that never says anything."""

    name = "pondering"

    async def review(self, claims: Sequence[PendingClaim], *_: object, **__: object) -> tuple[Sequence[Judgement], int]:
        return await asyncio.Event().wait()  # type: ignore[return-value]


async def test_a_judge_that_is_not_waited_for_costs_its_prompt() -> None:
    end = StreamEnd(reason="stop", input_tokens=321, output_tokens=12)
    model, tally = Giving([Reply((f"{UNSURE[:-1]} [1].",), end)]), Tally()
    await read_whole(
        answering(model, tally, judge=Pondering(), limits=AnswerLimits(total_seconds=0.1, first_sentence_seconds=0.1)),
        model,
    )
    assert model.cost + 50 < tally.used["person ann"] < model.cost + 500


class Failing(Tally):
    """A ledger that is slow, and fails at one of its two calls."""

    def __init__(self, failing: str) -> None:
        super().__init__()
        self.failing = failing
        self.is_asked = asyncio.Event()
        self.may_go_on = asyncio.Event()

    async def reserve(self, limits: Mapping[str, int], tokens: int, day: date) -> bool:
        await self._wait("reserve")
        return True

    async def adjust(self, subjects: Collection[str], tokens: int, day: date) -> None:
        await self._wait("adjust")

    async def _wait(self, call: str) -> None:
        self.is_asked.set()
        await self.may_go_on.wait()
        if call == self.failing:
            raise Unavailable("the database", "down")


@pytest.mark.parametrize("failing", ["reserve", "adjust"])
@pytest.mark.parametrize("settles", [False, True])
async def test_a_cancelled_caller_is_cancelled_although_the_ledger_fails(failing: str, settles: bool) -> None:
    ledger = Failing(failing)
    budget = TokenBudget(ledger, per_person=100, per_space=0, per_answer=50)
    reservation = Reservation(subjects=("person ann",), day=budget.today(), tokens=50)
    calling = asyncio.ensure_future(budget.settle(reservation, 9) if settles else budget.reserve("ann", "s"))
    await ledger.is_asked.wait()
    calling.cancel()
    await pass_turns(3)
    ledger.may_go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await calling
