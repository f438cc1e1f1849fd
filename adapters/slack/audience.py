"""Who will read a reply, told by groups.

`slack:T1` is a workspace, `slack:T1:C2` a channel, `slack:T1:user:U3` one person; `slack:T1:U3` is that person as well,
as long as the id has the form that Slack gives to people: what comes as a person's id never names a channel."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable

from adapters.slack.events.incoming import Me, is_outside
from adapters.slack.members import FRESH, Members
from adapters.slack.sight import Sight
from adapters.slack.web import Declined, Web
from pipeline.errors import Unavailable
from pipeline.values import IncomingMessage, Manner, PlaceId, Readers, replace

_PERSON, _CHANNEL = re.compile(r"[UW][A-Z0-9]+"), re.compile(r"[CG][A-Z0-9]+")
_PROGRAM = re.compile(r"B[A-Z0-9]+")
"""The forms of Slack's ids."""


class SlackAudiences:
    """Guests and people of other organisations are outside, and so is everyone whom we may not look at."""

    def __init__(
        self, web: Web, me: Me, members: Members, sight: Sight, indexed: Callable[[], Awaitable[frozenset[PlaceId]]]
    ) -> None:
        """`indexed`: the channels that are a source."""
        self._sight = sight
        self._indexed = indexed
        self._web = web
        self._me = me
        self._members = members
        self._known: dict[str, tuple[float, bool | None]] = {}

    async def of_message(self, message: IncomingMessage) -> Readers:
        """The readers of the reply to `message`: the asker alone in private, everyone there in a channel.

        With what is said Slack tells whether the channel is shared; for what is awaited we look."""
        channel = message.conversation.channel
        user = message.asker.user
        if message.manner is Manner.COMMAND:
            readers = await self.of_person(user, channel)
        elif channel.startswith("D"):
            readers = await self.of_person(user)
        elif message.manner is Manner.AWAITED:
            readers = await self.of_channel(channel)
        else:
            guest, inside = await asyncio.gather(self._guest_there(user), self._members.all_inside(channel))
            readers = await self._seeing(Readers(groups=self._groups(channel), external=guest or not inside))
        return replace(readers, external=readers.external or message.external)

    async def of_person(self, user: str, channel: str = "") -> Readers:
        """One person, who can also see `channel`."""
        groups = self._groups(channel) | self._alone(user)
        return await self._seeing(Readers(groups=groups, external=await self._guest(user)), user)

    async def of_channel(self, channel: str) -> Readers:
        """Everyone in a channel. One that we may not look at counts as shared with others."""
        inside = await self._look_at(channel) is False and await self._members.all_inside(channel)
        return await self._seeing(Readers(groups=self._groups(channel), external=not inside))

    async def shared(self, channel: str) -> bool:
        """Whether a channel is known to be shared with other organisations."""
        return await self._look_at(channel) is True

    async def _seeing(self, readers: Readers, user: str = "") -> Readers:
        """The same with the channels that are a source and that all of them may read; people outside may read none."""
        if readers.external or not (channels := await self._indexed()):
            return readers
        return replace(readers, groups=readers.groups | await self._sight.open_to(channels, user))

    def _groups(self, channel: str) -> frozenset[str]:
        """Those of everybody in a channel; a direct message is no place that anybody opens a collection to."""
        team = f"slack:{self._me.team}"
        return frozenset({team, f"{team}:{channel}"} if _CHANNEL.fullmatch(channel) else {team})

    def _alone(self, user: str) -> frozenset[str]:
        team = f"slack:{self._me.team}"
        return frozenset({f"{team}:user:{user}", f"{team}:{user}"} if _PERSON.fullmatch(user) else ())

    async def _guest_there(self, user: str) -> bool:
        """Whether who asks in a channel is outside. A workflow that may ask is nobody: those in the channel read it."""
        return not _PROGRAM.fullmatch(user) and await self._guest(user)

    async def _guest(self, user: str) -> bool:
        return not _PERSON.fullmatch(user) or await self._ask("users.info", "user", user) is not False

    async def _look_at(self, channel: str) -> bool | None:
        return await self._ask("conversations.info", "channel", channel)

    async def _ask(self, method: str, what: str, name: str) -> bool | None:
        """Whether `name` is outside; None when Slack does not say."""
        now = asyncio.get_running_loop().time()
        asked, outside = self._known.get(name, (-FRESH, None))
        if now - asked < FRESH:
            return outside
        try:
            found = (await self._web.call(method, **{what: name})).get(what)
            outside = is_outside(found, self._me.team) if found else None
        except Declined:
            outside = None
        except Unavailable:
            return None
        if len(self._known) > 10_000:
            self._known.clear()
        self._known[name] = (now, outside)
        return outside
