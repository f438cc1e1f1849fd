"""A reply while it is written: streamed once it takes longer, and complete in the end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from adapters.chat.messages import Messages
from adapters.chat.reply.draft import Draft
from adapters.slack.parts.render import Post, streamed
from adapters.slack.post.activity import Sign
from adapters.slack.post.feed import Feed
from adapters.slack.post.reply import SlackSender
from adapters.slack.post.stream import Budget, Stream
from pipeline.values import Answer


class Growth:
    """One reply. What a crash left of it is not streamed again, only completed."""

    def __init__(
        self, sender: SlackSender, reply: Messages[Post], sign: Sign, budget: Budget, *, patience: float
    ) -> None:
        """`patience`: seconds that what is there waits for the rest."""
        self._sender = sender
        self._reply = reply
        self._sign = sign
        self._budget = budget
        self._patience = patience
        self._may_stream = not reply.resumed
        self._stream: Stream | None = None

    async def follow(self, feed: Feed, draft: Draft) -> Answer | None:
        """Read to the answer, or to the stop (None), and stream what is there meanwhile."""
        due: float | None = None
        now = asyncio.get_running_loop().time
        while True:
            events = await feed.take(max(0.0, due - now()) if due is not None and self._may_stream else None)
            if feed.stopped:
                return None
            for event in events:
                draft.add(event)
            if feed.answer:
                return feed.answer
            text = streamed(draft.reply) if draft.begun else ""
            if not text:
                continue
            due = now() + self._patience if due is None else due
            if self._stream:
                await self._stream.show(text)
            elif self._may_stream and now() >= due:
                self._may_stream = False
                self._stream = await self._open(text)

    async def end(self, posts: Sequence[Post]) -> None:
        """Make the reply exactly `posts`."""
        await self._sign.settled()
        closed = self._stream is not None and await self._stream.close(posts[0], self._sender.mark(0))
        await self._reply.show(posts, already=int(closed))

    async def _open(self, text: str) -> Stream | None:
        if not (self._sender.free and self._budget.take()):
            return None
        await self._sign.settled()
        await self._reply.begin()
        stream = await self._sender.stream(text)
        if stream:
            await self._reply.named(stream.ts)
        return stream
