"""Access control: from readers and rules to the collections that they may see. In doubt a collection is left out."""

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
"""The person at the terminal, who holds the data folder and may do everything."""
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
"""Least role that may do an action; None: the operator alone."""
require_every(Action, MINIMUM_ROLES)

RoleGrants = Mapping[Role, frozenset[str]]
"""Holders of each role, as `Actor.groups` names them."""


class AccessRule(Value):
    """The rule of one collection."""

    only: tuple[str, ...] = ()
    """Groups of which every reader must belong to at least one and the same; empty: everyone inside."""
    public: bool = False
    """True where people outside the organisation may see it too."""


class AccessDecision(Value):
    """The decision if readers may see a collection, and the reason."""

    allowed: bool
    because: str
    """Reason as a clause for the operator."""


INTERNAL_RULE = AccessRule()
"""Rule of a collection that has none."""


@dataclass(frozen=True)
class AccessPolicy:
    """Rules of the collections, and the workspaces whose questions may be shown to each other."""

    by_collection: Mapping[str, AccessRule] = field(default_factory=dict)
    """Rules by collection."""
    platforms: PlatformRegistry = field(default_factory=PlatformRegistry)
    homes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The organisation's own workspaces (`slack:T1`) or servers, by platform; for a platform that is missing, all
    are."""

    def check_access(self, readers: Readers, collection: str) -> AccessDecision:
        """Decide if all readers may see a collection.

        Outsiders see public collections only. People of other workspaces see these and the ones that name them.
        Everyone else sees what is open inside, or open to a group that all of them share."""
        if collection == WITHHELD_COLLECTION:
            return AccessDecision(allowed=False, because="its source lets nobody read it now")
        if OPERATOR in readers.groups:
            return AccessDecision(allowed=True, because="the operator sees everything")
        rule = self.by_collection.get(collection) or self._default_rule(collection)
        if readers.external and not rule.public:
            return AccessDecision(allowed=False, because="outsiders read along, and it is not public")
        if not rule.only and rule.public:
            return AccessDecision(allowed=True, because="it is public")
        if not rule.only and (foreign := self._foreign_tenants(readers.groups)):
            return AccessDecision(
                allowed=False, because=f"no rule: not for {', '.join(sorted(foreign))}, which is not a home"
            )
        if not rule.only:
            return AccessDecision(allowed=True, because="no rule: every member may see it")
        if shared := sorted(readers.groups.intersection(rule.only)):
            return AccessDecision(allowed=True, because=f"only = {', '.join(shared)}")
        return AccessDecision(allowed=False, because=f"only for {', '.join(rule.only)}")

    def _default_rule(self, collection: str) -> AccessRule:
        """Return the rule of a collection that has none: what was said in a channel is for those who may read it
        there."""
        return (
            AccessRule(only=(collection, channel_group(collection)))
            if self.is_channel_collection(collection)
            else INTERNAL_RULE
        )

    def is_channel_collection(self, collection: str) -> bool:
        """Return whether a collection holds the messages of one channel: then it is named like the channel."""
        platform = self.platforms.find_platform(collection)
        return platform is not None and platform.channel.matches(collection)

    def visible_collections(self, workspace: str) -> VisibleCollections:
        """Return the collections that any readers of that workspace may see, besides those of its channels. Where
        everyone is alone with the bot, people of all workspaces may be there."""
        if (platform := self.platforms.find_platform(workspace)) and platform.is_one_to_one:
            return ALL_COLLECTIONS
        visible = {name for name, rule in self.by_collection.items() if self._is_reachable(rule, workspace)}
        if self._is_reachable(INTERNAL_RULE, workspace):
            return VisibleCollections(frozenset(self.by_collection.keys() - visible), is_exclusion=True)
        return VisibleCollections(frozenset(visible), is_exclusion=False)

    def _is_reachable(self, rule: AccessRule, workspace: str) -> bool:
        foreign = self._foreign_platform(workspace)
        if foreign and not foreign.has_tenants and not rule.public:
            return False
        if rule.only:
            return any(self._may_have_members(group, workspace) for group in rule.only)
        return rule.public or not self._foreign_tenants([workspace])

    def can_see_question(self, readers: Readers, person: str) -> bool:
        """Return whether `readers` may see what `person` asked: people of another workspace see only its own questions,
        and nobody else sees these."""
        return self._foreign_tenants(readers.groups) == self._foreign_tenants([person])

    def _foreign_tenants(self, names: Iterable[str]) -> set[str]:
        """Return the workspaces with tenants that `names` belong to."""
        if not self.homes:
            return set()
        spaces = {":".join(name.split(":")[:2]) for name in names}
        return {space for space in spaces if (platform := self._foreign_platform(space)) and platform.has_tenants}

    def _foreign_platform(self, workspace: str) -> Platform | None:
        """Return the platform of a workspace or server that is not the organisation's own; None for one that is."""
        platform = self.platforms.find_platform(workspace)
        homes = self.homes.get(platform.name) if platform else None
        if platform is None or homes is None or workspace in (*homes, platform.direct_workspace):
            return None
        return platform

    def _may_have_members(self, group: str, workspace: str) -> bool:
        """Return whether somebody in the workspace may belong to the group. A person who is the same everywhere may be
        in it, and in direct messages of no server anybody of the platform."""
        platform = self.platforms.find_platform(workspace)
        if platform and platform.has_global_users:
            prefix = f"{platform.name}:" if workspace == platform.direct_workspace else f"{platform.name}:{ANY_SPACE}:"
            if group.startswith(prefix):
                return True
        return f"{group}:".startswith(f"{workspace}:")


DEFAULT_POLICY = AccessPolicy()


def channel_group(channel: object) -> str:
    """Return the group of those who may read a channel, wherever they are: only messages of the channel are for
    them."""
    return f"{channel}:reader"


def resolve_audience(readers: Readers, collections: Iterable[str], rules: AccessPolicy) -> Audience:
    """Return the collections that every one of `readers` may see."""
    visible = frozenset(name for name in collections if rules.check_access(readers, name).allowed)
    return Audience(collections=visible, external=readers.external)


def roles_of(actor: Actor, roles: RoleGrants) -> tuple[Role, ...]:
    """Return the roles of the person, or of a group they are in, the highest first."""
    return tuple(role for role in Role if not actor.groups.isdisjoint(roles.get(role, frozenset())))


def is_permitted(actor: Actor, action: Action, roles: RoleGrants) -> bool:
    """Return whether a role of the actor permits the action; without a role, False."""
    if actor.person == OPERATOR:
        return True
    least = MINIMUM_ROLES[action]
    order = list(Role)
    return least is not None and any(order.index(role) <= order.index(least) for role in roles_of(actor, roles))
