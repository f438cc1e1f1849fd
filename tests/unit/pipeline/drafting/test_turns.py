"""Turns at a model whose server works on one question at a time."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.drafting.turns import ModelTurns, QueueTooLong
from pipeline.ports import LanguageModel
from pipeline.values import ModelCapacity


class Server:
    """A model of which only the slots are known."""

    def __init__(self, slots: int | None = 1) -> None:
        self.capacity = ModelCapacity(slots=slots)


async def settled() -> None:
    """Nothing was given up."""


def turns_of(slots: int | None = 1) -> ModelTurns:
    model: LanguageModel = Server(slots)  # type: ignore[assignment]
    return ModelTurns(model, settled)


async def until(condition: object) -> None:
    async with asyncio.timeout(5):
        while not condition():  # type: ignore[operator]  # noqa: ASYNC110 - what is awaited has no event
            await asyncio.sleep(0)


class Question:
    """A question that takes its turn and holds it until it is answered."""

    def __init__(self, turns: ModelTurns, seconds: float = 60.0) -> None:
        self.places: list[int] = []
        self.answered = asyncio.Event()
        self.has_turn = False
        self.task = asyncio.create_task(self._ask(turns, seconds))

    async def _ask(self, turns: ModelTurns, seconds: float) -> None:
        async with turns.take(seconds, self.places.append):
            self.has_turn = True
            await self.answered.wait()


async def test_one_question_at_a_time_first_come_first_served_and_each_hears_its_place() -> None:
    turns = turns_of()
    first, second, third = (Question(turns) for _ in range(3))
    await until(lambda: third.places)
    assert (first.places, second.places, third.places) == ([], [1], [2])
    first.answered.set()
    await until(lambda: second.has_turn)
    assert not third.has_turn
    assert third.places == [2, 1]
    second.answered.set()
    await until(lambda: third.has_turn)
    third.answered.set()
    await asyncio.gather(first.task, second.task, third.task)


async def test_nobody_waits_where_the_slots_are_not_known() -> None:
    turns = turns_of(None)
    questions = [Question(turns) for _ in range(5)]
    await until(lambda: all(question.has_turn for question in questions))
    for question in questions:
        question.answered.set()
    await asyncio.gather(*(question.task for question in questions))


async def test_who_gives_up_waiting_leaves_the_queue() -> None:
    turns = turns_of()
    first, second, third = (Question(turns) for _ in range(3))
    await until(lambda: third.places)
    second.task.cancel()
    await until(lambda: third.places == [2, 1])
    first.answered.set()
    await until(lambda: third.has_turn)


async def test_a_turn_that_cannot_be_had_in_time_is_refused() -> None:
    turns = turns_of()
    first = Question(turns)
    await until(lambda: first.has_turn)
    with pytest.raises(QueueTooLong):
        async with turns.take(0.001, lambda _: None):
            pass
    first.answered.set()
    await first.task
    async with turns.take(1.0, lambda _: None):
        pass


async def test_a_question_that_would_wait_too_long_is_refused_at_once() -> None:
    now = 0.0
    model: LanguageModel = Server()  # type: ignore[assignment]
    turns = ModelTurns(model, settled, clock=lambda: now)
    async with turns.take(1.0, lambda _: None):
        now += 20.0  # a turn takes that long
    await until(lambda: turns.is_free)
    async with turns.take(1.0, lambda _: None):
        now += 5.0
        with pytest.raises(QueueTooLong):
            async with turns.take(14.0, lambda _: None):
                pass
        waiting = Question(turns, seconds=16.0)  # 15 seconds of this turn are left
        await until(lambda: waiting.places)
    await until(lambda: waiting.has_turn)


async def test_the_next_question_waits_until_the_server_is_done_with_what_was_given_up() -> None:
    done = asyncio.Event()

    async def settle() -> None:
        await done.wait()

    model: LanguageModel = Server()  # type: ignore[assignment]
    turns = ModelTurns(model, settle)
    async with turns.take(1.0, lambda _: None):
        pass  # left at once: the reader does not wait for the server
    second = Question(turns)
    await until(lambda: second.places)
    assert not second.has_turn
    done.set()
    await until(lambda: second.has_turn)


async def test_a_question_awaits_the_preparation_of_the_model() -> None:
    turns, prepared = turns_of(), asyncio.Event()

    async def prepare() -> None:
        await prepared.wait()

    preparation = asyncio.create_task(prepare())
    turns.prepare = lambda: preparation
    question = Question(turns)
    await asyncio.sleep(0)
    assert not question.has_turn
    prepared.set()
    await until(lambda: question.has_turn)


@given(
    slots=st.integers(1, 3),
    steps=st.lists(st.tuples(st.sampled_from(["ask", "answer", "give up"]), st.integers(0, 9)), max_size=40),
)
def test_never_more_questions_than_slots_and_none_is_forgotten(slots: int, steps: list[tuple[str, int]]) -> None:
    async def run() -> None:
        turns, questions = turns_of(slots), list[Question]()
        for step, which in steps:
            if step == "ask" or not questions:
                questions.append(Question(turns))
            elif step == "answer":
                questions[which % len(questions)].answered.set()
            else:
                questions[which % len(questions)].task.cancel()
            for _ in range(4):
                await asyncio.sleep(0)
            working = [q for q in questions if q.has_turn and not q.task.done()]
            assert len(working) <= slots
        for question in questions:
            question.answered.set()
        async with AsyncExitStack():
            await asyncio.wait_for(asyncio.gather(*(q.task for q in questions), return_exceptions=True), 5)
        assert all(q.has_turn or q.task.cancelled() for q in questions)
        await until(lambda: turns.is_free)

    asyncio.run(run())
