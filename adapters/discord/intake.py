"""From gateway events to the durable inbox, and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Set
from datetime import timedelta
from functools import partial
from typing import TypeVar

import aiohttp
import discord
import structlog

from adapters.discord.incoming import Reading, read, replied_to
from adapters.discord.memory import Memory
from adapters.discord.places import PLATFORM, guild_of, key, said_in
from adapters.discord.spoken import question
from adapters.replies.waiting import Waiting
from pipeline import wording
from pipeline.errors import Busy, Unavailable
from pipeline.language import speaking, told
from pipeline.places import heard, unasked
from pipeline.ports import Desk, Inbox
from pipeline.values import ConversationId, IncomingMessage, Manner, Place, PlaceId

T = TypeVar("T")
LONGEST_PAUSE = 5.0
RECENT = timedelta(days=1)
"""How old a message may be that mentions us since it was edited: what was asked before is known for longer."""

log = structlog.get_logger(__name__)


class Intake:
    """Keeps trying while the inbox is unavailable: Discord does not send a message a second time.

    Where too much is waiting already, the asker is told once a minute, and the message is not kept. `appearing` holds
    the conversations in which a reply of ours is appearing, which the inbox will know of in a moment."""

    def __init__(
        self, inbox: Inbox, desk: Desk, memory: Memory, appearing: Set[ConversationId], *, threads: bool
    ) -> None:
        self._inbox = inbox
        self._desk = desk
        self._appearing = appearing
        self._memory = memory
        self._threads = threads
        self._waiting = Waiting()
        self.unsaved = 0
        """Events that came and are not in the inbox yet."""

    async def take(self, message: discord.Message, me: discord.ClientUser) -> None:
        """Put `message` into the inbox if it is for us. Does not return before it is durable."""
        place = await self._place(message)
        if not message.author.bot:
            plain = () if message.reference else self._waiting.answered(str(message.channel.id), message.content)
            for replied in (*replied_to(message), *plain):
                await self._surely(partial(self._inbox.leave_to_people, replied, f"{PLATFORM}:{message.author.id}"))
        if reading := read(message, me, threads=self._in_threads(place)):
            await self._keep(message, reading, place)

    async def _place(self, message: discord.Message) -> Place:
        return await self._surely(lambda: self._desk.places.of(said_in(message)))

    def _in_threads(self, place: Place) -> bool:
        return self._threads if place.threads is None else place.threads

    async def _is_ours(self, message: IncomingMessage, place: Place) -> bool:
        """Whether a message is addressed to us, goes on with something we have answered, or may be answered unasked."""
        if message.manner is not Manner.OVERHEARD:
            return True
        return unasked(message, place) if message.opens else await self._takes_part(message)

    async def _keep(self, message: discord.Message, reading: Reading, place: Place) -> bool:
        """Whether the message is for us and was not known as that."""
        incoming = await self._in_its_conversation(reading)
        if not heard(incoming, place) or not await self._is_ours(incoming, place):
            return False
        wait = place.auto_wait if unasked(incoming, place) and incoming.manner is Manner.OVERHEARD else 0
        if guild_of(message) is None:
            self._know_direct(message.channel.id)
        try:
            new = await self._surely(lambda: self._inbox.accept(incoming, after=wait or 0))
        except Busy as busy:
            if busy.first and incoming.manner is not Manner.OVERHEARD:
                await _tell(message)
            return True
        if wait and new:
            self._waiting.keep(incoming)
        if not new and message.edited_at:
            await self._surely(lambda: self._inbox.amend(incoming.key, incoming.text))
        return new

    async def change(self, message: discord.Message, me: discord.ClientUser) -> None:
        """A message was edited: the question changes if it is not answered yet. What is for us only now is new."""
        text = question(message, me)
        if message.author.bot or not text:
            return
        place = await self._place(message)
        reading = read(message, me, threads=self._in_threads(place))
        recent = discord.utils.utcnow() - message.created_at < RECENT
        if not (reading and recent and await self._keep(message, reading, place)):
            changed = key(guild_of(message), message.channel.id, message.id)
            await self._surely(lambda: self._inbox.amend(changed, text))

    async def remove(self, guild_id: int | None, channel_id: int, message_id: int) -> None:
        """A message was deleted: nothing will be answered to it, and nothing is kept of it."""
        await self._surely(lambda: self._inbox.cancel(key(guild_id, channel_id, message_id)))

    async def leave(self, guild_id: int) -> None:
        """We were removed from a server: nothing is kept of it."""
        await self._surely(lambda: self._inbox.leave(PlaceId(platform=PLATFORM, space=str(guild_id))))

    async def _in_its_conversation(self, reading: Reading) -> IncomingMessage:
        """Only the rated part of a reply carries the root of its conversation; the inbox knows that of its question."""
        message, answered = reading.message, reading.answered
        if answered and (found := await self._surely(lambda: self._inbox.conversation(answered))):
            return message.model_copy(update={"conversation": found})
        return message

    async def _takes_part(self, message: IncomingMessage) -> bool:
        conversation = message.conversation
        return conversation in self._appearing or await self._surely(
            lambda: self._inbox.takes_part(conversation, message.sent_at)
        )

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


async def _tell(message: discord.Message) -> None:
    with contextlib.suppress(discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError):
        async with asyncio.timeout(LONGEST_PAUSE):
            await message.reply(speaking(None, (told(message.content),))(wording.BUSY), suppress_embeds=True)
