"""What people say in channels that are a source: as it is said, and what is read of it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial

from adapters.chat.hear import Look
from adapters.slack.events.incoming import ACCEPTED, KEPT_OUT, SPOKEN, Body, Me, attachment, is_human, person
from adapters.slack.events.names import Names
from adapters.slack.events.spoken import mention_of, plain
from adapters.slack.web import Declined, Web
from pipeline.errors import Refused, Unavailable
from pipeline.values import PlaceId, Said

UNSEEN = 60.0
"""Seconds for which a message that is not found may be one that Slack does not show yet, and not one that is gone."""


class SlackTalk:
    """One workspace's."""

    def __init__(self, web: Web, me: Me, address: str) -> None:
        """`address` is that of the workspace, such as `https://acme.slack.com/`."""
        self._web = web
        self._me = me
        self._address = address.rstrip("/")
        self.names = Names(web)

    def look(self, body: Body) -> Look | None:
        """At the message that an event tells of; None where it tells of none that people read."""
        event = body.get("event") or {}
        match event.get("type"), event.get("subtype"):
            case "message", "message_changed":
                return partial(self._changed, event.get("message") or {})
            case "message", _:
                return partial(self._now, event)
            case (("reaction_added" | "reaction_removed"), _):
                return partial(self._reacted, str((event.get("item") or {}).get("ts") or ""))
        return None

    async def _changed(self, told: Body, channel: PlaceId) -> Said | None:
        """An event tells the text alone; looked at again it has its reactions, too, but maybe not this text yet."""
        found = await self._found(channel, str(told.get("ts") or "")) or told
        now = found if _is_newer(found, told) else {**told, "reactions": found.get("reactions")}
        return await self._now(now, channel)

    async def _reacted(self, ts: str, channel: PlaceId) -> Said | None:
        """Raises Unavailable for what was said a moment ago and is not to be seen yet: the event comes again."""
        if found := await self._found(channel, ts):
            return await self._now(found, channel)
        if ts and datetime.now(UTC).timestamp() - float(ts) < UNSEEN:
            raise Unavailable("Slack", "a message that was reacted to is not to be seen yet")
        raise Refused("a message that was reacted to is not to be seen")

    async def _found(self, channel: PlaceId, ts: str) -> Body | None:
        """A message as it is now; None where it is not to be seen."""
        exactly = {"channel": channel.channel, "oldest": ts, "latest": ts, "inclusive": "true"}
        for method, more in (("conversations.history", {}), ("conversations.replies", {"ts": ts})):
            try:
                page = await self._web.call(method, **exactly, **more)
            except Declined:
                continue
            if found := next((one for one in page.get("messages") or () if one.get("ts") == ts), None):
                return dict(found)
        return None

    async def _now(self, message: Body, channel: PlaceId) -> Said | None:
        return await self.said(channel, message) if self._is_read(message) else None

    async def all_said(self, channel: PlaceId, messages: Iterable[Body]) -> tuple[Said, ...]:
        return tuple([await self.said(channel, one) for one in messages if self._is_read(one)])

    def _is_read(self, message: Body) -> bool:
        """Of people, and for people: no questions to us."""
        return self.is_spoken(message) and not self.is_to_us(str(message.get("text") or ""))

    def is_to_us(self, text: str) -> bool:
        """Whether a message addresses the bot."""
        return bool(mention_of(self._me.user).search(text))

    def is_spoken(self, message: Body) -> bool:
        """No joins, no bots, and not kept out."""
        spoken = message.get("subtype") in SPOKEN and is_human(message, self._me)
        return spoken and KEPT_OUT not in _reactions(message)

    async def said(self, channel: PlaceId, message: Body) -> Said:
        ts, user = str(message["ts"]), str(message["user"])
        thread = str(message.get("thread_ts") or ts)
        below = f"?thread_ts={thread}&cid={channel.channel}" if thread != ts else ""
        return Said(
            channel=channel,
            thread=thread,
            message=ts,
            author=person(self._me.team, user),
            name=await self.names.of(user),
            at=datetime.fromtimestamp(float(ts), UTC),
            edited=_edited(message),
            text=plain(str(message.get("text") or ""), self._me.user),
            url=f"{self._address}/archives/{channel.channel}/p{ts.replace('.', '')}{below}" if self._address else "",
            files=tuple(attachment(file) for file in message.get("files") or ()),
            accepted=ACCEPTED in _reactions(message),
        )

    def plain(self, text: str) -> str:
        """The words that a person sees, without our own mention."""
        return plain(text, self._me.user)


def _is_newer(found: Body, told: Body) -> bool:
    """Whether what was found is what an event told, or newer."""
    at, last = _edited(told), _edited(found)
    return at is None or (last is not None and last >= at)


def _edited(message: Body) -> datetime | None:
    at = (message.get("edited") or {}).get("ts")
    return datetime.fromtimestamp(float(at), UTC) if at else None


def _reactions(message: Body) -> set[str]:
    return {str(one.get("name")) for one in message.get("reactions") or ()}
