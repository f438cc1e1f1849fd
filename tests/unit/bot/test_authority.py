"""Who may change things: denied by default, decided in one place, and written down."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.authority import AT_THE_TERMINAL, Authority
from pipeline.access import LEAST, may
from pipeline.errors import NotAllowed
from pipeline.values import Action, Actor, Role
from storage.open import Storage, open_storage

ADMIN = Actor(person="slack:T1:U1", groups=frozenset({"slack:T1:U1"}))
EDITOR = Actor(person="slack:T1:U2", groups=frozenset({"slack:T1:U2", "slack:T1:group:S5"}))
ANYBODY = Actor(person="slack:T1:U3", groups=frozenset({"slack:T1:U3"}))
ROLES = {Role.ADMIN: frozenset({"slack:T1:U1"}), Role.CONTRIBUTOR: frozenset({"slack:T1:group:S5"})}


@pytest.fixture
async def storage(tmp_path: Path) -> AsyncIterator[Storage]:
    async with open_storage(tmp_path / "data") as opened:
        yield opened


def test_every_action_and_role_decides_as_the_table_says() -> None:
    allowed = {
        (name, action)
        for (name, actor), action in itertools.product(
            {"admin": ADMIN, "editor": EDITOR, "anybody": ANYBODY, "operator": AT_THE_TERMINAL}.items(), Action
        )
        if may(actor, action, ROLES)
    }
    assert {action for name, action in allowed if name == "operator"} == set(Action)
    assert {action for name, action in allowed if name == "admin"} == {
        Action.SET_UP,
        Action.TEACH,
        Action.ADD,
        Action.TAKE_BACK,
        Action.TAKE_BACK_OTHERS,
        Action.READ_INSIGHTS,
    }
    assert {action for name, action in allowed if name == "editor"} == {Action.TEACH, Action.ADD, Action.TAKE_BACK}
    assert not {action for name, action in allowed if name == "anybody"}


def test_every_action_has_a_least_role_or_is_the_operators_alone() -> None:
    assert set(LEAST) == set(Action)


def test_without_roles_nobody_on_a_platform_may_do_anything() -> None:
    assert not any(may(actor, action, {}) for actor in (ADMIN, EDITOR, ANYBODY) for action in Action)


async def test_what_was_done_and_what_was_tried_is_in_the_audit(storage: Storage) -> None:
    authority = Authority(ROLES, storage.audit)
    await authority.require(ADMIN, Action.SET_UP, "slack:T1:C2")
    with pytest.raises(NotAllowed):
        await authority.require(ANYBODY, Action.SET_UP, "slack:T1:C2")
    tried, done = await storage.audit.latest(10)
    assert (done.actor, done.action, done.subject, done.allowed) == ("slack:T1:U1", Action.SET_UP, "slack:T1:C2", True)
    assert (tried.actor, tried.allowed) == ("slack:T1:U3", False)
