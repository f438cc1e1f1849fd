"""Whatever the bot posts is there once and complete, wherever the process ends and whatever the network loses."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable

import pytest

from bot.run.outbox_worker import queue_weekly_digest
from pipeline.values import (
    AnswerEvent,
    AnswerRequest,
    AnswerStage,
    CitedSentence,
    PlaceSettings,
    ProgressEvent,
    SentenceEvent,
    replace,
)
from pipeline.words import wording
from storage.open import open_storage
from tests.contracts.answers import cited, not_found
from tests.contracts.driver import Driver, Fault, Said, Shown, Way
from tests.contracts.rig import once
from tests.contracts.test_told import script, unanswered
from tests.contracts.waiting import until

QUESTION = "Who won the cup?"
Look = Callable[[], list[Shown]]
Begin = Callable[[], Awaitable[Look]]
Kind = Callable[[Driver], Awaitable[Begin]]


pytestmark = pytest.mark.walks(Way.INBOX, Way.FAULTS, Way.HANDOFF, Way.TELL, Way.INSIGHTS)


@pytest.fixture
async def driver(driver: Driver) -> Driver:
    driver.rig.places[driver.place] = PlaceSettings(ask=driver.helpers)
    return driver


async def asked(driver: Driver) -> Said:
    """Asked in vain."""
    driver.rig.script = lambda request: once(unanswered(request))
    said = await driver.mention("bob", QUESTION)
    await driver.rig.settled()
    return said


async def a_reply(driver: Driver) -> Begin:
    async def begin() -> Look:
        said = await driver.mention("bob", QUESTION)
        return lambda: driver.replies(said)

    return begin


async def a_growing_reply(driver: Driver) -> Begin:
    begun: list[Said] = []

    async def growing(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        sentences = [CitedSentence(text=text, numbers=(1,)) for text in ("First.", "Second.", "Third.")]
        yield ProgressEvent(stage=AnswerStage.WRITING)
        for sentence in sentences:
            yield SentenceEvent(sentence=sentence)
        await until(lambda: bool(begun and driver.replies(begun[0])))
        yield cited(sentences=sentences, question=request.text)

    async def begin() -> Look:
        begun.append(await driver.mention("bob", QUESTION))
        return lambda: driver.replies(begun[0])

    driver.rig.script = growing
    return begin


async def what_somebody_waits_for(driver: Driver) -> Begin:
    said = await asked(driver)
    await driver.tell_me(said, "bob")
    driver.rig.script = script()

    async def begin() -> Look:
        await driver.rig.change()
        return lambda: driver.told(said)

    return begin


async def what_somebody_alone_waits_for(driver: Driver) -> Begin:
    driver.rig.script = lambda request: once(unanswered(request))
    said = await driver.ask("bob", QUESTION)
    await driver.rig.settled()
    await driver.tell_me(said, "bob")
    driver.rig.script = script()

    async def begin() -> Look:
        await driver.rig.change()
        return lambda: driver.told(said)

    return begin


async def a_question_for_people(driver: Driver) -> Begin:
    said = await asked(driver)

    async def begin() -> Look:
        await driver.ask_person(said, "bob")
        return driver.asked

    return begin


async def what_people_replied(driver: Driver) -> Begin:
    said = await asked(driver)
    await driver.ask_person(said, "bob")
    await driver.rig.settled()

    async def begin() -> Look:
        await driver.resolve("ann", "The blue team.")
        return lambda: driver.heard(said)

    return begin


async def a_digest(driver: Driver) -> Begin:
    await asked(driver)

    async def begin() -> Look:
        await queue_weekly_digest(driver.rig.storage.outbox, str(driver.helpers))
        driver.rig.courier.notify()
        return driver.asked

    return begin


async def a_shared_answer(driver: Driver) -> Begin:
    said = await driver.ask("bob", QUESTION)
    await driver.rig.settled()

    async def begin() -> Look:
        await driver.begin_share(said, "bob")
        return driver.shared

    return begin


BY_ITSELF = [a_question_for_people, what_people_replied, a_digest]


async def crashed(driver: Driver, kind: Kind, moment: str) -> list[Shown]:
    """What is there after the process was gone at that moment, and another one has done all there was to do."""
    begin = await kind(driver)
    driver.rig.crash_before = moment
    look = await begin()
    await driver.rig.crashed()
    await driver.restart()
    await driver.rig.settled()
    return look()


@pytest.mark.ways_in
@pytest.mark.parametrize("moment", ["save_answer", "mark_posting", "mark_posted", "mark_done"])
@pytest.mark.parametrize("kind", [a_reply, a_growing_reply])
async def test_a_crash_at_any_step_neither_loses_nor_doubles_a_reply(driver: Driver, kind: Kind, moment: str) -> None:
    (shown,) = await crashed(driver, kind, moment)
    assert ("First. Second. Third. [1]" if kind is a_growing_reply else "thirty days") in shown.text
    assert "passages" in shown.buttons


RULES = [f"Rule {number} says that request {number} needs form {number}." for number in range(300)]


@pytest.mark.parametrize("moment", ["mark_posted", "mark_done"])
async def test_a_long_reply_that_a_crash_cuts_off_is_completed(driver: Driver, moment: str) -> None:
    driver.rig.script = lambda request: once(cited(*RULES, question=request.text))
    told = "\n".join(shown.text for shown in await crashed(driver, a_reply, moment))
    assert all(told.count(rule) == 1 for rule in RULES)


@pytest.mark.walks(Way.MENTION, Way.EDIT)
async def test_a_shorter_answer_leaves_nothing_of_the_longer_one_that_it_takes_the_place_of(driver: Driver) -> None:
    driver.rig.script = lambda request: once(cited(*RULES, question=request.text))
    said = await driver.mention("bob", QUESTION)
    await driver.rig.settled()
    assert len(driver.replies(said)) > 2
    driver.rig.script = lambda request: once(cited("There are none.", question=request.text))
    await driver.edit(said, f"{QUESTION} And who says so?")
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert "There are none." in reply.text


@pytest.mark.parametrize("moment", ["save_answer", "mark_posting", "mark_posted", "mark_done"])
@pytest.mark.parametrize("kind", [what_somebody_waits_for, what_somebody_alone_waits_for])
async def test_a_crash_at_any_step_neither_loses_nor_doubles_what_somebody_is_told(
    driver: Driver, kind: Kind, moment: str
) -> None:
    assert len(await crashed(driver, kind, moment)) == 1


@pytest.mark.parametrize("moment", ["mark_posting", "mark_posted", "mark_done"])
@pytest.mark.parametrize("kind", BY_ITSELF)
async def test_a_crash_at_any_step_neither_loses_nor_doubles_what_the_bot_says_by_itself(
    driver: Driver, kind: Kind, moment: str
) -> None:
    assert len(await crashed(driver, kind, moment)) == 1


@pytest.mark.walks(Way.SHARE)
@pytest.mark.parametrize("moment", ["mark_posting", "mark_posted", "mark_shared", "mark_done"])
async def test_a_crash_at_any_step_neither_loses_nor_doubles_what_somebody_shares(driver: Driver, moment: str) -> None:
    (shown,) = await crashed(driver, a_shared_answer, moment)
    assert "thirty days" in shown.text


@pytest.mark.walks(Way.SHARE)
@pytest.mark.parametrize("moment", ["mark_posted", "mark_done"])
async def test_a_long_answer_whose_sharing_a_crash_cuts_off_is_completed(driver: Driver, moment: str) -> None:
    rules = RULES[:150]
    driver.rig.script = lambda request: once(cited(*rules, question=request.text))
    told = "\n".join(shown.text for shown in await crashed(driver, a_shared_answer, moment))
    assert all(told.count(rule) == 1 for rule in rules)


def long_answer(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
    question = request.text
    return once(cited(*(f"{question} {rule}" for rule in RULES[:150]), question=question, answer_id=question))


@pytest.mark.walks(Way.SHARE)
@pytest.mark.parametrize("moment", ["mark_posted", "mark_done"])
async def test_a_share_that_a_crash_cuts_off_does_not_take_the_place_of_the_one_before_it(
    driver: Driver, moment: str
) -> None:
    driver.rig.script = long_answer
    for person, question in (("ann", "apples"), ("bob", "pears")):
        said = await driver.ask(person, question)
        await driver.rig.settled()
        driver.rig.crash_before = moment if person == "bob" else ""
        await driver.begin_share(said, person)
        await until(lambda: bool(driver.shared()))
        if person == "ann":
            await driver.rig.settled()
    await driver.rig.crashed()
    await driver.restart()
    await driver.rig.settled()
    told = "\n".join(shown.text for shown in driver.shared())
    assert all(told.count(f"{question} {rule}") == 1 for question in ("apples", "pears") for rule in RULES[:150])


@pytest.mark.walks(Way.SHARE)
@pytest.mark.parametrize("fault", [Fault.LOST_RESPONSE, Fault.LOST_REQUEST, Fault.LIMITED])
async def test_a_share_that_the_network_loses_is_there_once_and_then_confirmed(driver: Driver, fault: Fault) -> None:
    said = await driver.ask("bob", QUESTION)
    await driver.rig.settled()
    driver.break_next_post(fault)
    await driver.begin_share(said, "bob")
    await until(lambda: not any("share" in shown.buttons for shown in driver.replies(said)))
    assert len(driver.shared()) == 1


@pytest.mark.parametrize("fault", [Fault.LOST_RESPONSE, Fault.LOST_REQUEST, Fault.LIMITED])
@pytest.mark.parametrize("kind", [a_reply, what_somebody_waits_for, *BY_ITSELF])
async def test_a_fault_of_the_network_neither_loses_nor_doubles_it(driver: Driver, kind: Kind, fault: Fault) -> None:
    begin = await kind(driver)
    driver.break_next_post(fault)
    look = await begin()
    await driver.rig.settled()
    assert len(look()) == 1


async def test_whoever_asked_is_told_alone_where_the_platform_never_takes_the_reply(driver: Driver) -> None:
    driver.break_next_post(Fault.REFUSED)
    said = await driver.mention("bob", QUESTION)
    await driver.rig.settled()
    assert driver.replies(said) == []
    (told,) = driver.told_alone("bob")
    assert "I could not answer you in" in told.text
    assert await driver.rig.state() == {"done": 1}


async def test_what_is_the_same_but_for_its_key_is_not_taken_for_it(driver: Driver) -> None:
    """Private replies to the same colleague within the same minute begin alike."""
    for number, reply in enumerate(("The blue team.", "The red team.")):
        driver.rig.script = lambda asked, number=number: once(replace(not_found(asked.text), id=f"n{number}"))
        said = await driver.ask("bob", f"{QUESTION} {number}")
        await driver.rig.settled()
        await driver.ask_person(said, "bob")
        await driver.rig.settled()
        if number:
            driver.rig.crash_before = "mark_posting"
        await driver.resolve("ann", reply)
        if number:
            await driver.rig.crashed()
            async with open_storage(driver.rig.folder) as storage:
                notice = await storage.outbox.take_next()
                assert notice
                await storage.outbox.mark_posting(notice.key)
            await driver.restart()
        await driver.rig.settled()
    first, second = driver.heard(said)
    assert "The blue team." in first.text
    assert "The red team." in second.text


async def test_a_question_that_cannot_be_posted_is_not_given_up_in_silence(driver: Driver) -> None:
    nowhere = replace(driver.place, channel="C0GONE" if driver.place.platform == "slack" else "1")
    driver.rig.places[driver.place] = PlaceSettings(ask=nowhere)
    said = await asked(driver)
    await driver.ask_person(said, "bob")
    await driver.rig.settled()
    (heard,) = driver.heard(said)
    assert wording.HANDOFF_FAILED in heard.text
