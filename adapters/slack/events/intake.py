"""Intake of Slack's events, which are in the inbox before they are acknowledged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from adapters.chat.intake import ChatEvent, ChatEventHandler, MessageEdited, MessagePosted
from adapters.slack.events.channel_messages import SlackChannelMessages
from adapters.slack.events.incoming import SlackBot, SlackPayload, parse_event
from pipeline.errors import Unavailable

INTAKE_EVENTS = frozenset({"message", "app_mention", "agent_session_stopped", "reaction_added", "reaction_removed"})


class SlackIntake:
    """A middleware that runs before Bolt's own, authorization included.

    It raises when the inbox cannot be written. Bolt then sends no ack (500 over HTTP), and Slack sends the event again.
    """

    def __init__(self, handler: ChatEventHandler, me: SlackBot, channel_messages: SlackChannelMessages) -> None:
        self._handler = handler
        self._me = me
        self._channel_messages = channel_messages
        self.failed_channels: set[str] = set()
        """Channels with an event that could not be accepted: Slack gives up after a while."""

    async def handle_request(self, req: AsyncBoltRequest, next_: Callable[[], Awaitable[Any]]) -> Any:
        """Accept messages and answer 200; pass everything else on."""
        event = req.body.get("event")
        if not isinstance(event, dict) or event.get("type") not in INTAKE_EVENTS:
            return await next_()
        try:
            await self.accept(req.body)
        except Unavailable:
            self.failed_channels.add(str(event.get("channel", "")))
            raise
        return BoltResponse(status=200, body="")

    async def accept(self, body: SlackPayload) -> None:
        """Accept an Events API body. Returns once it is durable; raises Unavailable when it cannot be stored."""
        if event := await self._parse(body):
            await self._handler.handle(event, self._channel_messages.message_loader(body))

    async def _parse(self, body: SlackPayload) -> ChatEvent | None:
        """Parse an event, with the names of the mentions in a possible question."""
        chat_event = parse_event(body, self._me)
        if not (isinstance(chat_event, MessagePosted | MessageEdited) and chat_event.question):
            return chat_event
        event = body["event"]
        if isinstance(chat_event, MessageEdited):
            event = {**event, "message": await self._channel_messages.resolve_mentions(event["message"])}
        else:
            event = await self._channel_messages.resolve_mentions(event)
        return parse_event({**body, "event": event}, self._me)
