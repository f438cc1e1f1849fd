"""The messages of one reply: posted once, named at once, edited from then on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import structlog

from adapters.replies.parts import File
from adapters.slack.activity import Origin
from adapters.slack.incoming import Me
from adapters.slack.pages import pages
from adapters.slack.render import Post
from adapters.slack.web import POST, Declined, Web
from pipeline.ports import Receipt

log = structlog.get_logger(__name__)

EVENT_TYPE = "citewell_reply"
QUIET: dict[str, Any] = {"parse": "none", "unfurl_links": False, "unfurl_media": False}
"""No previews, and nothing in a text becomes a link or a mention. `chat.update` would default to `parse=client`."""
_BAD_BLOCKS = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "markdown_text_conflict"})


def metadata(key: str, part: int) -> dict[str, Any]:
    """What marks a message as part `part` of our reply to the message `key`."""
    return {"event_type": EVENT_TYPE, "event_payload": {"key": key, "part": part}}


class Reply:
    """One reply, and what is recorded of it. A reference is the `ts` of its messages, joined by commas."""

    def __init__(self, web: Web, me: Me, origin: Origin, key: str, receipt: Receipt, reference: str) -> None:
        self._web = web
        self._me = me
        self._spot = origin
        self._key = key
        self._receipt = receipt
        self._posted = reference.split(",") if reference else []
        self._has_turn = False
        self.begun = False
        self.resumed = bool(reference)

    async def begin(self) -> None:
        """Record the intent, once, before the first visible write, and not before the turn to post has come."""
        if not self.begun:
            if not self._posted:
                await self._web.turn(self._spot.channel)
                self._has_turn = True
            await self._receipt.posting()
            self.begun = True

    async def named(self, ts: str) -> None:
        """Record the next message of the reply."""
        self._has_turn = False
        self._posted.append(ts)
        await self._receipt.posted(",".join(self._posted))

    async def show(self, posts: Sequence[Post], *, already: int = 0) -> None:
        """Make the reply exactly `posts`, of which the first `already` are shown."""
        await self.begin()
        if self.resumed and len(posts) > len(self._posted):
            await asyncio.sleep(self._web.pace.timeout)  # a part may be on its way from before a crash
            self._posted = max(self._posted, await find(self._web, self._me, self._spot, self._key), key=len)
        for part, post in list(enumerate(posts))[already:]:
            if part < len(self._posted):
                await self._edit(self._posted[part], post, part)
            else:
                await self._post(post, part)

    async def attach(self, files: Sequence[File]) -> bool:
        """Put files below the reply, each once; False when Slack takes none of us."""
        held = await self._attached() if self.resumed else frozenset[str]()
        try:
            for file in files:
                if file.name not in held:
                    await self._web.upload(self._spot.channel, file.name, file.content, self._spot.thread)
        except Declined as declined:
            log.warning("slack_file_not_attached", instead="its text is posted", reason=str(declined))
            return False
        return True

    async def _attached(self) -> frozenset[str]:
        """The names of our files in the thread."""
        wanted: dict[str, Any] = {"channel": self._spot.channel, "ts": self._spot.thread, "oldest": self._spot.ts}
        return frozenset(
            [
                str(file.get("name"))
                async for page in pages(self._web, "conversations.replies", "messages", limit=200, **wanted)
                for message in page
                if message.get("user") == self._me.user
                for file in message.get("files") or ()
            ]
        )

    async def _post(self, post: Post, part: int) -> None:
        where = self._spot.where
        message: dict[str, Any] = {"text": post.text, "metadata": metadata(self._key, part), **QUIET}
        if not self._has_turn:
            await self._web.turn(self._spot.channel, begun=True)
        try:
            posted = await self._web.call(POST, **where, **message, blocks=post.blocks)
        except Declined as declined:
            if declined.error not in _BAD_BLOCKS:
                raise
            posted = await self._web.call(POST, **where, **message)
        await self.named(str(posted["ts"]))

    async def _edit(self, ts: str, post: Post, part: int) -> None:
        where = {"channel": self._spot.channel, "ts": ts}
        message: dict[str, Any] = {"text": post.text, "metadata": metadata(self._key, part), **QUIET}
        try:
            await self._web.call("chat.update", **where, **message, blocks=post.blocks)
        except Declined as declined:
            match declined.error:
                case "streaming_state_conflict":
                    await self._web.call("chat.stopStream", **where, metadata=message["metadata"])
                    await self._web.call("chat.update", **where, **message, blocks=post.blocks)
                case error if error in _BAD_BLOCKS:
                    await self._web.call("chat.update", **where, **message, blocks=[])
                case "message_not_found":
                    return  # somebody deleted the reply, and does not want it back
                case _:
                    raise


async def find(web: Web, me: Me, origin: Origin, key: str) -> list[str]:
    """The messages of our reply to `key`, by our key in their metadata.

    Where none has it, a message of ours under the question without any key: a stream that never ended."""
    keyed: dict[int, str] = {}
    unowned: list[str] = []
    wanted: dict[str, Any] = {"channel": origin.channel, "oldest": origin.ts, "include_all_metadata": True}
    method = "conversations.history"
    if origin.thread:
        method, wanted = "conversations.replies", {**wanted, "ts": origin.thread}
    async for page in pages(web, method, "messages", limit=200, **wanted):
        for message in page:
            if message.get("user") != me.user or float(message["ts"]) <= float(origin.ts):
                continue
            marked = message.get("metadata") or {}
            payload = marked.get("event_payload") or {}
            if payload.get("key") == key:
                keyed[int(payload.get("part") or 0)] = str(message["ts"])
            elif not (origin.hidden or marked.get("event_type") or message.get("files")):
                unowned.append(str(message["ts"]))
    parts = unowned[:1] if unowned and 0 not in keyed else []
    while len(parts) in keyed:
        parts.append(keyed[len(parts)])
    return parts
