"""What a listener takes from callers, and who shares it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psutil
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from structlog.testing import capture_logs

from adapters.http import limits
from adapters.http.auth import client_key
from adapters.http.limits import DEFAULT_BODY_BYTES, MAX_CONNECTIONS, MAX_HEAD_BYTES, PUBLIC_TIMEOUTS, RequestTimeouts
from adapters.http.servers import UvicornServers
from pipeline.errors import Misconfigured
from pipeline.rules.tenancy import ALL_WORKSPACES, NO_WORKSPACE, current_workspace, workspace_scope

HURRIED = RequestTimeouts(head=0.2, body=0.2, reading=0.2)
POST = b"POST /length HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"


async def length(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def broken(_: Request) -> Response:
    raise ZeroDivisionError


async def endless(_: Request) -> Response:
    async def flood() -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(0)
            yield b"x" * (1 << 20)

    return StreamingResponse(flood())


async def silent(_: Request) -> Response:
    async def wait() -> AsyncIterator[bytes]:
        yield b"begun"
        await asyncio.Event().wait()

    return StreamingResponse(wait())


async def large(_: Request) -> Response:
    return PlainTextResponse("x" * (1 << 20))


async def caller(request: Request) -> Response:
    return PlainTextResponse(f"{client_key(request)} over {request.url.scheme}")


ROUTES = [
    Route("/length", length, methods=["POST"]),
    *(Route(f"/{one.__name__}", one) for one in (broken, endless, silent, large, caller)),
]


@asynccontextmanager
async def served(limits: RequestTimeouts = HURRIED) -> AsyncIterator[int]:
    async with UvicornServers(limits).serve("127.0.0.1:0", ROUTES, setting="CITEWELL_WEB") as port:
        yield port


async def said(port: int, *parts: bytes) -> bytes:
    """All that is answered until the listener hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for part in parts:
        writer.write(part)
        await writer.drain()
    async with asyncio.timeout(10):
        answer = await reader.read()
    writer.close()
    return answer


@pytest.mark.parametrize("raw", [b"", b"POST /len", POST], ids=["nothing", "half a line", "half a head"])
async def test_a_caller_that_does_not_finish_its_head_is_hung_up_on(raw: bytes) -> None:
    async with served() as port:
        assert await said(port, raw) == b""


async def test_a_body_that_does_not_come_is_408() -> None:
    async with served() as port:
        assert b" 408 " in await said(port, POST + b"Content-Length: 9\r\n\r\nsome")


async def test_bodies_that_are_too_much_together_cost_the_one_that_began_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_PENDING_BYTES", 50_000)
    head, half = POST + b"Expect: 100-continue\r\nContent-Length: 60000\r\n\r\n", b"x" * 30_000
    async with served(PUBLIC_TIMEOUTS) as port, asyncio.timeout(10):
        callers = []
        for _ in range(2):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(head)
            await reader.readuntil(b" 100 Continue")
            writer.write(half)
            callers.append((reader, writer))
        (first, _), (second, writer) = callers
        assert b" 408 " in await first.read()
        writer.write(half)
        assert (await second.read()).endswith(b"60000")
        for _, writer in callers:
            writer.close()


async def test_a_head_or_a_body_that_is_too_long_is_refused() -> None:
    async with served() as port:
        assert b" 400 " in await said(port, POST, b"X: " + b"y" * MAX_HEAD_BYTES)
        assert b" 413 " in await said(
            port, POST + b"Transfer-Encoding: chunked\r\n\r\n", _chunk(DEFAULT_BODY_BYTES + 1)
        )
        assert await said(port, POST + b"Content-Length: 4\r\n\r\nfour") != b""


def _chunk(size: int) -> bytes:
    return b"%x\r\n%s\r\n0\r\n\r\n" % (size, b"x" * size)


async def test_a_caller_that_reads_nothing_of_its_answer_is_hung_up_on() -> None:
    with capture_logs() as logs:
        async with served() as port:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.transport.pause_reading()
            writer.write(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
            async with asyncio.timeout(10):
                while not logs:  # noqa: ASYNC110 - nothing else tells
                    await asyncio.sleep(0.02)
            writer.transport.abort()
    assert [(log["event"], log["path"]) for log in logs] == [("slow_client_disconnected", "/endless")]


@pytest.mark.parametrize(
    "raw",
    [b"POST /len", POST + b"Content-Length: 9\r\n\r\nsome", b"GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n"],
    ids=["half a line", "half a body", "a request and then nothing"],
)
async def test_who_asks_is_answered_while_many_more_than_may_be_there_do_not(raw: bytes) -> None:
    async with served(PUBLIC_TIMEOUTS) as port:
        kept = []
        for number in range(MAX_CONNECTIONS + 100):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(raw)
            kept.append(writer)
            if number % 20 == 0:
                assert (await said(port, POST + b"Content-Length: 4\r\n\r\nfour")).endswith(b"4")
        for writer in kept:
            writer.transport.abort()


async def unread(port: int, path: bytes = b"/endless") -> asyncio.StreamWriter:
    """A connection that asks, and reads nothing of the answer."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.transport.pause_reading()  # type: ignore[attr-defined] # of a socket
    writer.write(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % path * 16)
    return writer


async def test_newcomers_are_answered_while_as_many_as_may_be_there_read_nothing() -> None:
    under_way = asyncio.Semaphore(0)

    async def begun(request: Request) -> Response:
        under_way.release()
        return await endless(request)

    routes = [*ROUTES, Route("/begun", begun)]
    async with (
        UvicornServers(PUBLIC_TIMEOUTS).serve("127.0.0.1:0", routes, setting="CITEWELL_WEB") as port,
        asyncio.timeout(60),
    ):
        kept = [await unread(port, b"/begun") for _ in range(MAX_CONNECTIONS)]
        for _ in range(MAX_CONNECTIONS):
            await under_way.acquire()
        for _ in range(20):
            assert (await said(port, POST + b"Content-Length: 4\r\n\r\nfour")).endswith(b"4")
            kept.append(await unread(port, b"/begun"))
            await under_way.acquire()
        for writer in kept:
            writer.transport.abort()


@pytest.mark.parametrize("path", [b"/large", b"/endless"])
async def test_a_connection_that_reads_nothing_is_gone(path: bytes) -> None:
    async with served() as port:
        before = len(psutil.Process().net_connections())
        writer = await unread(port, path)
        async with asyncio.timeout(20):
            while len(psutil.Process().net_connections()) <= before:  # noqa: ASYNC110 - it is there
                await asyncio.sleep(0.01)
            while len(psutil.Process().net_connections()) > before + 1:  # noqa: ASYNC110 - ours is left
                await asyncio.sleep(0.01)
        writer.transport.abort()


async def test_a_caller_that_reads_slowly_is_not_hung_up_on() -> None:
    async with served(RequestTimeouts(head=5, body=5, reading=0.5)) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 14)
        writer.write(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
        end = asyncio.get_running_loop().time() + 1.5
        while asyncio.get_running_loop().time() < end:
            assert await reader.read(1 << 20)
            await asyncio.sleep(0.01)
        writer.transport.abort()


async def test_connections_that_say_nothing_come_and_go_without_keeping_anybody_out() -> None:
    async with served(PUBLIC_TIMEOUTS) as port, asyncio.timeout(60):
        reader, regular = await asyncio.open_connection("127.0.0.1", port)
        kept = []
        for number in range(3 * MAX_CONNECTIONS):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            kept.append(writer)
            if number % 100 == 0:
                regular.write(PLAIN.replace(b"Connection: close\r\n", b"\r\n"))
                assert b" 200 " in await reader.readuntil(b"over http")
        for writer in (regular, *kept):
            writer.transport.abort()


PLAIN = b"GET /caller HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
HEADS = [
    pytest.param(PLAIN + b"X: %s\r\n\r\n" % (b"y" * (15 << 10)), b"200", id="fifteen kilobytes"),
    pytest.param(PLAIN + b"X: %s\r\n\r\n" % (b"y" * (16 << 10)), b"400", id="more than sixteen"),
    pytest.param(PLAIN + b"X: %s\r\n\r\n" % (b"y" * 100_000), b"400", id="a hundred kilobytes at once"),
    pytest.param(PLAIN + b"X: y\r\n" * 5_000 + b"\r\n", b"400", id="a hundred short ones"),
    pytest.param(PLAIN.replace(b"\r", b"") + b"\n", b"400", id="no carriage return"),
    pytest.param(PLAIN + b"X: y\nZ: z\r\n\r\n", b"400", id="a line feed within"),
    pytest.param(PLAIN + b"\n", b"400", id="a line feed at the end"),
    pytest.param(
        b"POST /length HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"400",
        id="chunks of an earlier version",
    ),
    pytest.param(
        b"POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"400",
        id="a length and chunks",
    ),
]


@pytest.mark.parametrize(("head", "status"), HEADS)
async def test_a_head_that_a_proxy_may_read_in_another_way_or_that_is_too_long_is_refused(
    head: bytes, status: bytes
) -> None:
    async with served() as port:
        assert (await said(port, head)).split(b" ")[1] == status


@pytest.mark.parametrize("second", [PLAIN + b"X: %s\r\n\r\n" % (b"y" * 20_000), PLAIN + b"X: y\nZ: z\r\n\r\n"])
async def test_nor_is_one_that_comes_behind_another_request(second: bytes) -> None:
    async with served() as port:
        answers = await said(port, b"GET /caller HTTP/1.1\r\nHost: x\r\n\r\n" + second)
        assert [part[:3] for part in answers.split(b"HTTP/1.1 ")[1:]] == [b"200", b"400"]


async def test_a_route_may_take_more_than_a_form() -> None:
    longer = [Route("/longer", length, methods=["POST"])]
    async with UvicornServers(PUBLIC_TIMEOUTS).serve(
        "127.0.0.1:0", longer, setting="CITEWELL_SLACK_PORT", body_bytes=200_000
    ) as port:
        post = b"POST /longer HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
        assert (await said(port, post % 150_000 + b"x" * 150_000)).endswith(b"150000")
        assert b" 413 " in await said(port, post % 250_000 + b"x" * 250_000)


async def test_a_proxy_that_is_trusted_says_who_calls_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    sent = PLAIN + b"X-Forwarded-For: 2001:db8:1:2:3::4, 203.0.113.7\r\nX-Forwarded-Proto: https\r\n\r\n"
    for trusted, seen in (
        (["127.0.0.0/8"], b"address 203.0.113.7 over https"),
        (["127.0.0.1", "203.0.113.7"], b"address 2001:db8:1:2:: over https"),
        (["10.0.0.0/8"], b"address 127.0.0.1 over http"),
    ):
        async with UvicornServers(PUBLIC_TIMEOUTS, trusted).serve(
            "127.0.0.1:0", ROUTES, setting="CITEWELL_WEB"
        ) as port:
            assert (await said(port, sent)).endswith(seen)


TRICKS = [
    pytest.param(b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", b"400", id="two lengths"),
    pytest.param(b"Content-Length: -1\r\n\r\n", b"400", id="a negative length"),
    pytest.param(b"Content-Length: " + b"9" * 30 + b"\r\n\r\nhi", b"400", id="an endless length"),
    pytest.param(b"Content-Length: 9\r\n\r\nhello", b"408", id="a length that is too long"),
    pytest.param(b"Content-Length: 3\r\n\r\nhello GET / HTTP/1.1\r\n\r\n", b"200", id="a length that is too short"),
    pytest.param(b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello", b"400", id="a chunk of no length"),
    pytest.param(b"Transfer-Encoding: chunked\r\n\r\n" + b"F" * 20 + b"\r\nhello", b"408", id="an endless chunk"),
    pytest.param(b"Transfer-Encoding: chunked\r\n\r\n5\r\nhel", b"408", id="half a chunk"),
    pytest.param(b"Transfer-Encoding: gzip\r\n\r\n", b"400", id="another encoding"),
    pytest.param(b"Content-Length: 2\r\n\r\nhi\x00\xff garbage\r\n\r\n", b"200", id="garbage behind a request"),
    pytest.param(b"Content-Length: 2\r\nUpgrade: websocket\r\n\r\nhi", b"200", id="an upgrade"),
]


@pytest.mark.parametrize(("rest", "status"), TRICKS)
async def test_a_trick_of_http_is_one_answer_or_none_and_the_next_caller_gets_theirs(
    rest: bytes, status: bytes
) -> None:
    async with served() as port:
        answer = await said(port, POST + rest)
        assert answer.split(b" ")[1] == status
        assert answer.count(b"HTTP/1.1 ") == 1
        assert (await said(port, POST + b"Content-Length: 4\r\n\r\nfour")).endswith(b"4")


async def test_requests_that_come_together_are_answered_one_after_the_other() -> None:
    one = b"POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nfour"
    async with served() as port:
        assert (await said(port, one * 49 + POST + b"Content-Length: 4\r\n\r\nfour")).count(b"200 OK") == 50


async def test_what_goes_wrong_in_a_page_is_logged_and_not_told() -> None:
    with capture_logs() as logs:
        async with served() as port:
            answer = await said(port, b"GET /broken HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert answer.endswith(b"Internal Server Error")
    assert [log["event"] for log in logs] == ["request_failed"]


async def test_it_closes_at_once_although_an_answer_goes_on() -> None:
    async with asyncio.timeout(10):
        async with served() as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /silent HTTP/1.1\r\nHost: x\r\n\r\n")
            await reader.readuntil(b"begun")
        writer.close()


async def test_who_names_the_same_address_shares_a_listener_until_the_last_is_gone() -> None:
    doors = UvicornServers()

    async def hello(_: Request) -> Response:
        return PlainTextResponse("hello")

    async with doors.serve("127.0.0.1:0", [Route("/hello", hello)], setting="CITEWELL_OPERATIONS") as port:
        async with doors.serve("127.0.0.1:0", ROUTES, setting="CITEWELL_WEB") as same:
            assert same == port
            assert (await said(port, POST + b"Content-Length: 4\r\n\r\nfour")).endswith(b"4")
        assert b" 404 " in await said(port, POST + b"Content-Length: 4\r\n\r\nfour")
        get = b"GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        assert (await said(port, get)).endswith(b"hello")
    with pytest.raises(ConnectionRefusedError):
        await said(port)


async def test_what_is_asked_of_one_is_not_done_for_the_workspace_of_another() -> None:
    doors = UvicornServers()

    async def whose(_: Request) -> Response:
        return PlainTextResponse(current_workspace())

    with workspace_scope(NO_WORKSPACE):
        first = doors.serve("127.0.0.1:0", [], setting="CITEWELL_SLACK_PORT")
        port = await first.__aenter__()
    async with doors.serve("127.0.0.1:0", [Route("/whose", whose)], setting="CITEWELL_WEB"):
        get = b"GET /whose HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        assert (await said(port, get)).endswith(ALL_WORKSPACES.encode())
    await first.__aexit__(None, None, None)


async def test_an_address_that_is_taken_is_named_with_its_setting() -> None:
    async with served() as port:
        with pytest.raises(Misconfigured, match="CITEWELL_OPERATIONS"):
            async with UvicornServers().serve(f"127.0.0.1:{port}", [], setting="CITEWELL_OPERATIONS"):
                pass
