"""Discord's gateway payloads as discord.py's objects, without a connection."""

from __future__ import annotations

from typing import Any

import discord

BOT, OWN_ROLE, GUILD, CHANNEL, THREAD, ANN, BOB = "900", "901", "100", "200", "300", "501", "502"


def user(user_id: str, name: str, **more: Any) -> dict[str, Any]:
    return {"id": user_id, "username": name, "discriminator": "0", "avatar": None, "global_name": name, **more}


def role(role_id: str, name: str, **more: Any) -> dict[str, Any]:
    return {
        "id": role_id, "name": name, "color": 0, "colors": {"primary_color": 0}, "hoist": False, "position": 1,
        "permissions": "0", "managed": False, "mentionable": True, "flags": 0, **more,
    }  # fmt: skip


GUILD_CREATE: dict[str, Any] = {
    "id": GUILD, "name": "Acme", "owner_id": ANN, "member_count": 3, "emojis": [], "stickers": [], "features": [],
    "premium_tier": 0, "presences": [], "voice_states": [], "unavailable": False,
    "roles": [role(GUILD, "@everyone"), role("700", "hr"),
              role(OWN_ROLE, "Citewell", managed=True, tags={"bot_id": BOT})],
    "members": [{"user": user(BOT, "Citewell", bot=True), "roles": [OWN_ROLE], "joined_at": None, "deaf": False,
                 "mute": False, "flags": 0}],
    "channels": [
        {"id": CHANNEL, "type": 0, "guild_id": GUILD, "name": "team", "position": 0, "permission_overwrites": []},
        {"id": "201", "type": 15, "guild_id": GUILD, "name": "forum", "position": 1, "permission_overwrites": []},
    ],
    "threads": [
        {"id": thread, "type": 11, "guild_id": GUILD, "parent_id": parent, "owner_id": ANN, "name": "leave",
         "message_count": 1, "member_count": 1, "rate_limit_per_user": 0, "flags": 0,
         "thread_metadata": {"archived": False, "locked": False, "auto_archive_duration": 1440,
                             "archive_timestamp": "2026-11-01T10:00:00+00:00"}}
        for thread, parent in ((THREAD, CHANNEL), ("301", "201"))
    ],
}  # fmt: skip


def client() -> discord.Client:
    """A client that is logged in as the bot and knows one guild, offline."""
    made = discord.Client(intents=discord.Intents.none(), max_messages=None)
    state = made._connection
    state.user = discord.ClientUser(state=state, data=user(BOT, "Citewell", bot=True))  # type: ignore[arg-type]
    state._add_guild_from_data(GUILD_CREATE)  # type: ignore[arg-type]
    return made


def message(made: discord.Client, payload: dict[str, Any]) -> discord.Message:
    """A MESSAGE_CREATE payload, as `on_message` gets it."""
    whole = {
        "id": "1573625817055887372", "channel_id": CHANNEL, "guild_id": GUILD, "author": user(ANN, "ann"),
        "content": "", "timestamp": "2026-11-21T09:00:00+00:00", "edited_timestamp": None, "tts": False,
        "mention_everyone": False, "mentions": [], "mention_roles": [], "attachments": [], "embeds": [],
        "pinned": False, "type": 0, "components": [], "flags": 0,
        **payload,
    }  # fmt: skip
    if whole["guild_id"] is None:
        del whole["guild_id"]
    channel, _ = made._connection._get_guild_channel(whole)  # type: ignore[arg-type]
    return discord.Message(state=made._connection, channel=channel, data=whole)  # type: ignore[arg-type]
