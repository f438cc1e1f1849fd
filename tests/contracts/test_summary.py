"""A thread summed up for whoever asks in it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from urllib.parse import unquote

import pytest

from pipeline.respond import Responder
from pipeline.values import AnswerEvent, AnswerOptions, AnswerRequest
from tests.contracts.answers import cited
from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.driver import Driver, Said, Way
from tests.doubles.discord.faults import Fault
from tests.doubles.llm.walk import NoHistory, Straight

pytestmark = [pytest.mark.ways_in, pytest.mark.walks(Way.SUMMARY)]


async def summing_up(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
    """The real thing where a thread is to be summed up."""
    straight = Straight(())
    responder = Responder(
        planner=straight,
        retriever=straight,
        model=None,
        history=NoHistory(),
        options=AnswerOptions(),
        report=lambda _, error: pytest.fail(repr(error)),
        warn=lambda *_: None,
    )
    if not request.thread:
        yield cited("Thirty days of leave.")
        return
    stream = responder.respond(request)
    async for event in stream:
        yield event
    yield await stream.answer()


@pytest.fixture
async def thread(driver: Driver) -> Said:
    """One in which the bot has answered."""
    driver.rig.script = summing_up
    first = await driver.mention("ann", "Who books the *room* in Leipzig, `@here`?")
    await driver.rig.settled()
    await driver.among("bob", "The room in Leipzig costs 95 euros a night.", first)
    await driver.among("cleo", "I book the room in Leipzig on *Monday*, @everyone.", first)
    await driver.rig.settled()
    return first


async def test_each_sentence_of_a_summary_links_to_its_message_and_names_its_author(
    driver: Driver, thread: Said
) -> None:
    asked = await driver.mention_after("ann", "tl;dr", thread)
    await driver.rig.settled()
    shown = driver.replies(asked)[-1]
    seen = shown.text.replace("\u200b", "").replace("\\", "").replace("ˋ", "`")
    assert "It began with: Who books the *room* in Leipzig, `@here`?" in seen
    assert "The room in Leipzig costs 95 euros a night. [1]" in shown.text
    assert "I book the room in Leipzig on *Monday*, @everyone. [2]" in seen
    assert "bob, 2" in shown.text
    assert "cleo, 2" in shown.text
    assert len(shown.links) == 2
    assert all(link.startswith("https://") for link in shown.links)
    assert shown.pings == frozenset()
    assert "passages" not in shown.buttons


async def test_what_bots_said_is_no_part_of_it_nor_is_what_asks_for_it(driver: Driver, thread: Said) -> None:
    await driver.mention_after("ann", "summarise this thread", thread)
    await driver.rig.settled()
    asked = driver.rig.requests[-1].thread
    assert asked is not None
    said = [block.text for block in asked.blocks if block.heading]
    assert driver.place.channel in unquote(asked.document.url)
    assert said[0] == "Who books the *room* in Leipzig, `@here`?"
    assert said[-2] == "The room in Leipzig costs 95 euros a night."
    assert not any("Thirty days" in text or "summarise" in text for text in said)


async def test_what_people_said_is_kept_nowhere_but_in_the_answer(driver: Driver, thread: Said) -> None:
    await driver.among("bob", "Between us: the caterer is late with the invoices, as ever.", thread)
    await driver.mention_after("ann", "tl;dr", thread)
    await driver.rig.settled()
    assert "caterer" not in await driver.rig.desk.export_person(driver.key("bob"))


async def test_where_there_is_no_thread_none_is_read(driver: Driver) -> None:
    await driver.mention("ann", "tl;dr")
    await driver.rig.settled()
    (request,) = driver.rig.requests
    assert request.thread is None
    assert request.around.messages == ()


async def test_where_discord_does_not_let_it_read_the_thread_nothing_of_it_is_told(
    driver: Driver, thread: Said
) -> None:
    if not isinstance(driver, DiscordDriver):
        pytest.skip("Slack's own way: tests/unit/adapters/slack/test_summary.py")
    missing = Fault(status=403, body={"code": 50001, "message": "Missing Access"})
    driver.discord.faults.order("GET", r"/messages$", missing, times=-1)
    await driver.mention_after("ann", "tl;dr", thread)
    await driver.rig.settled()
    asked = driver.rig.requests[-1].thread
    assert asked is not None
    assert not asked.blocks
