"""What only Slack has where people are asked: channels shared with other organisations, short titles, and threads."""

from __future__ import annotations

import pytest

from adapters.chat.words import handoff, setup, uploads
from adapters.chat.words.forms import reason_form
from adapters.chat.words.uploads import UploadCandidate
from adapters.slack.rendering.modal import build_modal
from pipeline.translations import LANGUAGES, Translator
from pipeline.values import PlaceSettings, Role
from pipeline.words import wording
from tests.contracts.answers import not_found
from tests.contracts.rig import once
from tests.contracts.slack_driver import HELP, SlackDriver, user
from tests.doubles.slack.rules import wrong_view
from tests.doubles.slack.workspace import BOT

QUESTION = "Who won the cup?"


@pytest.fixture
async def helped(slack: SlackDriver) -> SlackDriver:
    """A place with people to ask."""
    slack.rig.script = lambda asked: once(not_found(asked.text))
    slack.rig.places[slack.place] = PlaceSettings(ask=slack.helpers)
    return slack


async def test_people_of_another_organisation_are_asked_nothing_unless_that_is_set(helped: SlackDriver) -> None:
    said = await helped.mention("bob", QUESTION)
    await helped.rig.settled()
    helped.workspace.channels[HELP].shared = True
    await helped.ask_person(said, "bob")
    await helped.rig.settled()
    assert helped.asked() == []
    (heard,) = helped.heard(said)
    assert wording.HANDOFF_FAILED in heard.text


async def test_a_reply_that_cannot_be_kept_any_more_is_said_so_in_its_form(helped: SlackDriver) -> None:
    said = await helped.mention("bob", QUESTION)
    await helped.rig.settled()
    await helped.ask_person(said, "bob")
    await helped.rig.settled()
    helped.rig.roles[Role.CONTRIBUTOR] = frozenset({helped.named("ann")})
    refused = await helped.resolve("ann", "The blue team.", keep=True)
    assert refused == wording.REPLY_NOT_SAVED
    assert "Only a contributor can keep" in refused
    assert await helped.resolve("ann", "The blue team.") == wording.HANDOFF_RESOLVED


async def test_who_asked_us_where_people_were_asked_goes_on_there_as_in_any_thread(helped: SlackDriver) -> None:
    said = await helped.mention("bob", QUESTION)
    await helped.rig.settled()
    await helped.ask_person(said, "bob")
    await helped.rig.settled()
    notice = helped._in(HELP)[-1].ts
    for text in ("Is that about leave?", f"<@{BOT}> How much leave do I get?", "And part-timers?"):
        await helped.people.say(user("ann"), HELP, text, thread=notice)
        await helped.rig.settled()
    asked = [request.text for request in helped.rig.requests]
    assert asked == [QUESTION, "How much leave do I get?", "And part-timers?"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_slack_takes_every_form_in_every_language(language: str) -> None:
    words = Translator(language)
    things = [UploadCandidate("rules.md", "F1"), UploadCandidate("https://example.org")]
    for form in (
        reason_form("a1", words),
        handoff.handoff_form("{}", words, keep=True),
        uploads.upload_form("{}", things, ["default", "hr"], words),
        setup.setup_form("slack:T1", PlaceSettings(silent=True, ask_name="HR"), setup.SETUP_FIELDS, words),
    ):
        assert wrong_view(build_modal(form)) is None
