"""The text of a message, as the words that a person sees."""

from __future__ import annotations

import re

import discord

_MENTION = re.compile(r"<(@[!&]?|#)(\d{1,20})>")
_EMOJI = re.compile(r"<a?:\w+:\d+>")


def question(message: discord.Message, me: discord.ClientUser) -> str:
    """What was said, without our own mention, other mentions by name; what begins a forum's post, under its title."""
    names = {f"@{user.id}": f"@{user.display_name}" for user in message.mentions}
    names |= {f"@{role.id}": f"@{role.name}" for role in message.role_mentions}
    names[f"@{me.id}"] = ""
    if message.guild and (own_role := message.guild.self_role):
        names[f"@{own_role.id}"] = ""

    def name(match: re.Match[str]) -> str:
        mark, number = match.groups()
        if mark == "#":
            channel = message.guild.get_channel_or_thread(int(number)) if message.guild else None
            return f"#{channel.name}" if channel else ""
        return names.get(f"@{number}", "")

    named = _MENTION.sub(name, message.content).strip()
    said = _EMOJI.sub("", named).strip() or named
    channel = message.channel
    if isinstance(channel, discord.Thread) and message.id == channel.id:  # as has what a thread was opened from
        if isinstance(channel.parent, discord.TextChannel):
            return said
        return f"{channel.name}\n{said}".strip()
    return said
