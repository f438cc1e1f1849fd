"""What probes and Prometheus ask: /healthz, /readyz, /metrics. It has no password: keep its address to yourself.

A website that a browser on the network shows is refused: it asks under its own name, or as another site."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from adapters.http.hosts import from_another_site, guarded, host, private
from pipeline.errors import CitewellError

SETTING = "CITEWELL_OPERATIONS"
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"

Check = Callable[[], Awaitable[list[str]]]


def routes(
    alive: Check, ready: Check, page: Callable[[], Awaitable[bytes]], *, hosts: Collection[str] = ()
) -> list[BaseRoute]:
    """`hosts`: names with a dot under which they are asked for."""

    async def healthz(_: Request) -> Response:
        return _told(await alive())

    async def readyz(_: Request) -> Response:
        return _told(await ready())

    async def metrics(_: Request) -> Response:
        try:
            return Response(await page(), headers={"Content-Type": PROMETHEUS})
        except CitewellError as error:
            return _told([str(error)])

    def refusal(request: Request) -> str:
        if from_another_site(request):
            return "Another website asked for this.\n"
        if not private(host(request), hosts):
            return "Ask by an address, by a name without a dot, or by one that CITEWELL_OPERATIONS_HOSTS names.\n"
        return ""

    shown = {"/healthz": healthz, "/readyz": readyz, "/metrics": metrics}
    return guarded([Route(path, handle) for path, handle in shown.items()], refusal)


def _told(wrong: list[str]) -> Response:
    return PlainTextResponse("".join(f"{line}\n" for line in wrong or ["ok"]), 503 if wrong else 200)
