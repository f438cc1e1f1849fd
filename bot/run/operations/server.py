"""What probes and Prometheus ask: /healthz, /readyz, /metrics. It has no password: keep its address to yourself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from pipeline.errors import CitewellError

SETTING = "CITEWELL_OPERATIONS"
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"

Check = Callable[[], Awaitable[list[str]]]


def routes(alive: Check, ready: Check, page: Callable[[], Awaitable[bytes]]) -> list[BaseRoute]:
    async def healthz(_: Request) -> Response:
        return _told(await alive())

    async def readyz(_: Request) -> Response:
        return _told(await ready())

    async def metrics(_: Request) -> Response:
        try:
            return Response(await page(), headers={"Content-Type": PROMETHEUS})
        except CitewellError as error:
            return _told([str(error)])

    return [Route("/healthz", healthz), Route("/readyz", readyz), Route("/metrics", metrics)]


def _told(wrong: list[str]) -> Response:
    return PlainTextResponse("".join(f"{line}\n" for line in wrong or ["ok"]), 503 if wrong else 200)
