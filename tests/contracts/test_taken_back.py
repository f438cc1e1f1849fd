"""What is taken back, by whoever said it or by an erasure, is kept no more, and what appears of its answer ends."""

from __future__ import annotations

import asyncio

import pytest

from pipeline.words import wording
from tests.contracts.driver import Driver, Way
from tests.contracts.rig import appearing_until, searching_until
from tests.contracts.waiting import until

SECRET = "My salary is 1234."
QUESTION = f"{SECRET} How much leave do I get?"


pytestmark = pytest.mark.walks(Way.MENTION, Way.EDIT, Way.PRIVACY, Way.FAULTS)


async def test_a_question_that_is_deleted_after_its_answer_is_kept_no_more(driver: Driver) -> None:
    said = await driver.mention("ann", QUESTION)
    await driver.rig.settled()
    assert SECRET in await driver.rig.desk.export_person(driver.key("ann"))
    await driver.delete(said)
    exported = await driver.rig.desk.export_person(driver.key("ann"))
    assert SECRET not in exported
    assert "thirty days" not in exported


@pytest.mark.parametrize("way", ["deleted", "erased"])
async def test_a_question_that_is_taken_back_while_its_answer_appears_ends_the_reply_and_is_kept_no_more(
    driver: Driver, way: str
) -> None:
    free = asyncio.Event()
    driver.rig.script = appearing_until(free)
    said = await driver.mention("ann", QUESTION)
    await until(lambda: driver.replies(said))
    if way == "deleted":
        await driver.delete(said)
    else:
        await driver.rig.desk.erase_person(driver.key("ann"))
    free.set()
    await until(lambda: [shown.text for shown in driver.replies(said)] == [wording.QUESTION_ERASED])
    assert SECRET not in await driver.rig.desk.export_person(driver.key("ann"))


@pytest.mark.parametrize("answered", [False, True])
async def test_what_the_platform_adds_to_a_question_takes_nothing_back(driver: Driver, answered: bool) -> None:
    free = asyncio.Event()
    driver.rig.script = searching_until(free)
    said = await driver.mention("ann", "What does https://wiki.example/leave say?")
    await until(lambda: driver.rig.requests)
    if answered:
        free.set()
        await driver.rig.settled()
    await driver.preview(said)
    free.set()
    await driver.rig.settled()
    assert len(driver.rig.requests) == 1
    assert len(driver.replies(said)) == 1


async def test_a_question_that_is_gone_gets_no_reply_and_is_done_with(driver: Driver) -> None:
    """Its deletion never reached us."""
    free = asyncio.Event()
    driver.rig.script = searching_until(free)
    said = await driver.mention("ann", QUESTION)
    await until(lambda: driver.rig.requests)
    await driver.vanish(said)
    free.set()
    await driver.rig.settled()
    assert driver.replies(said) == []
    assert driver.told_alone("ann") == []
    assert await driver.rig.state() == {"done": 1}
