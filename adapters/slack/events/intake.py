"""What Slack sends is in the inbox before Slack is told that we have it."""

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
    """A middleware that runs before Bolt does anything else, authorization included.

    When the inbox cannot be written it raises; Bolt then sends no ack (500 over HTTP), and Slack sends again."""

    def __init__(self, hearing: ChatEventHandler, me: SlackBot, talk: SlackChannelMessages) -> None:
        self._hearing = hearing
        self._me = me
        self._talk = talk
        self.untaken: set[str] = set()
        """Channels of which an event could not be taken in: Slack gives up after a while."""

    async def handle_request(self, req: AsyncBoltRequest, next_: Callable[[], Awaitable[Any]]) -> Any:
        """Take in what is ours and answer 200; hand everything else on."""
        event = req.body.get("event")
        if not isinstance(event, dict) or event.get("type") not in INTAKE_EVENTS:
            return await next_()
        try:
            await self.accept(req.body)
        except Unavailable:
            self.untaken.add(str(event.get("channel", "")))
            raise
        return BoltResponse(status=200, body="")

    async def accept(self, body: SlackPayload) -> None:
        """Take in what an Events API body tells. Returns once it is durable; raises Unavailable when it cannot be."""
        if happened := await self._read(body):
            await self._hearing.handle(happened, self._talk.message_loader(body))

    async def _read(self, body: SlackPayload) -> ChatEvent | None:
        """With the names of what is mentioned in a message that may be for us."""
        happened = parse_event(body, self._me)
        if not (isinstance(happened, MessagePosted | MessageEdited) and happened.question):
            return happened
        event = body["event"]
        if isinstance(happened, MessageEdited):
            event = {**event, "message": await self._talk.resolve_mentions(event["message"])}
        else:
            event = await self._talk.resolve_mentions(event)
        return parse_event({**body, "event": event}, self._me)
