"""A web service over loopback, and what it can do wrong whatever it serves: be down, ask to wait, answer strangely."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Self

from aiohttp import web


class Outage:
    """Counts the `requests` of a service, and refuses them when it is told to."""

    def __init__(self) -> None:
        self.requests = 0
        self.paths: list[str] = []
        """What was asked for, with the query, in order."""
        self._left: int | None = None
        self._throttled = 0
        self._strange: object = None
        self._denied = 0
        self._faithful: int | None = None
        self._status = 0
        self.credentials: set[str] = set()
        """What requests were signed with."""
        self.elsewhere: list[str] = []
        """Heads of the requests that came by another name of this host."""

    def fail_after(self, requests: int | None) -> None:
        """Answer 503 after so many more requests; None: work again."""
        self._left = requests

    def throttle(self, requests: int) -> None:
        """Answer the next so many requests with 429 and `Retry-After: 0`."""
        self._throttled = requests

    def turn(self, requests: int | None, status: int) -> None:
        """After so many more requests, send each with this status to another host, or answer with all that was sent
        where that is no redirect; None: work again."""
        self._faithful, self._status = requests, status

    def _turned(self, request: web.Request) -> web.Response:
        to = f"http://localhost:{request.url.port}{request.path_qs}"
        said = request.headers.get("Authorization", "")
        reason = {"message": said, "reason": said, "type": said, "code": said}
        echo = {**reason, "error": {**reason, "errors": [reason]}, "errors": [reason], "access_token": [said]}
        headers = {"Location": to} if self._status < 400 else {"X-Echo": said.replace("\n", "")}
        return web.json_response(echo, status=self._status, headers=headers)

    def deny(self, status: int) -> None:
        """Answer everything with this status, as to somebody who may not read it; 0: work again."""
        self._denied = status

    def answer(self, strange: object) -> None:
        """Answer everything with this JSON; None: work again."""
        self._strange = strange

    @property
    def middleware(self) -> Callable[..., Awaitable[web.StreamResponse]]:
        @web.middleware
        async def counted(
            request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
        ) -> web.StreamResponse:
            self.requests += 1
            self.paths.append(f"{request.method} {request.path_qs}")
            if request.host.startswith("localhost"):
                self.elsewhere.append(f"{request.path_qs} {dict(request.headers)}")
                return web.json_response({})
            if signed := request.headers.get("Authorization"):
                self.credentials |= {signed, signed.partition(" ")[2]}
            if self._faithful is not None:
                self._faithful -= 1
                if self._faithful < 0:
                    return self._turned(request)
            if self._left is not None:
                if self._left == 0:
                    return web.json_response({"code": "service_unavailable"}, status=503)
                self._left -= 1
            if self._throttled:
                self._throttled -= 1
                return web.json_response({"code": "rate_limited"}, status=429, headers={"Retry-After": "0"})
            if self._denied:
                return web.json_response({"code": "denied"}, status=self._denied)
            if self._strange is not None:
                return web.json_response(self._strange)
            return await handler(request)

        return counted


class Service(ABC):
    """`async with Some().running() as service: service.url`."""

    def __init__(self) -> None:
        self.outage = Outage()
        self.url = ""

    @abstractmethod
    def add_routes(self, router: web.UrlDispatcher) -> None: ...

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Self]:
        app = web.Application(middlewares=[self.outage.middleware])
        self.add_routes(app.router)
        async with served(app) as self.url:
            yield self


async def at_once(_: float) -> None:
    """In place of waiting."""
    await asyncio.sleep(0)


@asynccontextmanager
async def served(app: web.Application) -> AsyncIterator[str]:
    """The address at which `app` is served over loopback until the block ends."""
    runner = web.AppRunner(app, shutdown_timeout=0.05)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
