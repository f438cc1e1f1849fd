"""The websocket side: HELLO, IDENTIFY, RESUME, heartbeats, and events gated by intents."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from tests.doubles.discord.world import (
    DIRECT_MESSAGES,
    GUILD_MESSAGES,
    MESSAGE_CONTENT,
    Payload,
    World,
)

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID_SESSION, HELLO, ACK = 0, 1, 2, 6, 7, 9, 10, 11


@dataclass
class Session:
    id: str
    intents: int
    socket: web.WebSocketResponse | None
    sent: list[Payload] = field(default_factory=list)
    sequence: int = 0
    shard: tuple[int, int] = (0, 1)

    def has(self, guild_id: str) -> bool:
        """Whether it is told of a server; of what is in none, the first one is."""
        number, total = self.shard
        return (int(guild_id or 0) >> 22) % total == number

    def forget(self) -> None:
        """What was sent cannot be replayed any more."""
        self.sent.clear()


class Gateway:
    """One application's gateway. Sessions outlive their connection, so that RESUME can replay."""

    def __init__(self, world: World, token: str, *, heartbeat_seconds: float, content_granted: bool) -> None:
        self._world = world
        self.token = token
        self._heartbeat = heartbeat_seconds
        self.content_granted = content_granted
        self.sessions: dict[str, Session] = {}
        self.identifies = 0
        self.resumes = 0
        self.tells_servers = asyncio.Event()
        """What follows READY waits for this, and so does what is replayed."""
        self.tells_servers.set()
        self.silent = False
        """Accept and say nothing any more: a half-open connection."""
        self.at_once: Callable[[web.WebSocketResponse], Awaitable[None]] | None = None
        """What happens to each connection as soon as somebody identified or resumed on it."""
        self._changed = asyncio.Condition()
        self._beats = 0

    async def connect(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"op": HELLO, "d": {"heartbeat_interval": int(self._heartbeat * 1000)}})
        session: Session | None = None
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                break
            message = json.loads(frame.data)
            if self.silent:
                continue
            if message["op"] == HEARTBEAT:
                await socket.send_json({"op": ACK})
                self._beats += 1
                async with self._changed:
                    self._changed.notify_all()
            elif message["op"] == IDENTIFY:
                session = await self._identify(socket, message["d"], request)
            elif message["op"] == RESUME:
                session = await self._resume(socket, message["d"])
            if self.at_once and message["op"] in (IDENTIFY, RESUME):
                await self.at_once(socket)
        if session and session.socket is socket:
            session.socket = None
        return socket

    async def _identify(self, socket: web.WebSocketResponse, data: Payload, request: web.Request) -> Session | None:
        self.identifies += 1
        if data["token"] != self.token:
            await socket.close(code=4004)
            return None
        if data["intents"] & MESSAGE_CONTENT and not self.content_granted:
            await socket.close(code=4014)
            return None
        self.sessions = {key: one for key, one in self.sessions.items() if one.socket}
        shard = tuple(data.get("shard") or (0, 1))
        session = Session(f"session{self.identifies}", data["intents"], socket, shard=shard)
        self.sessions[session.id] = session
        self._world.intents = data["intents"]
        told = [guild_id for guild_id in self._world.guilds if session.has(guild_id)]
        guilds = [{"id": guild_id, "unavailable": True} for guild_id in told]
        application = {"id": self._world.application, "flags": 0}
        ready = {
            "v": 10, "user": self._world.bot, "guilds": guilds, "session_id": session.id,
            "resume_gateway_url": f"ws://{request.host}/gateway", "application": application,
            "shard": list(session.shard),
        }  # fmt: skip
        await self._send(session, "READY", ready)
        await self.tells_servers.wait()
        for guild_id in told:
            await self._send(session, "GUILD_CREATE", self._guild(guild_id))
        async with self._changed:
            self._changed.notify_all()
        return session

    async def _resume(self, socket: web.WebSocketResponse, data: Payload) -> Session | None:
        session = self.sessions.get(data["session_id"])
        if session is None:
            await socket.send_json({"op": INVALID_SESSION, "d": False})
            return None
        self.resumes += 1
        await self.tells_servers.wait()
        session.socket = socket
        for event in session.sent:
            if event["s"] > (data["seq"] or 0):
                await socket.send_json(event)
        await self._send(session, "RESUMED", {})
        return session

    def _guild(self, guild_id: str) -> Payload:
        channels = [one.payload for one in self._world.channels.values() if one.payload.get("guild_id") == guild_id]
        me = self._world.members[guild_id, self._world.bot["id"]]
        return {
            **self._world.guilds[guild_id], "member_count": 2, "members": [me], "emojis": [], "stickers": [],
            "features": [], "premium_tier": 0, "unavailable": False, "presences": [], "voice_states": [],
            "channels": [c for c in channels if "parent_id" not in c],
            "threads": [c for c in channels if "parent_id" in c and not c["thread_metadata"]["archived"]],
        }  # fmt: skip

    async def _send(self, session: Session, event: str, data: Payload) -> None:
        session.sequence += 1
        frame = {"op": DISPATCH, "t": event, "s": session.sequence, "d": data}
        session.sent.append(frame)
        if session.socket and not session.socket.closed and not self.silent:
            try:
                await session.socket.send_json(frame)
            except ConnectionError:
                session.socket = None

    async def emit(self, event: str, data: Payload, *, intent: int = 0) -> None:
        """Send to every session that has the server and asked for `intent`; 0 means all."""
        about = str(data.get("guild_id") or "") or (data["id"] if event.startswith("GUILD_") else "")
        for session in list(self.sessions.values()):
            if session.has(about) and (not intent or session.intents & intent):
                await self._send(session, event, data)

    async def emit_message(self, event: str, message: Payload) -> None:
        """A message event, with content withheld where the intents say so."""
        intent = GUILD_MESSAGES if message.get("guild_id") else DIRECT_MESSAGES
        await self.emit(event, self._world.visible(message), intent=intent)

    async def connected(self) -> None:
        """Wait until somebody is identified and connected."""
        async with self._changed:
            await self._changed.wait_for(lambda: any(one.socket for one in self.sessions.values()))

    async def read(self) -> None:
        """Wait until the client has read everything sent so far: it answers a heartbeat we ask for."""
        sockets = [one.socket for one in self.sessions.values() if one.socket]
        async with self._changed:
            beats = self._beats
            for socket in sockets:
                await socket.send_json({"op": HEARTBEAT, "d": None})
            await self._changed.wait_for(lambda: self._beats >= beats + len(sockets))

    async def drop(self, *, forget: bool = False, code: int = 4000) -> None:
        """Cut every connection; with `forget` the sessions cannot be resumed."""
        sockets = [one.socket for one in self.sessions.values() if one.socket]
        for session in self.sessions.values():
            session.socket = None
        if forget:
            self.sessions.clear()
        for socket in sockets:
            await socket.close(code=code)

    async def ask_to_reconnect(self) -> None:
        """Op 7: a planned reconnect, resumed by the client."""
        for session in self.sessions.values():
            if session.socket:
                await session.socket.send_json({"op": RECONNECT, "d": None})
