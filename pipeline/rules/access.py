"""Who may see and do what: readers and rules in, an audience out. What is in doubt is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pipeline.rules.platforms import PlatformRegistry
from pipeline.rules.tenancy import ALL_COLLECTIONS, VisibleCollections
from pipeline.values import (
    ANY_SPACE,
    WITHHELD_COLLECTION,
    Action,
    Actor,
    Audience,
    Platform,
    Readers,
    Role,
    Value,
    require_every,
)

OPERATOR = "console:local"
"""The person at the terminal, who holds the data folder and may do everything; the person who asks there."""
MINIMUM_ROLES: Mapping[Action, Role | None] = {
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
require_every(Action, MINIMUM_ROLES)

RoleGrants = Mapping[Role, frozenset[str]]
"""Whom each role is given to, as `Actor.groups` names them."""


class AccessRule(Value):
    """Who may see one collection."""

    only: tuple[str, ...] = ()
    """Groups of which every reader must belong to at least one and the same; empty: everyone inside."""
    public: bool = False
    """People outside the organisation may see it too."""


class AccessDecision(Value):
    """Whether readers may see a collection, and what decides it."""

    allowed: bool
    because: str
    """A clause for the operator."""


INTERNAL_RULE = AccessRule()
"""The rule of a collection that has none."""


@dataclass(frozen=True)
class AccessPolicy:
    """Who may see what: which collection, and what was asked in which workspace."""

    by_collection: Mapping[str, AccessRule] = field(default_factory=dict)
    """By collection."""
    platforms: PlatformRegistry = field(default_factory=PlatformRegistry)
    homes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By platform, the organisation's own workspaces (`slack:T1`) or servers; of one that is not here, all are."""

    def check_access(self, readers: Readers, collection: str) -> AccessDecision:
        """Outsiders see public collections only, other workspaces those and what names them; everyone else what is open
        inside or open to a group all share."""
        if collection == WITHHELD_COLLECTION:
            return AccessDecision(allowed=False, because="its source lets nobody read it now")
        if OPERATOR in readers.groups:
            return AccessDecision(allowed=True, because="the operator sees everything")
        rule = self.by_collection.get(collection) or self._own(collection)
        if readers.external and not rule.public:
            return AccessDecision(allowed=False, because="outsiders read along, and it is not public")
        if not rule.only and rule.public:
            return AccessDecision(allowed=True, because="it is public")
        if not rule.only and (others := self._others(readers.groups)):
            return AccessDecision(
                allowed=False, because=f"no rule: not for {', '.join(sorted(others))}, which is not a home"
            )
        if not rule.only:
            return AccessDecision(allowed=True, because="no rule: every member may see it")
        if shared := sorted(readers.groups.intersection(rule.only)):
            return AccessDecision(allowed=True, because=f"only = {', '.join(shared)}")
        return AccessDecision(allowed=False, because=f"only for {', '.join(rule.only)}")

    def _own(self, collection: str) -> AccessRule:
        """The rule of a collection that has none: what was said in a channel is for those who may read it there."""
        return (
            AccessRule(only=(collection, channel_group(collection)))
            if self.is_channel_collection(collection)
            else INTERNAL_RULE
        )

    def is_channel_collection(self, collection: str) -> bool:
        """Whether it holds what was said in a channel, and nothing else: it is called as that is."""
        platform = self.platforms.find_platform(collection)
        return platform is not None and platform.channel.matches(collection)

    def visible_collections(self, workspace: str) -> VisibleCollections:
        """The collections that readers there may see at most, whoever they are, besides what is said there in channels.
        People of all workspaces are where each is alone with the bot."""
        if (platform := self.platforms.find_platform(workspace)) and platform.is_one_to_one:
            return ALL_COLLECTIONS
        seen = {name for name, rule in self.by_collection.items() if self._reached(rule, workspace)}
        if self._reached(INTERNAL_RULE, workspace):
            return VisibleCollections(frozenset(self.by_collection.keys() - seen), is_exclusion=True)
        return VisibleCollections(frozenset(seen), is_exclusion=False)

    def _reached(self, rule: AccessRule, workspace: str) -> bool:
        foreign = self._foreign(workspace)
        if foreign and not foreign.has_tenants and not rule.public:
            return False
        if rule.only:
            return any(self._concerns(group, workspace) for group in rule.only)
        return rule.public or not self._others([workspace])

    def can_see_question(self, readers: Readers, person: str) -> bool:
        """Whether `readers` may hear what `person` asked: other workspaces hear of themselves, and nobody of them."""
        return self._others(readers.groups) == self._others([person])

    def _others(self, names: Iterable[str]) -> set[str]:
        """The workspaces with tenants that `names` are of."""
        if not self.homes:
            return set()
        spaces = {":".join(name.split(":")[:2]) for name in names}
        return {space for space in spaces if (platform := self._foreign(space)) and platform.has_tenants}

    def _foreign(self, workspace: str) -> Platform | None:
        """The platform of a workspace or server that is not the organisation's own; None for one that is."""
        platform = self.platforms.find_platform(workspace)
        homes = self.homes.get(platform.name) if platform else None
        if platform is None or homes is None or workspace in (*homes, platform.direct_workspace):
            return None
        return platform

    def _concerns(self, group: str, workspace: str) -> bool:
        """Whether somebody there may belong to it: whoever is the same everywhere may be there, and anybody of theirs
        where no server is around."""
        platform = self.platforms.find_platform(workspace)
        if platform and platform.has_global_users:
            around = f"{platform.name}:" if workspace == platform.direct_workspace else f"{platform.name}:{ANY_SPACE}:"
            if group.startswith(around):
                return True
        return f"{group}:".startswith(f"{workspace}:")


DEFAULT_POLICY = AccessPolicy()


def channel_group(channel: object) -> str:
    """The group of those who may read a channel, wherever they are: only what was said in it is for them."""
    return f"{channel}:reader"


def resolve_audience(readers: Readers, collections: Iterable[str], rules: AccessPolicy) -> Audience:
    """The collections that every one of `readers` may see."""
    seen = frozenset(name for name in collections if rules.check_access(readers, name).allowed)
    return Audience(collections=seen, external=readers.external)


def roles_of(actor: Actor, roles: RoleGrants) -> tuple[Role, ...]:
    """The roles that were given to the person, or to a group they are in, the highest first."""
    return tuple(role for role in Role if not actor.groups.isdisjoint(roles.get(role, frozenset())))


def is_permitted(actor: Actor, action: Action, roles: RoleGrants) -> bool:
    """Denied unless a role of the actor says otherwise."""
    if actor.person == OPERATOR:
        return True
    least = MINIMUM_ROLES[action]
    order = list(Role)
    return least is not None and any(order.index(role) <= order.index(least) for role in roles_of(actor, roles))
