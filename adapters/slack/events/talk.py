"""What people say in channels that are a source: as it is said, and what is read of it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from adapters.slack.events.incoming import SPOKEN, Body, Me, attachment, is_human, person
from adapters.slack.events.names import Names
from adapters.slack.events.spoken import mention_of, plain
from adapters.slack.web import Declined, Web
from pipeline.errors import Unavailable
from pipeline.ports import Desk
from pipeline.values import PlaceId, Said

ACCEPTED, KEPT_OUT = "white_check_mark", "no_entry_sign"
"""Reactions: to what solved it, and to what is not to be read."""
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

    async def heard(self, body: Body, desk: Desk) -> None:
        """Take in what an event tells of a channel that is a source. Raises Unavailable while it cannot be kept."""
        event = body.get("event") or {}
        item = event.get("item") or event
        channel = await desk.channels.indexed(self._me.places(str(item.get("channel") or "")))
        if channel is None:
            return
        if body.get("is_ext_shared_channel"):
            await desk.channels.left(channel)
            return
        match event.get("type"), event.get("subtype"):
            case "message", "message_deleted":
                await desk.channels.drop(channel, [str(event.get("deleted_ts"))], deleted=True)
            case "message", "message_changed":
                await self._changed(channel, event.get("message") or {}, desk)
            case "message", subtype if subtype in SPOKEN:
                await self._now(channel, event, desk)
            case (("channel_deleted" | "channel_left" | "group_deleted" | "group_left"), _):
                await desk.channels.left(channel)
            case "member_left_channel", _ if event.get("user") == self._me.user:
                await desk.channels.left(channel)
            case (("reaction_added" | "reaction_removed"), _) if event.get("reaction") in (ACCEPTED, KEPT_OUT):
                await self._reacted(channel, str(item.get("ts") or ""), desk)

    async def _changed(self, channel: PlaceId, told: Body, desk: Desk) -> None:
        """An event tells the text alone; looked at again it has its reactions, too, but maybe not this text yet."""
        found = await self._found(channel, str(told.get("ts") or "")) or told
        now = found if _is_newer(found, told) else {**told, "reactions": found.get("reactions")}
        await self._now(channel, now, desk, fresh=True)

    async def _reacted(self, channel: PlaceId, ts: str, desk: Desk) -> None:
        """Raises Unavailable for what was said a moment ago and is not to be seen yet: the event comes again."""
        if found := await self._found(channel, ts):
            await self._now(channel, found, desk, fresh=True)
        elif ts and datetime.now(UTC).timestamp() - float(ts) < UNSEEN:
            raise Unavailable("Slack", "a message that was reacted to is not to be seen yet")

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

    async def _now(self, channel: PlaceId, message: Body, desk: Desk, *, fresh: bool = False) -> None:
        said = await self.all_said(channel, [message])
        if said:
            await desk.channels.take(said, fresh=fresh)
        elif ts := message.get("ts"):
            await desk.channels.drop(channel, [str(ts)])

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
