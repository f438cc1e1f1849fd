"""The REST side of channels, threads and messages, strict where Discord is strict."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from tests.doubles.discord.gateway import Gateway
from tests.doubles.discord.limits import refused
from tests.doubles.discord.payloads import Refusal, body_of, build, change, reasons
from tests.doubles.discord.world import (
    CREATE_PUBLIC_THREADS,
    DM,
    EPOCH,
    READ_HISTORY,
    SEND_IN_THREADS,
    SEND_MESSAGES,
    THREADS,
    VIEW_CHANNEL,
    Channel,
    Payload,
    World,
)


class Messages:
    def __init__(self, world: World, gateway: Gateway) -> None:
        self._world = world
        self._gateway = gateway
        self.typing: set[str] = set()
        """Channels in which the bot is shown as typing; a message of it ends that."""
        self.answers: dict[str, list[Payload]] = {}
        self.edits: list[tuple[str, Payload]] = []

    def _channel(self, channel_id: str, *needs: int) -> Channel:
        channel = self._world.channels.get(channel_id)
        if channel is None:
            raise Refusal(404, 10003, "Unknown Channel")
        if channel.denied & VIEW_CHANNEL:
            raise Refusal(403, 50001, "Missing Access")
        if channel.payload["type"] != DM and any(channel.denied & need for need in needs):
            raise Refusal(403, 50013, "Missing Permissions")
        return channel

    def message(self, channel_id: str, message_id: str) -> Payload:
        found = (
            self._world.channels[channel_id].messages.get(message_id) if channel_id in self._world.channels else None
        )
        if found is None:
            raise Refusal(404, 10008, "Unknown Message")
        return found

    def write(self, channel_id: str, author: Payload, payload: Payload, **more: Any) -> Payload:
        """Store a message of anybody."""
        channel = self._world.channels[channel_id]
        message = build(self._world, channel_id, author, payload) | more
        if guild_id := channel.payload.get("guild_id"):
            message["guild_id"] = guild_id
        channel.messages[message["id"]] = message
        return message

    async def put(self, channel_id: str, author: Payload, payload: Payload, **more: Any) -> Payload:
        """Store a message of anybody and tell the gateway."""
        world, channel = self._world, self._world.channels[channel_id]
        message = self.write(channel_id, author, payload, **more)
        guild_id = channel.payload.get("guild_id")
        if author["id"] == world.bot["id"]:
            self.typing.discard(channel_id)
            if reference := message.get("message_reference"):
                self.answers.setdefault(reference["message_id"], []).append(message)
        channel.payload["last_message_id"] = message["id"]
        if channel.is_thread and channel.payload["thread_metadata"]["archived"]:
            channel.payload["thread_metadata"]["archived"] = False
            await self._gateway.emit("THREAD_UPDATE", channel.payload)
        shown = dict(message)
        if guild_id:
            member = world.members.get((guild_id, author["id"]), {"roles": [], "joined_at": None, "flags": 0})
            shown["member"] = {key: value for key, value in member.items() if key != "user"}
        await self._gateway.emit_message("MESSAGE_CREATE", shown)
        return message

    async def create(self, request: web.Request) -> Payload:
        channel_id, payload = request.match_info["channel"], await body_of(request)
        kind = self._world.channels[channel_id].payload["type"] if channel_id in self._world.channels else 0
        channel = self._channel(channel_id, SEND_IN_THREADS if kind in THREADS else SEND_MESSAGES)
        if channel.is_thread and channel.payload["thread_metadata"]["locked"]:
            raise Refusal(403, 160005, "Thread is locked")
        nonce = str(payload.get("nonce") or "")
        if payload.get("enforce_nonce") and (known := self._world.remembered(channel_id, nonce)):
            return known
        if wrong := refused(payload):
            raise Refusal(400, 50035, "Invalid Form Body", errors=reasons(wrong))
        reference = payload.get("message_reference")
        if (
            reference
            and str(reference["message_id"]) not in channel.messages
            and reference.get("fail_if_not_exists", True)
        ):
            raise Refusal(400, 50035, "Invalid Form Body", errors={"message_reference": reasons(["Unknown message"])})
        message = await self.put(channel_id, self._world.bot, payload)
        if nonce:
            self._world.nonces[channel_id, nonce] = (self._world.now() + self._world.nonce_seconds, message["id"])
        return message

    async def edit(self, request: web.Request) -> Payload:
        channel_id, payload = request.match_info["channel"], await body_of(request)
        channel = self._channel(channel_id)
        message = self.message(channel_id, request.match_info["message"])
        if message["author"]["id"] != self._world.bot["id"]:
            raise Refusal(403, 50005, "Cannot edit a message authored by another user")
        if channel.is_thread and channel.payload["thread_metadata"]["archived"]:
            raise Refusal(400, 50083, "Thread is archived")
        change(message, payload, self._world)
        self.edits.append((message["id"], payload))
        await self._gateway.emit_message("MESSAGE_UPDATE", message)
        return message

    async def history(self, request: web.Request) -> list[Payload]:
        channel = self._channel(request.match_info["channel"], READ_HISTORY)
        limit = int(request.query.get("limit", "50"))
        after, before = request.query.get("after"), request.query.get("before")
        there = [*self._starter(channel), *channel.messages.values()]
        found = [m for m in there if self._shows(m) and (not after or int(m["id"]) > int(after))]
        found = [m for m in found if not before or int(m["id"]) < int(before)]
        chosen = found[:limit] if after else found[-limit:]
        shown = [self._world.visible(message) for message in reversed(chosen)]
        return [{key: value for key, value in message.items() if key != "guild_id"} for message in shown]

    def _starter(self, channel: Channel) -> list[Payload]:
        """What stands in a thread for the message that it was opened from."""
        parent = self._world.channels.get(channel.payload.get("parent_id") or "")
        first = parent and parent.messages.get(channel.payload["id"])
        if not first:
            return []
        refers = {"guild_id": first["guild_id"], "channel_id": first["channel_id"], "message_id": first["id"]}
        shown = {"id": str(int(first["id"]) + 1), "channel_id": first["id"], "type": 21, "content": ""}
        return [{**first, **shown, "message_reference": refers, "referenced_message": self._world.visible(first)}]

    def _shows(self, message: Payload) -> bool:
        age = self._world.now() - ((int(message["id"]) >> 22) + EPOCH) / 1000
        return message["author"]["id"] != self._world.bot["id"] or age >= self._world.lag

    async def delete(self, request: web.Request) -> None:
        await self.remove(request.match_info["channel"], request.match_info["message"])

    async def remove(self, channel_id: str, message_id: str) -> None:
        message = self.message(channel_id, message_id)
        del self._world.channels[channel_id].messages[message_id]
        gone = {"id": message_id, "channel_id": channel_id}
        guild_id = message.get("guild_id")
        await self._gateway.emit("MESSAGE_DELETE", {**gone, "guild_id": guild_id} if guild_id else gone)

    async def open_thread(self, request: web.Request) -> Payload:
        channel_id, message_id = request.match_info["channel"], request.match_info["message"]
        self._channel(channel_id, CREATE_PUBLIC_THREADS)
        self.message(channel_id, message_id)
        payload = await body_of(request)
        if message_id in self._world.channels:
            raise Refusal(400, 160004, "A thread has already been created for this message")
        if not 1 <= len(payload.get("name") or "") <= 100:
            raise Refusal(400, 50035, "Invalid Form Body", errors={"name": reasons(["length"])})
        self._world.thread(channel_id, payload["name"], thread_id=message_id, owner=self._world.bot["id"])
        thread = self._world.channels[message_id].payload
        await self._gateway.emit("THREAD_CREATE", {**thread, "newly_created": True})
        return thread

    async def archived(self, request: web.Request) -> Payload:
        """Archived threads of a channel, those archived last first."""
        parent = self._channel(request.match_info["channel"], READ_HISTORY).payload["id"]
        threads = [one.payload for one in self._world.channels.values() if one.payload.get("parent_id") == parent]
        shut = [one for one in threads if one["thread_metadata"]["archived"]]
        before, limit = request.query.get("before"), int(request.query.get("limit") or 50)
        when = {one["id"]: one["thread_metadata"]["archive_timestamp"] for one in shut}
        found = sorted(shut, key=lambda one: when[one["id"]], reverse=True)
        found = [one for one in found if not before or when[one["id"]] < before]
        return {"threads": found[:limit], "members": [], "has_more": len(found) > limit}

    async def show_typing(self, request: web.Request) -> None:
        self._channel(request.match_info["channel"])
        self.typing.add(request.match_info["channel"])

    async def one(self, request: web.Request) -> Payload:
        self._channel(request.match_info["channel"], READ_HISTORY)
        return self._world.visible(self.message(request.match_info["channel"], request.match_info["message"]))

    async def revive(self, request: web.Request) -> Payload:
        """Take a thread out of the archive: whoever may write in it may do so, unless it is locked."""
        channel = self._channel(request.match_info["channel"], SEND_IN_THREADS)
        metadata = channel.payload["thread_metadata"]
        if metadata["locked"]:
            raise Refusal(403, 50013, "Missing Permissions")
        metadata["archived"] = bool((await body_of(request)).get("archived", metadata["archived"]))
        return channel.payload

    async def channel(self, request: web.Request) -> Payload:
        return self._channel(request.match_info["channel"]).payload
