"""A private answer for everyone in its channel."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence

from adapters.slack import markup
from adapters.slack.incoming import Me
from adapters.slack.private import QUESTION
from adapters.slack.readers import Audiences
from adapters.slack.render import Look, Post, reply
from adapters.slack.reply import QUIET
from adapters.slack.web import POST, Declined, Web
from pipeline import wording
from pipeline.errors import Unavailable
from pipeline.ports import Desk, Inbox
from pipeline.values import Answer, ConversationId

REMEMBERED = 1000
"""Shared answers that need no looking up before it is said that they are shared."""
LATEST = 200
"""Messages of a channel among which an answer is looked for that may have been shared already."""
EVENT_TYPE = "citewell_shared"

log = logging.getLogger(__name__)


class Sharing:
    """Shares an answer once in a channel."""

    def __init__(
        self, web: Web, me: Me, look: Look, audiences: Audiences, inbox: Inbox, desk: Desk, *, shared_channels: bool
    ) -> None:
        """`shared_channels`: also where other organisations read along."""
        self._web = web
        self._me = me
        self._look = look
        self._audiences = audiences
        self._inbox = inbox
        self._desk = desk
        self._shared_channels = shared_channels
        self._shared: deque[tuple[str, str]] = deque(maxlen=REMEMBERED)
        self._cut_off: dict[tuple[str, str], float] = {}
        """When a post was cut off, so that nobody knows whether it is there."""

    async def share(self, answer_id: str, channel: str, who: str) -> Answer | str:
        """Post the answer in `channel` for `who`, if everyone there may see what it rests on; otherwise why it is not
        there.

        Raises Declined or Unavailable; it may be tried again then, and what is there already is not posted again."""
        if not self._shared_channels and await self._audiences.shared(channel):
            return wording.SHARED_CHANNEL
        answer = await self._desk.answer(answer_id, await self._audiences.of_channel(channel))
        if answer is None:
            return wording.NOT_SHARED
        if (answer_id, channel) in self._shared:
            return wording.SHARED_ALREADY
        self._shared.append((answer_id, channel))
        try:
            shared_by = f"Shared by {who}: {markup.cut(answer.question, QUESTION)}"
            await self._post(answer_id, channel, reply(answer, self._look, [shared_by]))
        except BaseException:
            self._shared.remove((answer_id, channel))
            raise
        return answer

    async def _post(self, answer_id: str, channel: str, posts: Sequence[Post]) -> None:
        """Post what is not there yet; whoever replies to any of it is answered."""
        there = await self._there(answer_id, channel)
        for part, post in enumerate(posts):
            ts = there.get(part) or await self._send(answer_id, channel, part, post)
            thread = ConversationId(platform="slack", space=self._me.team, channel=channel, thread=ts)
            await self._inbox.shared(answer_id, thread)
        self._cut_off.pop((answer_id, channel), None)

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
            log.info("cannot look whether an answer is shared already: %s", declined)
            return {}
        found: dict[int, str] = {}
        for message in messages:
            marked = message.get("metadata") or {}
            payload = marked.get("event_payload") or {}
            ours = message.get("user") == self._me.user and marked.get("event_type") == EVENT_TYPE
            if ours and payload.get("answer") == answer_id:
                found[int(payload.get("part") or 0)] = str(message["ts"])
        return found
