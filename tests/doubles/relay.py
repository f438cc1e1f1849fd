"""The network between a process and the database: it can be cut, and it can go black."""

from __future__ import annotations

import asyncio
import socket
import struct
from asyncio import StreamReader, StreamWriter
from pathlib import Path
from types import TracebackType

from tests.doubles.postgres import USER

RESET = struct.pack("ii", 1, 0)
"""As SO_LINGER: what is closed is reset."""


class Relay:
    """`async with Relay(server.folder) as relay: relay.url(database)`; `to` is where the server's socket is."""

    def __init__(self, to: Path) -> None:
        self.to = to
        self._light = asyncio.Event()
        self._light.set()
        self._ends: set[tuple[StreamWriter, StreamWriter]] = set()
        """Of each connection: the process's, and the server's."""
        self._open: set[StreamWriter] = set()

    async def __aenter__(self) -> Relay:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        self._light.set()
        self.cut()

    def url(self, database: str) -> str:
        port = self._server.sockets[0].getsockname()[1]
        return f"postgresql://{USER}@127.0.0.1:{port}/{database}?sslmode=disable&gssencmode=disable"

    def cut(self) -> None:
        """End every connection; both ends are told."""
        for process, server in self._ends:
            _reset(process)
            _reset(server)

    def give_up(self) -> None:
        """End every connection; only the server is told."""
        for _, server in self._ends:
            _reset(server)

    def blacken(self) -> None:
        """From now on nothing arrives on either side, and nobody is told."""
        self._light.clear()

    def lighten(self) -> None:
        """What was sent meanwhile arrives."""
        self._light.set()

    async def _connected(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            await self._light.wait()
            server = await asyncio.open_unix_connection(self.to / ".s.PGSQL.5432")
        except OSError:
            _reset(writer)
            return
        ends = writer, server[1]
        self._ends.add(ends)
        try:
            await asyncio.gather(self._pass(reader, server[1]), self._pass(server[0], writer))
        finally:
            self._ends.discard(ends)

    async def _pass(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                await self._light.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        await self._light.wait()
        writer.close()


def _reset(writer: StreamWriter) -> None:
    sock = writer.get_extra_info("socket")
    if sock.fileno() < 0:  # that end has closed by itself, its other end not yet
        return
    if sock.family == socket.AF_INET:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    writer.transport.abort()
