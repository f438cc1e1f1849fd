"""All that people said in a thread, read when it is to be summed up."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import structlog

from adapters.chat.thread import Said
from adapters.slack.events.incoming import SPOKEN, Body, Me, is_human
from adapters.slack.events.spoken import plain
from adapters.slack.pages import pages
from adapters.slack.post.notices import permalink
from adapters.slack.web import Declined, Web
from pipeline.errors import CitewellError
from pipeline.values import IncomingMessage

MOST, PAGE = 1_000, 200
"""Messages that are read, the first ones, and of them at a time."""
SECONDS = 5.0
"""How long a summary waits for names."""

log = structlog.get_logger(__name__)


async def thread(web: Web, me: Me, message: IncomingMessage) -> list[Said] | None:
    """Above `message`; None where it is in no thread, nothing where Slack does not let us read it. Raises
    Unavailable."""
    channel, root = message.conversation.channel, message.conversation.thread
    if root == message.place.message:
        return None
    try:
        found = await _read(web, me, channel, root, message.place.message)
    except Declined as declined:
        log.warning("slack_thread_unread", reason=str(declined))
        return []
    first = await permalink(web, channel, root)
    names = await _names(web, {str(one["user"]) for one in found})
    return [
        Said(
            author=names.get(str(one["user"]), ""),
            text=plain(str(one.get("text") or ""), me.user),
            at=datetime.fromtimestamp(float(one["ts"]), UTC),
            url=_address(first, channel, root, str(one["ts"])),
        )
        for one in found
    ]


async def _read(web: Web, me: Me, channel: str, root: str, until: str) -> Sequence[Body]:
    found: list[Body] = []
    replies = pages(web, "conversations.replies", "messages", channel=channel, ts=root, latest=until, limit=PAGE)
    async for page in replies:
        found += (one for one in page if is_human(one, me) and one.get("subtype") in SPOKEN and one["ts"] != until)
        if len(found) >= MOST:
            break
    return found[:MOST]


async def _names(web: Web, users: Iterable[str]) -> dict[str, str]:
    """What people call themselves, as far as Slack says so in time."""
    names: dict[str, str] = {}

    async def ask(user: str) -> None:
        found = (await web.call("users.info", user=user)).get("user") or {}
        profile = found.get("profile") or {}
        names[user] = str(profile.get("display_name") or profile.get("real_name") or found.get("name") or "")

    try:
        async with asyncio.timeout(SECONDS):
            await asyncio.gather(*map(ask, users))
    except (CitewellError, TimeoutError) as error:
        log.info("slack_names_unread", reason=str(error) if isinstance(error, CitewellError) else "it took too long")
    return names


def _address(first: str, channel: str, root: str, ts: str) -> str:
    """Of a message, by that of the thread's first one; empty where that has none."""
    if not first or ts == root:
        return first
    return f"{first.rpartition('/')[0]}/p{ts.replace('.', '')}?thread_ts={root}&cid={channel}"
