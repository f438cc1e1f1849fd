"""`python -m bench.doors`: what a signed-in reader of the page waits, alone and while strangers hold the doors.

The strangers, in a process of their own, keep 500 connections open on which they ask for a file that a link opens and
read nothing of it, and send the heaviest forms on four others, again and again. None of them signs in."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx2 as httpx

from bench.figures import percentiles
from tests.doubles.browser import Seen
from tests.doubles.ports import free_port

ROOT = Path(__file__).parent.parent
UNREAD, SENDERS, PAGES, ROUNDS = 500, 4, 250, 3
SECRET = "bench"
AGAIN_SECONDS = 1.0
"""Between being hung up on and connecting again."""
LARGE = "<title>Zebras</title><p>A zebra crossing is painted in 42 minutes.</p><!--" + "x" * (8 << 20) + "-->"
"""More than any buffer takes."""
QUESTION = "In how many minutes is a zebra crossing painted?"
HEAVIEST = (b"a=&" * ((4 << 20) // 3), b"a=&" * 21_000)
"""The longest body that was ever taken, and one just below what is taken now."""


async def read_nothing(port: int, link: str) -> None:
    ask = f"GET {link}/original HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    while True:
        with suppress(OSError):
            way = socket.socket()
            way.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            way.setblocking(False)
            await asyncio.get_running_loop().sock_connect(way, ("127.0.0.1", port))
            _, writer = await asyncio.open_connection(sock=way)
            writer.transport.pause_reading()  # type: ignore[attr-defined] # of a socket
            writer.write(ask)
            while not writer.transport.is_closing():
                await asyncio.sleep(AGAIN_SECONDS)
                writer.write(b" ")  # fails once the other side is gone
                await writer.drain()
        await asyncio.sleep(AGAIN_SECONDS)


async def send_forms(port: int, body: bytes) -> None:
    form = b"Content-Type: application/x-www-form-urlencoded"
    head = b"POST /ask HTTP/1.1\r\nHost: x\r\n%s\r\nContent-Length: %d\r\n\r\n" % (form, len(body))
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(head + body)
            await reader.read(1)
            writer.close()


async def attack(port: int, link: str) -> None:
    """Until it is ended."""
    senders = (send_forms(port, HEAVIEST[number % 2]) for number in range(SENDERS))
    await asyncio.gather(*(read_nothing(port, link) for _ in range(UNREAD)), *senders)


@asynccontextmanager
async def strangers(port: int, link: str) -> AsyncIterator[None]:
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "bench.doors", str(port), link, cwd=ROOT)
    try:
        await asyncio.sleep(20)  # those that stand are aborted, and come again, while pages are read
        yield
    finally:
        process.kill()
        await process.wait()


@asynccontextmanager
async def page() -> AsyncIterator[int]:
    """The port of `citewell run` with a page, over one large file."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        own = {
            "DATA": f"{folder}/data",
            "MODEL": "extractive",
            "WEB": f"127.0.0.1:{port}",
            "WEB_URL": f"http://127.0.0.1:{port}",
            "WEB_ORIGINALS": "true",
            "WEB_PROXY_SECRET": SECRET,
            "LOG_LEVEL": "error",
        }
        environment = {**os.environ, **{f"CITEWELL_{name}": value for name, value in own.items()}}
        command, quiet = (sys.executable, "-m", "bot"), asyncio.subprocess.DEVNULL
        documents = Path(folder) / "documents"
        documents.mkdir()
        (documents / "zebras.html").write_text(LARGE)
        index = await asyncio.create_subprocess_exec(*command, "index", str(documents), env=environment, stdout=quiet)
        await index.wait()
        process = await asyncio.create_subprocess_exec(*command, "run", env=environment, stdout=quiet, stderr=quiet)
        try:
            async with asyncio.timeout(120):
                while not await answers(port):  # noqa: ASYNC110 - it tells nobody
                    await asyncio.sleep(0.2)
            yield port
        finally:
            process.terminate()
            await process.wait()


async def answers(port: int) -> bool:
    with suppress(OSError):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        return True
    return False


def reader(port: int, name: str) -> httpx.AsyncClient:
    """Somebody who signed in, and comes on a new connection each time."""
    headers = {"X-Citewell-Proxy": SECRET, "X-Forwarded-User": name, "Connection": "close"}
    return httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=30, trust_env=False)


async def asked(browser: httpx.AsyncClient) -> str:
    """The address of a conversation with an answer."""
    form = {field.name: field.value for field in Seen((await browser.get("/")).text).fields}
    question = {**form, "question": QUESTION}
    path = (await browser.post("/ask", data=question)).headers["location"].partition("#")[0]
    while "data-events" in (await browser.get(path)).text:  # noqa: ASYNC110 - as a browser looks
        await asyncio.sleep(0.5)
    return path


async def waits(port: int, name: str) -> tuple[list[float], int, str]:
    """Milliseconds until each page is there, how many never were, and the link of the answer's source."""
    found, lost = [], 0
    async with reader(port, name) as browser:
        path = await asked(browser)
        link = next(url for url in Seen((await browser.get(path)).text).links if "/s/" in url).partition("#")[0]
        for _ in range(PAGES):
            began = time.perf_counter()
            try:
                (await browser.get(path)).raise_for_status()
                found.append(1000 * (time.perf_counter() - began))
            except httpx.HTTPError as error:
                print(f"lost: {error!r}", file=sys.stderr)
                lost += 1
            await asyncio.sleep(0.05)
    return found, lost, f"/s/{link.partition('/s/')[2]}"


async def main() -> None:
    print(f"\n| a signed-in reader's page, {ROUNDS} rounds of {PAGES}: p50 / p95, ms | lost | with strangers | lost |")
    print("| --- | --- | --- | --- |")
    async with page() as port:
        *_, link = await waits(port, "warm")
        for number in range(ROUNDS):
            alone, missed, _ = await waits(port, f"alone{number}")
            async with strangers(port, link):
                beside, lost, _ = await waits(port, f"beside{number}")
            print(f"| {percentiles(alone)} | {missed} | {percentiles(beside)} | {lost} |")


if __name__ == "__main__":
    asyncio.run(attack(int(sys.argv[1]), sys.argv[2]) if len(sys.argv) > 1 else main())
