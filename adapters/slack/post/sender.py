"""Messages on Slack: sent, edited, and found again by the key in their metadata."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import structlog

from adapters.slack.events.incoming import SlackBot
from adapters.slack.post.typing_indicator import SlackIndicatorTarget
from adapters.slack.rendering.render import SlackPost
from adapters.slack.web_client import POST_METHOD, SlackRefused, SlackWebClient, paginate_method

log = structlog.get_logger(__name__)

EVENT_TYPE = "citewell_reply"
MESSAGE_GONE = "message_not_found"
NO_PREVIEW_ARGUMENTS: dict[str, Any] = {"parse": "none", "unfurl_links": False, "unfurl_media": False}
"""Arguments without previews, by which no text becomes a link or a mention. `chat.update` would default to
`parse=client`."""
_BAD_BLOCKS = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "markdown_text_conflict"})


class SlackSender:
    """The messages of one post in one place for one key, named by their `ts`."""

    recorded_names: Sequence[str] = ()

    def __init__(self, web: SlackWebClient, me: SlackBot, origin: SlackIndicatorTarget, key: str) -> None:
        self._web = web
        self._me = me
        self._target = origin
        self._key = key
        self._has_turn = False

    async def wait_until_ready(self) -> None:
        await self._web.wait_turn(self._target.channel)
        self._has_turn = True

    async def prepare_target(self) -> None:
        """Do nothing: a thread exists with its first message."""

    def reference(self, names: Sequence[str]) -> str:
        return ",".join(names)

    def metadata(self, part: int) -> dict[str, Any]:
        """Return the metadata that mark a message as part `part` of the key's post."""
        return {"event_type": EVENT_TYPE, "event_payload": {"key": self._key, "part": part}}

    async def send(self, part: int, post: SlackPost) -> str:
        if not self._has_turn:
            await self._web.wait_turn(self._target.channel, begun=True)
        self._has_turn = False
        target, message = self._target.message_arguments, self._message_arguments(post, part)
        try:
            posted = await self._web.call(POST_METHOD, **target, **message, blocks=post.blocks)
        except SlackRefused as refused:
            if refused.error not in _BAD_BLOCKS:
                raise
            posted = await self._web.call(POST_METHOD, **target, **message)
        return str(posted["ts"])

    async def edit(self, name: str, part: int, post: SlackPost) -> None:
        target, message = {"channel": self._target.channel, "ts": name}, self._message_arguments(post, part)
        try:
            await self._web.call("chat.update", **target, **message, blocks=post.blocks)
        except SlackRefused as refused:
            match refused.error:
                case "streaming_state_conflict":
                    await self._web.call("chat.stopStream", **target, metadata=message["metadata"])
                    await self._web.call("chat.update", **target, **message, blocks=post.blocks)
                case error if error in _BAD_BLOCKS:
                    await self._web.call("chat.update", **target, **message, blocks=[])
                case error if error != MESSAGE_GONE:
                    raise

    async def delete(self, name: str) -> None:
        await delete_message(self._web, self._target.channel, name)

    async def find_unrecorded(self) -> list[str]:
        await asyncio.sleep(self._web.timings.timeout)  # a part may be on its way from before a crash
        return await find_messages(self._web, self._me, self._target, self._key)

    def _message_arguments(self, post: SlackPost, part: int) -> dict[str, Any]:
        return {"text": post.text, "metadata": self.metadata(part), **NO_PREVIEW_ARGUMENTS}


def parse_reference(reference: str) -> Sequence[str]:
    return reference.split(",") if reference else ()


async def delete_message(web: SlackWebClient, channel: str, ts: str) -> None:
    """Delete a message, unless it is gone already."""
    try:
        await web.call("chat.delete", channel=channel, ts=ts)
    except SlackRefused as refused:
        if refused.error != MESSAGE_GONE:
            raise


async def find_messages(web: SlackWebClient, me: SlackBot, origin: SlackIndicatorTarget, key: str) -> list[str]:
    """Return our messages for `key` since `origin`, by the key in their metadata; none where the bot may not look.

    If none has it, a message of ours below the question without any key counts: a stream that never ended.
    """
    try:
        return await _find(web, me, origin, key)
    except SlackRefused as refused:
        log.warning("slack_replies_not_read", effect="a reply may be posted twice", reason=str(refused))
        return []


async def _find(web: SlackWebClient, me: SlackBot, origin: SlackIndicatorTarget, key: str) -> list[str]:
    keyed: dict[int, str] = {}
    unowned: list[str] = []
    arguments: dict[str, Any] = {"channel": origin.channel, "oldest": origin.ts, "include_all_metadata": True}
    method = "conversations.history"
    if origin.thread:
        method, arguments = "conversations.replies", {**arguments, "ts": origin.thread}
    async for page in paginate_method(web, method, "messages", limit=200, **arguments):
        for message in page:
            if message.get("user") != me.user or float(message["ts"]) <= float(origin.ts):
                continue
            metadata = message.get("metadata") or {}
            payload = metadata.get("event_payload") or {}
            if payload.get("key") == key:
                keyed[int(payload.get("part") or 0)] = str(message["ts"])
            elif not (origin.is_silent or metadata.get("event_type") or message.get("files")):
                unowned.append(str(message["ts"]))
    parts = unowned[:1] if unowned and 0 not in keyed else []
    while len(parts) in keyed:
        parts.append(keyed[len(parts)])
    return parts
