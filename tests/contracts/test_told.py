"""Told when fixed: who got no answer, or a wrong one, is told the answer once, where they asked, when there is one."""

from __future__ import annotations

import json

import pytest

from bot.services import subscriptions
from pipeline.rules.access import AccessRule
from pipeline.values import (
    Answer,
    AnswerOutcome,
    AnswerRequest,
    Confidence,
    ConfidenceLevel,
    PlaceSettings,
    Preferences,
    RatingReason,
    replace,
)
from pipeline.words import wording
from tests.contracts.answers import broken, citation, cited, not_found
from tests.contracts.driver import Driver, Said, Shown, Way
from tests.contracts.rig import Script, once
from tests.doubles.english import left_in_english

QUESTION = "Who won the cup?"
ANSWER = "The blue team won the cup."
FOUND = citation(7, title="Cup of 2026", quote=ANSWER)


pytestmark = pytest.mark.walks(Way.TELL)


@pytest.fixture
async def driver(driver: Driver) -> Driver:
    driver.rig.script = lambda asked: once(unanswered(asked))
    return driver


def unanswered(asked: AnswerRequest) -> Answer:
    return replace(not_found(asked.text), standalone=asked.text)


def answered(asked: AnswerRequest, level: ConfidenceLevel = ConfidenceLevel.HIGH, **more: object) -> Answer:
    return cited(
        ANSWER.removesuffix("."),
        question=asked.text,
        citations=(FOUND,),
        answer_id=f"told{abs(hash((asked.text, asked.author)))}"[:20],
        standalone=asked.text,
        confidence=Confidence(level=level, score=0.5),
        **more,
    )


def script(level: ConfidenceLevel = ConfidenceLevel.HIGH, **more: object) -> Script:
    return lambda asked: once(answered(asked, level, **more))


async def wanted(driver: Driver, question: str = QUESTION, person: str = "bob") -> Said:
    """Asked in vain, by somebody who wants to be told."""
    said = await driver.mention(person, question)
    await driver.rig.settled()
    assert await driver.tell_me(said, person) == wording.SUBSCRIBED
    return said


def others(driver: Driver, said: Said) -> list[Shown]:
    """What stands below the question besides what was told."""
    return [shown for shown in driver.replies(said) if wording.SUBSCRIPTION_INTRO not in shown.text]


async def test_the_button_stands_where_nothing_answers_and_nowhere_else(driver: Driver) -> None:
    assert "tell" in driver.replies(await wanted(driver))[-1].buttons
    driver.rig.script = script()
    said = await driver.mention("bob", "And who lost it?")
    await driver.rig.settled()
    assert "tell" not in driver.replies(said)[-1].buttons


@pytest.mark.ways_in
async def test_once_the_documents_answer_it_is_told_once_below_the_answer(driver: Driver) -> None:
    said = await wanted(driver)
    await driver.rig.changed(1)
    assert driver.told(said) == []
    driver.rig.script = script()
    await driver.rig.changed(2)
    (told,) = driver.told(said)
    assert ANSWER.removesuffix(".") in told.text
    assert QUESTION in told.text
    assert "Cup of 2026" in told.text
    assert wording.CONFIDENCE_BADGES["high"] in told.text
    assert len(told.pings) == 1
    assert {"helpful", "not helpful", "passages"} <= told.buttons
    assert len(others(driver, said)) == 1
    await driver.rig.changed(3)
    await driver.restart()
    await driver.rig.changed(4)
    assert len(driver.told(said)) == 1


async def test_it_is_tried_on_documents_that_changed_and_on_no_others(driver: Driver) -> None:
    await wanted(driver)
    await driver.rig.tick()
    tries = len(driver.rig.requests)
    for _ in range(3):
        await driver.rig.tick()
    assert len(driver.rig.requests) == tries
    await driver.rig.changed()
    assert len(driver.rig.requests) == tries + 1


async def test_a_follow_up_is_tried_as_the_whole_question_and_without_what_was_said(driver: Driver) -> None:
    driver.rig.script = lambda asked: once(replace(not_found(asked.text), standalone="Who won the cup?"))
    await wanted(driver, "And who won it?")
    await driver.rig.tick()
    assert driver.rig.requests[-1].text == "Who won the cup?"
    tried, first = driver.rig.requests[-1].conversation, driver.rig.requests[0].conversation
    assert tried != first


@pytest.mark.parametrize(
    "better",
    [script(ConfidenceLevel.LOW), script(outcome=AnswerOutcome.PARTIAL, closing="The rest is missing.")],
    ids=["low", "part"],
)
async def test_an_answer_of_low_confidence_or_to_a_part_is_not_told(driver: Driver, better: Script) -> None:
    said = await wanted(driver)
    signs = driver.signs()
    driver.rig.script = better
    await driver.rig.changed()
    assert driver.told(said) == []
    assert driver.signs() == signs
    driver.rig.script = script(ConfidenceLevel.MEDIUM)
    await driver.rig.changed(2)
    assert len(driver.told(said)) == 1


async def test_a_place_that_may_not_see_the_documents_any_more_is_told_nothing(driver: Driver) -> None:
    said = await wanted(driver)
    driver.rig.script = lambda asked: once(
        answered(asked) if "default" in asked.audience.collections else unanswered(asked)
    )
    driver.rig.rules["default"] = AccessRule(only=("slack:T0OTHER", "discord:1"))
    await driver.rig.changed()
    assert driver.told(said) == []
    del driver.rig.rules["default"]
    await driver.rig.changed(2)
    assert len(driver.told(said)) == 1


async def test_pressed_twice_it_is_noted_once_and_says_so(driver: Driver) -> None:
    said = await wanted(driver)
    assert await driver.tell_me(said, "bob") == wording.ALREADY_SUBSCRIBED
    driver.rig.script = script()
    await driver.rig.changed()
    assert len(driver.told(said)) == 1


async def test_whoever_else_wants_it_is_told_as_well(driver: Driver) -> None:
    said = await wanted(driver)
    assert await driver.tell_me(said, "ann") == wording.SUBSCRIBED
    driver.rig.script = script()
    await driver.rig.changed()
    first, second = driver.told(said)
    assert first.pings != second.pings


async def test_what_is_taken_back_is_not_told_and_can_be_wanted_again(driver: Driver) -> None:
    said = await wanted(driver)
    assert await driver.tell_me_not("bob") == wording.SUBSCRIPTION_CANCELED
    driver.rig.script = script()
    await driver.rig.changed()
    assert driver.told(said) == []
    assert await driver.tell_me(said, "bob") == wording.SUBSCRIBED
    await driver.rig.changed(2)
    assert len(driver.told(said)) == 1
    assert await driver.tell_me_not("bob") == wording.SUBSCRIPTION_GONE


@pytest.mark.ways_in
async def test_what_was_asked_in_private_is_told_in_private(driver: Driver) -> None:
    said = await driver.ask("bob", QUESTION)
    await driver.rig.settled()
    among = await driver.mention("ann", "Who lost the cup?")
    await driver.rig.settled()
    assert await driver.tell_me(said, "bob") == wording.SUBSCRIBED_PRIVATELY
    driver.rig.script = script()
    await driver.rig.changed()
    (told,) = driver.told(said)
    assert ANSWER.removesuffix(".") in told.text
    assert driver.told(among) == []
    assert driver.rig.readers[-1].groups >= {driver.alone("bob")}


@pytest.mark.ways_in
async def test_in_a_direct_message_it_is_told_there(driver: Driver) -> None:
    said = await driver.direct("bob", QUESTION)
    await driver.rig.settled()
    assert await driver.tell_me(said, "bob") == wording.SUBSCRIBED
    driver.rig.script = script()
    await driver.rig.changed()
    assert len(driver.told(said)) == 1


@pytest.mark.walks(Way.RATE)
async def test_after_a_wrong_answer_it_is_told_when_it_rests_on_something_else(driver: Driver) -> None:
    driver.rig.script = lambda asked: once(cited("The red team.", question=asked.text, standalone=asked.text))
    said = await driver.mention("bob", QUESTION)
    await driver.rig.settled()
    offered = await driver.rate(said, "bob", helpful=False, reason=RatingReason.WRONG, comment="")
    assert await driver.tell_me(offered, "bob") == wording.SUBSCRIBED
    await driver.rig.changed()
    assert driver.told(said) == []
    driver.rig.script = script()
    await driver.rig.changed(2)
    assert len(driver.told(said)) == 1


async def test_whoever_is_forgotten_is_not_told(driver: Driver) -> None:
    said = await wanted(driver)
    assert await driver.tell_me(said, "ann") == wording.SUBSCRIBED
    assert QUESTION in await driver.rig.desk.export_person(driver.key("ann"))
    await driver.rig.desk.erase_person(driver.key("bob"))
    driver.rig.script = script()
    await driver.rig.changed()
    assert driver.told(said) == []
    assert QUESTION not in await driver.rig.desk.export_person(driver.key("ann"))


async def test_nothing_is_said_where_the_bot_is_to_be_silent_by_now(driver: Driver) -> None:
    said = await wanted(driver)
    driver.rig.places[driver.place] = PlaceSettings(silent=True)
    driver.rig.script = script()
    await driver.rig.changed()
    assert driver.told(said) == []
    del driver.rig.places[driver.place]
    await driver.rig.tick()
    assert len(driver.told(said)) == 1


async def test_a_conversation_that_the_bot_was_sent_out_of_is_told_once_it_is_called_back(driver: Driver) -> None:
    said = await wanted(driver)
    await driver.mention_after("ann", "stop", said)
    await driver.rig.settled()
    driver.rig.script = script()
    await driver.rig.changed()
    assert driver.told(said) == []
    await driver.mention_after("ann", "start", said)
    await driver.rig.settled()
    await driver.rig.tick()
    assert len(driver.told(said)) == 1


async def test_a_try_that_came_to_grief_is_made_again_although_no_document_changes(driver: Driver) -> None:
    said = await wanted(driver)
    driver.rig.script = lambda asked: once(broken(asked.text))
    await driver.rig.changed()
    assert driver.told(said) == []
    driver.rig.script = script()
    await driver.rig.tick()
    assert len(driver.told(said)) == 1


async def test_a_question_that_is_gone_is_dropped(driver: Driver) -> None:
    """Slack takes nothing below it, Discord nothing in reply to an answer that was deleted with it."""
    said = await wanted(driver)
    await driver.delete(said)
    driver.rig.script = script()
    await driver.rig.changed()
    await driver.rig.changed(2)
    assert driver.told(said) == []
    assert json.loads(await driver.rig.desk.export_person(driver.key("bob")))["wishes"] == []


async def test_more_than_so_many_are_refused(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "MAX_SUBSCRIPTIONS", 1)
    await wanted(driver)
    said = await driver.mention("bob", "Who lost the cup?")
    await driver.rig.settled()
    assert await driver.tell_me(said, "bob") == wording.TOO_MANY_SUBSCRIPTIONS.format(most=1)
    assert await driver.tell_me(said, "ann") == wording.SUBSCRIBED


async def test_people_who_chose_a_language_meet_no_english_word_of_ours(driver: Driver) -> None:
    await driver.rig.desk.save_preferences(driver.key("bob"), Preferences(language="de"))
    driver.rig.script = lambda asked: once(replace(unanswered(asked), language="de"))
    said = await driver.mention("bob", "Wer gewann?")
    await driver.rig.settled()
    heard = [await driver.tell_me(said, "bob"), await driver.tell_me(said, "bob"), await driver.tell_me_not("bob")]
    for text in heard:
        assert not left_in_english(text, "de", ""), text
