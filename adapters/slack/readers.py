"""Who will read a reply, told by groups: `slack:T1` (workspace), `slack:T1:C2` (channel), `slack:T1:U3` (person)."""

from __future__ import annotations

import asyncio

from adapters.slack.incoming import Me
from adapters.slack.web import Declined, Web
from pipeline.errors import Unavailable
from pipeline.values import IncomingMessage, Manner, Readers

FRESH = 300.0
"""Seconds that a person's or a channel's standing is believed (threats, row 55)."""


class Audiences:
    """Guests and people of other organisations are outside, wherever the granted scopes let us see it."""

    def __init__(self, web: Web, me: Me) -> None:
        self._web = web
        self._me = me
        self._known: dict[str, tuple[float, bool]] = {}

    async def of_message(self, message: IncomingMessage) -> Readers:
        """The readers of the reply to `message`: the asker alone in private, everyone there in a channel."""
        channel = message.conversation.channel
        user = message.author.rpartition(":")[2]
        if message.manner is Manner.COMMAND:
            readers = await self.of_person(user, channel)
        elif channel.startswith("D"):
            readers = await self.of_person(user)
        else:
            readers = Readers(groups=self._groups(channel), external=await self._guest(user))
        return readers.model_copy(update={"external": readers.external or message.external})

    async def of_person(self, user: str, channel: str = "") -> Readers:
        """One person, who can also see `channel`."""
        names = [name for name in (user, channel) if name and not name.startswith("D")]
        return Readers(groups=self._groups(*names), external=await self._guest(user))

    async def of_channel(self, channel: str) -> Readers:
        """Everyone in a channel. One that we may not look at counts as shared with others."""
        shared = await self._ask("conversations.info", "channel", channel, unseen=True)
        return Readers(groups=self._groups(channel), external=shared)

    def _groups(self, *names: str) -> frozenset[str]:
        return frozenset({f"slack:{self._me.team}", *(f"slack:{self._me.team}:{name}" for name in names)})

    async def _guest(self, user: str) -> bool:
        return await self._ask("users.info", "user", user, unseen=False)

    async def _ask(self, method: str, what: str, name: str, *, unseen: bool) -> bool:
        """Whether `name` is outside; `unseen` without the scope to know, True when Slack cannot be asked."""
        now = asyncio.get_running_loop().time()
        asked, outside = self._known.get(name, (-FRESH, False))
        if now - asked < FRESH:
            return outside
        try:
            found = (await self._web.call(method, **{what: name})).get(what) or {}
        except Declined as declined:
            outside = unseen if declined.error == "missing_scope" else True
        except Unavailable:
            return True
        else:
            outside = _outside(found, self._me.team)
        if len(self._known) > 10_000:
            self._known.clear()
        self._known[name] = (now, outside)
        return outside


def _outside(found: dict[str, object], team: str) -> bool:
    marks = ("is_restricted", "is_ultra_restricted", "is_stranger", "is_ext_shared", "is_pending_ext_shared")
    home = found.get("team_id")
    return any(found.get(mark) for mark in marks) or (home is not None and home != team)
