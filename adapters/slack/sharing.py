"""A private answer for everyone in its channel."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from adapters.slack.readers import Audiences
from adapters.slack.render import Look, Post, line, reply
from adapters.slack.reply import QUIET
from adapters.slack.web import POST, Web
from pipeline import wording
from pipeline.ports import Desk

REMEMBERED = 1000
"""Shared answers that are not shared again, unless we were started anew meanwhile."""


class Sharing:
    """Shares an answer once in a channel."""

    def __init__(self, web: Web, look: Look, audiences: Audiences, desk: Desk, *, shared_channels: bool) -> None:
        """`shared_channels`: also where other organisations read along."""
        self._web = web
        self._look = look
        self._audiences = audiences
        self._desk = desk
        self._shared_channels = shared_channels
        self._shared: deque[tuple[str, str]] = deque(maxlen=REMEMBERED)

    async def share(self, answer_id: str, channel: str) -> list[Post]:
        """Post the answer in `channel`, if everyone there may see what it rests on; otherwise why it is not there.

        Raises Declined or Unavailable; it may be tried again then."""
        if not self._shared_channels and await self._audiences.shared(channel):
            return [line(wording.SHARED_CHANNEL)]
        answer = await self._desk.answer(answer_id, await self._audiences.of_channel(channel))
        if answer is None:
            return [line(wording.NOT_SHARED)]
        if (answer_id, channel) in self._shared:
            return [line(wording.SHARED_ALREADY)]
        self._shared.append((answer_id, channel))
        try:
            await self._post(answer_id, channel, reply(answer, self._look, [f"Shared from /ask: {answer.question}"]))
        except BaseException:
            self._shared.remove((answer_id, channel))
            raise
        return []

    async def _post(self, answer_id: str, channel: str, posts: Sequence[Post]) -> None:
        metadata = {"event_type": "citewell_shared", "event_payload": {"answer": answer_id}}
        for number, post in enumerate(posts):
            await self._web.turn(channel, begun=number > 0)
            await self._web.call(POST, channel=channel, text=post.text, blocks=post.blocks, metadata=metadata, **QUIET)
