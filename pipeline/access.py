"""Who may see and do what: readers and rules in, an audience out. What is in doubt is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pipeline.values import Action, Actor, Audience, Readers, Role, Value

OPERATOR = "console:local"
"""The person at the terminal, who holds the data folder and may do everything; the person who asks there."""
LEAST: Mapping[Action, Role | None] = {
    Action.SET_UP: Role.ADMIN,
    Action.TEACH: Role.CONTRIBUTOR,
    Action.ADD: Role.CONTRIBUTOR,
    Action.TAKE_BACK: Role.CONTRIBUTOR,
    Action.TAKE_BACK_OTHERS: Role.ADMIN,
    Action.INDEX: None,
    Action.REMOVE: None,
    Action.READ_RATINGS: None,
    Action.READ_INSIGHTS: Role.ADMIN,
    Action.READ_PERSON: None,
    Action.ERASE_PERSON: None,
}
"""The least role that may do it; None: the operator alone."""

Roles = Mapping[Role, frozenset[str]]
"""Whom each role is given to, as `Actor.groups` names them."""


class Rule(Value):
    """Who may see one collection."""

    only: tuple[str, ...] = ()
    """Groups of which every reader must belong to at least one and the same; empty: everyone inside."""
    public: bool = False
    """People outside the organisation may see it too."""


class Sight(Value):
    """Whether readers may see a collection, and what decides it."""

    allowed: bool
    because: str
    """A clause for the operator."""


INSIDE = Rule()
"""The rule of a collection that has none."""


def audience(readers: Readers, collections: Iterable[str], rules: Mapping[str, Rule]) -> Audience:
    """The collections that every one of `readers` may see."""
    seen = frozenset(name for name in collections if sight(readers, rules.get(name, INSIDE)).allowed)
    return Audience(collections=seen, external=readers.external)


def sight(readers: Readers, rule: Rule) -> Sight:
    """Outsiders see public collections only; everyone else what is open inside or open to a group all share."""
    if readers.external and not rule.public:
        return Sight(allowed=False, because="outsiders read along, and it is not public")
    if not rule.only:
        return Sight(allowed=True, because="it is public" if rule.public else "no rule: everyone inside may see it")
    if shared := sorted(readers.groups.intersection(rule.only)):
        return Sight(allowed=True, because=f"only = {', '.join(shared)}")
    return Sight(allowed=False, because=f"only for {', '.join(rule.only)}")


def roles_of(actor: Actor, roles: Roles) -> tuple[Role, ...]:
    """The roles that were given to the person, or to a group they are in, the highest first."""
    return tuple(role for role in Role if not actor.groups.isdisjoint(roles.get(role, frozenset())))


def may(actor: Actor, action: Action, roles: Roles) -> bool:
    """Denied unless a role of the actor says otherwise."""
    if actor.person == OPERATOR:
        return True
    least = LEAST[action]
    order = list(Role)
    return least is not None and any(order.index(role) <= order.index(least) for role in roles_of(actor, roles))
