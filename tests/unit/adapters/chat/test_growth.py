"""What is shown by edits while an answer is written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from adapters.chat.post.streaming import EditingPost, EditTiming, EventBuffer
from adapters.chat.reply.draft import Draft
from adapters.chat.reply.parts import Reply
from pipeline.errors import Unavailable
from pipeline.ports import answer_stream
from pipeline.values import Answer, AnswerEvent, AnswerStage, CitedSentence, ProgressEvent, SentenceEvent
from tests.contracts.answers import cited
from tests.contracts.waiting import until


class Wall:
    """Remembers how many sentences it was shown; the next stroke waits for `free`. It is one of `EditingSender`."""

    def __init__(self, pace: EditTiming) -> None:
        self.edit_timing = pace
        self.shown: list[int] = []
        self.free = asyncio.Event()
        self.begun = asyncio.Event()
        self.busy = False

    def render_progress(self, reply: Reply, status: str) -> int:
        return str(reply).count("Rule")

    async def show_progress(self, post: int, name: str = "") -> None:
        assert not self.busy
        self.busy = True
        self.begun.set()
        await self.free.wait()
        self.shown.append(post)
        self.busy = False


class StatusWall(Wall):
    """Remembers the statuses that it was shown."""

    def __init__(self, pace: EditTiming) -> None:
        super().__init__(pace)
        self.statuses: list[str] = []

    def render_progress(self, reply: Reply, status: str) -> int:
        if status not in self.statuses:
            self.statuses.append(status)
        return self.statuses.index(status)


class Writer:
    """Writes sentences, and the answer at last."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[AnswerEvent] = asyncio.Queue()

    def write(self, *numbers: int) -> None:
        for number in numbers:
            self.events.put_nowait(SentenceEvent(sentence=CitedSentence(text=f"Rule {number} holds.", numbers=(1,))))

    def wait(self, ahead: int) -> None:
        self.events.put_nowait(ProgressEvent(stage=AnswerStage.WAITING, ahead=ahead))

    def end(self) -> None:
        self.events.put_nowait(cited("Done."))

    @answer_stream
    async def __call__(self) -> AsyncGenerator[AnswerEvent, None]:
        ended = False
        while not ended:
            event = await self.events.get()
            ended = isinstance(event, Answer)
            yield event


async def followed(writer: Writer, wall: Wall) -> Answer | None:
    async with EventBuffer(writer()) as feed:
        return await EditingPost(wall, wall.show_progress).follow(feed, Draft())


async def test_only_the_newest_state_is_shown() -> None:
    wall, writer = Wall(EditTiming(0.0, 0.0)), Writer()
    following = asyncio.create_task(followed(writer, wall))
    writer.write(1)
    await wall.begun.wait()
    writer.write(*range(2, 100))
    await until(writer.events.empty)
    wall.free.set()
    await until(lambda: wall.shown[-1:] == [99])
    writer.end()
    assert await following
    assert wall.shown == [1, 99]


async def test_a_new_place_in_the_queue_is_shown_and_those_passed_meanwhile_are_not() -> None:
    wall, writer = StatusWall(EditTiming(0.0, 0.0)), Writer()
    following = asyncio.create_task(followed(writer, wall))
    writer.wait(9)
    await wall.begun.wait()
    for ahead in range(8, -1, -1):
        writer.wait(ahead)
    await until(writer.events.empty)
    wall.free.set()
    await until(lambda: len(wall.shown) == 2)
    writer.end()
    assert await following
    assert [wall.statuses[shown] for shown in wall.shown] == [
        "Waiting for the language model: 9 questions are before this one",
        "Waiting for the language model",
    ]


async def test_a_quick_answer_shows_nothing_before() -> None:
    wall, writer = Wall(EditTiming(60.0, 60.0)), Writer()
    writer.write(1)
    writer.end()
    assert await followed(writer, wall)
    assert wall.shown == []


async def test_the_answer_waits_for_the_stroke_under_way() -> None:
    wall, writer = Wall(EditTiming(0.0, 60.0)), Writer()
    following = asyncio.create_task(followed(writer, wall))
    writer.write(1)
    await wall.begun.wait()
    writer.end()
    await until(writer.events.empty)
    assert not following.done()
    wall.free.set()
    assert await following
    assert wall.shown == [1]


async def test_what_goes_wrong_is_raised_once_the_answer_is_there() -> None:
    class Broken(Wall):
        async def show_progress(self, post: int, name: str = "") -> None:
            self.shown.append(post)
            raise Unavailable("wall", "wet")

    wall, writer = Broken(EditTiming(0.0, 0.0)), Writer()
    following = asyncio.create_task(followed(writer, wall))
    writer.write(1)
    await until(lambda: wall.shown == [1])
    writer.write(2)
    await until(writer.events.empty)
    assert not following.done()
    writer.end()
    with pytest.raises(Unavailable):
        await following
    assert wall.shown == [1]
