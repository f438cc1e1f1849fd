"""A private answer for everyone in its channel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import structlog

from adapters.chat.reply import answer as parts
from adapters.chat.reply.parts import Look
from adapters.slack.audience import SlackAudiences
from adapters.slack.events.incoming import Me
from adapters.slack.parts.render import Post, posts
from adapters.slack.post import private
from adapters.slack.post.reply import QUIET
from adapters.slack.press.presser import SlackPresser
from adapters.slack.web import POST, Declined, Web
from pipeline.errors import Unavailable
from pipeline.translations import Message
from pipeline.values import Answer, ConversationId, Readers
from pipeline.words import wording

LATEST = 200
"""Messages of a channel among which an answer is looked for that may have been shared already."""
EVENT_TYPE = "citewell_shared"

log = structlog.get_logger(__name__)


class SlackSharer:
    """The port `Sharer`. What is there already is found by its mark."""

    def __init__(self, web: Web, me: Me, look: Look, audiences: SlackAudiences, *, shared_channels: bool) -> None:
        """`shared_channels`: also where other organisations read along."""
        self._web = web
        self._me = me
        self._look = look
        self._audiences = audiences
        self._shared_channels = shared_channels
        self._cut_off: dict[tuple[str, str], float] = {}
        """When a post was cut off, so that nobody knows whether it is there."""

    async def readers(self, by: SlackPresser) -> Readers | Message:
        if not self._shared_channels and await self._audiences.shared(by.spot.channel):
            return wording.SHARED_CHANNEL
        return await self._audiences.of_channel(by.spot.channel)

    async def post(self, by: SlackPresser, answer: Answer, above: Sequence[str]) -> AsyncIterator[ConversationId]:
        """Raises Declined or Unavailable."""
        channel = by.spot.channel
        there = await self._there(answer.id, channel)
        for part, post in enumerate(posts(parts.reply(answer, self._look, notes=above))):
            ts = there.get(part) or await self._send(answer.id, channel, part, post)
            yield ConversationId(platform="slack", space=self._me.team, channel=channel, thread=ts)
        self._cut_off.pop((answer.id, channel), None)

    async def confirm(self, by: SlackPresser, answer: Answer) -> None:
        await private.confirm_shared(self._web, by.spot.response_url, self._look, answer)

    async def _send(self, answer_id: str, channel: str, part: int, post: Post) -> str:
        """Post one part; its ts."""
        marked = {"event_type": EVENT_TYPE, "event_payload": {"answer": answer_id, "part": part}}
        await self._web.turn(channel, begun=part > 0)
        try:
            posted = await self._web.call(
                POST, channel=channel, text=post.text, blocks=post.blocks, metadata=marked, **QUIET
            )
        except Unavailable:
            self._cut_off[answer_id, channel] = asyncio.get_running_loop().time()
            raise
        return str(posted["ts"])

    async def _there(self, answer_id: str, channel: str) -> dict[int, str]:
        """The messages of an answer that was shared, or begun to be, before: part -> ts."""
        if cut_off := self._cut_off.get((answer_id, channel)):
            settled = cut_off + self._web.pace.timeout
            await asyncio.sleep(max(0.0, settled - asyncio.get_running_loop().time()))
        wanted = {"channel": channel, "limit": LATEST, "include_all_metadata": True}
        try:
            messages = (await self._web.call("conversations.history", **wanted))["messages"]
        except Declined as declined:
            log.info("slack_shared_answer_unread", reason=str(declined))
            return {}
        found: dict[int, str] = {}
        for message in messages:
            marked = message.get("metadata") or {}
            payload = marked.get("event_payload") or {}
            ours = message.get("user") == self._me.user and marked.get("event_type") == EVENT_TYPE
            if ours and payload.get("answer") == answer_id:
                found[int(payload.get("part") or 0)] = str(message["ts"])
        return found
