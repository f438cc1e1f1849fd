from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
import zlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from adapters.fetch.fetcher import Fetcher, FetchResponse, open_fetcher
from pipeline.errors import Refused, Unavailable
from tests.doubles.ports import free_port
from tests.doubles.web import Reply, WebServer

_LARGE = bytes(20 * 2**20)


@asynccontextmanager
async def fetching(
    replies: Mapping[str, Reply | list[Reply]], *servers: WebServer, **settings: Any
) -> AsyncIterator[tuple[WebServer, Fetcher]]:
    async with WebServer(replies).running() as server:
        ports = frozenset({server.port, *(other.port for other in servers)})
        async with open_fetcher(private=True, ports=ports, **settings) as fetcher:
            yield server, fetcher


class Naps:
    """Waits that are noted and not waited."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def _moved(to: str, status: int = 302) -> Reply:
    return Reply(status=status, headers={"Location": to})


@pytest.mark.parametrize("status", [200, 204, 304, 400, 401, 403, 404, 410])
async def test_every_status_but_429_and_5xx_is_for_the_caller_to_read(status: int) -> None:
    async with fetching({"/": Reply(status=status, headers={"ETag": '"a"'})}) as (server, fetcher):
        found = await fetcher.fetch(server.url + "/")
    assert (found.status, found.headers["etag"], len(server.asked)) == (status, '"a"', 1)


async def test_at_most_three_redirects_are_followed() -> None:
    chain = {f"/{step}": _moved(f"/{step + 1}") for step in range(4)}
    async with fetching({**chain, "/4": Reply(b"there")}) as (server, fetcher):
        found = await fetcher.fetch(server.url + "/1")
        assert (found.body, found.url) == (b"there", server.url + "/4")
        with pytest.raises(Refused, match="redirects more than 3 times"):
            await fetcher.fetch(server.url + "/0")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_what_is_sent_to_a_service_is_not_sent_on_to_another(status: int) -> None:
    async with WebServer().running() as other, fetching({}, other) as (server, fetcher):
        server.replies["/"] = _moved(other.url + "/", status)
        with pytest.raises(Refused, match="redirects a POST request"):
            await fetcher.fetch(server.url + "/", method="POST", json={"query": "rates"})
    assert (server.asked[0].body, other.asked) == (b'{"query":"rates"}', [])


async def test_credentials_go_to_their_own_origin_only() -> None:
    async with WebServer({"/": Reply(b"there")}).running() as other, WebServer().running() as server:
        server.replies["/"] = _moved(other.url + "/")
        settings: dict[str, Any] = {"private": True, "ports": frozenset({server.port, other.port})}
        token = {"Authorization": "Bearer abc"}
        async with open_fetcher(headers=token, origin=server.url, **settings) as fetcher:
            await fetcher.fetch(server.url + "/", headers={"X-Api-Key": "def", "If-None-Match": '"a"'})
            await fetcher.fetch(other.url + "/")
    assert server.asked[0].headers["authorization"] == "Bearer abc"
    for asked in other.asked:
        assert not {"authorization", "x-api-key"} & {name.lower() for name in asked.headers}
    assert other.asked[0].headers["if-none-match"] == '"a"'


def test_credentials_without_an_origin_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="origin"):
        Fetcher(headers={"Authorization": "Bearer abc"})


async def test_no_cookie_is_kept() -> None:
    async with fetching({"/": Reply(headers={"Set-Cookie": "a=b"})}) as (server, fetcher):
        for _ in range(2):
            await fetcher.fetch(server.url + "/")
    assert "cookie" not in server.asked[1].headers


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with WebServer().running() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        async with fetching({"/": Reply(b"here")}) as (server, fetcher):
            assert (await fetcher.fetch(server.url + "/")).body == b"here"
    assert proxy.asked == []


async def test_a_proxy_that_is_set_is_used() -> None:
    server = WebServer({"http://docs.example/": Reply(b"through")})
    async with server.running() as proxy, open_fetcher(proxy=proxy.url) as fetcher:
        assert (await fetcher.fetch("http://docs.example/")).body == b"through"


async def test_a_proxy_is_not_asked_for_an_address_that_is_forbidden() -> None:
    server = WebServer({"http://docs.example/": _moved("http://10.0.0.1/")})
    async with server.running() as proxy, open_fetcher(proxy=proxy.url) as fetcher:
        with pytest.raises(Refused):
            await fetcher.fetch("http://docs.example/")
    assert len(proxy.asked) == 1


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("x-gzip", gzip.compress), ("deflate", zlib.compress), ("identity", bytes)],
)
async def test_a_body_is_decompressed(encoding: str, pack: Any) -> None:
    async with fetching({"/": Reply(pack(b"here"), headers={"Content-Encoding": encoding})}) as (server, fetcher):
        assert (await fetcher.fetch(server.url + "/")).body == b"here"


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "gzip, deflate", "compress"])
async def test_a_compression_that_was_not_asked_for_is_refused_unread(encoding: str) -> None:
    async with fetching({"/": Reply(b"unread", headers={"Content-Encoding": encoding})}) as (server, fetcher):
        with pytest.raises(Refused, match="compression"):
            await fetcher.fetch(server.url + "/")


@pytest.mark.parametrize(
    ("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("identity", bytes)]
)
async def test_a_body_ends_at_its_limit_and_the_loop_is_served_meanwhile(encoding: str, pack: Any) -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with fetching({"/": Reply(pack(_LARGE), headers={"Content-Encoding": encoding})}) as (server, fetcher):
        task = asyncio.create_task(others())
        with pytest.raises(Refused, match="more than 3 MB"):
            await fetcher.fetch(server.url + "/", max_bytes=3_000_000)
        task.cancel()
    assert turns > 3


async def test_what_cannot_be_decompressed_is_refused() -> None:
    async with fetching({"/": Reply(b"no gzip", headers={"Content-Encoding": "gzip"})}) as (server, fetcher):
        with pytest.raises(Refused, match="decompressed"):
            await fetcher.fetch(server.url + "/")


@pytest.mark.parametrize("status", [429, 500, 502, 503])
async def test_a_service_that_is_down_for_a_moment_is_asked_again(status: int) -> None:
    naps = Naps()
    async with fetching({"/": [Reply(status=status)] * 3 + [Reply(b"here")]}, sleep=naps) as (server, fetcher):
        assert (await fetcher.fetch(server.url + "/")).body == b"here"
    assert len(naps.seconds) == 3


async def test_a_service_that_stays_down_is_unavailable_after_four_attempts() -> None:
    async with fetching({"/": Reply(status=503)}, sleep=Naps()) as (server, fetcher):
        with pytest.raises(Unavailable, match="status 503"):
            await fetcher.fetch(server.url + "/")
    assert len(server.asked) == 4


async def test_the_wait_that_a_service_asks_for_is_kept() -> None:
    naps = Naps()
    busy = Reply(status=429, headers={"Retry-After": "17"})
    async with fetching({"/": [busy, Reply(b"here")]}, sleep=naps) as (server, fetcher):
        await fetcher.fetch(server.url + "/")
    assert naps.seconds == [17.0]


async def test_a_longer_wait_than_a_minute_is_told_instead() -> None:
    busy = Reply(status=429, headers={"Retry-After": "3600"})
    async with fetching({"/": busy}, sleep=Naps()) as (server, fetcher):
        with pytest.raises(Unavailable) as failure:
            await fetcher.fetch(server.url + "/")
    assert (failure.value.retry_after, len(server.asked)) == (3600.0, 1)


@pytest.mark.parametrize(("retry_after", "times"), [(1.0, 2), (None, 1)])
async def test_an_answer_that_the_caller_takes_for_a_limit_is_asked_for_again(
    retry_after: float | None, times: int
) -> None:
    def refusal(answer: FetchResponse) -> Unavailable | None:
        limited = answer.body == b"limited"
        return Unavailable("wiki", "no", retry_after=retry_after, permanent=retry_after is None) if limited else None

    async with fetching({"/": [Reply(b"limited"), Reply(b"here")]}, sleep=Naps()) as (server, fetcher):
        with contextlib.suppress(Unavailable):
            assert (await fetcher.fetch(server.url + "/", refusal=refusal)).body == b"here"
    assert len(server.asked) == times


async def test_nobody_listening_is_unavailable() -> None:
    naps = Naps()
    port = free_port()
    async with open_fetcher(private=True, ports=frozenset({port}), sleep=naps) as fetcher:
        with pytest.raises(Unavailable, match="connection failed"):
            await fetcher.fetch(f"http://127.0.0.1:{port}/")
    assert len(naps.seconds) == 3


async def test_a_name_that_nobody_knows_is_unavailable() -> None:
    async def unknown(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    async with open_fetcher(sleep=Naps(), resolve=unknown) as fetcher:
        with pytest.raises(Unavailable, match="the name has no address"):
            await fetcher.fetch("http://nowhere.invalid/")
