"""An answer in a channel rests on public collections only while guests may read it, or while nobody can tell."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.slack import members
from pipeline.rules.access import AccessRule
from pipeline.values import BlockKind, Chunk, Document, Unit
from tests.contracts.slack_driver import CHANNEL, QUICK, SlackDriver, granted, user
from tests.contracts.waiting import until

STAFF, FOR_ALL = "staff", "for-all"
EVERYTHING, PUBLIC_ONLY = frozenset({STAFF, FOR_ALL}), frozenset({FOR_ALL})
QUESTION = "How much leave do I get?"


@asynccontextmanager
async def workspace(
    folder: Path, *, without: frozenset[str] = frozenset(), guests: tuple[str, ...] = ("guest",)
) -> AsyncIterator[SlackDriver]:
    """A workspace with Ann, Bob and a guest, a public and a team's collection; the bot is not there yet."""
    driver = SlackDriver(folder / "data", granted() - without)
    driver.pace = replace(QUICK, timeout=10.0)
    await driver.gather()
    driver.workspace.join(CHANNEL, user("ann"), user("bob"))
    driver.workspace.guests.update(user(guest) for guest in guests)
    try:
        yield driver
    finally:
        await driver.close()


async def enter(driver: SlackDriver) -> None:
    """The bot comes, with both collections."""
    await driver.connect()
    driver.rig.rules[FOR_ALL] = AccessRule(public=True)
    for number, name in enumerate((STAFF, FOR_ALL), 1):
        document = Document(id=f"doc-{number}", filename=f"{name}.md", title=name, collection=name)
        chunk = Chunk(
            id=f"chunk-{number}",
            document_id=document.id,
            text="Text",
            units=(Unit(start=0, end=4, kind=BlockKind.PROSE),),
        )
        await driver.rig.storage.library.replace_document(document, [chunk], None, "")


async def used(driver: SlackDriver, channel: str = CHANNEL, person: str = "ann") -> frozenset[str]:
    """The collections that the answer to a mention by `person` may rest on."""
    await driver.people.mention(user(person), channel, QUESTION)
    await driver.rig.settled()
    return driver.rig.requests[-1].audience.collections


def guest_is_there(driver: SlackDriver) -> None:
    driver.workspace.join(CHANNEL, user("guest"))


def guest_who_left_the_workspace_is_there(driver: SlackDriver) -> None:
    driver.workspace.deleted.add(user("guest"))
    driver.workspace.join(CHANNEL, user("guest"))


def colleague_is_in_another_workspace_too(driver: SlackDriver) -> None:
    driver.workspace.of_grid.add(user("bob"))


def somebody_is_there_whom_the_list_does_not_name(driver: SlackDriver) -> None:
    driver.workspace.channels[CHANNEL].members.add("U0ELSEWHERE")


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (guest_is_there, PUBLIC_ONLY),
        (guest_who_left_the_workspace_is_there, EVERYTHING),
        (colleague_is_in_another_workspace_too, EVERYTHING),
        (somebody_is_there_whom_the_list_does_not_name, PUBLIC_ONLY),
    ],
)
async def test_who_is_in_the_channel_decides(
    tmp_path: Path, there: Callable[[SlackDriver], None], expected: frozenset[str]
) -> None:
    async with workspace(tmp_path) as driver:
        there(driver)
        await enter(driver)
        assert [await used(driver, person=person) for person in ("ann", "bob")] == [expected] * 2


async def test_a_channel_without_guests_in_a_workspace_with_guests(tmp_path: Path) -> None:
    async with workspace(tmp_path) as driver:
        await enter(driver)
        assert await used(driver) == EVERYTHING
        assert await used(driver, person="bob") == EVERYTHING
        assert len(driver.slack.called("conversations.members")) == 1


async def test_a_workspace_without_guests_is_asked_for_its_people_once_and_for_no_members(tmp_path: Path) -> None:
    async with workspace(tmp_path, guests=()) as driver:
        await enter(driver)
        assert await used(driver) == EVERYTHING
        assert await used(driver, person="bob") == EVERYTHING
        assert len(driver.slack.called("users.list")) == 1
        assert driver.slack.called("conversations.members") == []


async def test_a_guest_on_a_later_page_is_found_and_no_further_page_is_read(tmp_path: Path) -> None:
    async with workspace(tmp_path) as driver:
        driver.workspace.page = 2
        driver.workspace.join(CHANNEL, user("guest"), *(f"U9{number}" for number in range(9)))
        await enter(driver)
        assert await used(driver) == PUBLIC_ONLY
        assert len(driver.slack.called("users.list")) == 7
        assert len(driver.slack.called("conversations.members")) == 2


async def test_the_list_is_read_again_and_a_guest_who_left_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(members, "MEMBERS_REFRESH_AHEAD", members.MEMBERS_FRESH_SECONDS - 0.05)
    async with workspace(tmp_path) as driver:
        driver.workspace.join(CHANNEL, user("guest"))
        await enter(driver)
        assert await used(driver) == PUBLIC_ONLY
        driver.workspace.channels[CHANNEL].members.remove(user("guest"))
        read = len(driver.slack.called("users.list"))
        await until(lambda: len(driver.slack.called("users.list")) > read + 1)
        assert await used(driver) == EVERYTHING


async def test_a_list_that_is_too_old_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with workspace(tmp_path, guests=()) as driver:
        await enter(driver)
        assert await used(driver) == EVERYTHING
        monkeypatch.setattr(members, "MEMBERS_FRESH_SECONDS", 0.0)
        assert await used(driver) == PUBLIC_ONLY


@pytest.mark.parametrize(
    ("who", "guests", "listed", "expected"),
    [
        ("guest", ("guest",), True, PUBLIC_ONLY),
        ("elsewhere", (), False, PUBLIC_ONLY),
        ("new", ("guest",), True, EVERYTHING),
    ],
    ids=["a guest", "somebody on no list", "a new colleague"],
)
async def test_who_joins_counts_at_once(
    tmp_path: Path, who: str, guests: tuple[str, ...], listed: bool, expected: frozenset[str]
) -> None:
    async with workspace(tmp_path, guests=guests) as driver:
        await enter(driver)
        assert await used(driver) == EVERYTHING
        await driver.people.join(user(who), CHANNEL, listed=listed)
        assert await used(driver) == expected


@pytest.mark.parametrize("kind", ["channel", "private"])
async def test_the_first_guest_of_a_workspace_counts_as_soon_as_they_join(tmp_path: Path, kind: str) -> None:
    async with workspace(tmp_path, guests=()) as driver:
        driver.workspace.add("G0PLACE", kind)
        driver.workspace.join("G0PLACE", user("ann"))
        await enter(driver)
        assert await used(driver, "G0PLACE") == EVERYTHING
        driver.workspace.guests.add(user("new"))
        await driver.people.join(user("new"), "G0PLACE")
        assert await used(driver, "G0PLACE") == PUBLIC_ONLY


async def test_without_the_scope_to_list_people_everybody_counts_as_a_guest(tmp_path: Path) -> None:
    async with workspace(tmp_path, without=frozenset({"users:read"}), guests=()) as driver:
        await enter(driver)
        assert await used(driver) == PUBLIC_ONLY
        await driver.direct("ann", QUESTION)
        await driver.rig.settled()
        assert driver.rig.requests[-1].audience.collections == PUBLIC_ONLY


@pytest.mark.parametrize(
    ("kind", "scope"), [("channel", "channels:read"), ("private", "groups:read"), ("mpim", "mpim:read")]
)
@pytest.mark.parametrize(("guests", "expected"), [(("guest",), PUBLIC_ONLY), ((), EVERYTHING)])
async def test_the_scope_to_list_members_matters_only_where_there_are_guests(
    tmp_path: Path, kind: str, scope: str, guests: tuple[str, ...], expected: frozenset[str]
) -> None:
    async with workspace(tmp_path, without=frozenset({scope}), guests=guests) as driver:
        driver.workspace.add("G0PLACE", kind)
        driver.workspace.join("G0PLACE", user("ann"))
        await enter(driver)
        assert await used(driver, "G0PLACE") == expected


@pytest.mark.parametrize("method", ["users.list", "conversations.members"])
@pytest.mark.parametrize("fault", ["500", "drop", "fatal_error", "fetch_members_failed", "late"])
async def test_a_call_that_fails_or_takes_too_long_closes_the_channel(tmp_path: Path, method: str, fault: str) -> None:
    async with workspace(tmp_path) as driver:
        driver.pace = replace(driver.pace, membership_timeout=0.05)
        free = asyncio.Event()

        async def broken(called: str, arguments: dict[str, object], when: str) -> str | None:
            if called != method or when != "before":
                return None
            if fault == "late":
                await free.wait()
                return None
            return fault

        driver.slack.hook = broken
        await enter(driver)
        assert await used(driver) == PUBLIC_ONLY
        free.set()


async def test_a_list_that_could_not_be_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "MEMBERS_RETRY_SECONDS", 0.01)
    async with workspace(tmp_path) as driver:
        faults = iter(["500", "drop"])

        async def broken(called: str, arguments: dict[str, object], when: str) -> str | None:
            return next(faults, None) if called == "users.list" and when == "before" else None

        driver.slack.hook = broken
        await enter(driver)
        await until(lambda: driver.slack.called("users.list"))
        assert await used(driver) == EVERYTHING


async def test_a_list_that_nobody_foresaw_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "MEMBERS_RETRY_SECONDS", 0.01)
    async with workspace(tmp_path) as driver:
        whole, broken = driver.workspace.users_list, iter([{"members": [None]}])
        monkeypatch.setattr(driver.workspace, "users_list", lambda arguments: next(broken, None) or whole(arguments))
        await enter(driver)
        await until(lambda: len(driver.slack.called("users.list")) > 1)
        assert await used(driver) == EVERYTHING


async def test_a_limited_list_is_read_on_after_the_time_that_slack_asked_for(tmp_path: Path) -> None:
    async with workspace(tmp_path) as driver:
        driver.workspace.page = 2
        limited = False

        async def limit(called: str, arguments: dict[str, object], when: str) -> str | None:
            nonlocal limited
            if called != "users.list" or "cursor" not in arguments or limited:
                return None
            limited = True
            return "429"

        driver.slack.hook = limit
        await enter(driver)
        assert await used(driver) == EVERYTHING
        assert limited
        assert driver.slack.called_while_limited == 0


async def test_a_members_direct_message_is_not_affected_by_guests(tmp_path: Path) -> None:
    async with workspace(tmp_path) as driver:
        driver.workspace.join(CHANNEL, user("guest"))
        await enter(driver)
        await driver.direct("ann", QUESTION)
        await driver.rig.settled()
        assert driver.rig.requests[-1].audience.collections == EVERYTHING


async def test_a_private_answer_from_team_documents_is_not_shared_with_guests(tmp_path: Path) -> None:
    async with workspace(tmp_path) as driver:
        driver.workspace.join(CHANNEL, user("guest"))
        await enter(driver)
        said = await driver.ask("ann", QUESTION)
        await driver.rig.settled()
        assert driver.rig.requests[-1].audience.collections == EVERYTHING
        assert await driver.share(said, "ann") == []
