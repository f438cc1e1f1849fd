"""Answers for one person alone, and sharing them: once, with those who may see them, and whatever goes wrong."""

from __future__ import annotations

from pathlib import Path

from adapters.chat.reply.labels import PRIVATE_REPLY_CUT, SHARED_HERE
from pipeline.rules.access import AccessRule
from pipeline.values import BlockKind, Chunk, Document, Unit
from pipeline.words import wording
from tests.contracts.answers import cited
from tests.contracts.rig import once
from tests.contracts.slack_driver import CHANNEL, SlackDriver, granted
from tests.contracts.waiting import until
from tests.doubles.slack.rules import Json


async def test_a_private_answer_that_needs_more_messages_than_there_may_be_says_so(slack: SlackDriver) -> None:
    rules = [f"Rule {number} says that request {number} needs form {number}." for number in range(1500)]
    slack.rig.script = lambda request: once(cited(*rules, question=request.text))
    said = await slack.ask("ann", "What are the rules?")
    await slack.rig.settled()
    *shown, last = slack.replies(said)
    assert (len(shown), last.text) == (4, PRIVATE_REPLY_CUT)
    assert await slack.rig.state() == {"done": 1}


async def test_a_private_answer_of_which_slack_said_nothing_is_asked_for_again(slack: SlackDriver) -> None:
    lost: list[str] = []

    async def hook(method: str, arguments: Json, when: str) -> str | None:
        if method != "response_url" or when != "after" or lost:
            return None
        lost.append(method)
        return "drop"

    slack.slack.hook = hook
    said = await slack.ask("ann", "How much leave do I get?")
    await slack.rig.settled()
    assert slack.replies(said)[-1].text == wording.ASK_AGAIN


async def test_the_private_copy_of_a_shared_answer_says_that_it_is_shared(slack: SlackDriver) -> None:
    said = await slack.ask("ann", "How much leave do I get?")
    await slack.rig.settled()
    assert len(await slack.share(said, "ann")) == 1
    await until(lambda: SHARED_HERE in slack.replies(said)[-1].text)


async def test_nothing_is_shared_with_other_organisations_unless_that_is_set(slack: SlackDriver) -> None:
    slack.rig.rules["default"] = AccessRule(public=True)
    said = await slack.ask("ann", "How much leave do I get?")
    await slack.rig.settled()
    slack.workspace.channels[CHANNEL].shared = True
    assert await slack.share(said, "ann") == []
    assert told_last(slack) == wording.SHARED_CHANNEL


async def test_what_waits_to_be_shared_is_not_where_other_organisations_read_by_then(slack: SlackDriver) -> None:
    slack.rig.rules["default"] = AccessRule(public=True)
    said = await slack.ask("ann", "How much leave do I get?")
    await slack.rig.settled()
    slack.rig.crash_before = "mark_posting"
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
    await driver.rig.storage.library.replace_document(document, [chunk], None, "")
    said = await driver.ask("ann", "How much leave do I get?")
    await driver.rig.settled()
    assert await driver.share(said, "ann") == []
    await driver.close()
