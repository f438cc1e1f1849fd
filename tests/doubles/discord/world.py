"""What the loopback Discord remembers: guilds, channels, people, messages, nonces, interactions."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Payload = dict[str, Any]

TEXT, DM, FORUM, PUBLIC_THREAD, PRIVATE_THREAD = 0, 1, 15, 11, 12
THREADS = (PUBLIC_THREAD, PRIVATE_THREAD)
EPHEMERAL, COMPONENTS_V2 = 1 << 6, 1 << 15
GUILD_MESSAGES, GUILD_REACTIONS, DIRECT_MESSAGES, MESSAGE_CONTENT = 1 << 9, 1 << 10, 1 << 12, 1 << 15

VIEW_CHANNEL, SEND_MESSAGES, READ_HISTORY = 1 << 10, 1 << 11, 1 << 16
CREATE_PUBLIC_THREADS, SEND_IN_THREADS = 1 << 35, 1 << 38
ALL = VIEW_CHANNEL | SEND_MESSAGES | READ_HISTORY | CREATE_PUBLIC_THREADS | SEND_IN_THREADS | 1 << 14 | 1 << 15 | 1 << 6

EPOCH = 1_420_070_400_000


@dataclass
class Channel:
    payload: Payload
    messages: dict[str, Payload] = field(default_factory=dict)
    """By id, in order."""
    denied: int = 0
    """Permissions the bot lacks here."""
    recipients: tuple[str, ...] = ()
    people: set[str] = field(default_factory=set)

    @property
    def is_thread(self) -> bool:
        return self.payload["type"] in THREADS


@dataclass
class Interaction:
    """One command, click or submitted modal, and everything the bot answered to it."""

    payload: Payload
    channel: str
    created: float
    acknowledged: int = 0
    """The callback type; 0 while nothing came."""
    ephemeral: bool = False
    original: str = ""
    messages: dict[str, Payload] = field(default_factory=dict)
    """All responses and follow-ups, ephemeral ones too, by id, in order."""
    pressed: Payload | None = None
    """The message whose button was pressed, where the response is a change of it."""
    modal: Payload | None = None
    expired: bool = False

    @property
    def texts(self) -> list[str]:
        return [text_of(message) for message in self.messages.values()]


class World:
    """The state, and the few rules that belong to it (ids, content withheld, nonces forgotten)."""

    def __init__(self, *, nonce_seconds: float = 120.0) -> None:
        self._sequence = itertools.count()
        self.nonce_seconds = nonce_seconds
        self.clock_offset = 0.0
        self.bot = self.person("Citewell", bot=True)
        self.owner = self.person("owner")
        self.application = self.snowflake()
        self.guilds: dict[str, Payload] = {}
        self.members: dict[tuple[str, str], Payload] = {}
        self.channels: dict[str, Channel] = {}
        self.nonces: dict[tuple[str, str], tuple[float, str]] = {}
        self.interactions: dict[str, Interaction] = {}
        self.commands: list[Payload] = []
        self.shards = 1
        """How many Discord wants."""
        self.attached: dict[str, bytes] = {}
        """The content of what people attached, by id."""
        self.syncs = 0
        self.public = False
        """Anybody may add the bot to a server."""
        self.intents = 0
        self.lag = 0.0
        """Seconds until a message of the bot shows in the history."""

    def now(self) -> float:
        """Seconds; `clock_offset` lets a test make hours pass."""
        return time.time() + self.clock_offset

    def snowflake(self) -> str:
        return str((int(self.now() * 1000) - EPOCH) << 22 | next(self._sequence) & 0x3FFFFF)

    def timestamp(self) -> str:
        return datetime.fromtimestamp(self.now(), UTC).isoformat()

    def person(self, name: str, *, bot: bool = False) -> Payload:
        user = {"id": self.snowflake(), "username": name, "discriminator": "0", "avatar": None, "global_name": name}
        return {**user, "bot": True} if bot else user

    def guild(self, name: str = "Guild", *, bot_permissions: int = ALL) -> str:
        guild_id, role = self.snowflake(), self.snowflake()
        roles = [
            _role(guild_id, "@everyone", VIEW_CHANNEL | READ_HISTORY | SEND_MESSAGES, 0),
            {**_role(role, "Citewell", bot_permissions, 1), "managed": True, "tags": {"bot_id": self.bot["id"]}},
        ]
        self.guilds[guild_id] = {"id": guild_id, "name": name, "owner_id": self.owner["id"], "roles": roles}
        self.join(guild_id, self.bot, roles=(role,))
        return guild_id

    def role(self, guild_id: str, name: str) -> str:
        role = _role(self.snowflake(), name, 0, len(self.guilds[guild_id]["roles"]))
        self.guilds[guild_id]["roles"].append(role)
        return str(role["id"])

    def join(self, guild_id: str, user: Payload, *, roles: tuple[str, ...] = (), pending: bool = False) -> None:
        self.members[guild_id, user["id"]] = {
            "user": user, "roles": list(roles), "joined_at": "2026-01-01T00:00:00+00:00", "deaf": False,
            "mute": False, "flags": 0, "pending": pending,
        }  # fmt: skip

    def channel(self, guild_id: str, name: str = "general", *, kind: int = TEXT, denied: int = 0) -> str:
        channel_id = self.snowflake()
        overwrites = [{"id": self.guilds[guild_id]["roles"][1]["id"], "type": 0, "allow": "0", "deny": str(denied)}]
        payload = {
            "id": channel_id, "type": kind, "guild_id": guild_id, "name": name, "position": len(self.channels),
            "permission_overwrites": overwrites, "last_message_id": None, "nsfw": False,
        }  # fmt: skip
        self.channels[channel_id] = Channel(payload, denied=denied)
        return channel_id

    def close(self, channel_id: str, *people: str) -> None:
        """Let only the bot and these people see a channel."""
        payload, everyone = self.channels[channel_id].payload, self.channels[channel_id].payload["guild_id"]
        payload["permission_overwrites"] = [
            {"id": everyone, "type": 0, "allow": "0", "deny": str(VIEW_CHANNEL)},
            *({"id": one, "type": 1, "allow": str(VIEW_CHANNEL), "deny": "0"} for one in (self.bot["id"], *people)),
        ]

    def shut_out(self, channel_id: str, person: str) -> None:
        """Let everyone see a channel but this person."""
        overwrites = self.channels[channel_id].payload["permission_overwrites"]
        overwrites.append({"id": person, "type": 1, "allow": "0", "deny": str(VIEW_CHANNEL)})

    def direct(self, user: Payload) -> str:
        """The DM channel with `user`, made when it is not there yet."""
        for channel_id, channel in self.channels.items():
            if channel.recipients == (user["id"],):
                return channel_id
        channel_id = self.snowflake()
        payload = {"id": channel_id, "type": DM, "last_message_id": None, "recipients": [user], "flags": 0}
        self.channels[channel_id] = Channel(payload, recipients=(user["id"],))
        return channel_id

    def thread(self, parent: str, name: str, *, thread_id: str = "", owner: str = "", kind: int = PUBLIC_THREAD) -> str:
        thread_id = thread_id or self.snowflake()
        above = self.channels[parent]
        metadata = {
            "archived": False, "locked": False, "auto_archive_duration": 1440, "archive_timestamp": self.timestamp(),
            "create_timestamp": self.timestamp(),
        }  # fmt: skip
        payload = {
            "id": thread_id, "type": kind, "guild_id": above.payload["guild_id"], "name": name, "parent_id": parent,
            "owner_id": owner or self.owner["id"], "message_count": 0, "member_count": 1, "rate_limit_per_user": 0,
            "thread_metadata": metadata, "last_message_id": None, "flags": 0, "total_message_sent": 0,
        }  # fmt: skip
        self.channels[thread_id] = Channel(payload, denied=above.denied)
        return thread_id

    def remembered(self, channel_id: str, nonce: str) -> Payload | None:
        """The message that carried `nonce` within the last two minutes; Discord forgets it after that."""
        until, message_id = self.nonces.get((channel_id, nonce), (0.0, ""))
        return self.channels[channel_id].messages.get(message_id) if until > self.now() else None

    def visible(self, message: Payload) -> Payload:
        """`message` as the bot may see it: content withheld without the intent, a nonce never."""
        shown = {key: value for key, value in message.items() if key != "nonce"}
        channel = self.channels.get(message["channel_id"])
        mine = message["author"]["id"] == self.bot["id"]
        mentioned = any(user["id"] == self.bot["id"] for user in message["mentions"])
        direct = channel is not None and channel.payload["type"] == DM
        if not (self.intents & MESSAGE_CONTENT or mine or mentioned or direct):
            shown |= {"content": "", "embeds": [], "attachments": [], "components": []}
        if shown.get("referenced_message"):
            shown["referenced_message"] = self.visible(shown["referenced_message"])
        return shown


def _role(role_id: str, name: str, permissions: int, position: int) -> Payload:
    return {
        "id": role_id, "name": name, "color": 0, "colors": {"primary_color": 0}, "hoist": False,
        "position": position, "permissions": str(permissions), "managed": False, "mentionable": False, "flags": 0,
    }  # fmt: skip


def text_of(message: Payload) -> str:
    """All text a person sees in `message`."""
    texts = [message.get("content") or ""]
    texts += [str(item["content"]) for item in walk(message.get("components") or []) if item["type"] == 10]
    return "\n".join(text for text in texts if text)


def walk(components: list[Payload]) -> list[Payload]:
    """Every component, parents before children."""
    found = []
    for item in components:
        found.append(item)
        found += walk(item.get("components") or [])
        found += walk([item[key] for key in ("accessory", "component") if item.get(key)])
    return found
