"""One reply in a channel, thread or DM: posted once, then edited, found again after a crash."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

import discord
from discord import ui

from adapters.discord.errors import THREAD_ARCHIVED, TRANSIENT, UNKNOWN_MESSAGE
from adapters.discord.incoming import Place
from pipeline.ports import Receipt

T = TypeVar("T")

REQUEST_SECONDS = 32.0
"""The longest one request may take, discord.py's own waiting on 429 (30 s) and 5xx (25 s) included. A lost request
has taken effect within this time or never."""
PATIENCE_SECONDS = 30.0
"""How long a failing post is tried again here. Well within the two minutes in which a nonce is remembered."""
SEARCHED = 1000
"""Messages after the question that are looked through for a reply of ours."""


class Reference(NamedTuple):
    """Where a reply is: `channel/message` or `channel/message,message`."""

    channel_id: int
    messages: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.channel_id}/{','.join(map(str, self.messages))}"

    @classmethod
    def parse(cls, text: str) -> Reference:
        channel, _, messages = text.partition("/")
        return cls(int(channel), tuple(int(one) for one in messages.split(",") if one))


class Reply:
    """The messages of one reply, in order. `known` are the ones that are there already."""

    def __init__(
        self, client: discord.Client, where: Place, key: str, receipt: Receipt, known: Reference, *, searched: bool
    ) -> None:
        """`searched`: nothing of this reply can be on the platform beyond `known`."""
        self._client = client
        self._where = where
        self._key = key
        self._receipt = receipt
        self._channel_id = known.channel_id
        self._messages: list[int] = list(known.messages)
        self._held: dict[int, discord.Message] = {}
        self._searched = searched

    @property
    def started(self) -> bool:
        return bool(self._messages)

    @property
    def channel(self) -> discord.PartialMessageable:
        return self._client.get_partial_messageable(self._channel_id, guild_id=self._where.guild_id)

    async def put(self, part: int, view: ui.LayoutView) -> None:
        """Show `view` as the part of that number, 0 first: edited where it is there, posted where it is not."""
        if part >= len(self._messages) and not self._searched:
            await self._search()
        if part < len(self._messages):
            await steadily(lambda: self._edit(self._messages[part], view))
        else:
            await self._post(part, lambda **common: self.channel.send(view=view, **common))

    async def put_plain(self, part: int, content: str) -> None:
        """Post a part as plain content."""
        await self._post(part, lambda **common: self.channel.send(content, **common))

    async def trim(self, parts: int) -> None:
        """Delete what is beyond the first `parts`: an answer computed anew can be shorter."""
        for message_id in self._messages[parts:]:
            await self.channel.get_partial_message(message_id).delete()
        del self._messages[parts:]

    async def _post(self, part: int, send: Callable[..., Awaitable[discord.Message]]) -> None:
        await self._receipt.posting()
        message = await steadily(
            lambda: send(reference=self._question(), nonce=nonce(self._key, part), suppress_embeds=True),
            before_retry=self._receipt.posting,
        )
        self._held[message.id] = message
        self._messages.append(message.id)
        await self._receipt.posted(str(Reference(self._channel_id, tuple(self._messages))))

    async def glimpse(self, view: ui.LayoutView) -> None:
        """Show a passing state of the first part. One that cannot be shown just now is left out."""
        if not self._messages:
            await self.put(0, view)
            return
        with contextlib.suppress(*TRANSIENT, discord.RateLimited):
            async with asyncio.timeout(REQUEST_SECONDS):
                await self._edit(self._messages[0], view)

    async def _edit(self, message_id: int, view: ui.LayoutView) -> None:
        try:
            held = self._held.get(message_id) or await self.channel.fetch_message(message_id)
            self._held[message_id] = held
            await self._change(held, view)
        except discord.NotFound as error:
            if error.code != UNKNOWN_MESSAGE:
                raise

    async def _change(self, message: discord.Message, view: ui.LayoutView) -> None:
        async def change() -> None:
            await message.edit(view=view, suppress=True, allowed_mentions=discord.AllowedMentions.none())

        try:
            await change()
        except discord.HTTPException as error:
            if error.code != THREAD_ARCHIVED:
                raise
            thread = await self._client.fetch_channel(self._channel_id)
            if isinstance(thread, discord.Thread):
                await thread.edit(archived=False)
            await change()

    async def _search(self) -> None:
        self._searched = True
        for message_id in await find(self.channel, self._where, self._client):
            if message_id not in self._messages:
                self._messages.append(message_id)
        if self._messages:
            await self._receipt.posted(str(Reference(self._channel_id, tuple(self._messages))))

    def _question(self) -> discord.MessageReference | None:
        if self._channel_id == self._where.channel_id:
            return discord.MessageReference(message_id=self._where.message_id, channel_id=self._channel_id)
        return None


async def find(channel: discord.PartialMessageable, where: Place, client: discord.Client) -> list[int]:
    """Our messages that answer the question, oldest first: in its channel those that refer to it, in a thread
    opened from it those that refer to nothing."""
    expected = where.message_id if channel.id == where.channel_id else None
    after = discord.Object(where.message_id)
    found = []
    async with asyncio.timeout(REQUEST_SECONDS):
        async for message in channel.history(after=after, oldest_first=True, limit=SEARCHED):
            refers = message.reference.message_id if message.reference else None
            ours = client.user is not None and message.author.id == client.user.id
            if ours and refers == expected and message.interaction_metadata is None:
                found.append(message.id)
    return found


def nonce(key: str, part: int) -> str:
    """The same for the same part of the same reply: Discord then posts it once within two minutes."""
    return hashlib.blake2b(f"{key}#{part}".encode(), digest_size=12).hexdigest()


async def steadily(call: Callable[[], Awaitable[T]], *, before_retry: Callable[[], Awaitable[None]] | None = None) -> T:
    """`call`, tried again for half a minute while Discord cannot be reached: for edits and what a nonce guards."""
    clock = asyncio.get_running_loop().time
    until, pause = clock() + PATIENCE_SECONDS, 0.5
    while True:
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                return await call()
        except TRANSIENT:
            if clock() + pause > until:
                raise
        await asyncio.sleep(pause)
        pause *= 2
        if before_retry:
            await before_retry()
