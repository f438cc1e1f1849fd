"""A loopback server shaped like OpenAI's chat completions and embeddings and Anthropic's messages."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from aiohttp import web

from adapters.models.server_facts import TOOL_PROBE
from pipeline.write.prompt_fitting import WARM_UP_REQUEST
from tests.doubles.llm import shapes
from tests.doubles.llm.faults import Act, Cut, Ending, Hang, Page, Raw, Reset, Stall, Status, Text

PAGE = "<!doctype html><html><title>502 Bad Gateway</title><body>nginx says [1].</body></html>"


class LlmServer:
    """Follows `script`, one act a request; when it is used up, `otherwise` decides from the request's body.

    `requests` holds the bodies in order, `keys` the keys they came with, `seconds` how long each took to be served
    (also at `/seconds`), `connections` the address of the connection each came over. With `key` set, any other is
    refused, and so are calls without their results.
    """

    def __init__(
        self, script: Sequence[Act] = (), *, otherwise: Callable[[dict[str, Any]], Act] | None = None, key: str = ""
    ) -> None:
        self.script = list(script)
        self.otherwise = otherwise or (lambda _: Text("Nothing was scripted [1]."))
        self.key = key
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.seconds: list[float] = []
        self.connections: list[tuple[str, int]] = []
        self.arrived = asyncio.Event()
        """Set by the first request."""
        self.open = self.most_open = 0
        self.url = ""
        self.dimensions = 3
        """Of embeddings, 3 at least."""

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[LlmServer]:
        app = web.Application(client_max_size=16 * 2**20)
        self._add_routes(app)
        runner = web.AppRunner(app, shutdown_timeout=0.05, handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield self
        finally:
            await runner.cleanup()

    def _add_routes(self, app: web.Application) -> None:
        app.router.add_post("/v1/chat/completions", self._openai)
        app.router.add_post("/v1/messages", self._anthropic)
        app.router.add_post("/v1/embeddings", self._embeddings)
        app.router.add_get("/seconds", self._seconds)

    async def _openai(self, request: web.Request) -> web.StreamResponse:
        return await self._serve(request, shapes.OPENAI)

    async def _anthropic(self, request: web.Request) -> web.StreamResponse:
        return await self._serve(request, shapes.ANTHROPIC)

    async def _serve(self, request: web.Request, shape: shapes.Shape) -> web.StreamResponse:
        started = time.perf_counter()
        body = await request.json()
        key = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        self.requests.append(body)
        self.keys.append(key)
        if request.transport:
            self.connections.append(request.transport.get_extra_info("peername"))
        self.arrived.set()
        self.open += 1
        self.most_open = max(self.open, self.most_open)
        try:
            if self.key and key != self.key:
                return _status(Status(401, f"Incorrect API key provided: {key}", "invalid_api_key"))
            if complaint := shape.complaint(body):
                return _status(Status(400, complaint, "invalid_request_error", "messages"))
            if is_preparation(body):
                self.requests.pop()
                self.keys.pop()
                act = self.otherwise(body) if not self.script else None
                prepared = act if isinstance(act, Status) else Text("1 2 3")
                return await self._perform(prepared, request, shape, stream=bool(body.get("stream")))
            act = self.script.pop(0) if self.script else self.otherwise(body)
            return await self._perform(act, request, shape, stream=bool(body.get("stream")))
        finally:
            self.open -= 1
            self.seconds.append(time.perf_counter() - started)

    async def _seconds(self, _: web.Request) -> web.Response:
        return web.json_response(self.seconds)

    async def _perform(
        self, act: Act, request: web.Request, shape: shapes.Shape, *, stream: bool
    ) -> web.StreamResponse:
        match act:
            case Status():
                return _status(act)
            case Page(code=code):
                return web.Response(status=code, text=PAGE, content_type="text/html")
            case Raw():
                return _raw(act)
            case Reset():
                return _reset(request)
            case Hang():
                await asyncio.Event().wait()
        if not stream:
            return web.json_response(shape.whole(act))
        return await self._stream(act, request, shape)

    async def _stream(self, act: Act, request: web.Request, shape: shapes.Shape) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        if isinstance(act, Text) and act.first_pause:
            await asyncio.sleep(act.first_pause)
        events = list(shape.events(act))
        if isinstance(act, Text):
            events[-3:] = [b"".join(events[-3:])]  # the end of the text and the counts behind it arrive together
        for number, event in enumerate(events):
            if isinstance(act, Text) and act.held and number == len(events) // 2:
                await act.held.wait()
            await response.write(event)
            if isinstance(act, Text) and act.pause:
                await asyncio.sleep(act.pause)
        if isinstance(act, Stall) or (isinstance(act, Ending) and act.hang):
            await asyncio.Event().wait()
        if isinstance(act, Cut) and request.transport is not None:
            if act.reset:
                request.transport.abort()
            if act.closed:
                request.transport.close()
        return response

    async def _embeddings(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.requests.append(body)
        act = self.script.pop(0) if self.script else None
        if isinstance(act, Status):
            return _status(act)
        if isinstance(act, Raw):
            return _raw(act)
        rest = [0.0] * (self.dimensions - 3)
        data = [
            {
                "object": "embedding",
                "index": number,
                "embedding": [float(len(text)), 1.0, float(text.count("e")), *rest],
            }
            for number, text in enumerate(body["input"])
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return web.json_response({"object": "list", "data": data[::-1], "model": body["model"], "usage": usage})


def is_preparation(body: dict[str, Any]) -> bool:
    """Tell whether a request only measures the model, or finds out about its tools: nobody asks anything."""
    asked = str(body["messages"][-1]["content"]) if body["messages"] else ""
    return asked.endswith((WARM_UP_REQUEST, TOOL_PROBE))


def _raw(act: Raw) -> web.Response:
    headers = {"content-type": act.content_type, "content-encoding": act.encoding}
    return web.Response(body=act.body, status=act.code, headers=headers)


def _status(act: Status) -> web.Response:
    error = {"message": act.message, "type": act.kind, "param": act.param, "code": act.kind}
    return web.json_response({"type": "error", "error": error}, status=act.code, headers=act.headers)


def _reset(request: web.Request) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
