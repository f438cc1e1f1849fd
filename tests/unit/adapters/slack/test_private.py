"""Answers for one person alone, and sharing them: once, with those who may see them, and whatever goes wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from adapters.chat.reply.labels import SHARED
from pipeline.rules.access import Rule
from pipeline.values import BlockKind, Chunk, Document, Event, Request, Unit
from pipeline.words import wording
from tests.contracts.answers import cited
from tests.contracts.driver import Said
from tests.contracts.slack_driver import CHANNEL, SlackDriver, granted, user
from tests.contracts.waiting import until


async def test_a_private_answer_that_a_crash_may_have_swallowed_is_asked_for_again(slack: SlackDriver) -> None:
    slack.rig.crash_before = "posted"
    said = await slack.ask("ann", "How much leave do I get?")
    await slack.rig.crashed()
    await slack.restart()
    await slack.rig.settled()
    assert slack.replies(said)[-1].text == wording.ASK_AGAIN


async def test_an_answer_that_comes_too_late_for_its_response_url_is_asked_for_again(slack: SlackDriver) -> None:
    free = asyncio.Event()

    async def later(request: Request) -> AsyncGenerator[Event, None]:
        await free.wait()
        yield cited("Thirty days.")

    slack.rig.script = later
    await slack.ask("ann", "How much leave do I get?")
    slack.workspace.responses.clear()
    free.set()
    await slack.rig.settled()
    (told,) = [message for message in slack.workspace.messages.values() if message.channel == "D0ANN"]
    assert told.text == wording.ASK_AGAIN
    assert await slack.rig.state() == {"done": 1}
    assert len(slack.rig.requests) == 1


async def test_an_answer_is_shared_once(slack: SlackDriver) -> None:
    said = await slack.ask("ann", "How much leave do I get?")
    await slack.rig.settled()
    assert len(await slack.share(said, "ann")) == 1
    assert await slack.share(said, "ann") == []
    assert told_last(slack) == wording.SHARED_ALREADY


async def test_an_answer_that_could_not_be_shared_may_be_shared_again(slack: SlackDriver) -> None:
    said = await slack.ask("ann", "How much leave do I get?")
    await slack.rig.settled()
    slack.workspace.channels[CHANNEL].member = False
    assert await slack.share(said, "ann") == []
    slack.workspace.channels[CHANNEL].member = True
    assert len(await slack.share(said, "ann")) == 1


async def test_an_answer_that_was_shared_before_a_restart_is_not_shared_again(slack: SlackDriver) -> None:
    said = await slack.ask("ann", "How much leave do I get?")
    await slack.rig.settled()
    assert len(await slack.share(said, "ann")) == 1
    await slack.restart()
    assert await slack.share(said, "ann") == []


async def test_a_shared_answer_says_who_shared_what_and_its_private_copy_that_it_is_shared(slack: SlackDriver) -> None:
    said = await slack.ask("ann", "How much leave do I get?")
    await slack.rig.settled()
    (shared,) = await slack.share(said, "ann")
    assert shared.text.startswith("Shared by ann: How much leave do I get?")
    await until(lambda: "share" not in slack.replies(said)[-1].buttons)
    (private,) = slack.replies(said)
    assert SHARED in private.text
    assert "thirty days" in private.text


@pytest.mark.parametrize("way", ["command", "shortcut"])
async def test_a_private_answer_begins_with_its_question(slack: SlackDriver, way: str) -> None:
    if way == "command":
        said = await slack.ask("ann", "How much leave do I get?")
    else:
        said = await slack.answer_this("ann", await slack.aside("bob", "How much leave do I get?"))
    await slack.rig.settled()
    assert slack.replies(said)[0].text.startswith("Question: How much leave do I get?")


async def test_files_on_a_message_chosen_from_its_menu_are_said_not_to_be_read(slack: SlackDriver) -> None:
    chart = {"id": "F1", "name": "chart.png", "mimetype": "image/png", "size": 10}
    message = await slack.people.say(user("bob"), CHANNEL, "What does this show?", files=[chart])
    said = await slack.answer_this("ann", Said("bob", message))
    await slack.rig.settled()
    assert wording.ATTACHMENT.format(names="`chart.png`") in slack.replies(said)[0].text


async def test_nothing_is_shared_with_other_organisations_unless_that_is_set(slack: SlackDriver) -> None:
    slack.rig.rules["default"] = Rule(public=True)
    said = await slack.ask("ann", "How much leave do I get?")
    await slack.rig.settled()
    slack.workspace.channels[CHANNEL].shared = True
    assert await slack.share(said, "ann") == []
    assert told_last(slack) == wording.SHARED_CHANNEL


async def test_what_waits_to_be_shared_is_not_where_other_organisations_read_by_then(slack: SlackDriver) -> None:
    slack.rig.rules["default"] = Rule(public=True)
    said = await slack.ask("ann", "How much leave do I get?")
    await slack.rig.settled()
    slack.rig.crash_before = "posting"
    await slack.begin_share(said, "ann")
    await slack.rig.crashed()
    slack.workspace.channels[CHANNEL].shared = True
    await slack.restart()
    await slack.rig.settled()
    assert slack.shared() == []


def told_last(slack: SlackDriver) -> str:
    """What was said last through a response URL."""
    return str([messages[-1]["text"] for messages in slack.workspace.responses.values() if messages][-1])


async def test_without_the_scope_to_look_a_private_answer_is_not_shared(tmp_path: Path) -> None:
    driver = SlackDriver(tmp_path / "data", granted() - {"channels:read"})
    await driver.start()
    document = Document(id="doc-1", filename="leave.md", title="Leave policy")
    unit = Unit(start=0, end=4, kind=BlockKind.PROSE)
    chunk = Chunk(id="chunk-1", document_id="doc-1", text="Text", units=(unit,))
    await driver.rig.storage.library.put(document, [chunk], None, "")
    said = await driver.ask("ann", "How much leave do I get?")
    await driver.rig.settled()
    assert await driver.share(said, "ann") == []
    await driver.close()
