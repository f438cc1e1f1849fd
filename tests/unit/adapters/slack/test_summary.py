"""A thread that Slack lets us read in part, in pages, or not at all."""

from __future__ import annotations

import pytest

from adapters.chat import history as chat
from adapters.slack.events import history
from pipeline.values import BlockKind, ParsedDocument
from tests.contracts.driver import Said
from tests.contracts.slack_driver import SlackDriver


async def asked(slack: SlackDriver, *said: str) -> ParsedDocument:
    """What is to be summed up of a thread in which people said that."""
    first = await slack.mention("ann", "Who books the room?")
    await slack.rig.settled()
    for text in said:
        await slack.among("bob", text, first)
    await summary(slack, first)
    found = slack.rig.requests[-1].thread
    assert found is not None
    return found


async def summary(slack: SlackDriver, first: Said) -> None:
    await slack.mention_after("cleo", "tl;dr", first)
    await slack.rig.settled()


def told(found: ParsedDocument) -> list[str]:
    return [block.text for block in found.blocks if block.kind is not BlockKind.HEADING]


async def test_a_long_thread_is_read_page_by_page_up_to_a_limit(
    slack: SlackDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MAX_THREAD_REPLIES", 2)
    monkeypatch.setattr(chat, "MAX_THREAD_MESSAGES", 4)
    found = await asked(slack, "One.", "Two.", "Three.", "Four.")
    assert told(found) == ["Who books the room?", "One.", "Two."]  # and what the bot answered


async def test_where_it_may_not_be_read_nothing_of_it_is_told(slack: SlackDriver) -> None:
    slack.workspace.without["conversations.replies"] = "missing_scope"
    assert told(await asked(slack, "One.")) == []


async def test_where_nobodys_name_is_told_messages_go_by_their_time(slack: SlackDriver) -> None:
    slack.workspace.without["users.info"] = "missing_scope"
    found = await asked(slack, "One.")
    assert all(block.text.startswith("Message of 20") for block in found.blocks if block.kind is BlockKind.HEADING)


async def test_each_message_has_an_address_in_its_thread(slack: SlackDriver) -> None:
    found = await asked(slack, "One.")
    first, second = [block.anchor for block in found.blocks if block.kind is not BlockKind.HEADING]
    assert found.document.url == first
    assert "thread_ts=" in second
    assert second.split("/p")[0] == first.split("/p")[0]
