"""Whatever a server sends, a fetch ends: with what came, or with an error of ours, and others go on being served."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, suppress
from random import Random

import pytest

from adapters.fetch import fetcher as module
from adapters.fetch.fetcher import Fetcher, FetchResponse
from pipeline.errors import Refused, Unavailable
from tests.doubles.outage import at_once
from tests.trials import Count, trials

MOST = 100_000
"""Bytes of a body that is taken here."""
OK = b"HTTP/1.1 200 OK\r\n"
Sends = Callable[[str], Iterator[bytes]]
"""What a server at an address sends; empty bytes are a moment in which it sends nothing."""


@asynccontextmanager
async def serving(sends: Sends) -> AsyncIterator[str]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            for piece in sends(url):
                writer.write(piece)
                await (writer.drain() if piece else asyncio.sleep(0.01))
            writer.write_eof()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield url


async def outcome(sends: Sends) -> FetchResponse | str:
    """What comes of fetching there, or the error; raises what no caller expects."""
    async with serving(sends) as url:
        fetcher = Fetcher(private=True, ports=frozenset({80, int(url.rpartition(":")[2])}), sleep=at_once)
        try:
            async with asyncio.timeout(30):
                return await fetcher.fetch(f"{url}/", max_bytes=MOST)
        except (Refused, Unavailable) as error:
            return f"{type(error).__name__}: {error}"
        finally:
            await fetcher.close()


def body(content: bytes, *headers: str) -> Sends:
    said = "".join(f"{header}\r\n" for header in headers).encode()
    return lambda url: iter((OK, said, f"Content-Length: {len(content)}\r\n\r\n".encode(), content))


def redirect(to: str) -> Sends:
    return lambda url: iter([f"HTTP/1.1 302 Found\r\nLocation: {to.format(url)}\r\nContent-Length: 0\r\n\r\n".encode()])


def endless(url: str) -> Iterator[bytes]:
    yield OK + b"Content-Type: text/html\r\n\r\n"
    while True:
        yield b"<p>and so on</p>" * 1000


def endless_chunks(url: str) -> Iterator[bytes]:
    yield OK + b"Transfer-Encoding: chunked\r\n\r\n"
    while True:
        yield b"4\r\nmore\r\n" * 2000


def endless_headers(url: str) -> Iterator[bytes]:
    yield OK
    while True:
        yield b"X-More: and more\r\n" * 1000


def endless_line(url: str) -> Iterator[bytes]:
    yield OK + b"X-More: "
    while True:
        yield b"x" * 10_000


def endless_interim(url: str) -> Iterator[bytes]:
    while True:
        yield b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 100


def dripping(url: str) -> Iterator[bytes]:
    yield OK + b"Content-Length: 100000\r\n\r\n"
    while True:
        yield b"x"
        yield b""


BOMB = gzip.compress(b" " * 50_000_000, 9)


@pytest.mark.parametrize(
    ("sends", "ends"),
    [
        (redirect("{}/"), "Refused: 127.0.0.1 redirects more than 3 times"),
        (redirect("{}/again?"), "redirects more than 3 times"),
        (redirect("http://169.254.169.254/latest/meta-data/"), "network that must not be fetched from"),
        (redirect("http://[fe80::1]/"), "network that must not be fetched from"),
        (redirect("file:///etc/passwd"), "not one of a web server"),
        (redirect("ftp://127.0.0.1/"), "not one of a web server"),
        (redirect("data:text/html,x"), "not one of a web server"),
        (redirect("//127.0.0.1:22/"), "port 22 of 127.0.0.1 must not be fetched from"),
        (redirect("http://user:secret@127.0.0.1/"), "holds a name or password"),
        (redirect("http://["), "not one of a web server"),
        (endless, "sent more than 0 MB"),
        (endless_chunks, "sent more than 0 MB"),
        (endless_headers, "the connection failed"),
        (endless_line, "the connection failed"),
        (body(BOMB, "Content-Encoding: gzip"), "sent more than 0 MB"),
        (body(zlib.compress(b" " * 50_000_000, 9), "Content-Encoding: deflate"), "sent more than 0 MB"),
        (body(gzip.compress(BOMB, 9), "Content-Encoding: gzip, gzip"), "compression that was not asked for"),
        (body(gzip.compress(BOMB), "Content-Encoding: gzip", "Content-Encoding: gzip"), "was not asked for"),
        (body(b"x", "Content-Encoding: br"), "compression that was not asked for"),
        (body(b"x", "Content-Encoding: zstd"), "compression that was not asked for"),
        (body(b"no gzip", "Content-Encoding: gzip"), "could not be decompressed"),
        (lambda url: iter((OK, b"Content-Length: 100\r\n\r\n", b"short")), "the connection failed"),
        (lambda url: iter((OK, b"Content-Length: -5\r\n\r\n", b"x")), "the connection failed"),
        (lambda url: iter((OK, b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n", b"x" * 6)), "the connection failed"),
        (lambda url: iter((OK, b"Transfer-Encoding: chunked\r\n\r\n", b"zz\r\n")), "the connection failed"),
        (lambda url: iter((b"\x16\x03\x01", b"no http at all")), "the connection failed"),
    ],
)
async def test_a_hostile_answer_ends_in_an_error_that_says_what_it_was(sends: Sends, ends: str) -> None:
    found = await outcome(sends)
    assert isinstance(found, str)
    assert ends in found


async def test_more_than_the_length_that_was_told_is_not_read() -> None:
    found = await outcome(lambda url: iter((OK, b"Content-Length: 5\r\n\r\n", b"short and more")))
    assert isinstance(found, FetchResponse)
    assert found.body == b"short"


@pytest.mark.parametrize("sends", [dripping, endless_interim])
async def test_a_server_that_goes_on_and_on_is_left_and_others_are_served_meanwhile(
    sends: Sends, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_ATTEMPT_SECONDS", 0.3)
    waiting = asyncio.create_task(outcome(sends))
    served = 0
    while not waiting.done():
        assert isinstance(await outcome(body(b"here")), FetchResponse)
        served += 1
    assert "did not answer in time" in str(waiting.result())
    assert served > 1


PIECES = (
    *(b"HTTP/1.1 200 OK", b"HTTP/1.0 200", b"HTTP/2 200 OK", b"HTTP/1.1 999 ?", b"HTTP/1.1 301 M", b"HTTP/1.1 304 N"),
    *(b"\r\n", b"\n", b"\r", b"\r\n\r\n", b"\x00", b"\xff\xfe", b" ", b"\t", b":", b"\xc3\xa9", b"\xe2\x80\xae"),
    *(b"Content-Length: 5\r\n", b"Content-Length: 99999999999999999999\r\n", b"Content-Length: +5\r\n"),
    *(b"Content-Encoding: gzip\r\n", b"Content-Encoding: deflate\r\n", b"Content-Encoding: \xff\r\n"),
    *(b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: gzip, chunked\r\n", b"5\r\nhello\r\n", b"0\r\n\r\n"),
    *(b"Location: /\r\n", b"Location: \xff\xfe\r\n", b"Location: http://[::1\r\n", b"Location: \xe2\x80\xae\r\n"),
    *(b"Location: http://a\x00b/\r\n", b"Location: http://\xc3\xa9\xc3\xa9.example:99999/\r\n", b"Location: ///\r\n"),
    *(b"Location: http:\\\\x\r\n", b"Location: " + b"/a" * 40_000 + b"\r\n", b"Location: http://xn--/\r\n"),
    *(b"Retry-After: 1e999\r\n", b"Retry-After: nan\r\n", b"Content-Type: text/html; charset=\xff\r\n"),
    *(b"hello", gzip.compress(b"hello"), zlib.compress(b"hello"), b"x" * 300_000),
)


async def test_whatever_bytes_a_server_sends_the_error_is_ours(record_property: Count) -> None:
    tried = trials(150)
    for number in range(tried):
        chance = Random(number)
        sent = [chance.choice([*PIECES[:2], PIECES[4]]), b"\r\n"] if chance.random() < 0.9 else []
        sent += chance.choices(PIECES, k=chance.randrange(8))
        try:
            await outcome(lambda url, sent=sent: iter(sent))
        except Exception as error:
            raise AssertionError(f"server {number}: {sent}") from error
    record_property("servers", tried)
