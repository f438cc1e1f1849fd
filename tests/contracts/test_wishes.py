"""What people want to be told is tried again when the library changed, a few at a time, and ends when it was told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from bot.desks.wishes import AT_A_TICK, try_again
from pipeline.values import ConversationId, Wish
from storage.messages.inbox import SQLInbox
from storage.messages.wishes import AT_ONCE, SQLWishes
from storage.open import Storage
from tests.doubles.engines import Engine
from tests.doubles.samples import answer, document

PERSON = "slack:T1:U1"


@pytest.fixture
async def storage(engine: Engine) -> AsyncIterator[Storage]:
    async with engine.storage(capacity=AT_A_TICK + 1) as opened:
        yield opened


def wish(name: str = "w1", question: str = "Who won the cup?", person: str = PERSON) -> Wish:
    origin = ConversationId(platform="slack", space="T1", channel="C1", thread=name)
    return Wish(id=name, answer_id="n1", person=person, question=question, origin=origin, message="1.0")


async def changed(storage: Storage, name: str) -> None:
    await storage.library.put(document(name), [], None, "")


async def ignored(storage: Storage) -> list[str]:
    """Each try finds nothing worth telling; the ids of what was tried."""
    tried = []
    while work := await storage.inbox.lease():
        tried.append(work.message.conversation.thread)
        await storage.inbox.ignored(work.message.key)
    return tried


async def ended(storage: Storage, one: Wish, reference: str) -> None:
    """The try comes to an end, with a message or without."""
    await storage.inbox.accept(one.asked(datetime.now(UTC)))
    await storage.inbox.lease()
    await storage.inbox.answered(one.key, answer("told"))
    await storage.inbox.posting(one.key)
    if reference:
        await storage.inbox.posted(one.key, reference)
    await storage.inbox.done(one.key)


async def test_the_same_question_of_one_person_is_kept_once(storage: Storage) -> None:
    assert await storage.wishes.keep(wish(), most=2) == ("w1", True)
    assert await storage.wishes.keep(wish("w2"), most=2) == ("w1", False)
    assert await storage.wishes.keep(wish("w3", "Who lost it?"), most=2) == ("w3", True)
    assert await storage.wishes.keep(wish("w4", "Who cares?"), most=2) == ("", False)
    assert await storage.wishes.keep(wish("w5", person="slack:T1:U2"), most=2) == ("w5", True)


async def test_a_question_of_any_length_is_kept(storage: Storage) -> None:
    long = "".join(map(chr, range(0x4E00, 0x4E00 + 2000)))
    assert await storage.wishes.keep(wish(question=long), most=2) == ("w1", True)
    assert await storage.wishes.keep(wish("w2", long), most=2) == ("w1", False)


async def test_no_more_than_a_few_are_tried_at_a_tick_and_all_have_their_turn(storage: Storage) -> None:
    names = [f"w{number:02}" for number in range(AT_A_TICK + 5)]
    for name in names:
        await storage.wishes.keep(wish(name, person=f"slack:T1:{name}"), most=1)
    await changed(storage, "a")
    await try_again(storage.wishes, storage.inbox)
    await try_again(storage.wishes, storage.inbox)
    first = await ignored(storage)
    await try_again(storage.wishes, storage.inbox)
    second = await ignored(storage)
    assert len(first) <= AT_A_TICK + 1
    assert set(first) | set(second) == set(names)


async def test_a_full_inbox_only_puts_it_off(storage: Storage) -> None:
    for number in range(AT_A_TICK + 1):
        await storage.inbox.accept(wish(f"other{number}", person=f"slack:T1:U{number}").asked(datetime.now(UTC)))
    await storage.wishes.keep(wish(), most=1)
    await try_again(storage.wishes, storage.inbox)
    assert "w1" not in await ignored(storage)
    await try_again(storage.wishes, storage.inbox)
    assert await ignored(storage) == ["w1"]
    await try_again(storage.wishes, storage.inbox)
    assert await ignored(storage) == []


async def test_who_has_too_much_waiting_holds_up_nobody_else(storage: Storage) -> None:
    inbox = SQLInbox(storage.database, per_author=1)
    await inbox.accept(wish("other").asked(datetime.now(UTC)))
    await storage.wishes.keep(wish(), most=1)
    await storage.wishes.keep(wish("w2", person="slack:T1:U2"), most=1)
    await try_again(storage.wishes, inbox)
    assert sorted(await ignored(storage)) == ["other", "w2"]


async def test_while_a_try_is_under_way_there_is_no_second_one(storage: Storage) -> None:
    await storage.wishes.keep(wish(), most=1)
    await try_again(storage.wishes, storage.inbox)
    assert await storage.inbox.lease()
    await changed(storage, "a")
    await try_again(storage.wishes, storage.inbox)
    assert (await storage.inbox.counts()) == {"open": 1}
    await storage.inbox.ignored(wish().key)
    await try_again(storage.wishes, storage.inbox)
    assert await ignored(storage) == ["w1"]


@pytest.mark.parametrize("reference", ["1.5", ""], ids=["told", "nowhere to tell it"])
async def test_what_has_ended_is_not_tried_again_and_can_be_wanted_anew(storage: Storage, reference: str) -> None:
    await storage.wishes.keep(wish(), most=1)
    await ended(storage, wish(), reference)
    await changed(storage, "a")
    assert (await storage.wishes.due(9)).wishes == ()
    assert ("told_at" in await storage.people.export(PERSON)) is bool(reference)
    assert await storage.wishes.take_back("w1", PERSON) is False
    assert await storage.wishes.keep(wish("w2"), most=1) == ("w2", True)


async def test_only_whoever_wants_it_takes_it_back_and_it_is_not_tried_then(storage: Storage) -> None:
    await storage.wishes.keep(wish(), most=1)
    await try_again(storage.wishes, storage.inbox)
    assert await storage.wishes.take_back("w1", "slack:T1:U2") is False
    assert await storage.wishes.take_back("w1", PERSON) is True
    assert await storage.inbox.lease() is None
    assert await storage.wishes.of(wish().key) is None


async def test_the_channel_it_was_asked_in_is_not_taken_for_read_further(storage: Storage) -> None:
    await storage.inbox.accept(wish().asked(datetime.now(UTC)))
    assert await storage.inbox.seen("slack:T1:C1") is None


async def test_what_one_person_waits_for_is_tried_one_by_one_so_that_they_can_ask_meanwhile(storage: Storage) -> None:
    for name in ("w1", "w2"):
        await storage.wishes.keep(wish(name, name), most=9)
    await try_again(storage.wishes, storage.inbox)
    assert await ignored(storage) == ["w1"]
    await try_again(storage.wishes, storage.inbox)
    assert await ignored(storage) == ["w2"]


async def test_documents_that_change_all_the_time_bring_a_few_tries_and_then_one_an_hour(storage: Storage) -> None:
    now = 1e9
    wishes = SQLWishes(storage.database, clock=lambda: now)
    await wishes.keep(wish(), most=1)
    tries = []
    for minute in range(0, 200, 10):
        now = 1e9 + minute * 60
        await changed(storage, f"document {minute}")
        await try_again(wishes, storage.inbox)
        tries += [minute for _ in await ignored(storage)]
    assert tries == [0, 10, 20, 30, 60, 120, 180]


async def test_what_could_not_be_found_out_is_tried_again_although_nothing_changed(storage: Storage) -> None:
    await storage.wishes.keep(wish(), most=1)
    for _ in range(AT_ONCE):
        await try_again(storage.wishes, storage.inbox)
        assert await storage.inbox.lease()
        await storage.inbox.ignored(wish().key, again=True)
    await try_again(storage.wishes, storage.inbox)
    assert await ignored(storage) == []
