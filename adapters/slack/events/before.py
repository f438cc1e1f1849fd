"""What people said before: around a message, in its thread, and in a channel that becomes a source."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from adapters.chat.before import LONGEST
from adapters.slack.events.files import Files
from adapters.slack.events.incoming import SPOKEN, Me, forwarded, is_human, is_outside
from adapters.slack.events.spoken import plain
from adapters.slack.events.talk import SlackTalk
from adapters.slack.web import Pacer, Web, pages
from pipeline.errors import Refused
from pipeline.values import Around, Attachment, IncomingMessage, PlaceId, Said, Stretch

PAGE = 100
"""Messages of a channel that are read in one go, with their threads."""
REPLIES = 200
"""Messages of a thread that are read at a time."""
BURST = 15
"""Calls of each method that need not wait."""
HISTORY, THREAD = "conversations.history", "conversations.replies"
Message = dict[str, Any]


class SlackReads:
    """The port `Reads`, in one workspace."""

    def __init__(self, web: Web, me: Me, talk: SlackTalk, files: Files) -> None:
        self._web = web
        self._me = me
        self._talk = talk
        self._files = files
        self._pacers = {method: Pacer(BURST, web.pace.reading) for method in (HISTORY, THREAD)}

    async def around(self, message: IncomingMessage, last: int) -> Around:
        """Of a longer thread the first REPLIES; in the channel itself the one above. Raises Declined or Unavailable."""
        channel, thread = message.conversation.channel, message.conversation.thread
        ts = message.place.message
        if thread == ts:
            found = await self._web.call(HISTORY, channel=channel, latest=ts, limit=1)
        else:
            found = await self._web.call(THREAD, channel=channel, ts=thread, latest=ts, limit=REPLIES)
        messages: list[Message] = found.get("messages") or []
        above = [one for one in messages if float(one.get("ts") or 0) < float(ts) and self._of_people(one)]
        shown = await asyncio.gather(*map(self._talk.spelled, [*above[:1], *above[1:][-last:]]))
        said = [plain(str(one.get("text") or ""), self._me.user) or forwarded(one, self._me) for one in shown]
        return Around(said=tuple(said))

    async def thread(self, message: IncomingMessage, most: int) -> Sequence[Said] | None:
        """Raises Declined or Unavailable."""
        conversation, until = message.conversation, message.place.message
        if conversation.thread == until:
            return None
        place = self._me.place(conversation.channel)
        found = await self._replies(place, conversation.thread, most, latest=until)
        people = [one for one in found if one["ts"] != until and self._talk.is_spoken(one)]
        await asyncio.gather(*map(self._talk.names.of, {str(one["user"]) for one in people}))
        return [await self._talk.said(place, one) for one in people]

    async def history(self, channel: PlaceId, position: str) -> Stretch:
        """A part of what was said, from what was said last. Raises Declined or Unavailable, and Refused for a channel
        that other organisations write in."""
        at = json.loads(position) if position else {}
        name, since = at.get("name"), at.get("since")
        if not at:
            found = (await self._web.call("conversations.info", channel=channel.channel))["channel"]
            if is_outside(found, self._me.team):
                raise Refused(f"{channel} is shared with another organisation", what_to_do="Name one of your own.")
            name, since = str(found.get("name") or ""), float(found.get("created") or 0)
        latest = {"latest": at["latest"]} if at else {}
        await self._pacers[HISTORY].wait()
        page = await self._web.call(HISTORY, channel=channel.channel, limit=PAGE, **latest)
        messages: list[Message] = page.get("messages") or []
        for root in [one for one in messages if one.get("reply_count")]:
            messages += await self._replies(channel, str(root["ts"]), LONGEST, self._pacers[THREAD])
        unique = {str(one["ts"]): one for one in messages}
        oldest = min((ts for ts in unique if unique[ts].get("thread_ts", ts) == ts), key=float, default="")
        following = json.dumps({"latest": oldest, "name": name, "since": since}) if page.get("has_more") else ""
        said = await self._talk.all_said(channel, unique.values())
        return Stretch(said=said, position=following, name=name or "", since=datetime.fromtimestamp(since or 0, UTC))

    async def download(self, said: Said, file: Attachment) -> bytes:
        return await self._files.download(await self._files.find(file.id))

    async def _replies(
        self, channel: PlaceId, thread: str, most: int, pacer: Pacer | None = None, **more: str
    ) -> list[Message]:
        """Those of a thread, with the one that it begins with; of a longer one the first `most`."""
        found: list[Message] = []
        async for page in pages(
            self._web, THREAD, "messages", pacer, channel=channel.channel, ts=thread, limit=REPLIES, **more
        ):
            found += page
            if len(found) >= most:
                break
        return found[:most]

    def _of_people(self, message: Message) -> bool:
        return is_human(message, self._me) and message.get("subtype") in SPOKEN
