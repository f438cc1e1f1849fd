"""What persons do on the loopback Discord: talk, reply, edit, delete, use commands, press buttons, fill in modals."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Callable
from typing import Any, TypeVar

from tests.doubles.discord.gateway import Gateway
from tests.doubles.discord.messages import Messages
from tests.doubles.discord.world import DM, EPHEMERAL, GUILD_REACTIONS, Interaction, Payload, World, walk

T = TypeVar("T")
_COUNTS: Payload = {"me_burst": False, "burst_colors": [], "count_details": {"burst": 0, "normal": 1}}


class People:
    def __init__(self, world: World, gateway: Gateway, messages: Messages) -> None:
        self._world = world
        self._gateway = gateway
        self._messages = messages
        self._persons: dict[str, Payload] = {}

    def someone(self, name: str, *guilds: str, roles: tuple[str, ...] = (), bot: bool = False) -> Payload:
        """A new person, member of `guilds`."""
        user = self._world.person(name, bot=bot)
        self._persons[user["id"]] = user
        for guild_id in guilds:
            self._world.join(guild_id, user, roles=roles)
        return user

    def person_by_id(self, user_id: str) -> Payload:
        return self._persons[user_id]

    async def say(
        self, user: Payload, channel_id: str, text: str, *, reply_to: str = "", ping: bool = True, **more: Any
    ) -> Payload:
        """Post as a person; `@Citewell` in the text is a real mention."""
        bot = self._world.bot
        payload: Payload = {"content": text.replace("@Citewell", f"<@{bot['id']}>"), "mentions": []}
        if "@Citewell" in text:
            payload["mentions"].append(bot)
        payload["mentions"] += [self._persons[one] for one in re.findall(r"<@(\d+)>", text) if one in self._persons]
        payload["mention_roles"] = re.findall(r"<@&(\d+)>", text)
        if reply_to:
            payload["message_reference"] = {"message_id": reply_to}
            target = self._world.channels[channel_id].messages.get(reply_to)
            if ping and target and target["author"]["id"] == bot["id"] and bot not in payload["mentions"]:
                payload["mentions"].append(bot)
        return await self._messages.put(channel_id, user, payload | more)

    async def direct(self, user: Payload, text: str, **more: Any) -> Payload:
        return await self.say(user, self._world.direct(user), text, **more)

    async def edit(self, message: Payload, text: str) -> None:
        bot = self._world.bot
        if "@Citewell" in text and bot not in message["mentions"]:
            message["mentions"].append(bot)
        text = text.replace("@Citewell", f"<@{bot['id']}>")
        message |= {"content": text, "edited_timestamp": self._world.timestamp()}
        await self._gateway.emit_message("MESSAGE_UPDATE", message)

    async def react(self, user: Payload, message: Payload, emoji: str, *, remove: bool = False) -> None:
        """Add a reaction to a message, or take it away."""
        there = {one["emoji"]["name"]: one for one in message.setdefault("reactions", [])}
        if remove:
            message["reactions"] = [one for name, one in there.items() if name != emoji]
        elif emoji not in there:
            message["reactions"].append({"emoji": {"id": None, "name": emoji}, "count": 1, "me": False, **_COUNTS})
        event = {"user_id": user["id"], "channel_id": message["channel_id"], "message_id": message["id"]}
        event |= {"guild_id": message["guild_id"], "emoji": {"id": None, "name": emoji}, "type": 0, "burst": False}
        kind = "MESSAGE_REACTION_REMOVE" if remove else "MESSAGE_REACTION_ADD"
        member = {} if remove else {"member": self._world.members[message["guild_id"], user["id"]]}
        await self._gateway.emit(kind, event | member, intent=GUILD_REACTIONS)

    async def delete(self, message: Payload) -> None:
        await self._messages.remove(message["channel_id"], message["id"])

    async def command(self, user: Payload, channel_id: str, name: str, **options: Any) -> Interaction:
        kinds: dict[type, int] = {bool: 5, str: 3, int: 4}
        chosen = [{"name": key, "type": kinds[type(value)], "value": value} for key, value in options.items()]
        data = {"id": self._world.snowflake(), "name": name, "type": 1, "options": chosen}
        return await self._interact(user, channel_id, 2, data)

    async def message_menu(self, user: Payload, message: Payload, name: str) -> Interaction:
        target = {key: value for key, value in message.items() if key != "guild_id"}
        data = {
            "id": self._world.snowflake(), "name": name, "type": 3, "target_id": message["id"],
            "resolved": {"messages": {message["id"]: target}},
        }  # fmt: skip
        return await self._interact(user, message["channel_id"], 2, data)

    async def press(self, user: Payload, message: Payload, label: str | tuple[str, ...]) -> Interaction:
        """Press the button of `message` whose label starts with `label`, or one of them."""
        button = next(b for b in walk(message["components"]) if b["type"] == 2 and b.get("label", "").startswith(label))
        data = {"custom_id": button["custom_id"], "component_type": 2}
        return await self._interact(user, message["channel_id"], 3, data, message=message)

    async def submit(self, user: Payload, opened: Interaction, *values: str | tuple[str, ...]) -> Interaction:
        """Fill in the modal that `opened` got, in the order of its fields."""
        assert opened.modal is not None
        fields = [item["component"] for item in opened.modal["components"]]
        filled = [_filled(field, value) for field, value in zip(fields, values, strict=True)]
        data = {
            "custom_id": opened.modal["custom_id"],
            "components": [{"type": 18, "id": 1, "component": one} for one in filled],
        }
        return await self._interact(user, opened.channel, 5, data, message=opened.payload.get("message"))

    async def _interact(
        self, user: Payload, channel_id: str, kind: int, data: Payload, message: Payload | None = None
    ) -> Interaction:
        channel = self._world.channels[channel_id].payload
        token = secrets.token_urlsafe(120)
        payload: Payload = {
            "id": self._world.snowflake(), "application_id": self._world.application, "type": kind, "token": token,
            "version": 1, "data": data, "channel": channel, "channel_id": channel_id, "locale": "en-US",
            "attachment_size_limit": 10_000_000, "entitlements": [], "authorizing_integration_owners": {},
            "app_permissions": "0", "context": 1 if channel["type"] == DM else 0,
        }  # fmt: skip
        if channel["type"] == DM:
            payload["user"] = user
        else:
            guild_id = channel["guild_id"]
            payload |= {"guild_id": guild_id, "guild": {"id": guild_id, "locale": "en-US", "features": []}}
            payload["member"] = {**self._world.members[guild_id, user["id"]], "permissions": "0"}
        if message is not None:
            payload["message"] = message
        record = Interaction(payload, channel_id, self._world.now())
        self._world.interactions[token] = record
        await self._gateway.emit("INTERACTION_CREATE", payload)
        return record

    def replies(self, channel_id: str) -> list[Payload]:
        """The bot's messages in a channel, oldest first."""
        channel = self._world.channels.get(channel_id)
        mine = channel.messages.values() if channel else ()
        return [m for m in mine if m["author"]["id"] == self._world.bot["id"] and not m["flags"] & EPHEMERAL]

    @property
    def answers(self) -> dict[str, list[Payload]]:
        """The bot's messages that refer to another one, by that one's id."""
        return self._messages.answers

    @staticmethod
    async def until(condition: Callable[[], T], *, seconds: float = 60.0) -> T:
        """Wait until `condition` is true and return what it gave."""
        async with asyncio.timeout(seconds):
            while not (result := condition()):  # noqa: ASYNC110 - the condition is any state of the server
                await asyncio.sleep(0.005)
        return result


def _filled(field: Payload, value: str | tuple[str, ...]) -> Payload:
    base = {"type": field["type"], "id": 1, "custom_id": field["custom_id"]}
    if isinstance(value, tuple):
        return {**base, "values": list(value)}
    return {**base, "values": [value] if value else []} if field["type"] == 3 else {**base, "value": value}
