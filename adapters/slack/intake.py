"""What Slack sends is in the inbox before Slack is told that we have it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from adapters.replies.waiting import Waiting
from adapters.slack.deliver import Deliverer
from adapters.slack.incoming import Addressed, Body, Deleted, Edited, Me, Stopped, read, remark
from pipeline import wording
from pipeline.errors import Busy
from pipeline.language import speaking, told
from pipeline.places import heard, unasked
from pipeline.ports import Desk, Inbox
from pipeline.values import IncomingMessage, Manner, Place

RECENT = timedelta(days=1)
"""How old a message may be that is for us since it was edited: what was asked before is known for longer."""
OURS = frozenset({"message", "app_mention", "agent_session_stopped"})


class Intake:
    """A middleware that runs before Bolt does anything else, authorization included.

    When the inbox cannot be written it raises; Bolt then sends no ack (500 over HTTP), and Slack sends again."""

    def __init__(self, inbox: Inbox, desk: Desk, me: Me, deliverer: Deliverer) -> None:
        self._inbox = inbox
        self._desk = desk
        self._me = me
        self._deliverer = deliverer
        self._waiting = Waiting()
        self._whispering: set[asyncio.Task[None]] = set()

    async def receive(self, req: AsyncBoltRequest, next_: Callable[[], Awaitable[Any]]) -> Any:
        """Take in what is ours and answer 200; hand everything else on."""
        event = req.body.get("event")
        if not isinstance(event, dict) or event.get("type") not in OURS:
            return await next_()
        await self.take(req.body)
        return BoltResponse(status=200, body="")

    async def take(self, body: Body) -> None:
        """Take in what an Events API body tells. Returns once it is durable; raises Unavailable when it cannot be."""
        if said := remark(body, self._me):
            for key in (said.answers,) if said.answers else self._waiting.answered(said.channel, said.text):
                await self._inbox.leave_to_people(key, said.author)
        match read(body, self._me):
            case Addressed() as addressed:
                await self._accept(addressed)
            case Edited() as edited:
                if not await self._is_new(edited.addressed):
                    await self._inbox.amend(edited.key, edited.text)
            case Deleted(key=key):
                await self._inbox.cancel(key)
            case Stopped() as stopped:
                self._deliverer.stop(stopped.channel, stopped.thread)

    async def _is_new(self, addressed: Addressed | None) -> bool:
        """Whether an edit made a message one for us, or came before the message: Slack may deliver out of order."""
        if not addressed or datetime.now(UTC) - addressed.message.sent_at > RECENT:
            return False
        return await self._accept(addressed)

    async def _accept(self, addressed: Addressed) -> bool:
        """Whether the message is for us and was not known as that."""
        message = addressed.message
        place = await self._desk.places.of(message.said_in)
        if not heard(message, place) or not await self._is_ours(message, place):
            return False
        wait = place.auto_wait if unasked(message, place) and message.manner is Manner.OVERHEARD else 0
        try:
            new = await self._inbox.accept(message, after=wait or 0)
        except Busy as busy:
            if busy.first and message.manner is not Manner.OVERHEARD:
                task = asyncio.create_task(
                    self._deliverer.whisper(message, speaking(None, (told(message.text),))(wording.BUSY))
                )
                self._whispering.add(task)
                task.add_done_callback(self._whispering.discard)
            return True
        if wait and new:
            self._waiting.keep(message)
        if addressed.edited and not new:
            await self._inbox.amend(message.key, message.text)
        return new

    async def _is_ours(self, message: IncomingMessage, place: Place) -> bool:
        """Whether a message is addressed to us, goes on with something we have answered, or may be answered unasked."""
        if message.manner is not Manner.OVERHEARD:
            return True
        if message.external and not self._deliverer.shared_channels:
            return False
        if message.opens:
            return unasked(message, place)
        conversation = message.conversation
        appearing = self._deliverer.takes_part(conversation.channel, conversation.thread)
        return appearing or await self._inbox.takes_part(conversation, message.sent_at)
