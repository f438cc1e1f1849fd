"""Messages in a channel, thread or DM: sent, edited, and found again after a crash."""

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

from adapters.discord.errors import (
    REQUEST_SECONDS,
    THREAD_ARCHIVED,
    TRANSIENT_ERRORS,
    UNKNOWN_MESSAGE,
    retry_while_unreachable,
    translate_discord_errors,
)
from adapters.discord.post.recovery import EndMatcher, MessageMatcher, end_unknown, find_messages
from adapters.discord.rendering.render import DiscordPage
from pipeline.ports import PostRecorder
from pipeline.values import PersonId

POST_ERRORS = partial(translate_discord_errors, "post")


@dataclass(frozen=True)
class DiscordMessageBody:
    """One message. `files` opens its files anew for each attempt."""

    view: ui.LayoutView | None = field(default=None, compare=False)
    files: Callable[[], list[discord.File]] = field(default=list, compare=False)
    content: str = ""
    """Plain text in the place of a view."""
    page: DiscordPage | None = None
    """The content of the view, by which two are compared."""


@dataclass(frozen=True)
class DiscordDestination:
    """The target of a post, and how the post is found again there."""

    guild_id: int | None
    candidate_channels: tuple[int, ...]
    """The channels it may be in, the likeliest first."""
    open: Callable[[], Awaitable[int]]
    """Lookup of the channel for a new post; called just before its first message."""
    is_match: MessageMatcher
    after: discord.Object | datetime | None
    is_end: EndMatcher = end_unknown
    refers_to: discord.MessageReference | None = None
    mentioned_user: int = 0
    """The person who is mentioned; 0 for nobody."""
    translate_errors: Callable[[], AbstractContextManager[None]] = POST_ERRORS
    """The context around each request, which translates Discord's errors."""
    is_silent: bool = False
    """True where nobody is notified."""

    def channel_at(self, client: discord.Client, channel_id: int) -> discord.PartialMessageable:
        return client.get_partial_messageable(channel_id, guild_id=self.guild_id)


class DiscordSender:
    """The messages of one post in one place for one key. A reference is `channel/message` or
    `channel/message,message`."""

    recorded_names: Sequence[str] = ()

    def __init__(
        self,
        client: discord.Client,
        destination: DiscordDestination,
        key: str,
        recorder: PostRecorder,
        *,
        channel_id: int = 0,
    ) -> None:
        """Create it. `channel_id`: the post's channel, if known."""
        self._client = client
        self._destination = destination
        self._key = key
        self._recorder = recorder
        self._channel_id = channel_id
        self._messages: dict[int, discord.Message] = {}

    @property
    def channel(self) -> discord.PartialMessageable:
        return self._destination.channel_at(self._client, self._channel_id or self._destination.candidate_channels[-1])

    async def wait_until_ready(self) -> None:
        """Do nothing: discord.py itself waits for its turn."""

    async def prepare_target(self) -> None:
        with self._destination.translate_errors():
            self._channel_id = await self._destination.open()

    def reference(self, names: Sequence[str]) -> str:
        return build_reference(self._channel_id, names)

    async def send(self, part: int, post: DiscordMessageBody) -> str:
        with self._destination.translate_errors():
            message = await retry_while_unreachable(
                partial(self._send, part, post), before_retry=self._recorder.record_intent
            )
        self._messages[message.id] = message
        return str(message.id)

    async def edit(self, name: str, part: int, post: DiscordMessageBody) -> None:
        with self._destination.translate_errors():
            await retry_while_unreachable(lambda: self._edit(int(name), post))

    async def show_progress(self, post: DiscordMessageBody, name: str = "") -> None:
        """Show a passing state. One that cannot be shown now is skipped."""
        with self._destination.translate_errors(), contextlib.suppress(*TRANSIENT_ERRORS, discord.RateLimited):
            async with asyncio.timeout(REQUEST_SECONDS):
                await self._edit(int(name), post)

    async def delete(self, name: str) -> None:
        with self._destination.translate_errors():
            await retry_while_unreachable(partial(delete_message, self.channel, int(name)))

    async def find_unrecorded(self) -> list[str]:
        with self._destination.translate_errors():
            self._channel_id, names = await find_unrecorded(self._client, self._destination, self._channel_id)
        return names

    async def _send(self, part: int, post: DiscordMessageBody) -> discord.Message:
        refers_to, nobody = self._destination.refers_to, discord.AllowedMentions.none()
        if self._destination.mentioned_user:
            nobody.users = [discord.Object(self._destination.mentioned_user)]
        body: dict[str, Any] = {"view": post.view, "files": post.files()} if post.view else {"content": post.content}
        if refers_to and refers_to.channel_id == self._channel_id:
            body["reference"] = refers_to
        return await self.channel.send(
            **body,
            nonce=make_nonce(self._key, part),
            silent=self._destination.is_silent,
            suppress_embeds=True,
            allowed_mentions=nobody,
        )

    async def _edit(self, message_id: int, post: DiscordMessageBody) -> None:
        try:
            message = self._messages.get(message_id) or await self.channel.fetch_message(message_id)
            self._messages[message_id] = message
            await self._change(message, post)
        except discord.NotFound as error:
            if error.code != UNKNOWN_MESSAGE:
                raise

    async def _change(self, message: discord.Message, post: DiscordMessageBody) -> None:
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


async def delete_message(channel: discord.PartialMessageable, message_id: int) -> None:
    """Delete a message, unless it is gone already."""
    try:
        await channel.get_partial_message(message_id).delete()
    except discord.NotFound as error:
        if error.code != UNKNOWN_MESSAGE:
            raise


async def find_unrecorded(
    client: discord.Client, destination: DiscordDestination, channel_id: int = 0
) -> tuple[int, list[str]]:
    """Return the channel and the messages that a crash left unrecorded, or `channel_id` and none. `channel_id`: the
    post's channel, if known."""
    for candidate_id in (channel_id,) if channel_id else destination.candidate_channels:
        channel = destination.channel_at(client, candidate_id)
        if message_ids := await find_messages(
            client, channel, candidate_id, destination.after, destination.is_match, destination.is_end
        ):
            return candidate_id, [str(message_id) for message_id in message_ids]
    return channel_id, []


def build_reference(channel_id: int, names: Sequence[str]) -> str:
    return f"{channel_id}/{','.join(names)}"


def parse_reference(reference: str) -> tuple[int, list[str]]:
    """Return the channel and the messages that a reference names; 0 and none for an empty one."""
    channel, _, messages = reference.partition("/")
    return int(channel or 0), [name for name in messages.split(",") if name]


async def fetch_person(client: discord.Client, author: str) -> discord.User:
    """Return the user that messages name as `author`."""
    return await client.fetch_user(int(PersonId.parse(author).user))


def make_nonce(key: str, part: int) -> str:
    """Return the nonce of a part of a reply, always the same: Discord then posts it once within two minutes."""
    return hashlib.blake2b(f"{key}#{part}".encode(), digest_size=12).hexdigest()
