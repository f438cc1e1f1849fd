"""The readers of a reply, and the groups of people who act.

`slack:T1` is a workspace, `slack:T1:C2` a channel, `slack:T1:user:U3` a person. `slack:T1:U3` is that person as well,
as long as the id has the form of a person's id: such an id never names a channel.
"""

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
"""Seconds that the members of a source channel are cached. Slack also reports each who leaves."""
_PERSON, _CHANNEL = re.compile(r"[UW][A-Z0-9]+"), re.compile(r"[CG][A-Z0-9]+")
_APP = re.compile(r"B[A-Z0-9]+")
"""The forms of Slack's ids."""
UserGroups = Mapping[str, frozenset[str]]
"""The members of each user group."""

log = structlog.get_logger(__name__)


class SlackAudienceResolver:
    """The port `AudienceResolver`. Guests and people of other organisations are outside, and so is everyone whom the
    bot may not look up."""

    def __init__(self, web: SlackWebClient, me: SlackBot, members: SlackMembership) -> None:
        self._web = web
        self._me = me
        self._members = members
        self.actors = SlackActorResolver(web, me)
        self._outside = TtlCache[str, bool | None](MEMBERS_FRESH_SECONDS)
        self._public = TtlCache[str, bool](AUDIENCE_CACHE_SECONDS)
        self._member_lists = TtlCache[str, frozenset[str]](AUDIENCE_CACHE_SECONDS)

    async def resolve(self, target: IncomingMessage | PlaceId | PersonId) -> AudienceFacts:
        """Return facts about the readers: the asker alone in private, everyone there in a channel. Raises Refused for a
        person of another workspace."""
        if isinstance(target, IncomingMessage):
            facts = await self._message_facts(target)
            return replace(facts, all_inside=facts.all_inside and not target.external)
        if isinstance(target, PlaceId):
            return await self.channel_facts(target.channel)
        if target.space != self._me.team:
            raise Refused(f"{target} is of another workspace")
        return await self.person_facts(target.user)

    async def author(self, message: IncomingMessage) -> Actor:
        return await self.actors.resolve({"id": message.asker.user})

    async def person_facts(self, user: str, channel: str = "") -> AudienceFacts:
        """Return facts about one person, who can also see `channel`."""
        groups = channel_groups(self._me, channel) | direct_groups(self._me, user)
        return self._facts(groups, inside=not await self._is_guest(user), user=user)

    async def channel_facts(self, channel: str) -> AudienceFacts:
        """Return facts about the people in a channel. A channel that the bot may not look up counts as shared."""
        inside = await self._is_shared_channel(channel) is False and await self._members.are_all_inside(channel)
        return self._facts(channel_groups(self._me, channel), inside=inside)

    async def is_shared(self, channel: str) -> bool:
        """Return True if a channel is known to be shared with other organisations."""
        return await self._is_shared_channel(channel) is True

    async def forget_member(self, event: Mapping[str, Any]) -> None:
        """Drop what is cached of a channel that somebody left."""
        channel = str(event.get("channel") or "")
        self._public.forget(channel)
        self._member_lists.forget(channel)

    async def _message_facts(self, message: IncomingMessage) -> AudienceFacts:
        """Return facts about the readers of a reply. A new message says whether its channel is shared; for an awaited
        answer that is looked up."""
        channel, user = message.conversation.channel, message.asker.user
        if message.manner is MessageTrigger.COMMAND:
            return await self.person_facts(user, channel)
        if channel.startswith("D"):
            return await self.person_facts(user)
        if message.manner is MessageTrigger.AWAITED:
            return await self.channel_facts(channel)
        guest, inside = await asyncio.gather(self._is_guest_asker(user), self._members.are_all_inside(channel))
        return self._facts(channel_groups(self._me, channel), inside=inside and not guest)

    def _facts(self, groups: frozenset[str], *, inside: bool, user: str = "") -> AudienceFacts:
        spaces = frozenset({str(self._me.place())})
        return AudienceFacts(
            groups, all_inside=inside, spaces=spaces, can_read_channel=partial(self._can_read, user=user)
        )

    async def _can_read(self, channel: PlaceId, *, user: str) -> bool:
        """Return True if everyone inside may read the channel, or if `user` is a member of it."""
        name = channel.channel
        if await self._public.get(name, partial(self._is_public, name)):
            return True
        return bool(user) and user in await self._member_lists.get(name, partial(self._list_members, name))

    async def _is_public(self, channel: str) -> bool:
        record = (await self._web.call("conversations.info", channel=channel)).get("channel") or {}
        open_to_all = record.get("is_private") is False and not is_external(record, self._me.team)
        return record.get("id") == channel and open_to_all

    async def _list_members(self, channel: str) -> frozenset[str]:
        pages = paginate_method(self._web, "conversations.members", "members", channel=channel, limit=500)
        return frozenset([str(member) async for page in pages for member in page])

    async def _is_guest_asker(self, user: str) -> bool:
        """Return True if the asker in a channel is outside. A workflow is nobody: the people in the channel read its
        answer."""
        return not _APP.fullmatch(user) and await self._is_guest(user)

    async def _is_guest(self, user: str) -> bool:
        return not _PERSON.fullmatch(user) or await self._is_outside("users.info", "user", user) is not False

    async def _is_shared_channel(self, channel: str) -> bool | None:
        return await self._is_outside("conversations.info", "channel", channel)

    async def _is_outside(self, method: str, key: str, name: str) -> bool | None:
        """Return whether a user or channel is external; None where Slack does not say."""

        async def ask() -> bool | None:
            try:
                record = (await self._web.call(method, **{key: name})).get(key)
            except SlackRefused:
                return None
            return is_external(record, self._me.team) if record else None

        try:
            return await self._outside.get(name, ask)
        except Unavailable:
            return None


def channel_groups(me: SlackBot, channel: str) -> frozenset[str]:
    """Return the groups of everybody in a channel. A direct message is no place that collections are opened to."""
    team = f"slack:{me.team}"
    return frozenset({team, f"{team}:{channel}"} if _CHANNEL.fullmatch(channel) else {team})


def direct_groups(me: SlackBot, user: str) -> frozenset[str]:
    team = f"slack:{me.team}"
    return frozenset({f"{team}:user:{user}", f"{team}:{user}"} if _PERSON.fullmatch(user) else ())


class SlackActorResolver:
    """Resolver of the person who acts, with their user groups, to which roles are given. Unknown groups are left out,
    so that they allow nothing."""

    def __init__(self, web: SlackWebClient, me: SlackBot) -> None:
        self._web = web
        self._me = me
        self._groups = TtlCache[str, UserGroups](MEMBERS_FRESH_SECONDS)

    async def resolve(self, user: SlackPayload) -> Actor:
        """Return the actor of a payload. People of other organisations have no group, not even their own id."""
        name = str(user.get("id") or "")
        person = person_key(self._me.team, name)
        if not name.isalnum() or str(user.get("team_id") or self._me.team) != self._me.team:
            return Actor(person=person)
        try:
            groups = await self._groups.get(self._me.team, self._list_groups)
        except Unavailable as error:
            log.warning("slack_user_groups_unknown", reason=str(error))
            groups = {}
        within = {f"slack:{self._me.team}:group:{group}" for group, users in groups.items() if name in users}
        return Actor(person=person, groups=frozenset({person, *within}))

    async def _list_groups(self) -> UserGroups:
        """Return the user groups, cached as long as the list of people."""
        try:
            groups = (await self._web.call("usergroups.list", include_users="true")).get("usergroups") or ()
        except SlackRefused as refused:
            log.info("slack_user_groups_refused", roles_of_groups="do not count", reason=str(refused))
            groups = ()
        return {str(group["id"]): frozenset(map(str, group.get("users") or ())) for group in groups}
