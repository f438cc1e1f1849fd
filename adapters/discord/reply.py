"""One reply in a channel, thread or DM: posted once, then edited, found again after a crash."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple

import discord
import structlog
from discord import ui

from adapters.discord.errors import THREAD_ARCHIVED, TRANSIENT, UNKNOWN_MESSAGE
from adapters.discord.found import Opening, find
from adapters.discord.places import Place
from adapters.discord.retry import REQUEST_SECONDS, steadily
from pipeline.ports import Receipt
from pipeline.values import PersonId

log = structlog.get_logger(__name__)


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
    """The messages of one reply, in order."""

    def __init__(
        self,
        client: discord.Client,
        where: Place,
        key: str,
        receipt: Receipt,
        *,
        known: Reference | None,
        possible: tuple[int, ...],
        open_channel: Callable[[], Awaitable[int]],
        searched: bool,
        opening: Opening | None = None,
    ) -> None:
        """`known` is what was recorded of it, `possible` the channels it may be in, `open_channel` where a new one
        goes, asked just before its first message. `searched`: nothing beyond `known` can be on the platform."""
        self._client = client
        self._where = where
        self._key = key
        self._receipt = receipt
        self._channel_id = known.channel_id if known else 0
        self._messages: list[int] = list(known.messages) if known else []
        self._possible = possible
        self._open_channel = open_channel
        self._held: dict[int, discord.Message] = {}
        self._searched = searched
        self._opening = opening

    @property
    def started(self) -> bool:
        return bool(self._messages)

    @property
    def channel(self) -> discord.PartialMessageable:
        channel_id = self._channel_id or self._where.channel_id
        return self._client.get_partial_messageable(channel_id, guild_id=self._where.guild_id)

    async def begin(self) -> None:
        """Find or open the channel of the reply; from here on something of it may be visible."""
        if not self._searched:
            await self._search()
        if not self._channel_id:
            await self._receipt.posting()
            self._channel_id = await self._open_channel()

    async def put(self, part: int, view: ui.LayoutView, files: Callable[[], list[discord.File]] = list) -> None:
        """Show `view` as the part of that number, 0 first: edited where it is there, posted where it is not.

        `files` makes what it shows of files, for each attempt anew."""
        await self.begin()
        if part < len(self._messages):
            await steadily(lambda: self._edit(self._messages[part], view, files()))
        else:
            await self._post(part, lambda **common: self.channel.send(view=view, files=files(), **common))

    async def put_plain(self, part: int, content: str) -> None:
        """Post a part as plain content."""
        await self._post(part, lambda **common: self.channel.send(content, **common))

    async def trim(self, parts: int) -> None:
        """Delete what is beyond the first `parts`: an answer computed anew can be shorter."""
        for message_id in self._messages[parts:]:
            await steadily(partial(self._delete, message_id))
            self._messages.remove(message_id)
            await self._receipt.posted(str(Reference(self._channel_id, tuple(self._messages))))

    async def _delete(self, message_id: int) -> None:
        try:
            await self.channel.get_partial_message(message_id).delete()
        except discord.NotFound as error:
            if error.code != UNKNOWN_MESSAGE:
                raise

    async def _post(self, part: int, send: Callable[..., Awaitable[discord.Message]]) -> None:
        message = await steadily(
            lambda: send(
                reference=self._question(),
                nonce=nonce(self._key, part),
                suppress_embeds=True,
                allowed_mentions=self._mentions(),
            ),
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

    async def _edit(self, message_id: int, view: ui.LayoutView, files: Sequence[discord.File] = ()) -> None:
        try:
            held = self._held.get(message_id) or await self.channel.fetch_message(message_id)
            self._held[message_id] = held
            await self._change(held, view, files)
        except discord.NotFound as error:
            if error.code != UNKNOWN_MESSAGE:
                raise

    async def _change(self, message: discord.Message, view: ui.LayoutView, files: Sequence[discord.File]) -> None:
        async def change() -> None:
            nobody = discord.AllowedMentions.none()
            await message.edit(view=view, attachments=files, suppress=True, allowed_mentions=nobody)

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
        for channel_id in (self._channel_id,) if self._channel_id else self._possible:
            found = await find(self._client, channel_id, self._where, self._opening)
            if found:
                self._channel_id = channel_id
                self._messages += [message_id for message_id in found if message_id not in self._messages]
                await self._receipt.posted(str(Reference(channel_id, tuple(self._messages))))
                return

    def _mentions(self) -> discord.AllowedMentions:
        nobody = discord.AllowedMentions.none()
        if self._opening:
            nobody.users = [discord.Object(self._opening.pinged)]
        return nobody

    def _question(self) -> discord.MessageReference | None:
        if self._where.message_id and self._channel_id == self._where.channel_id:
            return discord.MessageReference(message_id=self._where.message_id, channel_id=self._channel_id)
        return None


async def person_of(client: discord.Client, author: str) -> discord.User:
    """Whom messages call `author`."""
    return await client.fetch_user(int(PersonId.parse(author).user))


def nonce(key: str, part: int) -> str:
    """The same for the same part of the same reply: Discord then posts it once within two minutes."""
    return hashlib.blake2b(f"{key}#{part}".encode(), digest_size=12).hexdigest()
