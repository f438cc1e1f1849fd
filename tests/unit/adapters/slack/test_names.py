"""What a question mentions is looked up by name: an id never reaches the search."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from adapters.slack.events import names
from adapters.slack.events.names import SlackNames
from adapters.slack.events.plain_text import message_to_text
from adapters.slack.web_client import SlackRefused, SlackWebClient
from pipeline.errors import Unavailable

KNOWN: dict[str, dict[str, Any]] = {
    "U55": {"user": {"profile": {"display_name": "Zofia <Berg>"}}},
    "C88": {"channel": {"name": "travel"}},
    "C99": {"channel": {"name": "board", "is_private": True}},
}
GROUPS = {"usergroups": [{"id": "S1", "handle": "on-call"}]}


class Slow(Exception):
    """It never comes back."""


class Service:
    """Counts what is asked."""

    def __init__(self, fails: Exception | None = None) -> None:
        self.calls: list[str] = []
        self._fails = fails

    async def call(self, method: str, **arguments: str) -> dict[str, Any]:
        self.calls.append(method)
        if isinstance(self._fails, Slow):
            await asyncio.Event().wait()
        if self._fails:
            raise self._fails
        return GROUPS if method == "usergroups.list" else KNOWN.get(next(iter(arguments.values())), {})


async def spelled(service: Service, text: str) -> str:
    return message_to_text(await SlackNames(cast("SlackWebClient", service)).resolve_mentions(text, "UBOT"), "UBOT")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<@UBOT> When is <@U55> on call?", "When is @Zofia Berg on call?"),
        ("<@UBOT> What is <#C88|> for?", "What is #travel for?"),
        ("What is <#C88> for, and <#C77|lunch>?", "What is #travel for, and #lunch?"),
        ("Who is in <!subteam^S1>?", "Who is in @on-call?"),
        ("Who is in <!subteam^S1|@night>?", "Who is in @night?"),
        ("When is <@U66> on call?", "When is @somebody on call?"),
        ("What is <#C99> for?", "What is #somewhere for?"),
        ("What changed since <!date^1759968000^{date}>?", "What changed since 9 October 2025?"),
    ],
)
async def test_people_channels_groups_and_days_have_their_names(text: str, words: str) -> None:
    assert await spelled(Service(), text) == words


async def test_a_name_is_asked_for_once() -> None:
    service = Service()
    known = SlackNames(cast("SlackWebClient", service))
    for _ in range(3):
        await known.resolve_mentions("<@U55> and <#C88> and <!subteam^S1> and <@U66>", "UBOT")
    assert sorted(service.calls) == ["conversations.info", "usergroups.list", "users.info", "users.info"]


async def test_of_many_mentions_few_are_looked_up() -> None:
    service = Service()
    await spelled(service, " ".join(f"<@U{number}>" for number in range(500)))
    assert len(service.calls) == names.MAX_MENTIONS


@pytest.mark.parametrize("fails", [SlackRefused("users.info", "missing_scope"), Unavailable("Slack", "gone"), Slow()])
async def test_a_message_does_not_wait_long_for_names(fails: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "NAME_LOOKUP_SECONDS", 0.05)
    assert await spelled(Service(fails), "When is <@U55> on call?") == "When is @somebody on call?"
