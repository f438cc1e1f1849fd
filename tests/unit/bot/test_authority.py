"""Who may change things: denied by default, decided in one place, and written down."""

from __future__ import annotations

import itertools

from bot.services.authority import OPERATOR_ACTOR
from pipeline.rules.access import MINIMUM_ROLES, is_permitted
from pipeline.values import Action, Actor, Role

ADMIN = Actor(person="slack:T1:U1", groups=frozenset({"slack:T1:U1"}))
EDITOR = Actor(person="slack:T1:U2", groups=frozenset({"slack:T1:U2", "slack:T1:group:S5"}))
ANYBODY = Actor(person="slack:T1:U3", groups=frozenset({"slack:T1:U3"}))
ROLES = {Role.ADMIN: frozenset({"slack:T1:U1"}), Role.CONTRIBUTOR: frozenset({"slack:T1:group:S5"})}


def test_every_action_and_role_decides_as_the_table_says() -> None:
    allowed = {
        (name, action)
        for (name, actor), action in itertools.product(
            {"admin": ADMIN, "editor": EDITOR, "anybody": ANYBODY, "operator": OPERATOR_ACTOR}.items(), Action
        )
        if is_permitted(actor, action, ROLES)
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
    assert set(MINIMUM_ROLES) == set(Action)


def test_without_roles_nobody_on_a_platform_may_do_anything() -> None:
    assert not any(is_permitted(actor, action, {}) for actor in (ADMIN, EDITOR, ANYBODY) for action in Action)
