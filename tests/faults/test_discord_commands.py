"""Commands on Discord when answers are long, the bot is busy or dies: replies stay private and say what is missing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from pipeline.errors import Busy, Unavailable
from pipeline.values import AnswerEvent, AnswerRequest, CitationStyle, Preferences
from pipeline.words import wording
from tests.contracts.answers import cited
from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.driver import Fault, Said
from tests.contracts.waiting import until
from tests.doubles.discord.faults import Fault as Order
from tests.doubles.discord.world import SEND_MESSAGES

RULES = [f"Rule {number} says that request {number} needs form {number}." for number in range(300)]


async def rules(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
    yield cited(*RULES, question=request.text)


def refuse(driver: DiscordDriver, error: Exception) -> None:
    async def accept(message: object, *, after: float = 0.0) -> bool:
        raise error

    driver.rig.storage.inbox.accept = accept  # type: ignore[method-assign, assignment]


async def test_whoever_uses_a_command_that_breaks_is_told_so(driver: DiscordDriver) -> None:
    async def documents(readers: object) -> None:
        raise RuntimeError("unforeseen")

    driver.rig.desk.list_documents = documents  # type: ignore[method-assign, assignment]
    done = await driver.discord.command(driver._person("ann"), driver.channel, "sources")
    await until(lambda: done.texts)
    assert wording.TRY_AGAIN in "".join(done.texts)


async def test_a_command_that_cannot_be_kept_is_told_so_at_once(driver: DiscordDriver) -> None:
    refuse(driver, Unavailable("database", "locked"))
    said = await driver.ask("ann", "How much leave?")
    await until(lambda: driver.replies(said))
    assert driver.replies(said)[0].text == wording.BOT_BUSY


@pytest.mark.parametrize("kept", [True, False])
async def test_a_command_that_is_slow_to_keep_is_answered_or_refused_never_both(
    driver: DiscordDriver, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    monkeypatch.setattr("adapters.discord.post.private.ACK_SECONDS", 0.01)
    whole, acknowledged = driver.rig.storage.inbox.accept, asyncio.Event()

    async def accept(message: object, *, after: float = 0.0) -> bool:
        await acknowledged.wait()
        if not kept:
            raise Unavailable("database", "locked")
        return await whole(message)  # type: ignore[arg-type]

    driver.rig.storage.inbox.accept = accept  # type: ignore[method-assign, assignment]
    said = await driver.ask("ann", "How much leave?")
    acknowledged.set()
    await until(lambda: driver.replies(said))
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert (wording.BOT_BUSY in reply.text, "thirty days" in reply.text) == (not kept, kept)


@pytest.mark.parametrize("first", [True, False])
async def test_where_too_much_waits_the_asker_is_told_once(driver: DiscordDriver, first: bool) -> None:
    refuse(driver, Busy("too much", first=first))
    said = await driver.mention("ann", "How much leave?")
    await driver.discord.gateway.read()
    if first:
        await until(lambda: driver.replies(said))
    assert [shown.text for shown in driver.replies(said)] == [wording.BOT_BUSY] * first


async def preferences(driver: DiscordDriver, **options: str) -> str:
    shown = await driver.discord.command(driver._person("ann"), driver.channel, "preferences", **options)
    await until(lambda: shown.texts)
    assert shown.ephemeral
    return shown.texts[0]


async def test_preferences_are_shown_changed_one_by_one_and_taken_back(driver: DiscordDriver) -> None:
    assert "Style: Operator's default" in await preferences(driver)
    await preferences(driver, style="bullet", language="en")
    shown = await preferences(driver, citations="footnote")
    assert ("Style: Bullet points" in shown, "Language: English" in shown, "Citations: Footnote" in shown) == (
        True,
        True,
        True,
    )
    shown = await preferences(driver, style="default", language="default")
    assert "Style: Operator's default" in shown
    assert "Language: The language of the question" in shown
    assert await driver.rig.desk.preferences(driver.key("ann")) == Preferences(citations=CitationStyle.FOOTNOTE)


def shared(driver: DiscordDriver) -> int:
    return str([message["components"] for message in driver.discord.replies(driver.channel)]).count("thirty days")


def shareable(driver: DiscordDriver, said: Said) -> bool:
    return any("share" in shown.buttons for shown in driver.replies(said))


async def test_what_is_shared_and_of_which_nobody_hears_is_there_once_and_said_so(
    driver: DiscordDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.discord.errors.PATIENCE_SECONDS", 0.0)
    said = await driver.ask("ann", "How much leave?")
    await driver.rig.settled()
    driver.break_next_post(Fault.LOST_RESPONSE)
    await driver._press(said, "ann", "Share in channel")
    await until(lambda: not shareable(driver, said))
    assert shared(driver) == 1


async def test_where_the_bot_may_not_post_sharing_says_what_it_lacks(driver: DiscordDriver) -> None:
    said = await driver.ask("ann", "How much leave?")
    await driver.rig.settled()
    driver.world.channels[driver.channel].denied = SEND_MESSAGES
    refused = await driver._press(said, "ann", "Share in channel")
    await until(lambda: refused.texts)
    assert "“Send Messages”" in refused.texts[0]


async def test_a_press_that_goes_wrong_is_told_so(driver: DiscordDriver) -> None:
    said = await driver.mention("ann", "How much leave?")
    await driver.rig.settled()

    async def answer(answer_id: str, readers: object) -> None:
        raise Unavailable("database", "locked")

    driver.rig.desk.find_answer = answer  # type: ignore[method-assign, assignment]
    assert "did not work" in (await driver.passages(said, "bob"))[0].text


@pytest.mark.parametrize("lost", [Order(drop=True), Order(status=400)])
async def test_a_press_whose_reply_is_lost_does_not_think_for_ever(driver: DiscordDriver, lost: Order) -> None:
    said = await driver.mention("ann", "How much leave?")
    await driver.rig.settled()
    driver.discord.faults.order("POST", "^/webhooks/", lost)
    assert [shown.text for shown in await driver.passages(said, "bob")] == [wording.TRY_AGAIN]


async def test_a_server_that_was_out_of_order_is_read_when_it_is_back(driver: DiscordDriver) -> None:
    await driver.mention("ann", "Before?")
    await driver.rig.settled()
    await driver.caught_up()
    gateway = driver.discord.gateway
    await gateway.emit("GUILD_DELETE", {"id": driver.guild, "unavailable": True})
    await gateway.read()
    sessions, gateway.sessions = gateway.sessions, {}
    await driver.discord.say(driver.people["ann"], driver.channel, "@Citewell Meanwhile?")
    gateway.sessions = sessions
    await gateway.emit("GUILD_CREATE", gateway._guild(driver.guild))
    await until(lambda: len(driver.discord.replies(driver.channel)) == 2)
