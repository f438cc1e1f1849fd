"""Who counts as a reader on Discord: in doubt, fewer groups."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from pipeline.rules.access import channel_group
from pipeline.values import PersonId, PlaceSettings, replace
from tests.contracts.discord_driver import QUICK, DiscordDriver
from tests.contracts.rig import held_until
from tests.contracts.waiting import until
from tests.doubles.discord.faults import Fault
from tests.doubles.discord.world import FORUM, Payload


async def groups(driver: DiscordDriver, user: Payload) -> frozenset[str]:
    """The groups of a direct question by `user`."""
    before = len(driver.rig.readers)
    await driver.discord.direct(user, "How much leave?")
    await until(lambda: len(driver.rig.readers) > before)
    return driver.rig.readers[-1].groups


def hold(driver: DiscordDriver) -> asyncio.Event:
    """No answer is ready until this is set."""
    free = asyncio.Event()
    driver.rig.script = held_until(free)
    return free


@dataclass(frozen=True)
class Source:
    """A channel that is a source, and somebody who asks alone."""

    driver: DiscordDriver
    ann: PersonId

    async def open_to_ann(self) -> bool:
        assert self.driver.adapter
        return channel_group(self.driver.place) in (await self.driver.adapter.get_readers(self.ann)).groups


@pytest.fixture
def source(driver: DiscordDriver) -> Source:
    driver.rig.places[driver.place] = PlaceSettings(index=True)
    ann = driver.discord.someone("ann", driver.guild)
    return Source(driver, PersonId(platform="discord", user=ann["id"]))


async def test_a_direct_message_has_the_roles_of_its_asker_in_the_home_guild(driver: DiscordDriver) -> None:
    role = driver.world.role(driver.guild, "hr")
    await driver.restart()
    ann = driver.discord.someone("ann", driver.guild, roles=(role,))
    alone = {f"discord:user:{ann['id']}"}
    assert await groups(driver, ann) == alone | {f"discord:{driver.guild}", f"discord:{driver.guild}:role:{role}"}


async def test_a_stranger_is_nobody_but_himself(driver: DiscordDriver) -> None:
    other = driver.world.guild("Elsewhere")
    eve = driver.discord.someone("eve", other)
    assert await groups(driver, eve) == {f"discord:user:{eve['id']}"}
    assert driver.rig.readers[-1].external


async def test_another_server_is_outside_where_home_servers_are_named(driver: DiscordDriver) -> None:
    other = driver.world.guild("Elsewhere")
    channel = driver.world.channel(other)
    await driver.restart()
    eve = driver.discord.someone("eve", other)
    await driver.discord.say(eve, channel, "@Citewell How much leave?")
    await until(lambda: driver.rig.readers)
    await driver.mention("ann", "How much leave?")
    await until(lambda: len(driver.rig.readers) == 2)
    assert [readers.external for readers in driver.rig.readers] == [True, False]


async def test_without_named_servers_every_server_of_the_bot_is_home(driver: DiscordDriver) -> None:
    driver.home = []
    await driver.restart()
    ann, eve = driver.discord.someone("ann", driver.guild), driver.discord.someone("eve")
    assert f"discord:{driver.guild}" in await groups(driver, ann)
    assert not driver.rig.readers[-1].external
    await groups(driver, eve)
    assert driver.rig.readers[-1].external


async def test_where_anybody_can_add_the_bot_no_server_is_home_until_one_is_named(driver: DiscordDriver) -> None:
    driver.home, driver.world.public = [], True
    await driver.restart()
    ann = driver.discord.someone("ann", driver.guild)
    await driver.discord.say(ann, driver.channel, "@Citewell How much leave?")
    await until(lambda: driver.rig.readers)
    assert await groups(driver, ann) == {f"discord:user:{ann['id']}"}
    assert [readers.external for readers in driver.rig.readers] == [True, True]
    assert "Public Bot" in driver.said[-1]
    driver.home = [int(driver.guild)]
    await driver.restart()
    assert f"discord:{driver.guild}" in await groups(driver, ann)
    assert not driver.rig.readers[-1].external
    assert "Public Bot" not in driver.said[-1]


@pytest.mark.parametrize("anew", ["process", "session"])
async def test_a_question_that_waits_when_a_session_begins_is_not_taken_for_a_strangers(
    driver: DiscordDriver, anew: str
) -> None:
    role = driver.world.role(driver.guild, "hr")
    ann = driver.discord.someone("ann", driver.guild, roles=(role,))
    driver.pace = replace(QUICK, guilds_timeout=3.0)
    await driver.restart()
    gateway, held = driver.discord.gateway, hold(driver)
    asked = await driver.discord.direct(ann, "How much leave?")
    await until(lambda: driver.rig.readers)
    gateway.tells_servers.clear()
    begun = gateway.identifies
    if anew == "process":
        await driver.rig.end()
        await gateway.drop(forget=True)
        connecting = asyncio.create_task(driver.connect())
    else:
        connecting = asyncio.create_task(gateway.drop(forget=True))
    await until(lambda: gateway.identifies > begun)
    client = driver.adapter and driver.adapter._connection and driver.adapter._connection.client
    await until(lambda: client and client.user and not client._complete.is_set())
    if anew == "session":
        await driver.rig.storage.inbox.amend(f"discord:dm:{asked['channel_id']}:{asked['id']}", "And contractors?")
    held.set()
    await until(lambda: driver.rig.worker._running)
    gateway.tells_servers.set()
    await connecting
    await driver.rig.settled()
    assert f"discord:{driver.guild}:role:{role}" in driver.rig.readers[-1].groups
    assert len(driver.rig.readers) == 2


async def test_what_is_closed_while_the_gateway_is_cut_off_is_closed(source: Source) -> None:
    driver, gateway = source.driver, source.driver.discord.gateway
    client = driver.adapter and driver.adapter._connection and driver.adapter._connection.client
    assert client
    assert await source.open_to_ann()
    gateway.tells_servers.clear()
    await gateway.drop()
    await until(lambda: gateway.resumes)
    await driver.only_for()
    asked = asyncio.create_task(source.open_to_ann())
    await until(lambda: asked.done() or not client._complete.is_set())
    gateway.tells_servers.set()
    assert not await asked


async def test_of_a_server_that_is_out_of_order_nobody_may_read_anything(source: Source) -> None:
    driver = source.driver
    assert await source.open_to_ann()
    await driver.discord.gateway.emit("GUILD_DELETE", {"id": driver.guild, "unavailable": True})
    await driver._acknowledged()
    assert not await source.open_to_ann()
    await driver.discord.gateway.emit("GUILD_CREATE", driver.discord.gateway._guild(driver.guild))
    await driver._acknowledged()
    assert await source.open_to_ann()


async def test_who_has_not_passed_the_screening_is_not_a_member_yet(driver: DiscordDriver) -> None:
    pat = driver.discord.someone("pat")
    driver.world.join(driver.guild, pat, pending=True)
    assert await groups(driver, pat) == {f"discord:user:{pat['id']}"}
    assert driver.rig.readers[-1].external


async def test_a_member_who_left_loses_everything_at_once(driver: DiscordDriver) -> None:
    ann = driver.discord.someone("ann", driver.guild)
    assert f"discord:{driver.guild}" in await groups(driver, ann)
    del driver.world.members[driver.guild, ann["id"]]
    assert f"discord:{driver.guild}" not in await groups(driver, ann)


async def test_a_look_up_that_fails_adds_nothing(driver: DiscordDriver) -> None:
    ann = driver.discord.someone("ann", driver.guild)
    driver.discord.faults.order("GET", "/members/", Fault(drop=True), times=-1)
    assert await groups(driver, ann) == {f"discord:user:{ann['id']}"}
    assert driver.rig.readers[-1].external


async def test_a_thread_has_the_readers_of_its_channel(driver: DiscordDriver) -> None:
    forum = driver.world.channel(driver.guild, "forum", kind=FORUM)
    post = driver.world.thread(forum, "Leave")
    await driver.restart()
    ann = driver.discord.someone("ann", driver.guild)
    await driver.discord.say(ann, post, "@Citewell How much leave?")
    await driver.rig.settled()
    await until(lambda: driver.discord.replies(post))
    expected = {f"discord:{driver.guild}", f"discord:{driver.guild}:{forum}", f"discord:{driver.guild}:{post}"}
    assert driver.rig.readers[-1].groups == expected


async def test_a_private_command_has_the_roles_of_its_asker_and_a_shared_one_the_channel_alone(
    driver: DiscordDriver,
) -> None:
    role = driver.world.role(driver.guild, "hr")
    await driver.restart()
    ann = driver.discord.someone("ann", driver.guild, roles=(role,))
    private = await driver.discord.command(ann, driver.channel, "ask", question="How much leave?")
    await until(lambda: private.texts)
    shared = await driver.discord.command(ann, driver.channel, "ask", question="How much leave?", share=True)
    await until(lambda: shared.texts)
    channel = {f"discord:{driver.guild}", f"discord:{driver.guild}:{driver.channel}"}
    own = {f"discord:user:{ann['id']}", f"discord:{driver.guild}:role:{role}"}
    assert [readers.groups for readers in driver.rig.readers] == [channel | own, channel]
    assert (private.ephemeral, shared.ephemeral) == (True, False)


async def test_sources_lists_what_the_asker_may_see_and_help_says_how_to_ask(driver: DiscordDriver) -> None:
    ann = driver.discord.someone("ann", driver.guild)
    sources = await driver.discord.command(ann, driver.channel, "sources")
    helped = await driver.discord.command(ann, driver.channel, "help")
    await until(lambda: sources.texts and helped.texts)
    assert "no documents yet" in sources.texts[0]
    assert "/ask" in helped.texts[0]
    assert sources.ephemeral
    assert helped.ephemeral
