"""What Slack sends is in the inbox before Slack is told that we have it."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, Protocol

import structlog
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from adapters.chat.intake import Intake, Tell
from adapters.chat.words.handoff import Unsent
from adapters.slack.events.incoming import (
    Addressed,
    Body,
    Deleted,
    Edited,
    Me,
    Remark,
    Stopped,
    program,
    read,
    remark,
    unspelled,
)
from adapters.slack.events.talk import SlackTalk
from pipeline.errors import Unavailable
from pipeline.ports import Desk, Inbox
from pipeline.values import ConversationId, IncomingMessage, PersonId

OURS = frozenset({"message", "app_mention", "agent_session_stopped", "reaction_added", "reaction_removed"})

PROGRAMS = 100
"""Workflows that are told of at most."""

log = structlog.get_logger(__name__)


class Replies(Protocol):
    """Those that are being written in the workspace."""

    @property
    def shared_channels(self) -> bool:
        """We answer where other organisations read along, too."""
        ...

    def takes_part(self, conversation: ConversationId) -> bool:
        """Whether a reply of ours is appearing in it, which the inbox will know of in a moment."""
        ...

    def stop(self, conversation: ConversationId) -> bool:
        """End the answer being written there; False when there is none here."""
        ...

    async def take_away(self, channel: str, reply: str) -> None:
        """Delete the messages of a reply; nothing depends on it."""
        ...


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

    def __init__(self, inbox: Inbox, desk: Desk, me: Me, replies: Replies, whispers: Whispers, talk: SlackTalk) -> None:
        self._desk = desk
        self._talk = talk
        self._inbox = inbox
        self._me = me
        self._replies = replies
        self._whispers = whispers
        self._kept = Intake(inbox, desk, replies.takes_part, shared_channels=replies.shared_channels)
        self._whispering: set[asyncio.Task[None]] = set()
        self._programs: set[str] = set()
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
        await self._talk.heard(body, self._desk)
        self._tell_of_program(body)
        body = await self._spelled(body)
        if said := remark(body, self._me):
            replied = [said.answers] if said.answers else []
            await self._kept.hear(said.author, said.channel, said.text, replied, partial(self._offer, said))
        match read(body, self._me):
            case Addressed(message=message, edited=edited):
                await self._kept.keep(message, self._to_asker(message), edited=edited)
            case Edited(key=key, text=text, addressed=None):
                await self._inbox.amend(key, text)
            case Edited(key=key, text=text, addressed=Addressed(message=now)):
                await self._kept.change(key, text, now, self._to_asker(now))
            case Deleted(channel=channel, key=key):
                await self._kept.gone(key, self._me.places(channel), partial(self._replies.take_away, channel))
            case Stopped() as stopped:
                await self._stop(stopped.channel, stopped.thread)

    async def _spelled(self, body: Body) -> Body:
        """`body` with the names of what is mentioned in a message that may be for us."""
        happened = read(body, self._me)
        if not (isinstance(happened, Addressed) or (isinstance(happened, Edited) and happened.addressed)):
            return body
        named: dict[str, Any] = copy.deepcopy(dict(body))
        for one in unspelled(named):
            one["text"] = await self._talk.names.spelled(str(one.get("text") or ""), self._me.user)
        return named

    def _tell_of_program(self, body: Body) -> None:
        """A workflow that mentions us and is not answered is told of once."""
        app = program(body, self._me)
        if app and app not in self._programs and len(self._programs) < PROGRAMS:
            self._programs.add(app)
            log.warning("slack_workflow_not_answered", app=app, what_to_do=f"CITEWELL_SLACK_WORKFLOWS={app} allows it")

    async def _stop(self, channel: str, thread: str) -> None:
        where = ConversationId(platform="slack", space=self._me.team, channel=channel, thread=thread)
        if not self._replies.stop(where):
            await self._inbox.stop(where)

    def _to_asker(self, message: IncomingMessage) -> Tell:
        return partial(self._whisper, message.conversation.channel, message.conversation.thread, message.asker.user)

    async def _offer(self, said: Remark, unsent: Unsent) -> None:
        user = PersonId.parse(said.author).user
        self._at_leisure(self._whispers.offer(said.channel, said.thread, user, unsent, said.ts))

    async def _whisper(self, channel: str, thread: str, user: str, text: str) -> None:
        self._at_leisure(self._whispers.whisper(channel, thread, user, text))

    def _at_leisure(self, whispered: Coroutine[Any, Any, None]) -> None:
        """Without keeping Slack waiting."""
        task = asyncio.create_task(whispered)
        self._whispering.add(task)
        task.add_done_callback(self._whispering.discard)
