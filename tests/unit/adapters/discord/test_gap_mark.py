"""From when on a start has to read: noted only while nothing that was said can be missing from the inbox."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.discord.transport.client import DiscordClient
from pipeline.errors import Unavailable
from pipeline.values import replace
from tests.contracts.discord_driver import QUICK, DiscordDriver
from tests.contracts.waiting import eventually, until
from tests.doubles.discord.faults import Fault


class Unwatched(DiscordDriver):
    """Nothing is noted but when a gap has been read, or when a test asks for it."""

    pace = replace(QUICK, checkpoint_interval=3600.0)

    @property
    def client(self) -> DiscordClient:
        assert self.adapter
        assert self.adapter._connection
        return self.adapter._connection.client

    async def down(self) -> None:
        await self.rig.end()
        await self.discord.gateway.drop(forget=True)


async def until_noted(driver: Unwatched, before: float) -> None:
    async def further() -> bool:
        return await driver.noted() > before

    await eventually(further, 30)


@pytest.fixture
async def driver(tmp_path: Path) -> AsyncIterator[Unwatched]:
    opened = await Unwatched.open(tmp_path / "data")
    await opened.caught_up()
    await opened.client._mark_if_all_read()
    yield opened
    await opened.close()


async def test_what_is_said_after_a_first_start_is_found_in_a_channel_never_heard_in(driver: Unwatched) -> None:
    await driver.down()
    asked = await driver.discord.say(
        driver.discord.someone("ann", driver.guild), driver.channel, "@Citewell How much leave do I get?"
    )
    await driver.connect()
    await until(lambda: driver.discord.replies(driver.channel))
    (reply,) = driver.discord.replies(driver.channel)
    assert reply["message_reference"]["message_id"] == asked["id"]


async def test_without_a_mark_only_channels_that_were_heard_in_are_read(driver: Unwatched) -> None:
    """As where its file was lost, or an earlier version kept it elsewhere."""
    other = driver.world.channel(driver.guild, "other")
    await driver.mention("ann", "Before?")
    await driver.direct("ann", "Before, alone?")
    await driver.rig.settled()
    await driver.rig.storage.database.write(lambda db: db.execute("DELETE FROM seen WHERE channel = 'discord:dm'"))
    await driver.down()
    ann = driver.people["ann"]
    for channel in (other, driver.channel):
        await driver.discord.say(ann, channel, "@Citewell Missed?")
    await driver.discord.direct(ann, "Missed, alone?")
    await driver.connect()
    await driver.caught_up()
    await driver.rig.settled()
    assert sorted(request.text for request in driver.rig.requests) == [
        "Before, alone?",
        "Before?",
        "Missed, alone?",
        "Missed?",
    ]
    assert not driver.discord.replies(other)


async def test_nothing_is_noted_while_a_message_is_not_in_the_inbox(driver: Unwatched) -> None:
    before = await driver.noted()
    inbox = driver.rig.storage.inbox
    whole = inbox.accept

    async def locked(message: object, *, after: float = 0.0) -> bool:
        raise Unavailable("database", "locked")

    inbox.accept = locked  # type: ignore[method-assign, assignment]
    await driver.discord.say(driver.discord.someone("ann", driver.guild), driver.channel, "@Citewell How much leave?")
    await until(lambda: driver.client.intake.unsaved)
    await driver.client._mark_if_all_read()
    assert await driver.noted() == before
    inbox.accept = whole  # type: ignore[method-assign]
    await until(lambda: not driver.client.intake.unsaved)
    await driver.client._mark_if_all_read()
    assert await driver.noted() > before


async def test_nothing_is_noted_while_a_server_is_out_of_order(driver: Unwatched) -> None:
    before = await driver.noted()
    gateway = driver.discord.gateway
    await gateway.emit("GUILD_DELETE", {"id": driver.guild, "unavailable": True})
    await gateway.read()
    await driver.client._mark_if_all_read()
    assert await driver.noted() == before
    await gateway.emit("GUILD_CREATE", gateway._guild(driver.guild))
    await until_noted(driver, before)


async def test_nothing_is_noted_before_a_gap_is_read(driver: Unwatched) -> None:
    before = await driver.noted()
    await driver.down()
    await driver.discord.say(driver.discord.someone("ann", driver.guild), driver.channel, "@Citewell How much leave?")
    tried: list[str] = []

    def broken(method: str, path: str, when: str) -> Fault | None:
        if method == "GET" and path.endswith("/messages") and when == "before":
            tried.append(path)
            return Fault(status=500)
        return None

    driver.discord.faults.hook = broken
    await driver.connect()
    await until(lambda: tried)
    await driver.client._mark_if_all_read()
    assert await driver.noted() == before
    driver.discord.faults.hook = None
    await until_noted(driver, before)
    await until(lambda: driver.discord.replies(driver.channel))
