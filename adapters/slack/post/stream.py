"""A reply that grows while it is written: `chat.startStream`, `appendStream`, `stopStream`.

Slack ends a stream about five minutes after its start, even in the middle of an append (python-slack-sdk 1859);
whatever goes wrong with a stream, its message is completed by `chat.update`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from adapters.slack.parts.render import Post
from adapters.slack.post.activity import Origin
from adapters.slack.web import LIMITED, Declined, Web
from pipeline.errors import Unavailable


class Budget:
    """How many streams may still be opened within a minute."""

    def __init__(self, per_minute: int) -> None:
        self._opened: deque[float] = deque(maxlen=per_minute)

    def take(self) -> bool:
        """Count one stream, if there is room for it."""
        now = asyncio.get_running_loop().time()
        if len(self._opened) == self._opened.maxlen and (not self._opened or now - self._opened[0] < 60.0):
            return False
        self._opened.append(now)
        return True


class SlackStream:
    """One message that is being streamed. Nothing here raises: a stream that failed is only no longer `alive`."""

    def __init__(self, web: Web, channel: str, ts: str, shown: str, mark: dict[str, Any]) -> None:
        """`mark` is in the metadata of its end."""
        self._web = web
        self._channel = channel
        self.name = ts
        self._shown = shown
        self._mark = mark
        self.alive = True

    @classmethod
    async def open(cls, web: Web, origin: Origin, team: str, text: str, mark: dict[str, Any]) -> SlackStream:
        """Start a stream that shows `text`, now or not at all.

        Raises Declined, or Unavailable when it may or may not have started."""
        arguments = {"channel": origin.channel, "thread_ts": origin.thread, "markdown_text": text}
        recipient = {"recipient_team_id": team, "recipient_user_id": origin.user}
        started = await web.now("chat.startStream", **arguments, **recipient)
        return cls(web, origin.channel, str(started["ts"]), text, mark)

    async def show(self, text: str) -> None:
        """Append what `text` has more than what is shown."""
        added = text[len(self._shown) :]
        if added and self.alive and await self._tell("chat.appendStream", markdown_text=added):
            self._shown = text

    async def close(self, post: Post) -> bool:
        """End the stream as `post`; False when its message does not show exactly that and needs an update."""
        if not self.alive:
            return False
        if not post.markdown.startswith(self._shown):
            await self._tell("chat.stopStream", metadata=self._mark)
            return False
        rest = post.markdown[len(self._shown) :]
        more: dict[str, Any] = {"markdown_text": rest} if rest else {}
        return await self._tell("chat.stopStream", **more, blocks=list(post.footer), metadata=self._mark)

    async def _tell(self, method: str, **arguments: Any) -> bool:
        """Whether Slack took it; what it has no time for now does not end the stream."""
        try:
            await self._web.now(method, channel=self._channel, ts=self.name, **arguments)
        except Declined as declined:
            self.alive = declined.error == LIMITED
            return False
        except Unavailable:
            self.alive = False
            return False
        return True
