"""Intents and permissions of the bot, as few as possible: the invite link, and what is missing in a channel."""

from __future__ import annotations

import discord

from adapters.discord.errors import REPLY_REFUSED, THREAD_LOCKED
from adapters.discord.events.places import DiscordMessagePlace
from pipeline.translations import ENGLISH_TRANSLATOR, TranslatableText, Translator

REQUIRED_PERMISSIONS = {
    "view_channel": "View Channel",
    "send_messages": "Send Messages",
    "send_messages_in_threads": "Send Messages in Threads",
    "create_public_threads": "Create Public Threads",
    "read_message_history": "Read Message History",
    "attach_files": "Attach Files",
}
"""Names in Discord by permission. Threads: answering there and opening them. History: finding our own reply again after
a crash, and missed questions. Files: the export of a person's data."""


def build_intents(*, message_content: bool) -> discord.Intents:
    """Return the intents: guilds, guild messages and direct messages; message content, the only privileged one, and
    reactions by choice."""
    intents = discord.Intents.none()
    intents.guilds = intents.guild_messages = intents.dm_messages = True
    intents.message_content = intents.guild_reactions = message_content
    return intents


def build_permissions() -> discord.Permissions:
    return discord.Permissions(**dict.fromkeys(REQUIRED_PERMISSIONS, True))


def invite_url(application_id: int) -> str:
    """Return the link with which an administrator adds the bot to a server."""
    return discord.utils.oauth_url(
        application_id, permissions=build_permissions(), scopes=("bot", "applications.commands")
    )


THREAD_IS_LOCKED = TranslatableText("its thread is locked. Whoever moderates the server can unlock it.")
PERMISSION_LACKING = TranslatableText(
    "I lack the permission {permissions} there. Whoever runs the server can grant it."
)


def explain_refusal(
    client: discord.Client,
    place: DiscordMessagePlace,
    error: discord.HTTPException,
    translator: Translator = ENGLISH_TRANSLATOR,
) -> str:
    """Return why Discord refused a reply and who can change it, as the end of a sentence for the asker."""
    channel = client.get_channel(place.channel_id)
    if error.code == THREAD_LOCKED or (isinstance(channel, discord.Thread) and channel.locked):
        return translator(THREAD_IS_LOCKED)
    if not isinstance(error, discord.Forbidden):
        return translator(REPLY_REFUSED)
    return translator(PERMISSION_LACKING, permissions=missing_permissions(channel))


def missing_permissions(channel: object) -> str:
    """Return the names of the permissions missing to answer there; the likeliest one where that is unknown."""
    if not isinstance(channel, discord.abc.GuildChannel | discord.Thread) or channel.guild.me is None:
        return "“View Channel”"
    granted = channel.permissions_for(channel.guild.me)
    in_thread = isinstance(channel, discord.Thread)
    sending = "send_messages_in_threads" if in_thread else "send_messages"
    lacking = [
        REQUIRED_PERMISSIONS[name]
        for name in ("view_channel", sending, "read_message_history")
        if not getattr(granted, name)
    ]
    return ", ".join(f"“{name}”" for name in lacking) or f"“{REQUIRED_PERMISSIONS[sending]}”"
