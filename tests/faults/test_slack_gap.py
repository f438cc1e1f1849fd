"""What was said to the bot in Slack while it did not listen: all found, none answered twice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from adapters.chat import catch_up
from adapters.slack.events import catch_up as slack_catch_up
from adapters.slack.transport import socket_mode
from pipeline.errors import Unavailable
from pipeline.values import IncomingMessage
from pipeline.words import wording
from storage.messages.inbox import SQLInbox
from tests.contracts.rig import held_until
from tests.contracts.slack_driver import CHANNEL, SHARED, SlackDriver, SlackHTTPDriver, granted, user
from tests.contracts.waiting import eventually, until
from tests.doubles.slack.people import People
from tests.doubles.slack.rules import Json
from tests.doubles.slack.workspace import BOT, Message

SPACE = "slack:T0TEAM"
MINUTES = 60.0


class Clock:
    """Goes as fast as the real one, and can be put forward."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setitem(SQLInbox.__init__.__kwdefaults__ or {}, "clock", clock)
    monkeypatch.setattr(catch_up, "MIN_RETRY_SECONDS", 0.01)
    monkeypatch.setattr(catch_up, "CHECKPOINT_SECONDS", 0.02)
    monkeypatch.setattr(slack_catch_up, "CATCH_UP_PAGE_SIZE", 20)
    monkeypatch.setattr(slack_catch_up, "CATCH_UP_PAUSE_SECONDS", 0.01)
    return clock


async def opened(driver: SlackDriver, clock: Clock) -> SlackDriver:
    await driver.gather()
    driver.workspace.clock = clock
    await driver.connect()
    return driver


@pytest.fixture
async def slack(tmp_path: Path, clock: Clock) -> AsyncIterator[SlackDriver]:
    driver = await opened(SlackDriver(tmp_path / "data"), clock)
    yield driver
    await driver.close()


async def marked(driver: SlackDriver) -> None:
    """Until it is written down up to when everything is known."""

    async def seen() -> bool:
        return bool(await driver.rig.storage.inbox.last_message_id(SPACE))

    await eventually(seen)


@asynccontextmanager
async def stopped(driver: SlackDriver, clock: Clock, minutes: float = 20.0) -> AsyncIterator[People]:
    """The bot is down for so long; what is said meanwhile reaches it by no event."""

    await marked(driver)
    await driver.disconnect()
    clock.ahead += MINUTES
    yield driver.people
    clock.ahead += (minutes - 1) * MINUTES
    await driver.connect()


def replies(driver: SlackDriver, message: Message) -> list[str]:
    """Of the bot, after `message` in its thread."""
    return [reply.text for reply in driver.workspace.replies(message)]


def answered(driver: SlackDriver, *messages: Message) -> bool:
    return all(len(replies(driver, message)) == 1 for message in messages)


@pytest.fixture(params=[SlackDriver, SlackHTTPDriver])
async def either(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> AsyncIterator[SlackDriver]:
    driver = await opened(request.param(tmp_path / "data"), clock)
    yield driver
    await driver.close()


async def test_all_that_was_asked_in_twenty_minutes_is_answered_late_and_once(
    either: SlackDriver, clock: Clock
) -> None:
    driver, ann, bob = either, user("ann"), user("bob")
    driver.workspace.add("G0PLACE", "private")
    first = await driver.mention("ann", "Before?")
    await driver.direct("ann", "Before, alone?")
    await driver.people.mention(bob, "G0PLACE", "Before, among us?")
    aside = await driver.aside("bob", "Lunch?")
    await driver.rig.settled()
    async with stopped(driver, clock) as people:
        asked = [people.write(user(f"p{n}"), CHANNEL, f"<@{BOT}> Missed {n}?") for n in range(50)]
        asked.append(people.write(ann, "D0ANN", "Missed, alone?"))
        asked.append(people.write(ann, "D0ANN", "And then?", thread=asked[-1].ts))
        asked.append(people.write(bob, "G0PLACE", f"<@{BOT}> Missed, among us?"))
        asked.append(people.write(bob, CHANNEL, f"<@{BOT}> And here?", thread=aside.handle.ts))
        unasked = people.write(bob, CHANNEL, "And how much annual leave?", thread=first.handle.ts)
        chatter = people.write(ann, CHANNEL, "Pizza!", thread=aside.handle.ts)
        people.write(bob, CHANNEL, "Who is in?")
    alone = asked[-4]
    others = [message for message in asked if message not in (alone, asked[-3])]
    await until(lambda: answered(driver, *others) and len(replies(driver, alone)) == 2, seconds=60)
    await driver.rig.settled()
    assert replies(driver, unasked) == []
    assert len(driver.rig.requests) == 3 + len(asked)
    assert all(wording.LATE_ANSWER in reply for message in asked for reply in replies(driver, message))
    assert len(replies(driver, first.handle)) == 1
    assert chatter.ts > aside.handle.ts


async def test_what_was_asked_in_the_rooms_is_answered_before_any_thread_is_read(
    slack: SlackDriver, clock: Clock
) -> None:
    rooms = [f"C0ROOM{number}" for number in range(10)]
    for room in rooms:
        slack.workspace.add(room)
        for _ in range(3):
            await slack.people.mention(user("ann"), room, "Before?")
    await slack.rig.settled()
    free = asyncio.Event()

    async def hook(method: str, arguments: Json, when: str) -> str | None:
        if method == "conversations.replies" and arguments.get("oldest"):
            await free.wait()
        return None

    async with stopped(slack, clock) as people:
        followed = people.write(
            user("ann"), rooms[0], f"<@{BOT}> And part-timers?", thread=slack.workspace.roots(rooms[0])[0].ts
        )
        missed = [people.write(user("bob"), room, f"<@{BOT}> Missed?") for room in rooms]
        slack.slack.hook = hook
    await until(lambda: answered(slack, *missed))
    assert not replies(slack, followed)
    free.set()
    await until(lambda: answered(slack, followed))


async def test_an_outage_without_a_restart_is_made_up_for(
    slack: SlackDriver, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seconds in (("PING_SECONDS", 0.2), ("DEAD_SECONDS", 0.4), ("HANDSHAKE_SECONDS", 1.0)):
        monkeypatch.setattr(socket_mode, name, seconds)
    await slack.mention("ann", "Before?")
    await slack.rig.settled()
    await marked(slack)
    down = True

    async def hook(method: str, arguments: Json, when: str) -> str | None:
        return "internal_error" if down and method == "apps.connections.open" else None

    slack.slack.hook = hook
    for socket in list(slack.slack.sockets):
        await socket.close()
    await until(lambda: not slack.slack.sockets)
    message = slack.people.write(user("ann"), CHANNEL, f"<@{BOT}> Meanwhile?")
    clock.ahead += 20 * MINUTES
    down = False
    await until(lambda: replies(slack, message), seconds=30)
    await slack.rig.settled()
    assert answered(slack, message)


async def test_an_outage_right_after_the_first_start_is_known_as_one(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catch_up, "CHECKPOINT_SECONDS", 3600.0)
    driver = await opened(SlackDriver(tmp_path / "data"), clock)
    await marked(driver)
    await driver.close()


async def test_what_could_not_be_taken_in_is_read_though_a_mark_could_be_made(
    either: SlackDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where nobody asked before: a message takes more room on a disk than a mark does."""
    driver, inbox, full = either, either.rig.storage.inbox, True
    accept = inbox.accept
    await marked(driver)

    async def kept(message: IncomingMessage, *, after: float = 0.0) -> bool:
        if full:
            raise Unavailable("storage", "the disk is full")
        return await accept(message, after=after)

    monkeypatch.setattr(inbox, "accept", kept)
    driver.workspace.add("G0NEW", "private")
    driver.people.ack_within, driver.people.retry_after = 0.2, (0.0,)
    asked = [driver.people.write(user("ann"), channel, f"<@{BOT}> Full?") for channel in (CHANNEL, "G0NEW")]
    told = [event for message in asked for event in driver.people.told(message)]
    assert not any(await asyncio.gather(*map(driver.people.event, told)))
    full = False
    await until(lambda: answered(driver, *asked))


async def test_an_edit_meanwhile_changes_a_question_that_is_not_answered(slack: SlackDriver, clock: Clock) -> None:
    free = asyncio.Event()
    slack.rig.script = held_until(free)
    said = await slack.mention("ann", "How much leaf?")
    async with stopped(slack, clock):
        said.handle.text, said.handle.edits = f"<@{BOT}> How much leave?", 1

    async def changed() -> bool:
        bodies = await slack.rig.storage.database.read(lambda db: db.execute("SELECT body FROM message").fetchall())
        return "How much leave?" in bodies[0][0]

    await eventually(changed)
    free.set()
    await slack.rig.settled()
    (reply,) = slack.replies(said)
    assert "You asked: How much leave?" in reply.text


async def test_a_channel_shared_with_others_is_still_refused(slack: SlackDriver, clock: Clock) -> None:
    await slack.outside("ann", "Before?")
    await slack.rig.settled()
    async with stopped(slack, clock) as people:
        message = people.write(user("ann"), SHARED, f"<@{BOT}> Missed?")
    await until(lambda: replies(slack, message))
    assert wording.SHARED_CHANNEL.split(",")[0] in replies(slack, message)[0]
    assert len(slack.rig.requests) == 0


async def test_where_slack_does_not_say_who_reads_along_nothing_is_answered_later(tmp_path: Path, clock: Clock) -> None:
    driver = await opened(SlackDriver(tmp_path / "data", granted() - {"channels:read"}), clock)
    await driver.mention("ann", "Before?")
    await driver.direct("ann", "Before, alone?")
    await driver.rig.settled()
    async with stopped(driver, clock) as people:
        here = people.write(user("ann"), CHANNEL, f"<@{BOT}> Missed?")
        alone = people.write(user("ann"), "D0ANN", "Missed, alone?")
    await until(lambda: replies(driver, alone))
    await until(lambda: driver.slack.called("conversations.info!missing_scope"))
    await driver.rig.settled()
    assert not replies(driver, here)
    await driver.close()


async def test_a_thread_of_long_ago_is_read_once_its_channel_can_be(slack: SlackDriver, clock: Clock) -> None:
    first = await slack.mention("ann", "Before?")
    await slack.rig.settled()
    clock.ahead += 3 * 24 * 60 * MINUTES
    failed = 0

    async def hook(method: str, arguments: Json, when: str) -> str | None:
        nonlocal failed
        if method != "conversations.history" or when != "before" or failed == 2:
            return None
        failed += 1
        return "internal_error"

    async with stopped(slack, clock) as people:
        slack.slack.hook = hook
        missed = people.write(user("ann"), CHANNEL, f"<@{BOT}> And part-timers?", thread=first.handle.ts)
    await until(lambda: answered(slack, missed))
