"""An answer as it comes, read in one way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from pipeline.errors import UnusableResponse
from pipeline.ports import answer_stream
from pipeline.values import Answer, AnswerEvent, AnswerStage, ProgressEvent
from tests.contracts.answers import cited

SEARCHING, WRITING = ProgressEvent(stage=AnswerStage.SEARCHING), ProgressEvent(stage=AnswerStage.WRITING)


class Walk:
    def __init__(self) -> None:
        self.begun = False
        self.closed_by: asyncio.Task[object] | None = None

    @answer_stream
    async def __call__(self) -> AsyncGenerator[AnswerEvent, None]:
        self.begun = True
        try:
            yield SEARCHING
            yield WRITING
            yield cited("Thirty days.")
        finally:
            self.closed_by = asyncio.current_task()


async def test_what_comes_before_the_answer_is_iterated_and_the_answer_is_asked_for() -> None:
    stream = Walk()()
    assert [event async for event in stream] == [SEARCHING, WRITING]
    assert await stream.answer() == cited("Thirty days.")


async def test_whoever_wants_the_answer_alone_need_not_read_what_comes_before() -> None:
    assert await Walk()().answer() == cited("Thirty days.")


async def test_nothing_begins_before_it_is_read() -> None:
    walk = Walk()
    async with walk():
        pass
    assert not walk.begun


async def test_whoever_stops_early_closes_it_at_once_and_in_their_own_task() -> None:
    walk = Walk()
    async with walk() as stream:
        assert await anext(stream) == SEARCHING
    assert walk.closed_by is asyncio.current_task()


async def test_closing_what_is_made_of_an_answer_closes_what_it_is_made_of() -> None:
    walk = Walk()

    async def same(answer: Answer) -> Answer:
        return answer

    async with walk().map_answer(same) as stream:
        assert await anext(stream) == SEARCHING
    assert walk.closed_by is asyncio.current_task()


async def test_another_answer_takes_the_place_of_the_answer() -> None:
    async def other(answer: Answer) -> Answer:
        assert answer == cited("Thirty days.")
        return cited("Forty days.")

    stream = Walk()().map_answer(other)
    assert [event async for event in stream] == [SEARCHING, WRITING]
    assert await stream.answer() == cited("Forty days.")


async def test_a_stream_without_an_answer_is_unusable() -> None:
    @answer_stream
    async def without() -> AsyncGenerator[AnswerEvent, None]:
        yield SEARCHING

    with pytest.raises(UnusableResponse):
        await without().answer()
