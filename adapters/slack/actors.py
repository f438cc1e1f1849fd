"""Who does something, with the user groups they are in: roles are given to those."""

from __future__ import annotations

from collections.abc import Mapping

import structlog

from adapters.chat.audience import Believed
from adapters.slack.events.incoming import Body, Me, person
from adapters.slack.members import FRESH
from adapters.slack.web import Declined, Web
from pipeline.errors import Unavailable
from pipeline.values import Actor

Groups = Mapping[str, frozenset[str]]
"""The members of each user group."""

log = structlog.get_logger(__name__)


class Actors:
    """What cannot be found out adds no group, so that nothing is allowed by it."""

    def __init__(self, web: Web, me: Me) -> None:
        self._web = web
        self._me = me
        self._groups = Believed[str, Groups](FRESH)

    async def of(self, user: Body) -> Actor:
        """Whoever Slack names in a payload. People of other organisations have no group, not even their own id."""
        name = str(user.get("id") or "")
        who = person(self._me.team, name)
        if not name.isalnum() or str(user.get("team_id") or self._me.team) != self._me.team:
            return Actor(person=who)
        try:
            groups = await self._groups.of(self._me.team, self._listed)
        except Unavailable as error:
            log.warning("slack_user_groups_unknown", reason=str(error))
            groups = {}
        within = {f"slack:{self._me.team}:group:{group}" for group, users in groups.items() if name in users}
        return Actor(person=who, groups=frozenset({who, *within}))

    async def _listed(self) -> Groups:
        """At most as old as the list of people is."""
        try:
            found = (await self._web.call("usergroups.list", include_users="true")).get("usergroups") or ()
        except Declined as declined:
            log.info("slack_user_groups_unlisted", roles_of_groups="do not count", reason=str(declined))
            found = ()
        return {str(group["id"]): frozenset(map(str, group.get("users") or ())) for group in found}
