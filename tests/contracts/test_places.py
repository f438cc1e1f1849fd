"""What may be set for a place, by whom, and what then holds there, on every platform."""

from __future__ import annotations

from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path

import pytest

from adapters.replies import setup
from pipeline.values import Action, Document, Place, Role, Style, WhoWrites
from tests.contracts.driver import Driver, Way
from tests.contracts.test_adapter import PLATFORMS, needs


@pytest.fixture(params=[name for name in PLATFORMS if not name.startswith("console")])
async def driver(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Driver]:
    module, name = PLATFORMS[request.param]
    opened: Driver = await getattr(import_module(module), name).open(tmp_path / "data")
    needs(opened, Way.SETUP)
    try:
        yield opened
    finally:
        await opened.close()


def appoint(driver: Driver, role: Role, name: str) -> None:
    driver.rig.roles[role] = frozenset({name})


async def ask(driver: Driver) -> None:
    await driver.mention("bob", "How much leave do I get?")
    await driver.rig.settled()


async def collection(driver: Driver, name: str) -> None:
    await driver.rig.storage.library.put(
        Document(id=name, filename=f"{name}.md", title=name, collection=name), [], None, ""
    )


async def test_nobody_may_set_up_a_place_until_the_operator_says_who(driver: Driver) -> None:
    assert setup.ADMINS_ONLY in await driver.set_up("ann", style="bullet")
    appoint(driver, Role.CONTRIBUTOR, driver.named("ann"))
    assert setup.ADMINS_ONLY in await driver.set_up("ann", style="bullet")
    tried = await driver.rig.storage.audit.latest(10)
    assert [(row.actor, row.action, row.subject, row.allowed) for row in tried] == [
        (driver.key("ann"), Action.SET_UP, driver.place, False)
    ] * 2
    await ask(driver)
    assert driver.rig.requests[-1].style is None


async def test_what_an_admin_sets_holds_in_that_channel_and_is_written_down(driver: Driver) -> None:
    appoint(driver, Role.ADMIN, driver.named("ann"))
    assert setup.ADMINS_ONLY not in await driver.set_up("ann", style="bullet", language="de", writer="extract")
    await ask(driver)
    asked = driver.rig.requests[-1]
    assert (asked.style, asked.language, asked.extract) == (Style.BULLET, "de", True)
    await driver.direct("bob", "How much leave do I get?")
    await driver.rig.settled()
    asked = driver.rig.requests[-1]
    assert (asked.style, asked.language, asked.extract) == (None, "", False)
    (done,) = await driver.rig.storage.audit.latest(10)
    assert (done.actor, done.allowed) == (driver.key("ann"), True)


async def test_a_role_given_to_a_group_holds_for_its_members(driver: Driver) -> None:
    appoint(driver, Role.ADMIN, await driver.group("ann"))
    assert setup.ADMINS_ONLY in await driver.set_up("bob", style="bullet")
    assert setup.ADMINS_ONLY not in await driver.set_up("ann", style="bullet")
    await ask(driver)
    assert driver.rig.requests[-1].style is Style.BULLET


async def test_what_is_set_in_chat_goes_before_the_file_and_survives_a_restart(driver: Driver) -> None:
    driver.rig.places[driver.place] = Place(style=Style.BULLET, writer=WhoWrites.EXTRACT)
    appoint(driver, Role.ADMIN, driver.named("ann"))
    await driver.set_up("ann", style="detailed")
    await driver.restart()
    await ask(driver)
    assert (driver.rig.requests[-1].style, driver.rig.requests[-1].extract) == (Style.DETAILED, True)
    await driver.set_up("ann", style="default")
    await ask(driver)
    assert driver.rig.requests[-1].style is Style.BULLET


async def test_what_a_person_prefers_goes_before_what_is_set_for_the_place(driver: Driver) -> None:
    driver.rig.places[driver.place] = Place(style=Style.BULLET)
    await driver.prefer("bob", Style.DETAILED)
    await ask(driver)
    assert driver.rig.requests[-1].style is Style.DETAILED


async def test_a_place_searches_the_collections_that_are_set_and_never_more_than_its_readers_may_see(
    driver: Driver,
) -> None:
    for name in ("handbook", "hr", "press"):
        await collection(driver, name)
    driver.rig.places[driver.place] = Place(collections=("hr", "press"))
    await ask(driver)
    allowed = driver.rig.requests[-1].audience.collections
    assert allowed <= {"hr", "press"}
    driver.rig.places.clear()
    await ask(driver)
    assert allowed == driver.rig.requests[-1].audience.collections & {"hr", "press"}


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"collections": "handbok"}, "Did you mean handbook?"),
        ({"language": "german"}, "two letters of a language"),
        ({"auto_per_hour": "many"}, "a whole number from 1 to 1,000"),
    ],
)
async def test_what_cannot_be_set_is_refused_with_what_can(driver: Driver, choices: dict[str, str], said: str) -> None:
    await collection(driver, "handbook")
    appoint(driver, Role.ADMIN, driver.named("ann"))
    assert said in (await driver.set_up("ann", style="bullet", **choices)).replace("\\", "")
    await ask(driver)
    assert driver.rig.requests[-1].style is None
