"""What we post in a channel, thread or DM: sent and edited, and found again after a crash."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

import discord
from discord import ui

from adapters.discord.errors import REQUEST_SECONDS, THREAD_ARCHIVED, TRANSIENT, UNKNOWN_MESSAGE, steadily, translated
from adapters.discord.parts.render import Page
from adapters.discord.post.found import Ends, Known, find, unsaid
from pipeline.ports import Receipt
from pipeline.values import PersonId

POSTED = partial(translated, "post")


@dataclass(frozen=True)
class DiscordPost:
    """One message. `files` makes what it shows of files, for each attempt anew."""

    view: ui.LayoutView | None = field(default=None, compare=False)
    files: Callable[[], list[discord.File]] = field(default=list, compare=False)
    content: str = ""
    """In the place of a view."""
    page: Page | None = None
    """What the view shows, where two are compared."""


@dataclass(frozen=True)
class Destination:
    """Where something goes, and how it is known there."""

    guild_id: int | None
    possible: tuple[int, ...]
    """The channels it may be in, the likeliest first."""
    open: Callable[[], Awaitable[int]]
    """The channel for a new one, asked just before its first message."""
    known: Known
    after: discord.Object | datetime | None
    ends: Ends = unsaid
    refers_to: discord.MessageReference | None = None
    pinged: int = 0
    """The person who is mentioned; 0 for nobody."""
    taken: Callable[[], AbstractContextManager[None]] = POSTED
    """Around each request: raises what an error of Discord's means there."""
    silent: bool = False
    """Nobody is notified."""

    def at(self, client: discord.Client, channel_id: int) -> discord.PartialMessageable:
        return client.get_partial_messageable(channel_id, guild_id=self.guild_id)


class DiscordSender:
    """What is posted in one place for one key. A reference is `channel/message` or `channel/message,message`."""

    known: Sequence[str] = ()

    def __init__(
        self, client: discord.Client, destination: Destination, key: str, receipt: Receipt, *, channel_id: int = 0
    ) -> None:
        """`channel_id`: where it is known to be."""
        self._client = client
        self._destination = destination
        self._key = key
        self._receipt = receipt
        self._channel_id = channel_id
        self._held: dict[int, discord.Message] = {}

    @property
    def channel(self) -> discord.PartialMessageable:
        return self._destination.at(self._client, self._channel_id or self._destination.possible[-1])

    async def ready(self) -> None:
        """discord.py itself waits for its turn."""

    async def open(self) -> None:
        with self._destination.taken():
            self._channel_id = await self._destination.open()

    def reference(self, names: Sequence[str]) -> str:
        return reference(self._channel_id, names)

    async def send(self, part: int, post: DiscordPost) -> str:
        with self._destination.taken():
            message = await steadily(partial(self._send, part, post), before_retry=self._receipt.posting)
        self._held[message.id] = message
        return str(message.id)

    async def edit(self, name: str, part: int, post: DiscordPost) -> None:
        with self._destination.taken():
            await steadily(lambda: self._edit(int(name), post))

    async def glimpse(self, post: DiscordPost, name: str = "") -> None:
        """Show a passing state. One that cannot be shown just now is left out."""
        with self._destination.taken(), contextlib.suppress(*TRANSIENT, discord.RateLimited):
            async with asyncio.timeout(REQUEST_SECONDS):
                await self._edit(int(name), post)

    async def delete(self, name: str) -> None:
        with self._destination.taken():
            await steadily(partial(delete, self.channel, int(name)))

    async def left(self) -> list[str]:
        with self._destination.taken():
            self._channel_id, names = await look(self._client, self._destination, self._channel_id)
        return names

    async def _send(self, part: int, post: DiscordPost) -> discord.Message:
        refers_to, nobody = self._destination.refers_to, discord.AllowedMentions.none()
        if self._destination.pinged:
            nobody.users = [discord.Object(self._destination.pinged)]
        said: dict[str, Any] = {"view": post.view, "files": post.files()} if post.view else {"content": post.content}
        if refers_to and refers_to.channel_id == self._channel_id:
            said["reference"] = refers_to
        return await self.channel.send(
            **said,
            nonce=nonce(self._key, part),
            silent=self._destination.silent,
            suppress_embeds=True,
            allowed_mentions=nobody,
        )

    async def _edit(self, message_id: int, post: DiscordPost) -> None:
        try:
            held = self._held.get(message_id) or await self.channel.fetch_message(message_id)
            self._held[message_id] = held
            await self._change(held, post)
        except discord.NotFound as error:
            if error.code != UNKNOWN_MESSAGE:
                raise

    async def _change(self, message: discord.Message, post: DiscordPost) -> None:
        async def change() -> None:
            nobody = discord.AllowedMentions.none()
            await message.edit(view=post.view, attachments=post.files(), suppress=True, allowed_mentions=nobody)

        try:
            await change()
        except discord.HTTPException as error:
            if error.code != THREAD_ARCHIVED:
                raise
            thread = await self._client.fetch_channel(self._channel_id)
            if isinstance(thread, discord.Thread):
                await thread.edit(archived=False)
            await change()


async def delete(channel: discord.PartialMessageable, message_id: int) -> None:
    """Delete a message, unless it is gone already."""
    try:
        await channel.get_partial_message(message_id).delete()
    except discord.NotFound as error:
        if error.code != UNKNOWN_MESSAGE:
            raise


async def look(client: discord.Client, destination: Destination, channel_id: int = 0) -> tuple[int, list[str]]:
    """The channel and the messages of what a crash left, or that channel and none. `channel_id`: where it is known
    to be."""
    for one in (channel_id,) if channel_id else destination.possible:
        there = destination.at(client, one)
        if found := await find(client, there, one, destination.after, destination.known, destination.ends):
            return one, [str(message_id) for message_id in found]
    return channel_id, []


def reference(channel_id: int, names: Sequence[str]) -> str:
    return f"{channel_id}/{','.join(names)}"


def parse(reference: str) -> tuple[int, list[str]]:
    """The channel and the messages that a reference names; 0 and none of an empty one."""
    channel, _, messages = reference.partition("/")
    return int(channel or 0), [one for one in messages.split(",") if one]


async def person_of(client: discord.Client, author: str) -> discord.User:
    """Whom messages call `author`."""
    return await client.fetch_user(int(PersonId.parse(author).user))


def nonce(key: str, part: int) -> str:
    """The same for the same part of the same reply: Discord then posts it once within two minutes."""
    return hashlib.blake2b(f"{key}#{part}".encode(), digest_size=12).hexdigest()
