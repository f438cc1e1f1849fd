"""What arrives, arrives whole: the question is what people read in the message, whoever wrote it and wherever."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from pipeline.plan.question import extract_question
from pipeline.plan.references import resolve_reference
from tests.contracts.driver import Driver, Way

ASKED = "How much leave do I get?"


@pytest.mark.walks(Way.MENTION, Way.NAMES)
async def test_people_places_groups_and_days_stay_in_the_question_by_their_names(driver: Driver) -> None:
    named = await driver.naming("bob")
    for written in named:
        await driver.mention("ann", f"What changed for {written}, and since when?")
        await driver.rig.settled()
    asked = [request.text for request in driver.rig.requests]
    assert asked == [f"What changed for {shown}, and since when?" for shown in named.values()]


@pytest.mark.walks(Way.MENTION, Way.PLACES, Way.NAMES)
async def test_so_they_do_in_a_question_that_is_pointed_at(driver: Driver) -> None:
    written, shown = next(iter((await driver.naming("bob")).items()))
    aside = await driver.aside("ann", f"When is {written} on call?")
    await driver.point("ann", "can you answer this?", aside)
    await driver.rig.settled()
    (request,) = driver.rig.requests
    assert resolve_reference(extract_question(request.text), request.around) == f"When is {shown} on call?"


@pytest.mark.ways_in
@pytest.mark.walks(Way.DIRECT, Way.FORWARDS)
async def test_a_message_that_is_passed_on_alone_is_the_question(driver: Driver) -> None:
    await driver.forward("ann", ASKED)
    await driver.rig.settled()
    assert [request.text for request in driver.rig.requests] == [ASKED]


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.FORWARDS)
async def test_words_that_point_at_what_is_passed_on_ask_that(driver: Driver) -> None:
    said = await driver.forward("ann", ASKED, "can you answer this?")
    await driver.rig.settled()
    (request,) = driver.rig.requests
    assert resolve_reference(extract_question(request.text), request.around) == ASKED
    assert len(driver.replies(said)) == 1


@pytest.mark.walks(Way.MENTION, Way.TITLES)
@pytest.mark.parametrize("text", ["@Citewell", "@Citewell see the title, please"])
async def test_a_title_that_is_pointed_at_is_the_question(driver: Driver, text: str) -> None:
    await driver.post("ann", "Leave of part-timers", text)
    await driver.rig.settled()
    assert [request.text for request in driver.rig.requests] == ["Leave of part-timers"]


@pytest.mark.walks(Way.MENTION, Way.TITLES)
async def test_what_says_something_of_its_own_is_asked_under_its_title(driver: Driver) -> None:
    await driver.post("ann", "Leave of part-timers", "@Citewell how many days are there for trainees?")
    await driver.rig.settled()
    assert [request.text for request in driver.rig.requests] == [
        "Leave of part-timers\nhow many days are there for trainees?"
    ]


@pytest.mark.walks(Way.MENTION, Way.PROGRAMS)
async def test_a_program_that_may_not_ask_is_told_of_once(driver: Driver) -> None:
    with capture_logs() as logs:
        said = [await driver.by_program(ASKED), await driver.by_program(ASKED)]
        await driver.rig.settled()
    assert [driver.replies(one) for one in said] == [[], []]
    assert len([one for one in logs if one["event"] == "app_not_answered"]) == 1


@pytest.mark.walks(Way.MENTION, Way.WORKFLOWS)
async def test_a_workflow_that_may_ask_is_answered_where_it_asked(driver: Driver) -> None:
    said = await driver.by_program(ASKED, allowed=True)
    await driver.rig.settled()
    assert len(driver.replies(said)) == 1
