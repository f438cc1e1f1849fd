"""From gateway events to the durable inbox, and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

import aiohttp
import discord
import structlog

from adapters.chat.intake import Intake, TakeAway
from adapters.chat.words.handoff import Unsent
from adapters.discord.events.incoming import ReadMessage, read, replied_to
from adapters.discord.events.places import PLATFORM, guild_of, key, said_in
from adapters.discord.events.spoken import question
from adapters.discord.events.talk import DiscordTalk
from adapters.discord.memory import Memory
from adapters.discord.parts.blocks import layout
from adapters.discord.parts.buttons import custom_id
from pipeline.errors import Unavailable
from pipeline.ports import Desk, Inbox
from pipeline.values import ConversationId, IncomingMessage, MessageKey, PlaceId, replace

T = TypeVar("T")
LONGEST_PAUSE = 5.0

log = structlog.get_logger(__name__)


class DiscordIntake:
    """Keeps trying while the inbox is unavailable: Discord does not send a message a second time.

    Where too much is waiting already, the asker is told once a minute, and the message is not kept. `appearing`:
    whether a reply of ours is appearing in a conversation, which the inbox will know of in a moment."""

    def __init__(
        self,
        inbox: Inbox,
        desk: Desk,
        memory: Memory,
        appearing: Callable[[ConversationId], bool],
        *,
        threads: bool,
    ) -> None:
        self._inbox = inbox
        self._desk = desk
        self._kept = Intake(inbox, desk, appearing)
        self._talk = DiscordTalk(desk)
        self._memory = memory
        self._threads = threads
        self.unsaved = 0
        """Events that came and are not in the inbox yet."""

    async def take(self, message: discord.Message, me: discord.ClientUser) -> None:
        """Put `message` into the inbox if it is for us. Does not return before it is durable."""
        await self._surely(lambda: self._talk.heard(message, me))
        if await self._hear(message) and f"<@{me.id}>" not in message.content:
            return
        if now := await self._read(message, me):
            await self._surely(
                lambda: self._kept.keep(now, partial(_tell, message), edited=message.edited_at is not None)
            )

    async def _hear(self, message: discord.Message) -> bool:
        """Tell what a person said; whether it replies where people were asked, which pings us like any reply to us."""
        replied = replied_to(message)
        if message.author.bot or (message.reference and not replied):
            return False
        author, channel, tell = f"{PLATFORM}:{message.author.id}", str(message.channel.id), partial(_offer, message)
        return await self._surely(lambda: self._kept.hear(author, channel, message.content, replied, tell))

    async def change(self, client: discord.Client, message: discord.Message, me: discord.ClientUser) -> None:
        """A message was edited."""
        await self._surely(lambda: self._talk.again(client, message.channel.id, message.id, said_in(message)))
        text = question(message, me)
        if message.author.bot or not text:
            return
        changed = key(guild_of(message), message.channel.id, message.id)
        now = await self._read(message, me)
        await self._surely(lambda: self._kept.change(changed, text, now, partial(_tell, message)))

    async def _read(self, message: discord.Message, me: discord.ClientUser) -> IncomingMessage | None:
        """The message as one that may be for us, in its conversation."""
        threads = (await self._surely(lambda: self._desk.places.of(said_in(message)))).threads
        reading = read(message, me, threads=self._threads if threads is None else threads)
        if reading is None:
            return None
        if guild_of(message) is None:
            self._know_direct(message.channel.id)
        return await self._in_its_conversation(reading)

    async def remove(self, gone: str, said_in: Sequence[PlaceId], take_away: TakeAway) -> None:
        """The message with the key `gone` was deleted: nothing will be answered to it, and nothing is kept of it."""
        await self._surely(lambda: self._kept.gone(gone, said_in, take_away))
        if channel := await self._surely(lambda: self._desk.channels.indexed(said_in)):
            await self._surely(
                lambda: self._desk.channels.drop(channel, [MessageKey.parse(gone).message], deleted=True)
            )

    async def reacted(
        self, client: discord.Client, payload: discord.RawReactionActionEvent, said_in: Sequence[PlaceId]
    ) -> None:
        """Reactions to a message changed."""
        await self._surely(lambda: self._talk.reacted(client, payload, said_in))

    async def closed(self, said_in: Sequence[PlaceId], thread: str = "") -> None:
        """A channel, or a thread in it, was deleted."""
        if channel := await self._surely(lambda: self._desk.channels.indexed(said_in)):
            channels = self._desk.channels
            await self._surely(lambda: channels.drop_thread(channel, thread) if thread else channels.left(channel))

    async def leave(self, guild_id: int) -> None:
        """We were removed from a server: nothing is kept of it."""
        await self._surely(lambda: self._inbox.leave(PlaceId(platform=PLATFORM, space=str(guild_id))))

    async def _in_its_conversation(self, reading: ReadMessage) -> IncomingMessage:
        """Only the rated part of a reply carries the root of its conversation; the inbox knows that of its question."""
        message, answered = reading.message, reading.answered
        if answered and (found := await self._surely(lambda: self._inbox.conversation(answered))):
            return replace(message, conversation=found)
        return message

    def _know_direct(self, channel_id: int) -> None:
        try:
            self._memory.know_direct(channel_id)
        except Unavailable as error:
            log.warning("discord_memory_unwritable", reason=str(error))

    async def _surely(self, call: Callable[[], Awaitable[T]]) -> T:
        pause = 0.1
        self.unsaved += 1
        try:
            while True:
                try:
                    return await call()
                except Unavailable as error:
                    log.warning("inbox_unavailable", reason=str(error))
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
        finally:
            self.unsaved -= 1


async def _offer(message: discord.Message, unsent: Unsent) -> None:
    about = f"{unsent.notice.channel}-{unsent.notice.message}"
    row = [(label, custom_id(action, about, str(message.id))) for label, action in unsent.buttons]
    if not row:
        await _tell(message, unsent.text)
        return
    with contextlib.suppress(discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError):
        async with asyncio.timeout(LONGEST_PAUSE):
            await message.reply(view=layout([unsent.text], row))


async def _tell(message: discord.Message, text: str) -> None:
    with contextlib.suppress(discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError):
        async with asyncio.timeout(LONGEST_PAUSE):
            await message.reply(text, suppress_embeds=True)
