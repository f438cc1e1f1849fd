"""Who will read a reply, told by groups.

`slack:T1` is a workspace, `slack:T1:C2` a channel, `slack:T1:user:U3` one person; `slack:T1:U3` is that person as well,
as long as the id has the form that Slack gives to people: what comes as a person's id never names a channel."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from adapters.chat.audience import Audience, Believed, Facts, Indexed
from adapters.slack.events.incoming import Me, is_outside
from adapters.slack.members import FRESH, Members
from adapters.slack.pages import pages
from adapters.slack.web import Declined, Web
from pipeline.errors import Unavailable
from pipeline.values import IncomingMessage, Manner, PlaceId, Readers, replace

BELIEVED = 60.0
"""Seconds for which it is, who is in a channel that is a source; whoever leaves one is told to us, too."""
_PERSON, _CHANNEL = re.compile(r"[UW][A-Z0-9]+"), re.compile(r"[CG][A-Z0-9]+")
_PROGRAM = re.compile(r"B[A-Z0-9]+")
"""The forms of Slack's ids."""


class SlackAudiences:
    """Guests and people of other organisations are outside, and so is everyone whom we may not look at."""

    def __init__(self, web: Web, me: Me, members: Members, indexed: Indexed) -> None:
        """`indexed`: the channels that are a source."""
        self._web = web
        self._me = me
        self._members = members
        self._audience = Audience(indexed, patience=web.pace.standing)
        self._outside = Believed[str, bool | None](FRESH)
        self._public = Believed[str, bool](BELIEVED)
        self._listed = Believed[str, frozenset[str]](BELIEVED)

    async def of_message(self, message: IncomingMessage) -> Readers:
        """The readers of the reply to `message`: the asker alone in private, everyone there in a channel."""
        facts = await self._asked(message)
        return await self._audience.of(replace(facts, inside=facts.inside and not message.external))

    async def of_person(self, user: str, channel: str = "") -> Readers:
        """One person, who can also see `channel`."""
        return await self._audience.of(await self._person(user, channel))

    async def of_channel(self, channel: str) -> Readers:
        """Everyone in a channel. One that we may not look at counts as shared with others."""
        return await self._audience.of(await self._everyone(channel))

    async def shared(self, channel: str) -> bool:
        """Whether a channel is known to be shared with other organisations."""
        return await self._look_at(channel) is True

    async def left(self, event: Mapping[str, Any]) -> None:
        """Somebody left a channel."""
        channel = str(event.get("channel") or "")
        self._public.forget(channel)
        self._listed.forget(channel)

    async def _asked(self, message: IncomingMessage) -> Facts:
        """With what is said Slack tells whether the channel is shared; for what is awaited we look."""
        channel, user = message.conversation.channel, message.asker.user
        if message.manner is Manner.COMMAND:
            return await self._person(user, channel)
        if channel.startswith("D"):
            return await self._person(user)
        if message.manner is Manner.AWAITED:
            return await self._everyone(channel)
        guest, inside = await asyncio.gather(self._guest_there(user), self._members.all_inside(channel))
        return self._facts(groups_there(self._me, channel), inside=inside and not guest)

    async def _person(self, user: str, channel: str = "") -> Facts:
        groups = groups_there(self._me, channel) | groups_alone(self._me, user)
        return self._facts(groups, inside=not await self._guest(user), user=user)

    async def _everyone(self, channel: str) -> Facts:
        inside = await self._look_at(channel) is False and await self._members.all_inside(channel)
        return self._facts(groups_there(self._me, channel), inside=inside)

    def _facts(self, groups: frozenset[str], *, inside: bool, user: str = "") -> Facts:
        spaces = frozenset({str(self._me.place())})
        return Facts(groups, inside=inside, spaces=spaces, reads=partial(self._reads, user=user))

    async def _reads(self, channel: PlaceId, *, user: str) -> bool:
        """Whether everyone inside may read it, or `user`, who is a member of it."""
        name = channel.channel
        if await self._public.of(name, partial(self._is_public, name)):
            return True
        return bool(user) and user in await self._listed.of(name, partial(self._list, name))

    async def _is_public(self, channel: str) -> bool:
        shown = (await self._web.call("conversations.info", channel=channel)).get("channel") or {}
        open_to_all = shown.get("is_private") is False and not is_outside(shown, self._me.team)
        return shown.get("id") == channel and open_to_all

    async def _list(self, channel: str) -> frozenset[str]:
        listed = pages(self._web, "conversations.members", "members", channel=channel, limit=500)
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
            except Declined:
                return None
            return is_outside(found, self._me.team) if found else None

        try:
            return await self._outside.of(name, ask)
        except Unavailable:
            return None


def groups_there(me: Me, channel: str) -> frozenset[str]:
    """Those of everybody in a channel; a direct message is no place that anybody opens a collection to."""
    team = f"slack:{me.team}"
    return frozenset({team, f"{team}:{channel}"} if _CHANNEL.fullmatch(channel) else {team})


def groups_alone(me: Me, user: str) -> frozenset[str]:
    team = f"slack:{me.team}"
    return frozenset({f"{team}:user:{user}", f"{team}:{user}"} if _PERSON.fullmatch(user) else ())
