"""A clock that is set wrong and set right again: nothing is lost, nothing happens twice, nothing waits for ever."""

from __future__ import annotations

import pytest

from pipeline.errors import Busy
from pipeline.values import PlaceId, replace
from pipeline.values.api_access import Identity
from storage.database import Database
from storage.messages.inbox import SQLInbox
from storage.messages.outbox import SQLOutbox
from storage.people.credentials import SESSION_IDLE_SECONDS, SESSION_SKEW_SECONDS, SQLSessionStore
from tests.doubles.clock import Clock
from tests.doubles.samples import answer, message

PLACE = PlaceId(platform="slack", space="T1", channel="C1")
MINUTE, DAY = 60.0, 86_400.0
JUMPS = [5 * MINUTE, 60 * MINUTE + 1, DAY, 365 * DAY]
SOON = 3700.0
"""Little more than an hour."""


@pytest.fixture
async def inbox(database: Database, clock: Clock) -> SQLInbox:
    return SQLInbox(database, per_author=1, lease_seconds=600, clock=clock)


@pytest.fixture(params=[*JUMPS, *(-jump for jump in JUMPS)], ids=lambda jump: f"{jump / MINUTE:+.0f} min")
def jump(request: pytest.FixtureRequest) -> float:
    return float(request.param)


async def test_what_was_put_off_comes_after_an_hour_at_most_once_the_clock_is_right(
    inbox: SQLInbox, clock: Clock, jump: float
) -> None:
    await inbox.accept(message())
    clock.now += jump
    work = await inbox.lease()
    assert work
    await inbox.release(work.message.key, delay=30)
    clock.now -= jump
    clock.now += SOON
    again = await inbox.lease()
    assert again
    await inbox.save_answer(again.message.key, answer("a"))
    await inbox.mark_posting(again.message.key)
    await inbox.mark_done(again.message.key)
    clock.now += 400 * DAY
    assert await inbox.lease() is None


async def test_a_notice_that_was_put_off_is_posted_after_an_hour_at_most_once_the_clock_is_right(
    database: Database, clock: Clock, jump: float
) -> None:
    outbox = SQLOutbox(database, clock=clock)
    await outbox.queue_source_notice(PLACE)
    clock.now += jump
    due = await outbox.take_next()
    assert due
    await outbox.release(due.key, delay=30)
    clock.now -= jump
    clock.now += SOON
    assert await outbox.take_next()


async def test_who_asks_too_much_is_told_again_once_the_clock_is_right(
    inbox: SQLInbox, clock: Clock, jump: float
) -> None:
    await inbox.accept(message("1.0"))
    clock.now += jump
    with pytest.raises(Busy):
        await inbox.accept(message("2.0"))
    clock.now -= jump
    with pytest.raises(Busy) as told:
        await inbox.accept(message("3.0"))
    assert told.value.first


async def test_answers_that_nobody_asked_for_are_counted_again_once_the_clock_is_right(
    inbox: SQLInbox, clock: Clock, jump: float
) -> None:
    clock.now += jump
    assert await inbox.consume_auto_quota("1", PLACE, 1)
    clock.now -= jump
    clock.now += 2 * SOON
    assert await inbox.consume_auto_quota("2", PLACE, 1)
    assert not await inbox.consume_auto_quota("3", PLACE, 1)


async def test_what_was_heard_until_a_wrong_time_is_noted_again_until_the_right_one(
    inbox: SQLInbox, clock: Clock, jump: float
) -> None:
    for moment in (clock.now, clock.now + jump, clock.now):
        await inbox.mark_caught_up("slack:T1", f"{moment:.6f}")
    assert clock.now <= float(await inbox.last_message_id("slack:T1") or 0) <= clock.now + SOON


ANN, BOB = Identity(person="web:ann", name="Ann"), Identity(person="web:bob", name="Bob")


async def test_a_session_that_nobody_looks_at_ends_after_its_days_whatever_the_clock_did(
    database: Database, clock: Clock, jump: float
) -> None:
    sessions = SQLSessionStore(database, clock=clock)
    before = await sessions.create(ANN)
    clock.now += jump
    during = await sessions.create(ANN)
    await sessions.get(before)
    clock.now -= jump
    await sessions.create(BOB)
    clock.now += SESSION_IDLE_SECONDS + SESSION_SKEW_SECONDS + 1
    for secret in (before, during):
        assert await sessions.get(secret) is None
    assert await sessions.latest_of(ANN.person) is None


async def test_a_session_that_is_used_ends_after_a_month_whatever_the_clock_did_and_never_comes_back(
    database: Database, clock: Clock, jump: float
) -> None:
    sessions = SQLSessionStore(database, clock=clock)
    clock.now += jump
    secret = await sessions.create(ANN)
    clock.now -= jump
    for _ in range(40):
        clock.now += DAY
        await sessions.get(secret)
        await sessions.create(BOB)
    for _ in range(800):
        clock.now += DAY
        assert await sessions.get(secret) is None


async def test_what_was_told_under_a_clock_that_was_ahead_does_not_stand_before_what_is_told_now(
    database: Database, clock: Clock, jump: float
) -> None:
    sessions = SQLSessionStore(database, clock=clock)
    clock.now += jump
    await sessions.create(replace(ANN, groups=("web:group:leads",)))
    clock.now -= jump
    secret = await sessions.create(ANN)
    for session in (await sessions.get(secret), await sessions.latest_of(ANN.person)):
        assert session
        assert session.who.groups == ()
