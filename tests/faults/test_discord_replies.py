"""What happens to a reply to a person on Discord, and that nothing is lost or said twice by it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import pytest

from adapters.chat.reply import labels as words
from pipeline.compose.answer import answer_without_search
from pipeline.values import AnswerEvent, AnswerRequest, AnswerStage, ClarifyingReply, ProgressEvent, Usage
from pipeline.words import wording
from tests.contracts.answers import cited
from tests.contracts.discord_driver import POSTS, DiscordDriver, DiscordThreadsDriver
from tests.contracts.rig import held_until, once, searching_until
from tests.contracts.waiting import until
from tests.doubles.discord.faults import Fault
from tests.doubles.discord.world import CREATE_PUBLIC_THREADS, SEND_MESSAGES

SILENT = 1 << 12


@pytest.fixture
async def threads(tmp_path: Path) -> AsyncIterator[DiscordThreadsDriver]:
    opened = await DiscordThreadsDriver.open(tmp_path / "data")
    yield opened
    await opened.close()


async def test_an_outage_of_the_rest_side_delays_and_loses_nothing(driver: DiscordDriver) -> None:
    driver.discord.faults.order("*", "/channels/", Fault(drop=True), times=-1)
    asked = [await driver.mention("ann", f"Question {n}?") for n in range(5)]
    await until(lambda: driver.discord.faults.count("POST", POSTS) >= 10)
    driver.discord.faults.clear()
    await driver.rig.settled()
    for said in asked:
        assert len(driver.replies(said)) == 1


@pytest.mark.parametrize("kind", [DiscordDriver, DiscordThreadsDriver])
async def test_a_reply_is_found_again_when_the_nonce_is_long_forgotten(
    tmp_path: Path, kind: type[DiscordDriver]
) -> None:
    driver = await kind.open(tmp_path / "data")
    driver.rig.crash_before = "mark_posted"
    said = await driver.mention("ann", "How much leave?")
    await driver.rig.crashed()
    driver.world.clock_offset = 300.0
    await driver.restart()
    await driver.rig.settled()
    assert len(driver.replies(said)) == 1
    await driver.close()


async def test_what_was_shared_in_a_thread_is_not_taken_for_the_reply_that_it_was_opened_for(
    threads: DiscordThreadsDriver,
) -> None:
    threads.rig.crash_before = "mark_posted"
    said = await threads.mention("ann", "How much leave?")
    await threads.rig.crashed()
    thread = said.handle["id"]
    threads.world.channels[thread].messages.clear()
    threads.discord.messages.write(thread, threads.world.bot, {"content": "Shared by bob", "flags": SILENT})
    threads.world.nonces.clear()
    await threads.restart()
    await threads.rig.settled()
    shared, reply = threads.replies(said)
    assert shared.text == "Shared by bob"
    assert "thirty days" in reply.text


async def test_a_part_of_an_older_draft_that_somebody_deleted_is_no_obstacle(driver: DiscordDriver) -> None:
    """The answer to an edited question can be shorter; the rest is deleted, by us or before us."""
    driver.rig.script = rules
    said = await driver.mention("ann", "What are the rules?")
    await driver.rig.settled()
    parts = driver._answers(said)
    assert len(parts) > 2
    del driver.world.channels[driver.channel].messages[parts[1]["id"]]
    driver.rig.script = lambda request: once(cited("There are none.", question=request.text))
    await driver.edit(said, "What are the rules here?")
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert "There are none." in reply.text
    assert await driver.rig.state() == {"done": 1}
    (kept,) = await driver.rig.storage.database.read(lambda db: db.execute("SELECT reference FROM message").fetchone())
    assert kept == f"{driver.channel}/{parts[0]['id']}"


RULES = [f"Rule {number} says that request {number} needs form {number}." for number in range(300)]


async def rules(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
    yield cited(*RULES, question=request.text)


async def test_a_card_that_discord_refuses_is_told_as_plain_text(driver: DiscordDriver) -> None:
    refusal = {"code": 50035, "message": "Invalid Form Body", "errors": {"components": {"_errors": [{"message": "x"}]}}}
    driver.discord.faults.order("POST", POSTS, Fault(status=400, body=refusal))
    said = await driver.direct("ann", "How much leave?", files={"chart.png": b"png"})
    await driver.rig.settled()
    (message,) = driver.discord.replies(said.handle["channel_id"])
    assert not message["components"]
    assert "thirty days" in driver.replies(said)[0].text
    assert "chart.png" in driver.replies(said)[0].text


async def test_where_the_bot_may_not_write_the_asker_is_told_which_permission_is_missing(driver: DiscordDriver) -> None:
    closed = driver.world.channel(driver.guild, "closed", denied=SEND_MESSAGES)
    await driver.restart()
    ann = driver.discord.someone("ann", driver.guild)
    await driver.discord.say(ann, closed, "@Citewell How much leave?")
    direct = driver.world.direct(ann)
    await until(lambda: driver.discord.replies(direct))
    assert "“Send Messages”" in driver.discord.replies(direct)[0]["content"]


async def test_in_a_locked_thread_the_asker_is_told_that_it_is_locked(driver: DiscordDriver) -> None:
    thread = driver.world.thread(driver.channel, "Leave")
    ann = driver.discord.someone("ann", driver.guild)
    driver.world.channels[thread].payload["thread_metadata"]["locked"] = True
    await driver.discord.say(ann, thread, "@Citewell How much leave?")
    direct = driver.world.direct(ann)
    await until(lambda: driver.discord.replies(direct))
    (told,) = driver.discord.replies(direct)
    assert "its thread is locked" in told["content"]
    assert "permission" not in told["content"]


async def test_who_answers_without_a_ping_is_told_why_it_could_not_be_read(driver: DiscordDriver) -> None:
    driver.content = False
    await driver.restart()
    said = await driver.mention("ann", "How much leave?")
    await driver.rig.settled()
    (answer,) = driver._answers(said)
    after = await driver._say("ann", driver.channel, "And contractors?", reply_to=answer["id"], ping=False)
    await driver.rig.settled()
    (reply,) = driver.replies(after)
    assert reply.text == words.TEXT_WITHHELD
    assert len(driver.rig.requests) == 1


async def test_typing_ends_with_the_first_message_of_the_reply(
    driver: DiscordDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.discord.post.delivery.TYPING_DELAY_SECONDS", 0.0)
    free = asyncio.Event()

    driver.rig.script = searching_until(free)
    said = await driver.mention("ann", "How much leave?")
    await until(lambda: driver.replies(said))
    assert not driver.discord.messages.typing
    free.set()
    await driver.rig.settled()
    assert not driver.discord.messages.typing
    assert driver.discord.faults.count("POST", r"/typing$") == 1


async def test_where_threads_may_not_be_opened_the_answer_is_a_reply_that_says_so(
    threads: DiscordThreadsDriver,
) -> None:
    flat = threads.world.channel(threads.guild, "flat", denied=CREATE_PUBLIC_THREADS)
    await threads.restart()
    ann = threads.discord.someone("ann", threads.guild)
    await threads.discord.say(ann, flat, "@Citewell How much leave?")
    await until(lambda: threads.discord.replies(flat))
    (reply,) = threads.discord.replies(flat)
    assert "Create Public Threads" in str(reply["components"])


async def test_an_answer_in_a_thread_that_was_archived_meanwhile_is_still_completed(
    threads: DiscordThreadsDriver,
) -> None:
    async def archived(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        yield ProgressEvent(stage=AnswerStage.SEARCHING)
        await until(lambda: threads.discord.replies(said.handle["id"]))
        threads.world.channels[said.handle["id"]].payload["thread_metadata"]["archived"] = True
        yield cited("Thirty days.", question=request.text)

    threads.rig.script = archived
    said = await threads.mention("ann", "How much leave?")
    await threads.rig.settled()
    (reply,) = threads.replies(said)
    assert "Thirty days." in reply.text


async def test_a_reply_to_any_part_of_an_answer_goes_on_in_its_conversation(driver: DiscordDriver) -> None:
    first = await driver.mention("ann", "How much leave?")
    await driver.rig.settled()
    driver.rig.script = lambda request: once(
        answer_without_search("c", request.text, ClarifyingReply(reason="Which?"), Usage())
    )
    second = await driver.follow_up("ann", "And them?", first)
    await driver.rig.settled()
    driver.rig.script = rules
    third = await driver.follow_up("ann", "And contractors, I mean?", second)
    await driver.rig.settled()
    parts = driver._answers(third)
    assert len(parts) > 1
    await driver._say("ann", driver.channel, "And the first rule?", reply_to=parts[0]["id"])
    await driver.rig.settled()
    assert len(driver.rig.requests) == 4
    assert len({request.conversation for request in driver.rig.requests}) == 1


async def test_a_reply_goes_on_in_its_conversation_when_its_question_is_long_forgotten(driver: DiscordDriver) -> None:
    first = await driver.mention("ann", "How much leave?")
    await driver.rig.settled()
    second = await driver.follow_up("ann", "And contractors?", first)
    await driver.rig.settled()
    await driver.rig.storage.database.write(lambda db: db.execute("DELETE FROM message"))
    await driver.follow_up("ann", "And students?", second)
    await driver.rig.settled()
    assert len({request.conversation for request in driver.rig.requests}) == 1


async def test_a_form_opened_before_a_restart_is_still_taken(driver: DiscordDriver) -> None:
    said = await driver.mention("ann", "How much leave?")
    await driver.rig.settled()
    opened = await driver._press(said, "bob", "👎")
    await until(lambda: opened.modal)
    await driver.restart()
    sent = await driver.discord.submit(driver.people["bob"], opened, "outdated", "It is 31 now")
    await until(lambda: sent.texts)
    assert "It is 31 now" in await driver.rig.desk.export_person(driver.key("bob"))


async def test_who_asked_by_a_command_whose_token_has_expired_meanwhile_is_asked_to_ask_again(
    driver: DiscordDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.rig.crash_before = "save_answer"
    said = await driver.ask("ann", "How much leave?")
    await driver.rig.crashed()
    driver.come_too_late(said)
    monkeypatch.setattr("adapters.discord.limits.TOKEN_SECONDS", -1.0)
    await driver.restart()
    await driver.rig.settled()
    assert driver.replies(said) == []
    (told,) = driver.discord.replies(driver.world.direct(driver.people["ann"]))
    assert told["content"] == wording.ASK_AGAIN
    assert await driver.rig.state() == {"done": 1}


async def test_stopping_lets_a_reply_under_way_end(driver: DiscordDriver) -> None:
    free = asyncio.Event()
    driver.rig.script = held_until(free)
    said = await driver.mention("ann", "How much leave?")
    await until(lambda: driver.rig.requests)
    listening = driver.rig._tasks[-1]
    listening.cancel()
    free.set()
    await asyncio.gather(listening, return_exceptions=True)
    (reply,) = driver.replies(said)
    assert "Thirty days." in reply.text
