"""The table of features, held against what each platform's driver can do in the contract suite."""

from __future__ import annotations

import re
from pathlib import Path

from tests.contracts.console_driver import ConsoleDriver
from tests.contracts.discord_driver import DiscordThreadsDriver
from tests.contracts.driver import Way
from tests.contracts.slack_driver import SlackDriver
from tests.contracts.web_driver import WebDriver

PAGE = (Path(__file__).parents[2] / "docs" / "features.md").read_text(encoding="utf-8")
FEATURES = {
    Way.MENTION: "Mention it in a channel, or ask it in a terminal, and get the answer in place",
    Way.DIRECT: "Write to it alone",
    Way.FOLLOW_UP: "Follow up in a thread without a mention",
    Way.PRIVATE: "Ask in private with `/ask`",
    Way.MENU: "Have somebody's message answered, from its menu",
    Way.SHARE: "Share a private answer in its channel",
    Way.EDIT: "Edit a question, also shortly after its answer, or delete it",
    Way.RATE: "Rate an answer, with a reason",
    Way.PASSAGES: "Show the exact passages, and why the confidence is what it is",
    Way.PREFERENCES: "Choose the style, citations and language of the answers to you",
    Way.PRIVACY: "See, export and erase your data",
    Way.SETUP: "Let admins set up, in chat, how it behaves in a channel",
    Way.HANDOFF: "Ask a person where nothing answers, and hear of the reply",
    Way.TELL: "Be told once what the documents did not answer can be answered",
    Way.INSIGHTS: "Let admins see, in chat, what was asked and what the documents lack",
    Way.KNOWLEDGE: "Let contributors add a file or a link to the documents, and take it back",
    Way.STOP: "Send it out of a thread with a button",
    Way.SUMMARY: "Have a thread summed up, each sentence with a link to its message",
    Way.WHISPER: "Be answered alone where a follow-up without a mention has no sure answer",
    Way.FILES: "Be told that an attached file cannot be read",
    Way.TALK: "Use the messages of named channels as a source, for the readers of each channel",
    Way.SEARCH: "Search public channels with the platform's own search where no document answers, and keep none of it",
    Way.SHARED_CHANNEL: "Channels shared with another organisation",
}
"""Each is a way of the driver that the contract suite walks."""
NO_FEATURES = {
    Way.ATTACHMENTS,
    Way.PRETEND,
    Way.PLACES,
    Way.THREADS,
    Way.BUTTONS,
    Way.INBOX,
    Way.EXPIRES,
    Way.FAULTS,
    Way.NAMES,
    Way.FORWARDS,
    Way.TITLES,
    Way.PROGRAMS,
    Way.WORKFLOWS,
}
"""Ways that only tell the tests how a platform is made."""
PLATFORMS = (SlackDriver, DiscordThreadsDriver, WebDriver, ConsoleDriver)

OWN = {WebDriver: WebDriver.own}
"""What a platform has that tests of its own walk."""


def table() -> dict[str, tuple[bool, ...]]:
    rows = re.findall(r"^\| (.+?) \| (yes|no) \| (yes|no) \| (yes|no) \| (yes|no) \|$", PAGE, re.MULTILINE)
    return {feature: tuple(claim == "yes" for claim in claims) for feature, *claims in rows}


def test_every_way_of_the_contract_suite_is_a_row_of_the_table_and_the_other_way_round() -> None:
    assert set(FEATURES) == set(Way) - NO_FEATURES
    assert set(table()) == set(FEATURES.values())


def test_what_the_table_claims_of_a_platform_is_what_its_driver_walks() -> None:
    claimed = table()
    for way, feature in FEATURES.items():
        has = tuple(way not in platform.absent or way in OWN.get(platform, ()) for platform in PLATFORMS)
        assert claimed[feature] == has, feature
