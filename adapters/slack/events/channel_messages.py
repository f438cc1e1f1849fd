"""Messages of channels that are a source: new ones, and what is read of them."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from adapters.chat.intake import MessageLoader
from adapters.slack.events.incoming import (
    ACCEPTED_REACTION,
    EXCLUDED_REACTION,
    PERSON_SUBTYPES,
    SlackBot,
    SlackPayload,
    is_from_person,
    parse_attachment,
    person_key,
    text_holders,
)
from adapters.slack.events.names import SlackNames
from adapters.slack.events.plain_text import mention_pattern, message_to_text
from adapters.slack.web_client import SlackRefused, SlackWebClient
from pipeline.errors import Refused, Unavailable
from pipeline.values import ChannelMessage, PlaceId

UNSEEN_SECONDS = 60.0
"""Seconds for which a missing message may be one that Slack does not show yet, and not one that is gone."""


class SlackChannelMessages:
    """The reader of one workspace's channel messages."""

    def __init__(self, web: SlackWebClient, me: SlackBot, address: str) -> None:
        """Create it. `address` is that of the workspace, such as `https://acme.slack.com/`."""
        self._web = web
        self._me = me
        self._address = address.rstrip("/")
        self.names = SlackNames(web)

    async def resolve_mentions(self, message: SlackPayload) -> dict[str, Any]:
        """Return a message with the names of its mentions, also in the messages that it forwards."""
        resolved: dict[str, Any] = copy.deepcopy(dict(message))
        for holder in text_holders(resolved):
            holder["text"] = await self.names.resolve_mentions(str(holder.get("text") or ""), self._me.user)
        return resolved

    def message_loader(self, body: SlackPayload) -> MessageLoader | None:
        """Return the loader of an event's message; None where the event has none that people read."""
        event = body.get("event") or {}
        match event.get("type"), event.get("subtype"):
            case "message", "message_changed":
                return partial(self._load_edited, event.get("message") or {})
            case "message", _:
                return partial(self._load, event)
            case (("reaction_added" | "reaction_removed"), _):
                return partial(self._load_reacted, str((event.get("item") or {}).get("ts") or ""))
        return None

    async def _load_edited(self, edited: SlackPayload, channel: PlaceId) -> ChannelMessage | None:
        """Load an edited message. The event has only the text; a lookup has reactions, too, but maybe not this text
        yet."""
        loaded = await self._fetch(channel, str(edited.get("ts") or "")) or edited
        current = loaded if _is_newer(loaded, edited) else {**edited, "reactions": loaded.get("reactions")}
        return await self._load(current, channel)

    async def _load_reacted(self, ts: str, channel: PlaceId) -> ChannelMessage | None:
        """Load a message that was reacted to. Raises Unavailable for a recent one that Slack does not show yet: the
        event comes again."""
        if loaded := await self._fetch(channel, ts):
            return await self._load(loaded, channel)
        if ts and datetime.now(UTC).timestamp() - float(ts) < UNSEEN_SECONDS:
            raise Unavailable("Slack", "the message of a reaction is not visible yet")
        raise Refused("the message of a reaction is not visible")

    async def _fetch(self, channel: PlaceId, ts: str) -> SlackPayload | None:
        """Return a message as it is now; None where it is not visible."""
        time_range = {"channel": channel.channel, "oldest": ts, "latest": ts, "inclusive": "true"}
        for method, arguments in (("conversations.history", {}), ("conversations.replies", {"ts": ts})):
            try:
                page = await self._web.call(method, **time_range, **arguments)
            except SlackRefused:
                continue
            if candidate := next((item for item in page.get("messages") or () if item.get("ts") == ts), None):
                return dict(candidate)
        return None

    async def _load(self, message: SlackPayload, channel: PlaceId) -> ChannelMessage | None:
        return await self.parse_channel_message(channel, message) if self._is_for_people(message) else None

    async def parse_channel_messages(
        self, channel: PlaceId, messages: Iterable[SlackPayload]
    ) -> tuple[ChannelMessage, ...]:
        return tuple(
            [await self.parse_channel_message(channel, message) for message in messages if self._is_for_people(message)]
        )

    def _is_for_people(self, message: SlackPayload) -> bool:
        """Return True for messages of people to people: no questions to the bot."""
        return self.is_person_message(message) and not self.is_for_bot(str(message.get("text") or ""))

    def is_for_bot(self, text: str) -> bool:
        """Return True if a message mentions the bot."""
        return bool(mention_pattern(self._me.user).search(text))

    def is_person_message(self, message: SlackPayload) -> bool:
        """Return True for messages of people: no joins, no bots, none marked as off the record."""
        is_person = message.get("subtype") in PERSON_SUBTYPES and is_from_person(message, self._me)
        return is_person and EXCLUDED_REACTION not in _reactions(message)

    async def parse_channel_message(self, channel: PlaceId, message: SlackPayload) -> ChannelMessage:
        ts, user = str(message["ts"]), str(message["user"])
        thread = str(message.get("thread_ts") or ts)
        query = f"?thread_ts={thread}&cid={channel.channel}" if thread != ts else ""
        return ChannelMessage(
            channel=channel,
            thread=thread,
            message=ts,
            author=person_key(self._me.team, user),
            name=await self.names.user_name(user),
            at=datetime.fromtimestamp(float(ts), UTC),
            edited=_edited_at(message),
            text=message_to_text(str(message.get("text") or ""), self._me.user),
            url=f"{self._address}/archives/{channel.channel}/p{ts.replace('.', '')}{query}" if self._address else "",
            files=tuple(parse_attachment(file) for file in message.get("files") or ()),
            accepted=ACCEPTED_REACTION in _reactions(message),
        )

    def message_to_text(self, text: str) -> str:
        """Return the words that a person sees, without the mention of the bot."""
        return message_to_text(text, self._me.user)


def _is_newer(loaded: SlackPayload, edited: SlackPayload) -> bool:
    """Return True if the loaded message is the event's, or newer."""
    at, last = _edited_at(edited), _edited_at(loaded)
    return at is None or (last is not None and last >= at)


def _edited_at(message: SlackPayload) -> datetime | None:
    at = (message.get("edited") or {}).get("ts")
    return datetime.fromtimestamp(float(at), UTC) if at else None


def _reactions(message: SlackPayload) -> set[str]:
    return {str(reaction.get("name")) for reaction in message.get("reactions") or ()}
