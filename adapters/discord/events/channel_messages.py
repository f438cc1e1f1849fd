"""Messages of channels that are a source: new ones, and what is read of them."""

from __future__ import annotations

from typing import Any

import discord

from adapters.chat.intake import MessageLoader
from adapters.discord.errors import translate_discord_errors
from adapters.discord.events.incoming import ACCEPTED_EMOJI, EXCLUDED_EMOJI, PERSON_MESSAGE_TYPES, parse_attachments
from adapters.discord.events.places import DISCORD_NAME
from adapters.discord.events.plain_text import message_to_text
from pipeline.errors import Refused
from pipeline.values import ChannelMessage, PlaceId

SOLVED_TAGS = frozenset({"solved", "resolved", "answered"})
"""Tags of a forum post that mark it as solved."""


def message_loader(message: discord.Message, me: discord.ClientUser) -> MessageLoader | None:
    """Return the loader of a new message; None in private threads, which are not read."""

    async def as_told(channel: PlaceId) -> ChannelMessage | None:
        return parse_channel_message(channel, message, me)

    return None if is_private_thread(message.channel) else as_told


def refetching_loader(client: discord.Client, guild_id: int | None, channel_id: int, message_id: int) -> MessageLoader:
    """Return the loader of a changed message, which is fetched again: an event has either its text or its reactions."""

    async def now(place: PlaceId) -> ChannelMessage | None:
        channel: Any = client.get_partial_messageable(channel_id, guild_id=guild_id)
        with translate_discord_errors("look at a message again"):
            message = await channel.fetch_message(message_id)
        message.channel = client.get_channel(channel_id) or message.channel
        if client.user is None or is_private_thread(message.channel):
            raise Refused("messages there may not be read")
        return parse_channel_message(place, message, client.user)

    return now


def parse_channel_message(
    channel: PlaceId, message: discord.Message, me: discord.ClientUser, *, to_us: bool = False
) -> ChannelMessage | None:
    """Return a person's message to people; None for joins, bots, messages marked as off the record, and unless `to_us`
    for questions to the bot."""
    reactions = {str(item.emoji) for item in message.reactions}
    is_person = message.type in PERSON_MESSAGE_TYPES and not message.author.bot and not message.webhook_id
    text = message_to_text(message, me)
    is_for_bot = not to_us and any(item.id == me.id for item in message.mentions)
    if not is_person or not (text or message.attachments) or EXCLUDED_EMOJI in reactions or is_for_bot:
        return None
    thread = message.channel if isinstance(message.channel, discord.Thread) else None
    replied_to = message.reference.message_id if message.reference else None
    return ChannelMessage(
        channel=channel,
        thread=str(thread.id if thread else replied_to or message.id),
        message=str(message.id),
        author=f"{DISCORD_NAME}:{message.author.id}",
        name=message.author.display_name,
        at=message.created_at,
        edited=message.edited_at,
        text=text,
        url=message.jump_url,
        title=thread.name if thread else "",
        files=parse_attachments(message),
        accepted=ACCEPTED_EMOJI in reactions or bool(thread and SOLVED_TAGS.intersection(_tags(thread))),
    )


def is_private_thread(channel: object) -> bool:
    return isinstance(channel, discord.Thread) and channel.is_private()


def _tags(thread: discord.Thread) -> set[str]:
    return {tag.name.lower() for tag in thread.applied_tags}
