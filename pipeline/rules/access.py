"""Who may see and do what: readers and rules in, an audience out. What is in doubt is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pipeline.rules.platforms import Platforms
from pipeline.rules.tenancy import ALL, Reach
from pipeline.values import ANYWHERE, WITHHELD, Action, Actor, Audience, Platform, Readers, Role, Value

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
    Action.MAKE_KEY: None,
    Action.REVOKE_KEY: None,
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


@dataclass(frozen=True)
class Rules:
    """Who may see what: which collection, and what was asked in which workspace."""

    named: Mapping[str, Rule] = field(default_factory=dict)
    """By collection."""
    platforms: Platforms = field(default_factory=Platforms)
    homes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By platform, the organisation's own workspaces (`slack:T1`) or servers; of one that is not here, all are."""

    def sight(self, readers: Readers, collection: str) -> Sight:
        """Outsiders see public collections only, other workspaces those and what names them; everyone else what is open
        inside or open to a group all share."""
        if collection == WITHHELD:
            return Sight(allowed=False, because="its source lets nobody read it now")
        if OPERATOR in readers.groups:
            return Sight(allowed=True, because="whoever holds the data folder sees all of it")
        rule = self.named.get(collection) or self._own(collection)
        if readers.external and not rule.public:
            return Sight(allowed=False, because="outsiders read along, and it is not public")
        if not rule.only and rule.public:
            return Sight(allowed=True, because="it is public")
        if not rule.only and (others := self._others(readers.groups)):
            return Sight(allowed=False, because=f"no rule: not for {', '.join(sorted(others))}, which is not a home")
        if not rule.only:
            return Sight(allowed=True, because="no rule: everyone inside may see it")
        if shared := sorted(readers.groups.intersection(rule.only)):
            return Sight(allowed=True, because=f"only = {', '.join(shared)}")
        return Sight(allowed=False, because=f"only for {', '.join(rule.only)}")

    def _own(self, collection: str) -> Rule:
        """The rule of a collection that has none: what was said in a channel is for those who may read it there."""
        return Rule(only=(collection, reader_of(collection))) if self.of_channel(collection) else INSIDE

    def of_channel(self, collection: str) -> bool:
        """Whether it holds what was said in a channel, and nothing else: it is called as that is."""
        platform = self.platforms.of(collection)
        return platform is not None and platform.channel.fits(collection)

    def reach(self, workspace: str) -> Reach:
        """The collections that readers there may see at most, whoever they are, besides what is said there in channels.
        People of all workspaces are where each is alone with the bot."""
        if (platform := self.platforms.of(workspace)) and platform.alone:
            return ALL
        seen = {name for name, rule in self.named.items() if self._reached(rule, workspace)}
        if self._reached(INSIDE, workspace):
            return Reach(frozenset(self.named.keys() - seen), others=True)
        return Reach(frozenset(seen), others=False)

    def _reached(self, rule: Rule, workspace: str) -> bool:
        foreign = self._foreign(workspace)
        if foreign and not foreign.tenants and not rule.public:
            return False
        if rule.only:
            return any(self._concerns(group, workspace) for group in rule.only)
        return rule.public or not self._others([workspace])

    def hear(self, readers: Readers, person: str) -> bool:
        """Whether `readers` may hear what `person` asked: other workspaces hear of themselves, and nobody of them."""
        return self._others(readers.groups) == self._others([person])

    def _others(self, names: Iterable[str]) -> set[str]:
        """The workspaces with tenants that `names` are of."""
        if not self.homes:
            return set()
        spaces = {":".join(name.split(":")[:2]) for name in names}
        return {space for space in spaces if (platform := self._foreign(space)) and platform.tenants}

    def _foreign(self, workspace: str) -> Platform | None:
        """The platform of a workspace or server that is not the organisation's own; None for one that is."""
        platform = self.platforms.of(workspace)
        homes = self.homes.get(platform.name) if platform else None
        if platform is None or homes is None or workspace in (*homes, platform.direct_workspace):
            return None
        return platform

    def _concerns(self, group: str, workspace: str) -> bool:
        """Whether somebody there may belong to it: whoever is the same everywhere may be there, and anybody of theirs
        where no server is around."""
        platform = self.platforms.of(workspace)
        if platform and platform.everywhere:
            around = f"{platform.name}:" if workspace == platform.direct_workspace else f"{platform.name}:{ANYWHERE}:"
            if group.startswith(around):
                return True
        return f"{group}:".startswith(f"{workspace}:")


NO_RULES = Rules()


def reader_of(channel: object) -> str:
    """The group of those who may read a channel, wherever they are: only what was said in it is for them."""
    return f"{channel}:reader"


def audience(readers: Readers, collections: Iterable[str], rules: Rules) -> Audience:
    """The collections that every one of `readers` may see."""
    seen = frozenset(name for name in collections if rules.sight(readers, name).allowed)
    return Audience(collections=seen, external=readers.external)


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
