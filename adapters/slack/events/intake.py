"""What Slack sends is in the inbox before Slack is told that we have it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol

from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from adapters.chat.hear import Edited, Happened, Hearing, Remark, Spoke
from adapters.chat.post.deliver import Deliverer
from adapters.chat.words.handoff import Unsent
from adapters.slack.events.incoming import Body, Me, read
from adapters.slack.events.talk import SlackTalk
from pipeline.errors import Unavailable
from pipeline.ports import Desk, Inbox
from pipeline.values import IncomingMessage, PersonId

OURS = frozenset({"message", "app_mention", "agent_session_stopped", "reaction_added", "reaction_removed"})


class Whispers(Protocol):
    """What one person alone is told."""

    async def whisper(self, channel: str, thread: str, user: str, text: str) -> None:
        """Tell a person alone, in the thread; nothing depends on it."""
        ...

    async def offer(self, channel: str, thread: str, user: str, unsent: Unsent, ts: str) -> None:
        """The same with buttons, about their message `ts`."""
        ...


class SlackIntake:
    """A middleware that runs before Bolt does anything else, authorization included.

    When the inbox cannot be written it raises; Bolt then sends no ack (500 over HTTP), and Slack sends again."""

    def __init__(
        self, inbox: Inbox, desk: Desk, me: Me, replies: Deliverer[Any], whispers: Whispers, talk: SlackTalk
    ) -> None:
        self._talk = talk
        self._me = me
        self._whispers = whispers
        self._hearing = Hearing(inbox, desk, replies, self, shared_channels=replies.shared_channels)
        self._whispering: set[asyncio.Task[None]] = set()
        self.untaken: set[str] = set()
        """Channels of which an event could not be taken in: Slack gives up after a while."""

    async def receive(self, req: AsyncBoltRequest, next_: Callable[[], Awaitable[Any]]) -> Any:
        """Take in what is ours and answer 200; hand everything else on."""
        event = req.body.get("event")
        if not isinstance(event, dict) or event.get("type") not in OURS:
            return await next_()
        try:
            await self.take(req.body)
        except Unavailable:
            self.untaken.add(str(event.get("channel", "")))
            raise
        return BoltResponse(status=200, body="")

    async def take(self, body: Body) -> None:
        """Take in what an Events API body tells. Returns once it is durable; raises Unavailable when it cannot be."""
        if happened := await self._read(body):
            await self._hearing.hear(happened, self._talk.look(body))

    async def _read(self, body: Body) -> Happened | None:
        """With the names of what is mentioned in a message that may be for us."""
        happened = read(body, self._me)
        if not (isinstance(happened, Spoke | Edited) and happened.asked):
            return happened
        event = body["event"]
        if isinstance(happened, Edited):
            event = {**event, "message": await self._talk.spelled(event["message"])}
        else:
            event = await self._talk.spelled(event)
        return read({**body, "event": event}, self._me)

    async def tell(self, message: IncomingMessage, text: str) -> None:
        where = message.conversation
        self._at_leisure(self._whispers.whisper(where.channel, where.thread, message.asker.user, text))

    async def offer(self, remark: Remark, unsent: Unsent) -> None:
        user, said = PersonId.parse(remark.author).user, remark.key
        self._at_leisure(self._whispers.offer(said.channel, unsent.notice.message, user, unsent, said.message))

    def _at_leisure(self, whispered: Coroutine[Any, Any, None]) -> None:
        """Without keeping Slack waiting."""
        task = asyncio.create_task(whispered)
        self._whispering.add(task)
        task.add_done_callback(self._whispering.discard)
