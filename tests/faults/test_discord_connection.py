"""What happens to the connection with Discord, and that nothing is lost or said twice by it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.settings import DiscordSettings, DiscordTimings
from adapters.discord.state import DiscordState
from adapters.discord.transport import identify
from adapters.discord.transport.identify import IdentifyBudget
from pipeline.errors import Misconfigured, Unavailable
from pipeline.values import replace
from tests.contracts.discord_driver import QUICK, DiscordDriver
from tests.contracts.rig import held_until
from tests.contracts.waiting import eventually, until
from tests.doubles.discord.faults import Fault
from tests.doubles.discord.server import FakeDiscord
from tests.doubles.discord.world import MESSAGE_CONTENT
from tests.journeys.process import running, stopped


def adapter(
    discord: FakeDiscord, folder: Path, *, token: str = "", content: bool = False, pace: DiscordTimings = QUICK
) -> DiscordAdapter:
    return DiscordAdapter(
        DiscordSettings(token=token or discord.token, api_url=discord.api_url, message_content=content),
        folder=folder,
        echo=lambda _: None,
        timings=pace,
    )


class Nothing:
    """An inbox in which nothing is, and a desk that nobody asks."""

    async def last_message_id(self, channel: str) -> None: ...

    async def mark_caught_up(self, space: str, until: str) -> None: ...

    async def channels(self, space: str) -> list[str]:
        return []


# --- Coming in ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "setting", "switch"),
    [
        ({"token": "wrong"}, "DISCORD_TOKEN", "Developer Portal"),
        ({"content": True}, "CITEWELL_DISCORD_MESSAGE_CONTENT", "Message Content Intent"),
    ],
    ids=["token", "intent"],
)
async def test_what_discord_refuses_at_the_start_names_its_setting_and_the_switch_in_the_portal(
    tmp_path: Path, wrong: dict[str, Any], setting: str, switch: str
) -> None:
    async with FakeDiscord(content_granted=False) as discord:
        with pytest.raises(Misconfigured) as caught:
            await adapter(discord, tmp_path, **wrong).listen(Nothing(), None)  # type: ignore[arg-type]
    assert caught.value.setting == setting
    assert switch in caught.value.what_to_do


async def test_message_content_is_asked_for_only_by_setting(tmp_path: Path) -> None:
    async with FakeDiscord(content_granted=False) as discord:
        listening = asyncio.create_task(adapter(discord, tmp_path).listen(Nothing(), None))  # type: ignore[arg-type]
        await discord.gateway.connected()
        assert not discord.world.intents & MESSAGE_CONTENT
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


async def test_commands_are_declared_once_and_again_only_when_they_changed(driver: DiscordDriver) -> None:
    assert driver.world.syncs == 1
    declared = {(one["name"], tuple(one["integration_types"]), tuple(one["contexts"])) for one in driver.world.commands}
    names = (
        "ask",
        "sources",
        "preferences",
        "privacy",
        "help",
        "setup",
        "insights",
        "Answer this message",
        "Add to knowledge",
    )
    assert declared == {(name, (0,), (0, 1)) for name in names}
    await driver.restart()
    assert driver.world.syncs == 1


async def test_the_operator_is_given_an_invite_with_the_least_permissions(driver: DiscordDriver) -> None:
    (line,) = driver.said
    assert f"client_id={driver.world.application}" in line
    assert "scope=bot+applications.commands" in line
    assert "permissions=309237746688" in line


async def test_a_gateway_that_went_silent_ends_listening_with_an_error(tmp_path: Path) -> None:
    async with FakeDiscord() as discord:
        pace = replace(QUICK, silence_timeout=0.3, guilds_timeout=0.01)
        listening = asyncio.create_task(adapter(discord, tmp_path, pace=pace).listen(Nothing(), None))  # type: ignore[arg-type]
        connected = asyncio.create_task(discord.gateway.connected())
        await asyncio.wait({listening, connected}, return_when=asyncio.FIRST_COMPLETED)  # it may be silent for so long
        discord.gateway.silent = True
        with pytest.raises(Unavailable, match="has been silent"):
            await listening
        connected.cancel()


async def test_a_discord_that_cannot_be_reached_may_be_tried_again(tmp_path: Path) -> None:
    async with FakeDiscord() as discord:
        discord.faults.order("GET", "/users/@me", Fault(drop=True), times=-1)
        with pytest.raises(Unavailable):
            await adapter(discord, tmp_path).listen(Nothing(), None)  # type: ignore[arg-type]


async def test_a_token_that_is_reset_while_the_bot_is_running_names_the_setting(tmp_path: Path) -> None:
    async with FakeDiscord() as discord:
        listening = asyncio.create_task(adapter(discord, tmp_path).listen(Nothing(), None))  # type: ignore[arg-type]
        await discord.gateway.connected()
        discord.gateway.token = "reset"
        await discord.gateway.drop(forget=True)
        with pytest.raises(Misconfigured, match="DISCORD_TOKEN"):
            await listening


async def test_a_memory_that_cannot_be_read_is_told_when_discord_is_started_and_not_before(tmp_path: Path) -> None:
    (tmp_path / "discord.json").mkdir()
    async with FakeDiscord() as discord:
        made = adapter(discord, tmp_path)
        with pytest.raises(Misconfigured, match=r"discord\.json") as caught:
            await made.listen(Nothing(), None)  # type: ignore[arg-type]
    assert caught.value.setting == "CITEWELL_DATA"


async def test_an_event_that_cannot_be_parsed_ends_listening_as_the_bug_it_is(tmp_path: Path) -> None:
    async with FakeDiscord() as discord:
        listening = asyncio.create_task(adapter(discord, tmp_path).listen(Nothing(), None))  # type: ignore[arg-type]
        await discord.gateway.connected()
        await discord.gateway.emit("MESSAGE_DELETE", {"channel_id": "1"})
        with pytest.raises(KeyError):
            await listening


@pytest.mark.slow
async def test_after_a_bug_in_the_connection_there_is_a_new_one(tmp_path: Path) -> None:
    platform = DiscordDriver(tmp_path / "unused")
    discord = platform.discord
    async with platform.double(), running(tmp_path / "data", platform) as process:
        await discord.gateway.emit("MESSAGE_DELETE", {"channel_id": "1"})
        await until(lambda: discord.gateway.identifies == 2, 30)
        await discord.gateway.connected()
        await discord.say(discord.someone("ann", platform.guild), platform.channel, "@Citewell How much leave?")
        await until(lambda: discord.replies(platform.channel), 30)
        assert "discord stopped: KeyError" in await stopped(process)


async def test_a_refused_command_list_is_said_and_mentions_are_answered(tmp_path: Path) -> None:
    driver = DiscordDriver(tmp_path / "data")
    driver.discord.faults.order("PUT", "commands$", Fault(status=400, body={"code": 50035, "message": "Invalid Form"}))
    async with driver.double():
        await driver.connect()
        said = await driver.mention("ann", "How much leave do I get?")
        await driver.rig.settled()
        assert len(driver.replies(said)) == 1
        assert driver.said[0] == (
            "Discord: Discord refuses to declare the commands (HTTP 400, code 50035). "
            "Commands stay as they were; the next start tries again."
        )
        await driver.rig.end()


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_a_crash_loop_waits_longer_and_never_passes_the_budget(tmp_path: Path) -> None:
    clock, spent = Clock(), []
    for _ in range(150):
        budget = IdentifyBudget(DiscordState(tmp_path), clock=clock)
        clock.now += budget.seconds_until_allowed()
        budget.spend()
        spent.append(clock.now)
        clock.now += 1.0
    assert max(sum(1 for moment in spent if start <= moment < start + 86_400) for start in spent) <= 110
    assert spent[3] - spent[2] >= 5.0


def test_stops_that_were_asked_for_are_not_waited_after(tmp_path: Path) -> None:
    clock = Clock()
    for _ in range(20):
        budget = IdentifyBudget(DiscordState(tmp_path), clock=clock)
        assert budget.seconds_until_allowed() == 0.0
        budget.spend()
        clock.now += 170.0
        budget.mark_clean_stop()
        clock.now += 10.0


async def test_an_operator_is_told_of_a_wait_before_connecting_and_only_after_crashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identify, "MIN_IDENTIFY_SECONDS", 3.0)
    budget = IdentifyBudget(DiscordState(tmp_path / "data"))
    for _ in range(3):
        budget.spend()
    driver = DiscordDriver(tmp_path / "data")
    async with driver.double():
        await driver.connect()
        assert any("opened in" in line for line in driver.said)
        driver.said.clear()
        for _ in range(5):
            await driver.rig.stop(drain_seconds=0.0)
            await driver.connect()
        assert not any("opened in" in line for line in driver.said)
        await driver.rig.end()


@pytest.mark.parametrize("jump", [60.0, 3600.0, 86_400.0, 365 * 86_400.0])
def test_a_clock_that_jumped_and_came_back_keeps_nobody_from_connecting(tmp_path: Path, jump: float) -> None:
    clock = Clock()
    for shift in (jump, -jump):
        clock.now += shift
        for _ in range(6):
            budget = IdentifyBudget(DiscordState(tmp_path), clock=clock)
            assert budget.seconds_until_allowed() <= identify.MAX_IDENTIFY_SECONDS
            clock.now += budget.seconds_until_allowed()
            budget.spend()


def test_a_spent_budget_opens_no_more_sessions(tmp_path: Path) -> None:
    budget = IdentifyBudget(DiscordState(tmp_path), budget=5, clock=Clock())
    for _ in range(5):
        budget.spend()
    with pytest.raises(Unavailable, match="5 sessions"):
        budget.spend()


def test_a_healthy_bot_is_never_made_to_wait(tmp_path: Path) -> None:
    clock = Clock()
    for _ in range(50):
        budget = IdentifyBudget(DiscordState(tmp_path), clock=clock)
        assert budget.seconds_until_allowed() == 0.0
        budget.spend()
        clock.now += 3600.0


# --- Gaps -----------------------------------------------------------------------------------------


async def test_what_was_said_while_nobody_listened_is_answered_once(driver: DiscordDriver) -> None:
    first = await driver.mention("ann", "Before?")
    await driver.direct("ann", "Before, alone?")
    await driver.rig.settled()
    await eventually(driver.noted)
    await driver.rig.end()
    await driver.discord.gateway.drop(forget=True)
    ann = driver.people["ann"]
    missed = [await driver.discord.say(ann, driver.channel, f"@Citewell Missed {n}?") for n in range(150)]
    alone = await driver.discord.direct(ann, "Missed, alone?")
    await driver.connect()
    await driver.caught_up()
    await driver.rig.settled()
    for message in [first.handle, *missed, alone]:
        replies = [
            m
            for m in driver.discord.replies(message["channel_id"])
            if m["message_reference"]["message_id"] == message["id"]
        ]
        assert len(replies) == 1


async def test_an_edit_while_nobody_listened_changes_an_unanswered_question(driver: DiscordDriver) -> None:
    free = asyncio.Event()
    driver.rig.script = held_until(free)
    said = await driver.mention("ann", "How much leaf?")
    await eventually(driver.noted)
    await driver.rig.end()
    await driver.discord.gateway.drop(forget=True)
    await driver.discord.edit(said.handle, "@Citewell How much leave?")
    await driver.connect()
    await driver.caught_up()
    free.set()
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert "How much leave?" in reply.text


async def test_a_dropped_connection_is_resumed_and_what_was_missed_is_replayed(driver: DiscordDriver) -> None:
    await driver.mention("ann", "Before?")
    await driver.discord.gateway.drop()
    said = await driver.discord.say(driver.people["ann"], driver.channel, "@Citewell Meanwhile?")
    await until(lambda: len(driver.discord.replies(driver.channel)) == 2, 30)
    await driver.rig.settled()
    assert (driver.discord.gateway.identifies, driver.discord.gateway.resumes) == (1, 1)
    answered = [reply["message_reference"]["message_id"] for reply in driver.discord.replies(driver.channel)]
    assert answered.count(said["id"]) == 1


async def test_a_planned_reconnect_loses_and_repeats_nothing(driver: DiscordDriver) -> None:
    await driver.discord.gateway.ask_to_reconnect()
    said = await driver.discord.say(driver.discord.someone("ann", driver.guild), driver.channel, "@Citewell Now?")
    await until(lambda: driver.discord.replies(driver.channel), 30)
    await driver.rig.settled()
    assert [m["message_reference"]["message_id"] for m in driver.discord.replies(driver.channel)] == [said["id"]]


async def test_a_session_that_cannot_be_resumed_is_opened_anew_and_the_gap_read(driver: DiscordDriver) -> None:
    await driver.mention("ann", "Before?")
    await driver.rig.settled()
    await eventually(driver.noted)
    await driver.discord.gateway.drop(forget=True)
    await driver.discord.say(driver.people["ann"], driver.channel, "@Citewell Meanwhile?")
    await until(lambda: len(driver.discord.replies(driver.channel)) == 2, 30)
    assert driver.discord.gateway.identifies == 2


async def test_an_inbox_that_fails_for_a_while_loses_nothing(driver: DiscordDriver) -> None:
    inbox = driver.rig.storage.inbox
    whole, failures = inbox.accept, iter([True, True, True])

    async def accept(message: object, *, after: float = 0.0) -> bool:
        if next(failures, False):
            raise Unavailable("database", "locked")
        return await whole(message)  # type: ignore[arg-type]

    inbox.accept = accept  # type: ignore[method-assign, assignment]
    said = await driver.mention("ann", "How much leave?")
    await driver.rig.settled()
    assert len(driver.replies(said)) == 1
