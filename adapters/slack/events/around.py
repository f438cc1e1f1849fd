"""What people said around a message, read when it is answered."""

from __future__ import annotations

import asyncio
from typing import Any

import structlog

from adapters.slack.events.incoming import SPOKEN, Me, forwarded, is_human
from adapters.slack.events.spoken import plain
from adapters.slack.web import Web
from pipeline.errors import CitewellError
from pipeline.values import Around, IncomingMessage, MessageKey

LAST = 6
"""Messages of a thread, besides the one that began it."""
PAGE = 200
"""Messages that are read at most: of a longer thread the first ones."""
SECONDS = 2.0

log = structlog.get_logger(__name__)


async def around(web: Web, me: Me, message: IncomingMessage) -> Around:
    """The first message of the thread and the last ones above `message`; in the channel itself the one above.

    Nothing when Slack does not say in time: an answer does not wait for it."""
    channel, thread = message.conversation.channel, message.conversation.thread
    ts = MessageKey.parse(message.key).message
    try:
        async with asyncio.timeout(SECONDS):
            if thread == ts:
                found = await web.call("conversations.history", channel=channel, latest=ts, limit=1)
            else:
                found = await web.call("conversations.replies", channel=channel, ts=thread, latest=ts, limit=PAGE)
    except (CitewellError, TimeoutError) as error:
        log.info("slack_around_unread", reason=str(error) if error else "it took too long")
        return Around()
    messages: list[dict[str, Any]] = found.get("messages") or []
    before = [one for one in messages if _before(one, ts) and _said(one, me)]
    said = [plain(str(one.get("text") or ""), me.user) or forwarded(one, me) for one in before]
    return Around(said=tuple(filter(None, [*said[:1], *said[1:][-LAST:]])))


def _before(message: dict[str, Any], ts: str) -> bool:
    return float(message.get("ts") or 0) < float(ts)


def _said(message: dict[str, Any], me: Me) -> bool:
    return is_human(message, me) and message.get("subtype") in SPOKEN
