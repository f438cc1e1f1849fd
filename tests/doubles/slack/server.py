"""The workspace on loopback: Web API, Socket Mode, signed HTTP deliveries, response URLs, uploads, and faults."""

from __future__ import annotations

import asyncio
import base64
import json
import math
import secrets
import time
from collections.abc import Awaitable, Callable
from types import TracebackType
from urllib.parse import parse_qsl, urlsplit

from aiohttp import WSMsgType, web

from tests.doubles import recorder
from tests.doubles.slack.rules import ARGUMENTS, BY_KIND, READS, SCOPES, Json, wrong_message
from tests.doubles.slack.workspace import BOT, Error, Workspace

BOT_TOKEN, APP_TOKEN, SECRET = "xoxb-double-1", "xapp-double-1", "double-signing-secret"
CLIENT_ID, CLIENT_SECRET = "123.456", "double-client-secret"
Hook = Callable[[str, Json, str], Awaitable[str | None]]
"""(method, arguments, "before" or "after" the effect) -> what goes wrong: `drop`, `500`, an error, `429` (for a second)
or `429 60` (for a minute), or None."""


class SlackServer:
    """`async with SlackServer() as slack: slack.api_url`."""

    def __init__(self, scopes: frozenset[str]) -> None:
        self.workspace = Workspace()
        self.scopes = scopes
        self.bot_token, self.app_token = BOT_TOKEN, APP_TOKEN
        self.installed: dict[str, Workspace] = {}
        """By the token that the app was given there."""
        self._codes: dict[str, Workspace] = {}
        self.org_wide = False
        """Whether who allows the app does so for all workspaces of an organisation."""
        self.calls: list[tuple[str, Json]] = []
        self.hook: Hook | None = None
        self.streams_per_minute = 20
        self.sockets: list[web.WebSocketResponse] = []
        self.connected = asyncio.Event()
        self.acks: dict[str, asyncio.Future[Json]] = {}
        self.answer_pings = True
        self.serves_files = True
        """Whether it knows the bot where files are downloaded."""
        self.says_goodbye = True
        """Whether it answers when a connection is closed."""
        self.at_once: Callable[[web.WebSocketResponse], Awaitable[None]] | None = None
        """What happens to each connection as soon as it is open."""
        self._opened: list[float] = []
        self._tickets: set[str] = set()
        self._shut: dict[str, float] = {}
        self.called_while_limited = 0

    async def __aenter__(self) -> SlackServer:
        app = web.Application(middlewares=recorder.watching("slack"))
        app.router.add_route("*", "/api/{method}", self._api)
        app.router.add_get("/socket", self._socket)
        app.router.add_post("/response/{name}", self._response)
        app.router.add_post("/upload/{file}", self._upload)
        app.router.add_get("/files/{file}/{name}", self._download)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for socket in self.sockets:
            await socket.close()
        await self._runner.cleanup()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def api_url(self) -> str:
        return f"{self.base}/api/"

    def called(self, method: str) -> list[Json]:
        """The arguments of every call of `method`, in order."""
        return [arguments for name, arguments in self.calls if name == method]

    # --- OAuth ------------------------------------------------------------------------------

    def allow(self, url: str, workspace: Workspace) -> dict[str, str]:
        """Somebody follows the link to Slack and allows the app there: what their browser brings back."""
        asked = dict(parse_qsl(urlsplit(url).query))
        assert url.startswith("https://slack.com/oauth/v2/authorize?"), url
        assert asked["client_id"] == CLIENT_ID
        assert set(asked["scope"].split(",")) == self.scopes
        code = secrets.token_hex(8)
        self._codes[code] = workspace
        return {"code": code, "state": asked["state"]}

    async def _access(self, request: web.Request) -> web.Response:
        given = base64.b64decode(request.headers["Authorization"].removeprefix("Basic ")).decode()
        workspace = self._codes.pop(str((await request.post())["code"]), None)
        if given != f"{CLIENT_ID}:{CLIENT_SECRET}":
            return web.json_response({"ok": False, "error": "bad_client_secret"})
        if workspace is None:
            return web.json_response({"ok": False, "error": "invalid_code"})
        token = f"xoxb-{workspace.team}"
        self.installed[token] = workspace
        return web.json_response(
            {
                "ok": True,
                "access_token": token,
                "token_type": "bot",
                "scope": ",".join(sorted(self.scopes)),
                "bot_user_id": workspace.bot,
                "app_id": "A0APP",
                "team": {"id": workspace.team, "name": workspace.name},
                "enterprise": None,
                "is_enterprise_install": self.org_wide,
                "authed_user": {"id": "U0ANN"},
            }
        )

    # --- Web API ----------------------------------------------------------------------------

    async def _api(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        if method == "oauth.v2.access":
            return await self._access(request)
        is_json = request.content_type == "application/json"
        arguments = await request.json() if is_json else {**request.query, **dict(await request.post())}
        token = str(request.headers.get("Authorization", "")).removeprefix("Bearer ") or arguments.pop("token", "")
        arguments.pop("token", None)
        if method == "apps.connections.open":
            if problem := await self._fault(method, arguments, "before"):
                return self._broken(request, method, problem)
            return self._open_socket(token)
        try:
            if time.monotonic() < self._shut.get(method, 0.0):
                self.called_while_limited += 1
                return _limited(self._shut[method] - time.monotonic())
            workspace = self._whose(token)
            self._allowed(workspace, method, arguments, is_json=is_json)
            if problem := await self._fault(method, arguments, "before"):
                return self._broken(request, method, problem)
            result = self._run(workspace, method, arguments)
            self.calls.append((method, arguments))
        except Error as error:
            self.calls.append((f"{method}!{error.code}", arguments))
            return web.json_response({"ok": False, "error": error.code, **error.more})
        if problem := await self._fault(method, arguments, "after"):
            return self._broken(request, method, problem)
        headers = {"X-OAuth-Scopes": ",".join(sorted(self.scopes))}
        return web.json_response({"ok": True, **result}, headers=headers)

    def _whose(self, token: str) -> Workspace:
        """The workspace that a token speaks for."""
        if token == self.bot_token:
            return self.workspace
        if token not in self.installed:
            raise Error("invalid_auth" if token else "not_authed")
        return self.installed[token]

    @property
    def _workspaces(self) -> list[Workspace]:
        return [self.workspace, *self.installed.values()]

    def _run(self, workspace: Workspace, method: str, arguments: Json) -> Json:
        if code := workspace.without.get(method):
            raise Error(code)
        if method == "chat.startStream":
            self._count_stream()
        handler = getattr(workspace, method.replace(".", "_"))
        if method == "files.getUploadURLExternal":
            arguments = {**arguments, "_base": self.base}
        if method == "files.completeUploadExternal" and isinstance(arguments["files"], str):
            arguments = {**arguments, "files": json.loads(arguments["files"])}
        try:
            result: Json = handler(arguments)
        except (LookupError, TypeError, ValueError, AttributeError):
            raise Error("invalid_arguments") from None
        return result

    def _allowed(self, workspace: Workspace, method: str, arguments: Json, *, is_json: bool) -> None:
        if method not in SCOPES:
            raise Error("unknown_method")
        if is_json and method in READS:
            raise Error("invalid_arguments")
        if unknown := set(arguments) - ARGUMENTS.get(method, set(arguments)):
            raise Error("invalid_arg_name", names=sorted(unknown))
        needed = SCOPES[method]
        if method in BY_KIND:
            channel = workspace.channels.get(str(arguments.get("channel")))
            needed = frozenset({BY_KIND[method][channel.kind]}) if channel else frozenset()
        if not needed <= self.scopes:
            raise Error("missing_scope", needed=",".join(sorted(needed)), provided=",".join(sorted(self.scopes)))

    def _count_stream(self) -> None:
        now = time.monotonic()
        self._opened = [at for at in self._opened if now - at < 60.0]
        if len(self._opened) >= self.streams_per_minute:
            raise Error("ratelimited")
        self._opened.append(now)

    async def _fault(self, method: str, arguments: Json, when: str) -> str | None:
        return await self.hook(method, arguments, when) if self.hook else None

    def _broken(self, request: web.Request, method: str, problem: str) -> web.StreamResponse:
        match problem.split():
            case ["drop"]:
                if request.transport:
                    request.transport.abort()
                return web.Response(status=500)
            case ["429", *seconds]:
                self._shut[method] = time.monotonic() + int([*seconds, 1][0])
                return _limited(int([*seconds, 1][0]))
            case ["500"]:
                return web.Response(status=500, text="<html>upstream error</html>", content_type="text/html")
        return web.json_response({"ok": False, "error": problem})

    # --- Socket Mode ------------------------------------------------------------------------

    def _open_socket(self, token: str) -> web.Response:
        if token != self.app_token:
            return web.json_response({"ok": False, "error": "invalid_auth" if token else "not_authed"})
        ticket = secrets.token_hex(8)
        self._tickets.add(ticket)
        return web.json_response({"ok": True, "url": f"ws://127.0.0.1:{self.port}/socket?ticket={ticket}"})

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        if request.query.get("ticket") not in self._tickets or len(self.sockets) >= 10:
            return web.Response(status=403)
        self._tickets.remove(request.query["ticket"])
        if problem := await self._fault("socket", {}, "before"):
            return self._broken(request, "socket", problem)
        socket = web.WebSocketResponse(autoping=False, autoclose=self.says_goodbye)
        await socket.prepare(request)
        await socket.send_json({"type": "hello", "num_connections": len(self.sockets) + 1})
        self.sockets.append(socket)
        self.connected.set()
        if self.at_once:
            await self.at_once(socket)
        try:
            async for message in socket:
                if message.type is WSMsgType.PING and self.answer_pings:
                    await socket.pong(message.data)
                elif message.type is WSMsgType.TEXT:
                    self._acked(json.loads(message.data))
            if not self.says_goodbye:
                await asyncio.Event().wait()
        finally:
            self.sockets.remove(socket)
            if not self.sockets:
                self.connected.clear()
        return socket

    def _acked(self, answer: Json) -> None:
        waiting = self.acks.pop(str(answer.get("envelope_id")), None)
        if waiting and not waiting.done():
            waiting.set_result(answer.get("payload") or {})

    async def disconnect(self, socket: web.WebSocketResponse) -> None:
        """Ask for a new connection, as Slack does from time to time."""
        await socket.send_json({"type": "disconnect", "reason": "refresh_requested"})

    async def replace_tokens(self) -> None:
        """Others count from now on, and whoever connected with the old ones is cut off."""
        self.bot_token, self.app_token = f"{self.bot_token}-new", f"{self.app_token}-new"
        for socket in list(self.sockets):
            await socket.close()

    # --- Response URLs and uploads ------------------------------------------------------------

    async def _response(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        workspace = next((one for one in self._workspaces if name in one.responses), None)
        if workspace is None:
            return web.Response(status=404, text="no_such_url")
        used = workspace.responses[name]
        if sum(not one.get("acked") for one in used) >= 5:
            return web.Response(status=404, text="used_url")
        message = await request.json()
        if wrong_message(message):
            return web.Response(status=400, text=str(wrong_message(message)))
        if message.get("replace_original") and used and used[0].get("acked"):
            used[0]["replaced"] = True
        used.append(message)
        if message.get("replace_original") and name in workspace.clicked:
            shown, at = workspace.clicked[name]
            shown[at] = message
        if await self._fault("response_url", message, "after") == "drop" and request.transport:
            request.transport.abort()
        return web.Response(text="ok")

    async def _upload(self, request: web.Request) -> web.Response:
        file = request.match_info["file"]
        workspace = next(one for one in self._workspaces if file in one.uploads)
        workspace.uploads[file] = (await request.read()).decode()
        return web.Response(text="OK")

    async def _download(self, request: web.Request) -> web.Response:
        """A file; whoever may not read it gets the form to sign in, as a page like any other."""
        bearer = request.headers.get("Authorization") == f"Bearer {self.bot_token}"
        if not (bearer and self.serves_files and "files:read" in self.scopes):
            return web.Response(text="<html>Sign in to Slack</html>", content_type="text/html")
        shown, content = self.workspace.shared_files[request.match_info["file"]]
        return web.Response(body=content, content_type=shown["mimetype"])


def _limited(seconds: float) -> web.Response:
    headers = {"Retry-After": str(math.ceil(seconds))}
    return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers=headers)


def form(body: str) -> Json:
    """A form body as Slack sends it for commands and clicks."""
    return dict(parse_qsl(body, keep_blank_values=True))


__all__ = ["APP_TOKEN", "BOT", "BOT_TOKEN", "SECRET", "Hook", "SlackServer", "form"]
