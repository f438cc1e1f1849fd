"""The weekly digest is posted once to the channel or person that the operator named."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from adapters.chat.words import insights
from bot.run.outbox_worker import queue_weekly_digest
from pipeline.rules.access import AccessRule
from pipeline.values import Document, PlaceSettings, replace
from tests.contracts.answers import not_found
from tests.contracts.driver import Driver, Way
from tests.contracts.rig import once

WEEK = "2026-W47"


pytestmark = pytest.mark.walks(Way.INSIGHTS)


@pytest.fixture
async def driver(driver: Driver) -> Driver:
    driver.rig.script = lambda asked: once(replace(not_found(asked.text), standalone=asked.text))
    await driver.mention("bob", "Who won the cup?")
    await driver.rig.settled()
    return driver


async def posted(driver: Driver) -> None:
    """Begun, it is posted before long."""
    driver.rig.courier.notify()
    await driver.rig.settled()


def _states(driver: Driver) -> list[str]:
    with closing(sqlite3.connect(driver.rig.folder / "citewell.db")) as db:
        return [state for (state,) in db.execute("SELECT state FROM outbox ORDER BY key")]


@pytest.mark.ways_in
async def test_a_channel_gets_what_was_asked_and_what_to_write(driver: Driver) -> None:
    await driver.rig.storage.outbox.queue_digest(WEEK, str(driver.helpers))
    await posted(driver)
    (shown,) = driver.asked()
    assert insights.QUESTION_COUNTS.format(asked=1, answered=0, partial=0, not_found=1, unhelpful=0) in shown.text
    assert "Who won the cup?" in shown.text
    assert "- [ ] To be filled in: Who won the cup?" in shown.text
    assert shown.pings == frozenset()


async def test_a_double_tick_posts_once(driver: Driver) -> None:
    for _ in range(2):
        await queue_weekly_digest(driver.rig.storage.outbox, str(driver.helpers))
        await posted(driver)
    assert len(driver.asked()) == 1


async def test_when_it_is_to_go_elsewhere_it_is_posted_there_in_the_same_week(driver: Driver) -> None:
    await queue_weekly_digest(driver.rig.storage.outbox, driver.named("ann"))
    await posted(driver)
    for _ in range(2):
        await queue_weekly_digest(driver.rig.storage.outbox, str(driver.helpers))
        await posted(driver)
    assert len(driver.asked()) == 1


async def test_a_person_gets_it_alone(driver: Driver) -> None:
    await driver.rig.storage.outbox.queue_digest(WEEK, driver.named("ann"))
    await posted(driver)
    assert _states(driver) == ["done"]
    assert driver.asked() == []


async def test_who_is_forgotten_is_named_in_no_digest(driver: Driver) -> None:
    await driver.rig.storage.outbox.queue_digest(WEEK, driver.named("ann"))
    await driver.rig.desk.erase_person(driver.key("ann"))
    assert await driver.rig.storage.outbox.take_next() is None
    with closing(sqlite3.connect(driver.rig.folder / "citewell.db")) as db:
        assert db.execute("SELECT recipient FROM outbox").fetchall() == [("",)]


async def test_a_channel_is_told_of_no_document_that_not_all_of_it_may_see(driver: Driver) -> None:
    document = Document(id="secret", filename="secret.md", title="secret", collection="secret")
    await driver.rig.storage.library.replace_document(document, [], None, "")
    driver.rig.rules["secret"] = AccessRule(only=("slack:T0OTHER", "discord:1"))
    await driver.rig.storage.outbox.queue_digest(WEEK, str(driver.helpers))
    await posted(driver)
    (shown,) = driver.asked()
    assert await driver.rig.storage.library.count() == 3
    assert "2 documents were never cited." in shown.text


async def test_it_is_said_in_the_language_of_the_channel(driver: Driver) -> None:
    driver.rig.places[driver.helpers] = PlaceSettings(language="de")
    await driver.rig.storage.outbox.queue_digest(WEEK, str(driver.helpers))
    await posted(driver)
    (shown,) = driver.asked()
    assert "1 gefragt" in shown.text


async def test_one_that_cannot_be_posted_is_given_up_and_next_week_is_posted(driver: Driver) -> None:
    nowhere = replace(driver.place, channel="C0GONE" if driver.place.platform == "slack" else "1")
    await driver.rig.storage.outbox.queue_digest("2026-W46", str(nowhere))
    await posted(driver)
    await driver.rig.storage.outbox.queue_digest(WEEK, str(driver.helpers))
    await posted(driver)
    assert _states(driver) == ["dead", "done"]
    assert len(driver.asked()) == 1
