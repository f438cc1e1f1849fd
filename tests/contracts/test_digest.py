"""The weekly digest is posted once to the channel or person that the operator named."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest

from adapters.replies import insights
from bot.digest import DigestPoster, begin_digest
from pipeline.access import Rule
from pipeline.values import Document, Place
from tests.contracts.answers import not_found
from tests.contracts.driver import Driver, Fault, Way
from tests.contracts.rig import GRACE, once
from tests.contracts.test_adapter import PLATFORMS, needs
from tests.contracts.waiting import eventually

WEEK = "2026-W47"


@pytest.fixture(params=[name for name in PLATFORMS if not name.startswith("console")])
async def driver(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Driver]:
    module, name = PLATFORMS[request.param]
    opened: Driver = await getattr(import_module(module), name).open(tmp_path / "data")
    needs(opened, Way.INSIGHTS)
    opened.rig.script = lambda asked: once(not_found(asked.text).model_copy(update={"standalone": asked.text}))
    await opened.mention("bob", "Who won the cup?")
    await opened.rig.settled()
    try:
        yield opened
    finally:
        await opened.close()


def poster(driver: Driver) -> DigestPoster:
    return DigestPoster(
        driver.rig.storage.digests,
        driver.rig.desk,
        {driver.rig.adapter.name: driver.rig.adapter},
        grace_seconds=GRACE,
        retry_seconds=0.01,
    )


async def posted(driver: Driver) -> None:
    """Post until nothing is left to be posted."""
    digests = poster(driver)

    async def done() -> bool:
        await digests.post_due()
        return not _open(driver)

    await eventually(done)


def _open(driver: Driver) -> int:
    with closing(sqlite3.connect(driver.rig.folder / "citewell.db")) as db:
        return int(db.execute("SELECT count(*) FROM digest WHERE state = 'open'").fetchone()[0])


def _states(driver: Driver) -> list[str]:
    with closing(sqlite3.connect(driver.rig.folder / "citewell.db")) as db:
        return [state for (state,) in db.execute("SELECT state FROM digest ORDER BY week")]


async def test_a_channel_gets_what_was_asked_and_what_to_write(driver: Driver) -> None:
    await driver.rig.storage.digests.begin(WEEK, str(driver.helpers))
    await posted(driver)
    (shown,) = driver.asked()
    assert insights.NUMBERS.format(asked=1, answered=0, partial=0, not_found=1, unhelpful=0) in shown.text
    assert "Who won the cup?" in shown.text
    assert shown.pings == frozenset()


async def test_a_double_tick_posts_once(driver: Driver) -> None:
    for _ in range(2):
        await begin_digest(driver.rig.storage.digests, str(driver.helpers))
        await posted(driver)
    assert len(driver.asked()) == 1


async def test_when_it_is_to_go_elsewhere_it_is_posted_there_in_the_same_week(driver: Driver) -> None:
    await begin_digest(driver.rig.storage.digests, driver.named("ann"))
    await posted(driver)
    for _ in range(2):
        await begin_digest(driver.rig.storage.digests, str(driver.helpers))
        await posted(driver)
    assert len(driver.asked()) == 1


async def test_one_of_which_nobody_heard_whether_it_was_posted_is_looked_for(driver: Driver) -> None:
    digests = driver.rig.storage.digests
    await digests.begin(WEEK, str(driver.helpers))
    await posted(driver)
    with closing(sqlite3.connect(driver.rig.folder / "citewell.db", isolation_level=None)) as db:
        db.execute("UPDATE digest SET state = 'open', reference = ''")
    await posted(driver)
    assert len(driver.asked()) == 1


@pytest.mark.parametrize("fault", [Fault.LOST_RESPONSE, Fault.LOST_REQUEST])
async def test_a_fault_of_the_network_neither_loses_nor_doubles_it(driver: Driver, fault: Fault) -> None:
    needs(driver, Way.FAULTS)
    driver.break_next_post(fault)
    await driver.rig.storage.digests.begin(WEEK, str(driver.helpers))
    await posted(driver)
    assert len(driver.asked()) == 1


async def test_a_person_gets_it_alone(driver: Driver) -> None:
    await driver.rig.storage.digests.begin(WEEK, driver.named("ann"))
    await posted(driver)
    assert _states(driver) == ["done"]
    assert driver.asked() == []


async def test_who_is_forgotten_is_named_in_no_digest(driver: Driver) -> None:
    await driver.rig.storage.digests.begin(WEEK, driver.named("ann"))
    await driver.rig.desk.forget(driver.key("ann"))
    assert await driver.rig.storage.digests.due() is None
    with closing(sqlite3.connect(driver.rig.folder / "citewell.db")) as db:
        assert db.execute("SELECT recipient FROM digest").fetchall() == [("",)]


async def test_a_channel_is_told_of_no_document_that_not_all_of_it_may_see(driver: Driver) -> None:
    document = Document(id="secret", filename="secret.md", title="secret", collection="secret")
    await driver.rig.storage.library.put(document, [], None, "")
    driver.rig.rules["secret"] = Rule(only=("slack:T0OTHER", "discord:1"))
    await driver.rig.storage.digests.begin(WEEK, str(driver.helpers))
    await posted(driver)
    (shown,) = driver.asked()
    assert await driver.rig.storage.library.count() == 3
    assert "2 documents were never cited." in shown.text


async def test_it_is_said_in_the_language_of_the_channel(driver: Driver) -> None:
    driver.rig.places[driver.helpers] = Place(language="de")
    await driver.rig.storage.digests.begin(WEEK, str(driver.helpers))
    await posted(driver)
    (shown,) = driver.asked()
    assert "1 gefragt" in shown.text


async def test_one_that_cannot_be_posted_is_given_up_and_next_week_is_posted(driver: Driver) -> None:
    nowhere = driver.place.model_copy(update={"channel": "C0GONE" if driver.place.platform == "slack" else "1"})
    await driver.rig.storage.digests.begin("2026-W46", str(nowhere))
    await posted(driver)
    await driver.rig.storage.digests.begin(WEEK, str(driver.helpers))
    await posted(driver)
    assert _states(driver) == ["dead", "done"]
    assert len(driver.asked()) == 1
