"""The fetcher of document sources: one URL at a time, with checks, retries and limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import httpx2
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_random_exponential

from adapters.fetch.responses import ENCODINGS, iter_capped, parse_retry_after
from adapters.fetch.transport import (
    CheckedTransport,
    Resolver,
    check_addresses,
    default_ssl_context,
    resolve_host,
    resolve_literal,
)
from pipeline.errors import Refused, Unavailable

_EMPTY: Mapping[str, str] = MappingProxyType({})
_PORTS = frozenset({80, 443})
_DEFAULT_PORT = {"http": 80, "https": 443}
_REDIRECTS = 3
_ATTEMPTS = 4
_CONNECT_SECONDS = 10.0
_READ_SECONDS = 30.0
_ATTEMPT_SECONDS = 120.0
"""Seconds for one attempt with its redirects: a server that drips bytes is given up."""
_MAX_WAIT = 60.0
"""Seconds: a service that asks for a longer wait is not asked again now."""
_PAUSE = wait_random_exponential(multiplier=0.5, max=8)
_CROSS_HOST_HEADERS = frozenset({"accept", "if-none-match", "if-modified-since"})
"""Request headers that are also sent to another host after a redirect."""


@dataclass(frozen=True)
class FetchResponse:
    """A response of any status but 429 and 5xx, for the caller to read."""

    status: int
    url: str
    """The URL after redirects."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    """Decompressed."""


class Fetcher:
    """An HTTP and HTTPS client for public addresses and the `ports`, without cookies and without proxies of the
    environment. It follows at most 3 redirects, and none of methods other than GET and HEAD. `headers` hold credentials
    and are sent only to `origin` (`https://host` or with a port). `private` allows loopback and private networks as
    well. Behind a `proxy` the proxy resolves names; literal addresses are still checked."""

    def __init__(
        self,
        *,
        ports: frozenset[int] = _PORTS,
        private: bool = False,
        proxy: str = "",
        headers: Mapping[str, str] = _EMPTY,
        origin: str = "",
        resolve: Resolver = resolve_host,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if headers and not origin:
            raise ValueError("credentials need the origin that they are for")
        self._ports = ports
        self._private = private
        self._proxied = bool(proxy)
        self._headers = dict(headers)
        self._origin = _origin(httpx2.URL(origin))
        self._sleep = sleep
        self._transport: httpx2.AsyncHTTPTransport
        if proxy:
            self._transport = httpx2.AsyncHTTPTransport(verify=default_ssl_context(), trust_env=False, proxy=proxy)
        else:
            self._transport = CheckedTransport(private=private, resolve=resolve)

    async def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] = _EMPTY,
        json: object = None,
        form: Mapping[str, str] | None = None,
        max_bytes: int = 20_000_000,
        attempts: int = _ATTEMPTS,
        refusal: Callable[[FetchResponse], Unavailable | None] = lambda answer: None,
    ) -> FetchResponse:
        """Return the response of `url`; credentials of `headers` are never sent to another host. Raise Refused for an
        address that must not be fetched from, more than `max_bytes`, and too many redirects. Raise Unavailable where no
        response came after the `attempts`, and for the error that `refusal` makes of a response, which is asked for
        again unless it is permanent. A wait that the service asks for is honoured up to 60 seconds; a longer one is in
        the error."""
        retrying = AsyncRetrying(
            retry=retry_if_exception(_is_retryable),
            stop=stop_after_attempt(attempts),
            wait=_retry_wait,
            sleep=self._sleep,
            reraise=True,
        )
        body = {"json": json} if form is None else {"data": form}

        async def attempt() -> FetchResponse:
            answer = await self._attempt(method, url, headers, body, max_bytes)
            if (error := refusal(answer)) is not None:
                raise error
            return answer

        return await retrying(attempt)

    async def close(self) -> None:
        await self._transport.aclose()

    async def _attempt(
        self, method: str, url: str, headers: Mapping[str, str], body: Mapping[str, Any], max_bytes: int
    ) -> FetchResponse:
        address = self._parse_url(url)
        origin = _origin(address)
        try:
            async with asyncio.timeout(_ATTEMPT_SECONDS):
                for _ in range(1 + _REDIRECTS):
                    sent_headers = {
                        name: value for name, value in headers.items() if _may_send(name, origin, _origin(address))
                    }
                    response = await self._send(self._request(method, address, sent_headers, body))
                    try:
                        if not response.has_redirect_location:
                            return await _read_response(response, max_bytes)
                    finally:
                        await response.aclose()
                    if method not in ("GET", "HEAD"):
                        raise Refused(f"{address.host} redirects a {method} request, which is not followed")
                    address = self._parse_url(_redirect_target(response, address))
        except (TimeoutError, httpx2.TimeoutException) as error:
            raise Unavailable(address.host, "did not answer in time") from error
        except httpx2.DecodingError as error:
            raise Refused(f"{address.host} sent something that could not be decompressed") from error
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise _connection_error(address.host, error) from error
        raise Refused(f"{origin[1]} redirects more than {_REDIRECTS} times")

    def _parse_url(self, url: str) -> httpx2.URL:
        """Return the parsed URL. Raise Refused for one that must not be fetched whatever its host resolves to."""
        try:
            address = httpx2.URL(url)
            address = address.copy_with(host=address.host.rstrip("."))
        except (httpx2.InvalidURL, UnicodeError) as error:
            raise Refused("the address is not a valid URL", what_to_do="Give it as https://host/path.") from error
        scheme, host, port = _origin(address)
        if scheme not in _DEFAULT_PORT or not host or "%" in host:
            raise Refused("the address is not one of a web server", what_to_do="Give it as https://host/path.")
        if address.userinfo:
            raise Refused(f"the address of {host} holds a name or password", what_to_do="Remove it from the address.")
        if port not in self._ports:
            ports = ", ".join(map(str, sorted(self._ports)))
            raise Refused(f"port {port} of {host} must not be fetched from", what_to_do=f"Allowed are {ports}.")
        if self._proxied:
            check_addresses(host, resolve_literal(host, port), private=self._private)
        return address

    def _request(
        self, method: str, url: httpx2.URL, headers: Mapping[str, str], body: Mapping[str, Any]
    ) -> httpx2.Request:
        credentials = self._headers if _origin(url) == self._origin else {}
        timeout = httpx2.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS, pool=None)
        return httpx2.Request(
            method,
            url,
            headers={"accept": "*/*", "user-agent": "Citewell", **headers, **credentials, "accept-encoding": ENCODINGS},
            **body,
            extensions={"timeout": timeout.as_dict()},
        )

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request. Raise Unavailable when the service is down or asks to wait."""
        response = await self._transport.handle_async_request(request)
        response.request = request
        if response.status_code == 429 or response.status_code >= 500:
            await response.aclose()
            wait = parse_retry_after(response.headers.get("retry-after"))
            reason = f"answers with status {response.status_code}"
            raise Unavailable(request.url.host, reason, retry_after=wait, what_to_do="Try again later.")
        return response


@asynccontextmanager
async def open_fetcher(**settings: Any) -> AsyncIterator[Fetcher]:
    """Open a `Fetcher` with these settings, and close it at the end."""
    fetcher = Fetcher(**settings)
    try:
        yield fetcher
    finally:
        await fetcher.close()


async def _read_response(response: httpx2.Response, max_bytes: int) -> FetchResponse:
    async with aclosing(iter_capped(response, max_bytes)) as pieces:
        body = b"".join([piece async for piece in pieces])
    return FetchResponse(response.status_code, str(response.url), dict(response.headers), body)


def _connection_error(host: str, error: Exception) -> Unavailable:
    message = str(error)
    if "has no address" in message:
        return Unavailable(host, "the name has no address", what_to_do="Check how it is written.")
    if "CERTIFICATE_VERIFY_FAILED" in message:
        return Unavailable(host, "its certificate is not trusted here", what_to_do="Check the address.")
    remedy = "Check the address, and that this machine reaches it." if isinstance(error, httpx2.ConnectError) else ""
    return Unavailable(host, "the connection failed", what_to_do=remedy)


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, _DEFAULT_PORT.get(url.scheme) if url.port is None else url.port


def _may_send(name: str, origin: object, target: object) -> bool:
    return origin == target or name.lower() in _CROSS_HOST_HEADERS


def _redirect_target(response: httpx2.Response, address: httpx2.URL) -> str:
    try:
        return str(address.join(response.headers["location"]))
    except (httpx2.InvalidURL, UnicodeError) as error:
        raise Refused(f"{address.host} redirects to something that is not a URL") from error


def _is_retryable(error: BaseException) -> bool:
    return isinstance(error, Unavailable) and not error.permanent and (error.retry_after or 0.0) <= _MAX_WAIT


def _retry_wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, Unavailable) and error.retry_after is not None:
        return error.retry_after
    return _PAUSE(state)
