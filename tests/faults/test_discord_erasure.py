"""What is taken back on Discord: an erasure, a server the bot was removed from."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from pipeline.values import Answer, AnswerEvent, AnswerRequest, AnswerStage, ProgressEvent, Role
from pipeline.words import wording
from tests.contracts.answers import cited
from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.waiting import eventually, until

SECRET = "My salary is 1234."


def hold(driver: DiscordDriver) -> asyncio.Event:
    """A reply begins to appear; its answer is ready when this is set."""
    free = asyncio.Event()

    async def later(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        yield ProgressEvent(stage=AnswerStage.SEARCHING)
        await free.wait()
        yield cited("Thirty days.", question=request.text, standalone=request.text)

    driver.rig.script = later
    return free


async def test_an_erasure_while_a_private_answer_appears_ends_it(driver: DiscordDriver) -> None:
    free = hold(driver)
    said = await driver.ask("ann", f"{SECRET} How much leave?")
    await until(lambda: driver.replies(said))
    await driver.rig.desk.erase_person(driver.key("ann"))
    free.set()
    await until(lambda: [shown.text for shown in driver.replies(said)] == [wording.QUESTION_ERASED])
    assert SECRET not in await driver.rig.desk.export_person(driver.key("ann"))


async def test_what_was_erased_is_not_shown_again_while_its_reply_ends(driver: DiscordDriver) -> None:
    free = hold(driver)
    said = await driver.ask("ann", f"{SECRET} How much leave?")
    await until(lambda: driver.replies(said))
    shown: list[str] = []

    def look(method: str, path: str, when: str) -> None:
        shown.extend(one.text for one in driver.replies(said))

    driver.discord.faults.hook = look
    await driver.rig.desk.erase_person(driver.key("ann"))
    free.set()
    await until(lambda: [one.text for one in driver.replies(said)] == [wording.QUESTION_ERASED])
    assert not any(SECRET in text for text in shown)


async def test_an_erasure_before_a_command_is_answered_ends_its_reply(driver: DiscordDriver) -> None:
    whole = driver.rig.storage.inbox.mark_posting

    async def posting(key: str, answer: Answer | None = None) -> None:
        await driver.rig.desk.erase_person(driver.key("ann"))
        await whole(key, answer)

    driver.rig.storage.inbox.mark_posting = posting  # type: ignore[method-assign]
    said = await driver.ask("ann", f"{SECRET} How much leave?")
    await until(lambda: [shown.text for shown in driver.replies(said)] == [wording.QUESTION_ERASED])


async def test_nothing_is_kept_of_a_server_that_the_bot_was_removed_from(driver: DiscordDriver) -> None:
    hold(driver).set()
    await driver.mention("ann", f"{SECRET} How much leave?")
    driver.rig.roles[Role.CONTRIBUTOR] = frozenset({driver.named("ann")})
    said = await driver.aside("ann", "The rules", files={"rules.md": f"# {SECRET}\n\nSome.".encode()})
    await driver.add("ann", said)
    assert await driver.rig.storage.library.list_documents()
    await driver.direct("bob", "And I?")
    await driver.rig.settled()
    await driver.discord.gateway.emit("GUILD_DELETE", {"id": driver.guild})

    async def gone() -> bool:
        return SECRET not in await driver.rig.desk.export_person(driver.key("ann"))

    await eventually(gone)
    assert "And I?" in await driver.rig.desk.export_person(driver.key("bob"))
    assert await driver.rig.storage.inbox.last_message_id(f"discord:{driver.guild}:{driver.channel}") is None


async def test_a_server_that_is_out_of_order_is_not_one_that_was_left(driver: DiscordDriver) -> None:
    hold(driver).set()
    await driver.mention("ann", f"{SECRET} How much leave?")
    await driver.rig.settled()
    await driver.discord.gateway.emit("GUILD_DELETE", {"id": driver.guild, "unavailable": True})
    await driver._acknowledged()
    assert SECRET in await driver.rig.desk.export_person(driver.key("ann"))
