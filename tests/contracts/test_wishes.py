"""What people want to be told is tried again when the library changed, a few at a time, and ends when it was told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from bot.services.subscriptions import TRIES_PER_RUN, retry_subscriptions
from pipeline.values import AnswerSubscription, ConversationId
from storage.messages.inbox import SQLInbox
from storage.messages.subscriptions import IMMEDIATE_TRIES, SQLSubscriptions
from storage.open import Storage
from tests.doubles.engines import Engine
from tests.doubles.samples import answer, document

PERSON = "slack:T1:U1"


@pytest.fixture
async def storage(engine: Engine) -> AsyncIterator[Storage]:
    async with engine.storage(capacity=TRIES_PER_RUN + 1) as opened:
        yield opened


def wish(name: str = "w1", question: str = "Who won the cup?", person: str = PERSON) -> AnswerSubscription:
    origin = ConversationId(platform="slack", space="T1", channel="C1", thread=name)
    return AnswerSubscription(id=name, answer_id="n1", person=person, question=question, origin=origin, message="1.0")


async def changed(storage: Storage, name: str) -> None:
    await storage.library.replace_document(document(name), [], None, "")


async def ignored(storage: Storage) -> list[str]:
    """Each try finds nothing worth telling; the ids of what was tried."""
    tried = []
    while work := await storage.inbox.lease():
        tried.append(work.message.conversation.thread)
        await storage.inbox.mark_ignored(work.message.key)
    return tried


async def ended(storage: Storage, one: AnswerSubscription, reference: str) -> None:
    """The try comes to an end, with a message or without."""
    await storage.inbox.accept(one.to_message(datetime.now(UTC)))
    await storage.inbox.lease()
    await storage.inbox.save_answer(one.key, answer("told"))
    await storage.inbox.mark_posting(one.key)
    if reference:
        await storage.inbox.mark_posted(one.key, reference)
    await storage.inbox.mark_done(one.key)


async def test_the_same_question_of_one_person_is_kept_once(storage: Storage) -> None:
    assert await storage.subscriptions.save(wish(), limit=2) == ("w1", True)
    assert await storage.subscriptions.save(wish("w2"), limit=2) == ("w1", False)
    assert await storage.subscriptions.save(wish("w3", "Who lost it?"), limit=2) == ("w3", True)
    assert await storage.subscriptions.save(wish("w4", "Who cares?"), limit=2) == ("", False)
    assert await storage.subscriptions.save(wish("w5", person="slack:T1:U2"), limit=2) == ("w5", True)


async def test_a_question_of_any_length_is_kept(storage: Storage) -> None:
    long = "".join(map(chr, range(0x4E00, 0x4E00 + 2000)))
    assert await storage.subscriptions.save(wish(question=long), limit=2) == ("w1", True)
    assert await storage.subscriptions.save(wish("w2", long), limit=2) == ("w1", False)


async def test_no_more_than_a_few_are_tried_at_a_tick_and_all_have_their_turn(storage: Storage) -> None:
    names = [f"w{number:02}" for number in range(TRIES_PER_RUN + 5)]
    for name in names:
        await storage.subscriptions.save(wish(name, person=f"slack:T1:{name}"), limit=1)
    await changed(storage, "a")
    await retry_subscriptions(storage.subscriptions, storage.inbox)
    await retry_subscriptions(storage.subscriptions, storage.inbox)
    first = await ignored(storage)
    await retry_subscriptions(storage.subscriptions, storage.inbox)
    second = await ignored(storage)
    assert len(first) <= TRIES_PER_RUN + 1
    assert set(first) | set(second) == set(names)


async def test_a_full_inbox_only_puts_it_off(storage: Storage) -> None:
    for number in range(TRIES_PER_RUN + 1):
        await storage.inbox.accept(wish(f"other{number}", person=f"slack:T1:U{number}").to_message(datetime.now(UTC)))
    await storage.subscriptions.save(wish(), limit=1)
    await retry_subscriptions(storage.subscriptions, storage.inbox)
    assert "w1" not in await ignored(storage)
    await retry_subscriptions(storage.subscriptions, storage.inbox)
    assert await ignored(storage) == ["w1"]
    await retry_subscriptions(storage.subscriptions, storage.inbox)
    assert await ignored(storage) == []


async def test_who_has_too_much_waiting_holds_up_nobody_else(storage: Storage) -> None:
    inbox = SQLInbox(storage.database, per_author=1)
    await inbox.accept(wish("other").to_message(datetime.now(UTC)))
    await storage.subscriptions.save(wish(), limit=1)
    await storage.subscriptions.save(wish("w2", person="slack:T1:U2"), limit=1)
    await retry_subscriptions(storage.subscriptions, inbox)
    assert sorted(await ignored(storage)) == ["other", "w2"]


async def test_while_a_try_is_under_way_there_is_no_second_one(storage: Storage) -> None:
    await storage.subscriptions.save(wish(), limit=1)
    await retry_subscriptions(storage.subscriptions, storage.inbox)
    assert await storage.inbox.lease()
    await changed(storage, "a")
    await retry_subscriptions(storage.subscriptions, storage.inbox)
    assert (await storage.inbox.count_by_state()) == {"open": 1}
    await storage.inbox.mark_ignored(wish().key)
    await retry_subscriptions(storage.subscriptions, storage.inbox)
    assert await ignored(storage) == ["w1"]


@pytest.mark.parametrize("reference", ["1.5", ""], ids=["told", "nowhere to tell it"])
async def test_what_has_ended_is_not_tried_again_and_can_be_wanted_anew(storage: Storage, reference: str) -> None:
    await storage.subscriptions.save(wish(), limit=1)
    await ended(storage, wish(), reference)
    await changed(storage, "a")
    assert (await storage.subscriptions.due(9)).subscriptions == ()
    assert ("told_at" in await storage.personal_data.export(PERSON)) is bool(reference)
    assert await storage.subscriptions.cancel("w1", PERSON) is False
    assert await storage.subscriptions.save(wish("w2"), limit=1) == ("w2", True)


async def test_only_whoever_wants_it_takes_it_back_and_it_is_not_tried_then(storage: Storage) -> None:
    await storage.subscriptions.save(wish(), limit=1)
    await retry_subscriptions(storage.subscriptions, storage.inbox)
    assert await storage.subscriptions.cancel("w1", "slack:T1:U2") is False
    assert await storage.subscriptions.cancel("w1", PERSON) is True
    assert await storage.inbox.lease() is None
    assert await storage.subscriptions.find_by_message(wish().key) is None


async def test_the_channel_it_was_asked_in_is_not_taken_for_read_further(storage: Storage) -> None:
    await storage.inbox.accept(wish().to_message(datetime.now(UTC)))
    assert await storage.inbox.last_message_id("slack:T1:C1") is None


async def test_what_one_person_waits_for_is_tried_one_by_one_so_that_they_can_ask_meanwhile(storage: Storage) -> None:
    for name in ("w1", "w2"):
        await storage.subscriptions.save(wish(name, name), limit=9)
    await retry_subscriptions(storage.subscriptions, storage.inbox)
    assert await ignored(storage) == ["w1"]
    await retry_subscriptions(storage.subscriptions, storage.inbox)
    assert await ignored(storage) == ["w2"]


async def test_documents_that_change_all_the_time_bring_a_few_tries_and_then_one_an_hour(storage: Storage) -> None:
    now = 1e9
    wishes = SQLSubscriptions(storage.database, clock=lambda: now)
    await wishes.save(wish(), limit=1)
    tries = []
    for minute in range(0, 200, 10):
        now = 1e9 + minute * 60
        await changed(storage, f"document {minute}")
        await retry_subscriptions(wishes, storage.inbox)
        tries += [minute for _ in await ignored(storage)]
    assert tries == [0, 10, 20, 30, 60, 120, 180]


async def test_what_could_not_be_found_out_is_tried_again_although_nothing_changed(storage: Storage) -> None:
    await storage.subscriptions.save(wish(), limit=1)
    for _ in range(IMMEDIATE_TRIES):
        await retry_subscriptions(storage.subscriptions, storage.inbox)
        assert await storage.inbox.lease()
        await storage.inbox.mark_ignored(wish().key, again=True)
    await retry_subscriptions(storage.subscriptions, storage.inbox)
    assert await ignored(storage) == []
