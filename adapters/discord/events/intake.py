"""What Discord tells is heard until it is in the inbox: Discord tells nothing a second time. And who said it is told in
reply."""

from __future__ import annotations

import asyncio
import contextlib
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
from pipeline.values import IncomingMessage, MessageKey

LONGEST_PAUSE = 5.0

log = structlog.get_logger(__name__)


class DiscordIntake:
    def __init__(self, hearing: Hearing) -> None:
        self._hearing = hearing
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


class DiscordTells:
    """The port `Tells`: in reply."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

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
