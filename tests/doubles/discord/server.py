"""A strict Discord on loopback: `async with FakeDiscord() as discord:` then point a client at `discord.api_url`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, Self
from urllib.parse import quote

from aiohttp import web

from tests.doubles import recorder
from tests.doubles.discord.faults import Fault, Faults
from tests.doubles.discord.gateway import Gateway
from tests.doubles.discord.interactions import Interactions
from tests.doubles.discord.messages import Messages
from tests.doubles.discord.payloads import Refusal, body_of
from tests.doubles.discord.people import People
from tests.doubles.discord.world import Payload, World

CONTENT_LIMITED = 1 << 19
"""The flag of an application in fewer than 100 servers that may read messages."""
Handler = Callable[[web.Request], Awaitable[Any]]


class FakeDiscord(People):
    """The server and, through `People`, the persons who use it."""

    def __init__(
        self,
        *,
        token: str = "token",
        content_granted: bool = True,
        heartbeat_seconds: float = 41.25,
        nonce_seconds: float = 120.0,
    ) -> None:
        self.token = token
        self.world = World(nonce_seconds=nonce_seconds)
        self.gateway = Gateway(self.world, token, heartbeat_seconds=heartbeat_seconds, content_granted=content_granted)
        self.messages = Messages(self.world, self.gateway)
        self.faults = Faults()
        super().__init__(self.world, self.gateway, self.messages)
        self._interactions = Interactions(self.world, self.messages)
        self._runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=0.1)
        self.api_url = ""

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.api_url = f"http://{host}:{port}/api/v10"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.gateway.drop(forget=True)
        await self._runner.cleanup()

    async def replace_tokens(self) -> None:
        """Another counts from now on, and whoever connected with the old one is cut off."""
        self.token = self.gateway.token = f"{self.token}-new"
        await self.gateway.drop(forget=True, code=4004)

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=25 * 2**20, middlewares=recorder.watching("discord"))
        app.router.add_get("/gateway", self.gateway.connect)
        app.router.add_get("/gateway/", self.gateway.connect)
        app.router.add_get("/attachments/{file}/{name}", self._attached)
        messages = "/channels/{channel}/messages"
        routes: list[tuple[str, str, Handler]] = [
            ("GET", "/users/@me", self._me),
            ("GET", "/users/@me/guilds", self._guilds),
            ("GET", "/oauth2/applications/@me", self._application),
            ("GET", "/gateway", self._gateway_url),
            ("GET", "/gateway/bot", self._gateway_of_bot),
            ("POST", "/users/@me/channels", self._open_direct),
            ("GET", "/guilds/{guild}/members/{user}", self._member),
            ("GET", "/guilds/{guild}/channels", self._guild_channels),
            ("PUT", "/applications/{app}/commands", self._commands),
            ("GET", "/channels/{channel}", self.messages.channel),
            ("PATCH", "/channels/{channel}", self.messages.revive),
            ("GET", "/channels/{channel}/threads/archived/public", self.messages.archived),
            ("GET", "/users/{user}", self._user),
            ("POST", "/channels/{channel}/typing", self.messages.show_typing),
            ("POST", messages, self.messages.create),
            ("GET", messages, self.messages.history),
            ("GET", messages + "/{message}", self.messages.one),
            ("PATCH", messages + "/{message}", self.messages.edit),
            ("DELETE", messages + "/{message}", self.messages.delete),
            ("POST", messages + "/{message}/threads", self.messages.open_thread),
            ("POST", "/interactions/{interaction}/{token}/callback", self._interactions.callback),
            ("POST", "/webhooks/{app}/{token}", self._interactions.follow_up),
            ("PATCH", "/webhooks/{app}/{token}/messages/{message}", self._interactions.edit),
        ]
        for method, path, handler in routes:
            app.router.add_route(method, "/api/v10" + path, self._strict(handler))
        return app

    def _strict(self, handler: Handler) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def answer(request: web.Request) -> web.Response:
            path = request.path.removeprefix("/api/v10")
            fault = self.faults.take(request.method, path)
            if fault and fault.delay:
                await asyncio.sleep(fault.delay)
            if fault and not fault.after and (fault.drop or fault.status):
                return _fail(request, fault)
            by_token = "/webhooks/" in request.path or "/interactions/" in request.path
            if not by_token and request.headers.get("Authorization") != f"Bot {self.token}":
                return _json({"message": "401: Unauthorized", "code": 0}, 401)
            try:
                result = await handler(request)
            except Refusal as refusal:
                return _json(refusal.body, refusal.status)
            fault = fault if fault and fault.after else self.faults.take_after(request.method, path)
            if fault:
                return _fail(request, fault)
            return _json(result) if result is not None else web.Response(status=204)

        return answer

    def attach(self, name: str, content: bytes) -> Payload:
        """A file of somebody's, as messages show it."""
        file_id = self.world.snowflake()
        self.world.attached[file_id] = content
        where = f"{self.api_url.removesuffix('/api/v10')}/attachments/{file_id}/{quote(name)}"
        return {"id": file_id, "filename": name, "size": len(content), "url": where, "proxy_url": where}

    async def _attached(self, request: web.Request) -> web.Response:
        found = self.world.attached.get(request.match_info["file"])
        return web.Response(status=404) if found is None else web.Response(body=found)

    async def _me(self, _: web.Request) -> Payload:
        return self.world.bot

    async def _application(self, _: web.Request) -> Payload:
        return {
            "id": self.world.application, "name": "Citewell", "description": "", "icon": None, "verify_key": "0",
            "bot_public": self.world.public, "bot_require_code_grant": False, "owner": self.world.owner,
            "flags": CONTENT_LIMITED if self.gateway.content_granted else 0,
        }  # fmt: skip

    async def _guilds(self, _: web.Request) -> list[Payload]:
        world = self.world
        return [
            {"id": guild["id"], "name": guild["name"], "permissions": guild["roles"][1]["permissions"]}
            for guild in world.guilds.values()
        ]

    async def _guild_channels(self, request: web.Request) -> list[Payload]:
        there = (one.payload for one in self.world.channels.values() if not one.is_thread)
        return [one for one in there if one.get("guild_id") == request.match_info["guild"]]

    async def _gateway_url(self, request: web.Request) -> Payload:
        return {"url": f"ws://{request.host}/gateway"}

    async def _gateway_of_bot(self, request: web.Request) -> Payload:
        limits = {"total": 1000, "remaining": 1000 - self.gateway.identifies, "reset_after": 0, "max_concurrency": 1}
        return {**await self._gateway_url(request), "shards": self.world.shards, "session_start_limit": limits}

    async def _user(self, request: web.Request) -> Payload:
        return self.person_by_id(request.match_info["user"])

    async def _open_direct(self, request: web.Request) -> Payload:
        user_id = str((await body_of(request))["recipient_id"])
        return self.world.channels[self.world.direct(self.person_by_id(user_id))].payload

    async def _member(self, request: web.Request) -> Payload:
        found = self.world.members.get((request.match_info["guild"], request.match_info["user"]))
        if found is None:
            raise Refusal(404, 10007, "Unknown Member")
        return found

    async def _commands(self, request: web.Request) -> list[Payload]:
        self.world.syncs += 1
        declared = await request.json()
        self.world.commands = [
            {
                "id": self.world.snowflake(),
                "application_id": self.world.application,
                "version": "1",
                "description": "",
                **one,
            }
            for one in declared
        ]
        return self.world.commands


def _json(data: object, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """Discord's content type has no charset; discord.py insists on it."""
    body = json.dumps(data).encode()
    return web.Response(body=body, status=status, headers={"Content-Type": "application/json", **(headers or {})})


def _fail(request: web.Request, fault: Fault) -> web.Response:
    if fault.drop:
        if request.transport:
            request.transport.abort()
        return web.Response(status=500)
    if fault.status == 429:
        body = {"message": "You are being rate limited.", "retry_after": fault.retry_after, "global": False}
        return _json(body, 429, {"Via": "1.1 google", "Retry-After": str(fault.retry_after)})
    return _json(fault.body or {"message": "fault", "code": 0}, fault.status)
