"""What the bot posts by itself is kept until it is posted, on each engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.services.answers import StoredPostService
from pipeline.errors import QuestionWithdrawn
from pipeline.values import ConversationId, Handoff, HandoffNotice, MessageKey, NoticeKind, PlaceId, replace
from pipeline.values.posting import Digest, SharedAnswer, UploadStatus
from pipeline.words import wording
from storage.database import fetch_value
from storage.messages.handoffs import SQLHandoffs
from storage.messages.outbox import PostOutcome, SQLOutbox
from storage.messages.posting import MAX_ATTEMPTS
from storage.open import Storage, open_storage
from tests.contracts.waiting import until
from tests.doubles.engines import Engine
from tests.doubles.postgres import Server

WEEK, CHANNEL, ANOTHER = "2026-W47", "slack:T1:C2", "slack:T1:C3"
ASKED = "asked:h1"


def handoff(number: int = 1) -> Handoff:
    return Handoff(
        id=f"h{number}",
        answer_id=f"a{number}",
        asker="slack:T1:U1",
        question="What?",
        target=PlaceId(platform="slack", space="T1", channel="C9"),
        origin=ConversationId(platform="slack", space="T1", channel="C1", thread="1.0"),
    )


class Scene:
    """An outbox whose clock is turned by hand."""

    def __init__(self, storage: Storage) -> None:
        self.now = 1000.0
        self.storage = storage
        self.people = storage.personal_data
        self.outbox = SQLOutbox(storage.database, clock=lambda: self.now)
        self.handoffs = SQLHandoffs(storage.database, self.outbox, clock=lambda: self.now)

    async def took(self) -> HandoffNotice | Digest | SharedAnswer | UploadStatus:
        post = await self.outbox.take_next()
        assert post
        return post


@pytest.fixture
async def scene(engine: Engine) -> AsyncIterator[Scene]:
    async with engine.storage() as storage:
        yield Scene(storage)


async def test_what_is_begun_is_posted_in_its_order_and_only_once(scene: Scene) -> None:
    rung: list[int] = []
    scene.outbox.on_post(lambda: rung.append(1))
    assert await scene.handoffs.create(handoff(1))
    assert not await scene.handoffs.create(handoff(1))
    await scene.outbox.queue_digest(WEEK, CHANNEL)
    keys = []
    while post := await scene.outbox.take_next():
        keys.append(post.key)
        await scene.outbox.mark_posting(post.key)
        await scene.outbox.mark_posted(post.key, "its name")
        await scene.outbox.mark_done(post.key)
    assert keys == [ASKED, f"digest:{WEEK}"]
    assert len(rung) == 1


async def test_a_crash_leaves_what_was_recorded_of_a_post(scene: Scene) -> None:
    await scene.handoffs.create(handoff())
    first = await scene.took()
    assert (first.attempt, first.posting_since, first.reference) == (1, None, "")
    await scene.outbox.mark_posting(ASKED)
    second = await scene.took()
    assert second.posting_since
    assert (second.attempt, second.posting_since.timestamp()) == (1, scene.now)
    await scene.outbox.mark_posted(ASKED, "its name")
    assert (await scene.took()).reference == "its name"


async def test_what_is_there_in_part_is_looked_for_from_its_beginning_however_late_it_goes_on(scene: Scene) -> None:
    await scene.outbox.queue_share(SharedAnswer(to=CHANNEL, answer_id="a1", person="slack:T1:U1", name="ann"))
    key = (await scene.took()).key
    for name, since in (("", 1000.0), ("part 0", 1100.0)):
        await scene.outbox.mark_posting(key)
        await scene.outbox.mark_posted(key, name)
        scene.now += 100.0
        begun = (await scene.took()).posting_since
        assert begun
        assert begun.timestamp() == since
    await scene.outbox.mark_posting(key)
    begun = (await scene.took()).posting_since
    assert begun
    assert begun.timestamp() == 1100.0


async def test_what_goes_wrong_is_tried_again_later_and_what_it_tells_against_the_post_is_counted(scene: Scene) -> None:
    await scene.handoffs.create(handoff())
    await scene.took()
    for counts, attempt in ((False, 1), (True, 2), (False, 2), (True, 3)):
        await scene.outbox.release(ASKED, delay=60.0, counts=counts)
        scene.now += 59.9
        assert await scene.outbox.take_next() is None
        scene.now += 0.1
        assert (await scene.took()).attempt == attempt


async def test_the_asker_hears_of_a_question_that_could_not_be_posted_and_of_nothing_else(scene: Scene) -> None:
    await scene.handoffs.create(handoff())
    for _ in range(MAX_ATTEMPTS - 1):
        assert not (await scene.took()).last
        await scene.outbox.release(ASKED)
    assert (await scene.took()).last
    await scene.outbox.mark_failed(ASKED, "channel_not_found")
    told = await scene.took()
    assert isinstance(told, HandoffNotice)
    assert told.about is NoticeKind.UNDELIVERED
    await scene.outbox.mark_failed(told.key, "channel_not_found")
    assert await scene.outbox.take_next() is None


@pytest.mark.parametrize("channel", ["C9", "19:a/b c@thread.tacv2"])
async def test_a_question_waits_where_it_was_posted_until_it_is_resolved(scene: Scene, channel: str) -> None:
    there = MessageKey(platform="slack", space="T1", channel=channel, message="7:0")
    await scene.handoffs.create(handoff())
    await scene.outbox.mark_posting((await scene.took()).key)
    await scene.outbox.mark_posted(ASKED, str(there))
    await scene.outbox.mark_done(ASKED)
    assert await scene.handoffs.find_waiting(there)
    assert not await scene.handoffs.find_waiting(replace(there, channel="C8"))
    assert not await scene.handoffs.find_waiting(replace(there, message="7.1"))
    await scene.handoffs.resolve("h1", "slack:T1:U2", "ann", "This.")
    assert not await scene.handoffs.find_waiting(there)


async def test_a_notice_of_a_question_that_is_erased_meanwhile_is_not_posted(scene: Scene) -> None:
    await scene.handoffs.create(handoff())
    await scene.took()
    await scene.people.forget("slack:T1:U1")
    with pytest.raises(QuestionWithdrawn):
        await scene.outbox.mark_posting(ASKED)
    assert await scene.outbox.count_open() == 0


async def test_a_digest_begins_anew_for_another_recipient_only(scene: Scene) -> None:
    begun = [await scene.outbox.queue_digest(WEEK, to) for to in (CHANNEL, CHANNEL, ANOTHER)]
    due = await scene.took()
    assert isinstance(due, Digest)
    assert (begun, due.to) == ([True, False, True], ANOTHER)


async def test_a_digest_that_was_not_posted_in_its_week_never_is(scene: Scene) -> None:
    await scene.outbox.queue_digest("2026-W46", CHANNEL)
    await scene.outbox.queue_digest(WEEK, CHANNEL)
    assert (await scene.took()).key == f"digest:{WEEK}"
    assert await scene.outbox.count_open() == 1


async def test_who_lost_a_post_to_another_process_does_not_post_it(postgres: Server, engine: Engine) -> None:
    if not engine.url:
        pytest.skip("one process alone posts from SQLite")
    async with engine.storage(exclusive=True) as one, engine.storage(exclusive=True) as other:
        await one.handoffs.create(handoff())
        await one.outbox.take_next()
        await other.outbox.take_next()
        with pytest.raises(QuestionWithdrawn):
            await one.outbox.mark_posting(ASKED)
        await other.outbox.mark_posting(ASKED)
        await other.outbox.mark_posted(ASKED, "its name")
        await one.outbox.mark_posted(ASKED, "another")
        await one.outbox.mark_done(ASKED)
        left = await other.outbox.take_next()
    assert left
    assert left.reference == "its name"


async def test_what_somebody_shares_is_kept_until_it_is_there_and_then_says_no_more_who_it_was(scene: Scene) -> None:
    share = SharedAnswer(to=CHANNEL, answer_id="a1", person="slack:T1:U1", name="ann", language="de")
    assert await scene.outbox.queue_share(share)
    assert not await scene.outbox.queue_share(share)
    assert await scene.took() == replace(share, last=True)
    assert await scene.outbox.outcome(share.key) == ("open", "", False)
    await scene.outbox.mark_done(share.key)
    assert await scene.outbox.outcome(share.key) == ("done", "", False)
    assert not await scene.outbox.queue_share(share)
    named = "SELECT count(*) FROM outbox WHERE person <> '' OR post <> ''"
    assert await scene.storage.database.read(lambda db: fetch_value(db, named)) == 0


async def test_what_could_not_be_shared_may_be_shared_again_and_what_its_person_forgets_is_not(scene: Scene) -> None:
    share = SharedAnswer(to=CHANNEL, answer_id="a1", person="slack:T1:U1", name="ann")
    await scene.outbox.queue_share(share)
    await scene.took()
    await scene.outbox.mark_failed(share.key, "not here")
    assert await scene.outbox.outcome(share.key) == ("dead", "not here", False)
    assert await scene.outbox.queue_share(share)
    await scene.people.forget(share.person)
    assert await scene.outbox.outcome(share.key) is None
    assert await scene.outbox.count_open() == 0


class Watched(SQLOutbox):
    """How often is looked how far a post has come, and tried to take it back."""

    looks = 0
    withdrawals = 0

    async def outcome(self, key: str) -> PostOutcome | None:
        self.looks += 1
        return await super().outcome(key)

    async def withdraw(self, key: str, why: str) -> None:
        self.withdrawals += 1
        await super().withdraw(key, why)


async def test_what_is_not_shared_soon_is_given_up_unless_it_is_being_posted(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.services.answers.SHARE_SECONDS", 0.0)
    outbox = Watched(scene.storage.database, clock=lambda: scene.now)
    share, desk = SharedAnswer(to=CHANNEL, answer_id="a1", person="slack:T1:U1", name="ann"), StoredPostService(outbox)
    assert await desk.enqueue(share)
    taken = await scene.took()
    waiting = asyncio.create_task(desk.wait_until_posted(share))
    await until(lambda: outbox.looks > 3)
    assert not waiting.done()
    assert not outbox.withdrawals
    await scene.outbox.release(taken.key, delay=3600.0)
    assert await waiting == str(wording.TRY_AGAIN)
    assert outbox.withdrawals == 1
    assert await desk.enqueue(share)


async def test_whoever_waits_for_a_post_while_the_store_is_closed_waits_no_more(tmp_path: Path) -> None:
    share = SharedAnswer(to=CHANNEL, answer_id="a1", person="slack:T1:U1", name="ann")
    async with open_storage(tmp_path) as storage:
        desk = StoredPostService(storage.outbox)
        assert await desk.enqueue(share)
        waiting = asyncio.create_task(desk.wait_until_posted(share))
        await asyncio.sleep(0)
    assert await waiting is None


async def test_what_was_given_up_in_the_middle_goes_on_from_there_when_it_is_shared_again(scene: Scene) -> None:
    share = SharedAnswer(to=CHANNEL, answer_id="a1", person="slack:T1:U1", name="ann")
    await scene.outbox.queue_share(share)
    await scene.took()
    await scene.outbox.mark_posting(share.key)
    await scene.outbox.mark_posted(share.key, "its first part")
    await scene.outbox.mark_failed(share.key, "not here")
    assert await scene.outbox.queue_share(replace(share, person="slack:T1:U2", name="bob"))
    assert await scene.outbox.outcome(share.key) == ("open", "", False)
    taken = await scene.took()
    assert isinstance(taken, SharedAnswer)
    assert (taken.name, taken.reference, taken.attempt) == ("bob", "its first part", 1)


async def test_what_was_said_of_something_that_somebody_adds_says_what_came_of_it_in_its_place(scene: Scene) -> None:
    adding = UploadStatus(to=CHANNEL, id="1", person="slack:T1:U1", thread="1.0", text="Reading it.")
    await scene.outbox.queue_adding(adding)
    assert await scene.took() == replace(adding, last=True)
    await scene.outbox.mark_posting(adding.key)
    await scene.outbox.mark_posted(adding.key, "its name")
    await scene.outbox.mark_done(adding.key)
    added = replace(adding, text="It is there.", document="d1")
    await scene.outbox.update_adding(added)
    taken = await scene.took()
    assert isinstance(taken, UploadStatus)
    assert (taken.text, taken.document, taken.reference) == ("It is there.", "d1", "its name")
    await scene.outbox.mark_done(adding.key)
    assert await scene.outbox.take_next() is None


async def test_what_came_of_something_is_said_also_where_it_was_not_told_yet_that_it_is_read(scene: Scene) -> None:
    adding = UploadStatus(to=CHANNEL, id="1", person="slack:T1:U1", thread="1.0", text="Reading it.")
    await scene.outbox.queue_adding(adding)
    await scene.took()
    await scene.outbox.update_adding(replace(adding, text="It is there."))
    with pytest.raises(QuestionWithdrawn):
        await scene.outbox.mark_posting(adding.key)
    await scene.outbox.release(adding.key, delay=60.0)
    assert await scene.took() == replace(adding, text="It is there.", last=True)


async def test_what_came_of_something_is_said_also_where_it_was_just_being_told_that_it_is_read(scene: Scene) -> None:
    adding = UploadStatus(to=CHANNEL, id="1", person="slack:T1:U1", thread="1.0", text="Reading it.")
    await scene.outbox.queue_adding(adding)
    await scene.took()
    await scene.outbox.mark_posting(adding.key)
    await scene.outbox.update_adding(replace(adding, text="It is there."))
    await scene.outbox.mark_posted(adding.key, "its name")
    await scene.outbox.mark_done(adding.key)
    taken = await scene.took()
    assert isinstance(taken, UploadStatus)
    assert (taken.text, taken.reference) == ("It is there.", "its name")
