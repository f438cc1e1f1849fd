"""Who will read a reply and who does something, told by groups.

`slack:T1` is a workspace, `slack:T1:C2` a channel, `slack:T1:user:U3` one person; `slack:T1:U3` is that person as well,
as long as the id has the form that Slack gives to people: what comes as a person's id never names a channel."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import structlog

from adapters.chat.audience import AudienceFacts, TtlCache
from adapters.slack.events.incoming import SlackBot, SlackPayload, is_external, person_key
from adapters.slack.members import MEMBERS_FRESH_SECONDS, SlackMembership
from adapters.slack.web_client import SlackRefused, SlackWebClient, paginate_method
from pipeline.errors import Refused, Unavailable
from pipeline.values import Actor, IncomingMessage, MessageTrigger, PersonId, PlaceId, replace

AUDIENCE_CACHE_SECONDS = 60.0
"""Seconds for which it is, who is in a channel that is a source; whoever leaves one is told to us, too."""
_PERSON, _CHANNEL = re.compile(r"[UW][A-Z0-9]+"), re.compile(r"[CG][A-Z0-9]+")
_PROGRAM = re.compile(r"B[A-Z0-9]+")
"""The forms of Slack's ids."""
UserGroups = Mapping[str, frozenset[str]]
"""The members of each user group."""

log = structlog.get_logger(__name__)


class SlackAudienceResolver:
    """The port `AudienceResolver`. Guests and people of other organisations are outside, like everyone whom the bot may
    not look up."""

    def __init__(self, web: SlackWebClient, me: SlackBot, members: SlackMembership) -> None:
        self._web = web
        self._me = me
        self._members = members
        self.actors = SlackActorResolver(web, me)
        self._outside = TtlCache[str, bool | None](MEMBERS_FRESH_SECONDS)
        self._public = TtlCache[str, bool](AUDIENCE_CACHE_SECONDS)
        self._listed = TtlCache[str, frozenset[str]](AUDIENCE_CACHE_SECONDS)

    async def resolve(self, of: IncomingMessage | PlaceId | PersonId) -> AudienceFacts:
        """The readers of the reply to a message: the asker alone in private, everyone there in a channel. Raises
        Refused for a person of another workspace."""
        if isinstance(of, IncomingMessage):
            facts = await self._asked(of)
            return replace(facts, all_inside=facts.all_inside and not of.external)
        if isinstance(of, PlaceId):
            return await self.channel_facts(of.channel)
        if of.space != self._me.team:
            raise Refused(f"{of} is of another workspace")
        return await self.person_facts(of.user)

    async def author(self, message: IncomingMessage) -> Actor:
        return await self.actors.resolve({"id": message.asker.user})

    async def person_facts(self, user: str, channel: str = "") -> AudienceFacts:
        """One person, who can also see `channel`."""
        groups = channel_groups(self._me, channel) | direct_groups(self._me, user)
        return self._facts(groups, inside=not await self._guest(user), user=user)

    async def channel_facts(self, channel: str) -> AudienceFacts:
        """Of a channel. One that we may not look at counts as shared with others."""
        inside = await self._look_at(channel) is False and await self._members.are_all_inside(channel)
        return self._facts(channel_groups(self._me, channel), inside=inside)

    async def is_shared(self, channel: str) -> bool:
        """Whether a channel is known to be shared with other organisations."""
        return await self._look_at(channel) is True

    async def forget_member(self, event: Mapping[str, Any]) -> None:
        """Somebody left a channel."""
        channel = str(event.get("channel") or "")
        self._public.forget(channel)
        self._listed.forget(channel)

    async def _asked(self, message: IncomingMessage) -> AudienceFacts:
        """With what is said Slack tells whether the channel is shared; for what is awaited we look."""
        channel, user = message.conversation.channel, message.asker.user
        if message.manner is MessageTrigger.COMMAND:
            return await self.person_facts(user, channel)
        if channel.startswith("D"):
            return await self.person_facts(user)
        if message.manner is MessageTrigger.AWAITED:
            return await self.channel_facts(channel)
        guest, inside = await asyncio.gather(self._guest_there(user), self._members.are_all_inside(channel))
        return self._facts(channel_groups(self._me, channel), inside=inside and not guest)

    def _facts(self, groups: frozenset[str], *, inside: bool, user: str = "") -> AudienceFacts:
        spaces = frozenset({str(self._me.place())})
        return AudienceFacts(groups, all_inside=inside, spaces=spaces, can_read_channel=partial(self._reads, user=user))

    async def _reads(self, channel: PlaceId, *, user: str) -> bool:
        """Whether everyone inside may read it, or `user`, who is a member of it."""
        name = channel.channel
        if await self._public.get(name, partial(self._is_public, name)):
            return True
        return bool(user) and user in await self._listed.get(name, partial(self._list, name))

    async def _is_public(self, channel: str) -> bool:
        shown = (await self._web.call("conversations.info", channel=channel)).get("channel") or {}
        open_to_all = shown.get("is_private") is False and not is_external(shown, self._me.team)
        return shown.get("id") == channel and open_to_all

    async def _list(self, channel: str) -> frozenset[str]:
        listed = paginate_method(self._web, "conversations.members", "members", channel=channel, limit=500)
        return frozenset([str(one) async for page in listed for one in page])

    async def _guest_there(self, user: str) -> bool:
        """Whether who asks in a channel is outside. A workflow that may ask is nobody: those in the channel read it."""
        return not _PROGRAM.fullmatch(user) and await self._guest(user)

    async def _guest(self, user: str) -> bool:
        return not _PERSON.fullmatch(user) or await self._is_outside("users.info", "user", user) is not False

    async def _look_at(self, channel: str) -> bool | None:
        return await self._is_outside("conversations.info", "channel", channel)

    async def _is_outside(self, method: str, what: str, name: str) -> bool | None:
        """None when Slack does not say."""

        async def ask() -> bool | None:
            try:
                found = (await self._web.call(method, **{what: name})).get(what)
            except SlackRefused:
                return None
            return is_external(found, self._me.team) if found else None

        try:
            return await self._outside.get(name, ask)
        except Unavailable:
            return None


def channel_groups(me: SlackBot, channel: str) -> frozenset[str]:
    """Those of everybody in a channel; a direct message is no place that anybody opens a collection to."""
    team = f"slack:{me.team}"
    return frozenset({team, f"{team}:{channel}"} if _CHANNEL.fullmatch(channel) else {team})


def direct_groups(me: SlackBot, user: str) -> frozenset[str]:
    team = f"slack:{me.team}"
    return frozenset({f"{team}:user:{user}", f"{team}:{user}"} if _PERSON.fullmatch(user) else ())


class SlackActorResolver:
    """Who does something, with the user groups they are in: roles are given to those. What cannot be found out adds no
    group, so that nothing is allowed by it."""

    def __init__(self, web: SlackWebClient, me: SlackBot) -> None:
        self._web = web
        self._me = me
        self._groups = TtlCache[str, UserGroups](MEMBERS_FRESH_SECONDS)

    async def resolve(self, user: SlackPayload) -> Actor:
        """Whoever Slack names in a payload. People of other organisations have no group, not even their own id."""
        name = str(user.get("id") or "")
        who = person_key(self._me.team, name)
        if not name.isalnum() or str(user.get("team_id") or self._me.team) != self._me.team:
            return Actor(person=who)
        try:
            groups = await self._groups.get(self._me.team, self._listed)
        except Unavailable as error:
            log.warning("slack_user_groups_unknown", reason=str(error))
            groups = {}
        within = {f"slack:{self._me.team}:group:{group}" for group, users in groups.items() if name in users}
        return Actor(person=who, groups=frozenset({who, *within}))

    async def _listed(self) -> UserGroups:
        """At most as old as the list of people is."""
        try:
            found = (await self._web.call("usergroups.list", include_users="true")).get("usergroups") or ()
        except SlackRefused as declined:
            log.info("slack_user_groups_unlisted", roles_of_groups="do not count", reason=str(declined))
            found = ()
        return {str(group["id"]): frozenset(map(str, group.get("users") or ())) for group in found}
