"""From the inbox to the posted reply: nothing lost, nothing said twice."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from bot.citewell import Citewell
from bot.run.worker import Worker
from pipeline.errors import Unavailable
from pipeline.ports import BotServices, Inbox, PostRecorder, ReplyStream
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import (
    Answer,
    AnswerOutcome,
    Audience,
    Conversation,
    ConversationId,
    IncomingMessage,
    LeasedMessage,
    MessageTrigger,
    Plan,
    Readers,
)
from pipeline.words import wording

SPACE = "T1"


class Board:
    """A platform that is a dictionary: one reply a reference, edits replace it."""

    name = "board"

    def __init__(self) -> None:
        self.replies: dict[str, Answer] = {}
        self.fail_next = 0
        self.failure: Exception = ConnectionError("the board is down")

    def can_serve(self, space: str) -> bool:
        return True

    async def listen(self, inbox: Inbox, services: BotServices) -> None:
        await asyncio.Event().wait()

    async def post(self, growing: ReplyStream, recorder: PostRecorder) -> None:
        answer = await growing.events.answer()
        if self.fail_next:
            self.fail_next -= 1
            raise self.failure
        reference = growing.work.reference or f"reply to {growing.work.key}"
        if not growing.work.reference:
            await recorder.record_intent()
        self.replies[reference] = answer
        await recorder.record_posted(reference)

    async def find_posted(self, work: LeasedMessage) -> str | None:
        return None

    async def get_readers(self, message: IncomingMessage) -> Readers:
        return Readers(groups=frozenset({f"board:{SPACE}"}))

    async def close(self) -> None: ...


def message(number: int = 1, text: str = "How many vacation days do employees get?", age: float = 0) -> IncomingMessage:
    return IncomingMessage(
        place=f"board:{SPACE}:C:{number}",
        conversation=ConversationId(platform="board", space=SPACE, channel="C", thread=str(number)),
        asker=f"board:{SPACE}:U1",
        text=text,
        sent_at=datetime.now(UTC) - timedelta(seconds=age),
        manner=MessageTrigger.MENTION,
    )


@asynccontextmanager
async def working(citewell: Citewell, board: Board, *, expire_late: bool = False) -> AsyncIterator[Worker]:
    inbox = citewell.storage.inbox
    worker = Worker(
        inbox,
        citewell.responder,
        {"board": board},
        citewell.request,
        citewell.services.choose_options,
        shown=citewell.services.visible_answer,
        concurrency=4,
        expire_late=expire_late,
        grace_seconds=0.0,
        retry_seconds=0.0,
    )
    inbox.on_accept(worker.notify)
    task = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await worker.drain(0)


async def until_empty(citewell: Citewell) -> dict[str, int]:
    changed = asyncio.Event()
    citewell.storage.inbox.on_accept(changed.set)
    async with asyncio.timeout(20):
        while (counts := await citewell.storage.inbox.count_by_state()).get("open"):
            await changed.wait()
            changed.clear()
    return counts


async def test_a_message_that_always_fails_ends_and_the_others_go_on(citewell: Citewell) -> None:
    class Poisoned(Board):
        async def post(self, growing: ReplyStream, recorder: PostRecorder) -> None:
            if growing.work.key.endswith(":1"):
                raise RuntimeError("poison")
            await super().post(growing, recorder)

    board = Poisoned()
    async with working(citewell, board):
        await citewell.storage.inbox.accept(message(1))
        await citewell.storage.inbox.accept(message(2))
        assert await until_empty(citewell) == {"dead": 1, "done": 1}


@pytest.mark.parametrize("expire_late", [False, True])
async def test_a_late_question_is_never_met_with_silence(citewell: Citewell, expire_late: bool) -> None:
    board = Board()
    async with working(citewell, board, expire_late=expire_late):
        await citewell.storage.inbox.accept(message(age=3600))
        counts = await until_empty(citewell)
    (answer,) = board.replies.values()
    if expire_late:
        assert counts == {"expired": 1}
        assert answer.body == wording.QUESTION_EXPIRED
    else:
        assert counts == {"done": 1}
        assert answer.preface.startswith(wording.LATE_ANSWER)
        assert answer.outcome is AnswerOutcome.ANSWERED


async def test_what_is_under_way_at_a_stop_goes_back_to_the_inbox_uncounted(citewell: Citewell) -> None:
    class Slow(Board):
        async def post(self, growing: ReplyStream, recorder: PostRecorder) -> None:
            started.set()
            await asyncio.Event().wait()

    started = asyncio.Event()
    async with working(citewell, Slow()):
        await citewell.storage.inbox.accept(message())
        await started.wait()
    work = await citewell.storage.inbox.lease()
    assert work is not None
    assert work.attempt == 1


async def test_what_could_not_be_given_back_on_a_full_disk_is_answered_once_there_is_room(
    citewell: Citewell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And does not wait for the end of its lease."""
    inbox, full = citewell.storage.inbox, asyncio.Event()
    release = inbox.release

    async def kept(key: str, *, delay: float = 0.0, counts: bool = True) -> None:
        if not full.is_set():
            full.set()
            raise Unavailable("storage", "the disk is full")
        await release(key, delay=delay, counts=counts)

    monkeypatch.setattr(inbox, "release", kept)
    board = Board()
    board.fail_next, board.failure = 1, Unavailable("storage", "the disk is full")
    async with working(citewell, board):
        await inbox.accept(message())
        assert await until_empty(citewell) == {"done": 1}
    assert full.is_set()
    assert len(board.replies) == 1


class Interrupted:
    """The citewell's planner, except that `meanwhile` happens while it plans for the first time."""

    def __init__(self, citewell: Citewell, meanwhile: Callable[[], Awaitable[bool]]) -> None:
        self._planner = citewell.planner
        self._meanwhile: Callable[[], Awaitable[bool]] | None = meanwhile

    async def plan(
        self, text: str, conversation: Conversation, audience: Audience, words: Translator = ENGLISH_TRANSLATOR
    ) -> Plan:
        if self._meanwhile:
            meanwhile, self._meanwhile = self._meanwhile, None
            assert await meanwhile()
        return await self._planner.plan(text, conversation, audience)


async def recalled(citewell: Citewell) -> list[str]:
    conversation = await citewell.storage.history.recall(message().conversation, 9)
    return [turn.question for turn in conversation.turns]


async def test_a_conversation_recalls_a_question_as_it_was_edited_and_only_so(citewell: Citewell) -> None:
    edited = "How many vacation days do employees get a year?"
    planner = Interrupted(citewell, lambda: citewell.storage.inbox.amend(message().key, edited))
    async with working(dataclasses.replace(citewell, planner=planner), Board()):
        await citewell.storage.inbox.accept(message())
        assert await until_empty(citewell) == {"done": 1}
    assert await recalled(citewell) == [edited]


async def test_a_conversation_does_not_recall_a_question_that_was_deleted_meanwhile(citewell: Citewell) -> None:
    board = Board()
    planner = Interrupted(citewell, lambda: citewell.storage.inbox.cancel(message().key))
    async with working(dataclasses.replace(citewell, planner=planner), board) as worker:
        await citewell.storage.inbox.accept(message())
        assert await until_empty(citewell) == {"cancelled": 1}
        await worker.drain(10)
    assert board.replies == {}
    assert await recalled(citewell) == []


@pytest.mark.parametrize("shown_at_once", [False, True], ids=["when it is whole", "sentence by sentence"])
async def test_a_conversation_recalls_a_question_once_however_often_its_reply_fails(
    citewell: Citewell, shown_at_once: bool
) -> None:
    class Failing(Board):
        async def post(self, growing: ReplyStream, recorder: PostRecorder) -> None:
            if shown_at_once:
                await recorder.record_intent()
            await super().post(growing, recorder)

    board = Failing()
    board.fail_next = 2
    async with working(citewell, board):
        await citewell.storage.inbox.accept(message())
        assert await until_empty(citewell) == {"done": 1}
    assert await recalled(citewell) == [message().text]


async def test_an_answer_edited_away_before_it_was_shown_is_not_recalled(citewell: Citewell) -> None:
    board = Board()
    board.fail_next, board.failure = 1, Unavailable("board", "cannot be reached")
    edited = "How many vacation days do employees get a year?"

    class Edited(Board):
        async def post(self, growing: ReplyStream, recorder: PostRecorder) -> None:
            if not board.fail_next:
                return await board.post(growing, recorder)
            try:
                await board.post(growing, recorder)
            finally:
                assert await citewell.storage.inbox.amend(growing.work.key, edited)

    async with working(citewell, Edited()):
        await citewell.storage.inbox.accept(message())
        assert await until_empty(citewell) == {"done": 1}
    assert await recalled(citewell) == [edited]
