"""What Discord tells is heard until it is in the inbox: Discord tells nothing a second time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import discord
import structlog

from adapters.chat.hear import Happened, Hearing, Look, Remark
from adapters.chat.words.handoff import Unsent
from adapters.discord.events.places import MessagePlace
from adapters.discord.parts.blocks import layout
from adapters.discord.parts.buttons import custom_id
from pipeline.errors import Unavailable
from pipeline.ports import Desk, Inbox
from pipeline.values import ConversationId, IncomingMessage, MessageKey

LONGEST_PAUSE = 5.0

log = structlog.get_logger(__name__)


class DiscordIntake:
    """`appearing`: whether a reply of ours is appearing in a conversation, which the inbox will know of in a moment;
    `take_away` deletes a reply by its reference. `threads`: answers to mentions go into threads."""

    def __init__(
        self,
        inbox: Inbox,
        desk: Desk,
        appearing: Callable[[ConversationId], bool],
        take_away: Callable[[str, str], Awaitable[None]],
        client: discord.Client,
        *,
        threads: bool,
    ) -> None:
        self._hearing = Hearing(inbox, desk, self, self, threads=threads)
        self._appearing = appearing
        self._take_away = take_away
        self._client = client
        self.unsaved = 0
        """Events that came and are not in the inbox yet."""

    async def hear(self, happened: Happened, look: Look | None = None) -> None:
        """Tries again while the inbox is unavailable; does not return before it is durable."""
        pause = 0.1
        self.unsaved += 1
        try:
            while True:
                try:
                    return await self._hearing.hear(happened, look)
                except Unavailable as error:
                    log.warning("inbox_unavailable", reason=str(error))
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
        finally:
            self.unsaved -= 1

    def takes_part(self, conversation: ConversationId) -> bool:
        return self._appearing(conversation)

    async def take_away(self, channel: str, reply: str) -> None:
        await self._take_away(channel, reply)

    async def tell(self, message: IncomingMessage, text: str) -> None:
        await self._reply(message.place, content=text, suppress_embeds=True)

    async def offer(self, remark: Remark, unsent: Unsent) -> None:
        about = f"{unsent.notice.channel}-{unsent.notice.message}"
        row = [(label, custom_id(action, about, remark.key.message)) for label, action in unsent.buttons]
        if row:
            await self._reply(remark.key, view=layout([unsent.text], row))
        else:
            await self._reply(remark.key, content=unsent.text, suppress_embeds=True)

    async def _reply(self, to: MessageKey, **shown: Any) -> None:
        """Nothing depends on it."""
        where = MessagePlace.of(to)
        channel = self._client.get_partial_messageable(where.channel_id, guild_id=where.guild_id)
        with contextlib.suppress(discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError):
            async with asyncio.timeout(LONGEST_PAUSE):
                await channel.get_partial_message(where.message_id).reply(**shown)
