"""Answers for one person alone, however long or late they are, and sharing them: once, and with those who may see
them."""

from __future__ import annotations

import asyncio

import pytest

from pipeline.errors import Unavailable
from pipeline.rules.access import AccessRule
from pipeline.words import wording
from tests.contracts.answers import cited
from tests.contracts.driver import Driver, Way
from tests.contracts.rig import once, searching_until
from tests.contracts.waiting import until

QUESTION = "How much leave do I get?"
RULES = [f"Rule {number} says that request {number} needs form {number}." for number in range(150)]


pytestmark = pytest.mark.walks(Way.PRIVATE, Way.MENU, Way.SHARE, Way.INBOX)


@pytest.mark.parametrize("way", ["command", "menu"])
async def test_a_private_answer_begins_with_its_question(driver: Driver, way: str) -> None:
    if way == "command":
        said = await driver.ask("ann", QUESTION)
    else:
        said = await driver.answer_this("ann", await driver.aside("bob", QUESTION))
    await driver.rig.settled()
    assert driver.replies(said)[0].text.startswith(f"Question: {QUESTION}")


@pytest.mark.walks(Way.FILES)
async def test_files_on_a_message_chosen_from_its_menu_are_said_not_to_be_read(driver: Driver) -> None:
    message = await driver.aside("bob", "What does this show?", files={"chart.png": b"png"})
    said = await driver.answer_this("ann", message)
    await driver.rig.settled()
    told = driver.replies(said)[0].text
    assert "I cannot read attached files" in told
    assert "chart.png" in told


async def test_a_long_private_answer_is_told_whole_and_to_the_asker_alone(driver: Driver) -> None:
    driver.rig.script = lambda request: once(cited(*RULES, question=request.text))
    said = await driver.ask("ann", "What are the rules?")
    await driver.rig.settled()
    shown = driver.replies(said)
    told = "\n".join(one.text for one in shown)
    assert len(shown) > 1
    assert all(told.count(rule) == 1 for rule in RULES)
    assert driver.shared() == []


@pytest.mark.ways_in
async def test_a_private_question_that_a_crash_cuts_off_is_answered_afterwards(driver: Driver) -> None:
    driver.rig.crash_before = "save_answer"
    said = await driver.ask("ann", QUESTION)
    await driver.rig.crashed()
    await driver.restart()
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert "thirty days" in reply.text


@pytest.mark.walks(Way.EXPIRES)
async def test_a_long_private_answer_that_a_crash_may_have_swallowed_is_asked_for_again(driver: Driver) -> None:
    driver.rig.script = lambda request: once(cited(*RULES, question=request.text))
    driver.rig.crash_before = "mark_posted"
    said = await driver.ask("ann", "What are the rules?")
    await driver.rig.crashed()
    await driver.restart()
    await driver.rig.settled()
    assert wording.ASK_AGAIN in driver.replies(said)[-1].text


@pytest.mark.walks(Way.EXPIRES)
async def test_an_answer_that_comes_too_late_for_its_command_is_asked_for_again_in_a_direct_message(
    driver: Driver,
) -> None:
    free = asyncio.Event()
    driver.rig.script = searching_until(free)
    said = await driver.ask("ann", QUESTION)
    await until(lambda: driver.rig.requests)
    driver.come_too_late(said)
    free.set()
    await driver.rig.settled()
    assert [told.text for told in driver.told_alone("ann")] == [wording.ASK_AGAIN]
    assert await driver.rig.state() == {"done": 1}
    assert len(driver.rig.requests) == 1


@pytest.mark.ways_in
async def test_an_answer_is_shared_once_under_the_name_of_whoever_shared_it(driver: Driver) -> None:
    said = await driver.ask("ann", QUESTION)
    await driver.rig.settled()
    (shared,) = await driver.share(said, "ann")
    assert shared.text.startswith(f"Shared by ann: {QUESTION}")
    await until(lambda: "share" not in driver.replies(said)[-1].buttons)
    assert "thirty days" in driver.replies(said)[-1].text
    assert await driver.share_told(said, "ann") == wording.ALREADY_SHARED
    await driver.restart()
    assert await driver.share_told(said, "ann") == wording.ALREADY_SHARED
    assert len(driver.shared()) == 1


async def test_an_answer_that_could_not_be_shared_may_be_shared_again(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def locked(*_: object) -> None:
        raise Unavailable("database", "locked")

    said = await driver.ask("ann", QUESTION)
    await driver.rig.settled()
    with monkeypatch.context() as failing:
        failing.setattr(driver.rig.desk, "find_answer", locked)
        assert await driver.share_told(said, "ann") == wording.TRY_AGAIN
    assert len(await driver.share(said, "ann")) == 1


async def test_what_waits_to_be_shared_is_not_where_somebody_may_not_see_its_sources_by_then(driver: Driver) -> None:
    said = await driver.ask("ann", QUESTION)
    await driver.rig.settled()
    driver.rig.crash_before = "mark_posting"
    await driver.begin_share(said, "ann")
    await driver.rig.crashed()
    driver.rig.rules["default"] = AccessRule(only=(driver.alone("ann"),))
    await driver.restart()
    await driver.rig.settled()
    assert driver.shared() == []
