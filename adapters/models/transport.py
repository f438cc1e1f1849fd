"""HTTP clients of model servers, which never follow a redirect to another host with the prompt, nor decompress without
end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from pipeline.errors import Refused, Unavailable

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 5.0
MAX_RESPONSE_BYTES = 8_000_000
"""Bytes of a reply, decompressed: 64 vectors of 4,096 dimensions take about 6 million as JSON, an answer far less."""


def http_client(sdk: Any, service: str, timeout: float) -> httpx2.AsyncClient:
    """Return a client for `sdk` (openai or anthropic). A request raises Unavailable for a redirect to another origin,
    before anything is sent there, and for a reply of more than `MAX_RESPONSE_BYTES`, as soon as these have come."""
    client: httpx2.AsyncClient = sdk.DefaultAsyncHttpxClient(**_client_options(service, timeout))
    return client


def plain_client(service: str, timeout: float, headers: Mapping[str, str]) -> httpx2.AsyncClient:
    """Return such a client for a service without an SDK; every request carries `headers`."""
    import httpx2

    options = _client_options(service, timeout)
    return httpx2.AsyncClient(**options | {"headers": {**options["headers"], **headers}}, follow_redirects=True)


def _client_options(service: str, timeout: float) -> dict[str, Any]:
    import httpx2

    from adapters.fetch.responses import ENCODINGS

    async def check(response: httpx2.Response) -> None:
        _check_redirect(service, response)
        _limit_size(service, response)

    return {
        "timeout": httpx2.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS)),
        "headers": {"accept-encoding": ENCODINGS},
        "event_hooks": {"response": [check]},
    }


def _check_redirect(service: str, response: httpx2.Response) -> None:
    if not response.has_redirect_location:
        return
    current, target = response.url, response.url.join(response.headers["location"])
    if (current.scheme, current.netloc) != (target.scheme, target.netloc):
        failure = Unavailable(service, "redirects to another server, which is not followed", permanent=True)
        failure.what_to_do = "Check the base URL: it must be the address that answers."
        raise failure


def _limit_size(service: str, response: httpx2.Response) -> None:
    """Limit how much of `response` can be read, decompressed, whoever reads it."""
    import httpx2

    from adapters.fetch.responses import iter_capped

    class Capped(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async with aclosing(iter_capped(received, MAX_RESPONSE_BYTES)) as pieces:
                    async for piece in pieces:
                        yield piece
            except Refused as error:
                raise Unavailable(service, f"its reply was not read to its end: {error}") from error

        async def aclose(self) -> None:
            await received.aclose()

    received = httpx2.Response(
        response.status_code, headers=response.headers, stream=response.stream, request=response.request
    )
    response.stream = Capped()
    response.headers.pop("content-encoding", None)
