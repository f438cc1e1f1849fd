"""Text of a message as the words that a person sees."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import discord

from pipeline.plan.references import compose_post_question

_MENTION = re.compile(r"<(@[!&]?|#)(\d{1,20})>")
UNKNOWN_PERSON, UNKNOWN_PLACE = "@somebody", "#somewhere"
"""Replacements for missing names: an id means nothing to a search."""
_TIME = re.compile(r"<t:(-?\d{1,12})(?::([tTdDfFR]))?>")
_COMMAND = re.compile(r"<(/[^<>:]{1,100}):\d{1,20}>")
_GUIDE = re.compile(r"<id:\w+>")
_EMOJI = re.compile(r"<a?:\w+:\d+>")


def message_to_text(message: discord.Message, me: discord.ClientUser) -> str:
    """Return the text without the mention of the bot, other mentions by name, times as days. The first message of a
    forum post stands below its title, to which it may just point. For a message that only forwards others, their
    text."""
    names = {f"@{user.id}": f"@{user.display_name}" for user in message.mentions}
    names |= {f"@{role.id}": f"@{role.name}" for role in message.role_mentions}
    names[f"@{me.id}"] = ""
    if message.guild and (own_role := message.guild.self_role):
        names[f"@{own_role.id}"] = ""

    def name(match: re.Match[str]) -> str:
        mark, number = match.groups()
        if mark == "#":
            channel = message.guild.get_channel_or_thread(int(number)) if message.guild else None
            return f"#{channel.name}" if channel else UNKNOWN_PLACE
        display_name = names.get(f"@{number}")
        return _mention_name(message.guild, mark, int(number)) if display_name is None else display_name

    content = message.content or "\n".join(snapshot.content for snapshot in message.message_snapshots)
    rendered = _GUIDE.sub("", _COMMAND.sub(r"\1", _TIME.sub(_day, _MENTION.sub(name, content)))).strip()
    text = _EMOJI.sub("", rendered).strip() or rendered
    channel = message.channel
    if isinstance(channel, discord.Thread) and message.id == channel.id:  # as has what a thread was opened from
        if isinstance(channel.parent, discord.TextChannel):
            return text
        return compose_post_question(channel.name, text)
    return text


def _mention_name(guild: discord.Guild | None, mark: str, number: int) -> str:
    """Return the name of a person or role of the server: a forwarded message does not tell the names of its
    mentions."""
    record = guild.get_role(number) if guild and "&" in mark else guild.get_member(number) if guild else None
    return f"@{record.name if isinstance(record, discord.Role) else record.display_name}" if record else UNKNOWN_PERSON


def _day(token: re.Match[str]) -> str:
    """Return a time as a person reads it, in UTC: Discord shows it to each in their own zone."""
    try:
        at = datetime.fromtimestamp(int(token[1]), UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    day, hour = f"{at.day} {at:%B %Y}", f"{at:%H:%M} UTC"
    match token[2]:
        case "t" | "T":
            return hour
        case "d" | "D" | "R":
            return day
    return f"{day} {hour}"
