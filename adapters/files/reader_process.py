"""A child process that reads files, so that a hostile or broken file costs an error line and no more."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from adapters.files.content import MAX_CHARACTERS, PackedBlocks, PageLinks, ParsedFile
from adapters.files.reader_worker import SPLIT_HINT, TOO_LONG_MESSAGE
from pipeline.errors import Refused
from pipeline.values import replace

CPU_SECONDS = 10.0
WALL_SECONDS = 240.0
OFFICE_WALL_SECONDS = 60.0
"""Longest wait for a file of Word or PowerPoint, and WALL_SECONDS for any other: well above the limits on processor
time that the child sets itself."""
_OFFICE = (".docx", ".pptx")
MAX_REPLY_BYTES = 16 * MAX_CHARACTERS
_ROOT = str(Path(__file__).parents[2])
_START = "import sys; sys.path.insert(0, sys.argv[1]); from adapters.files.reader_worker import main; main()"


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid")

    content: ParsedFile | None = None
    leads: PageLinks | None = None
    frames: int = 0
    blocks: int = 0
    refused: str = ""
    what_to_do: str = ""
    spent: bool = False


class ReaderProcess:
    """A child, started when first needed, used for file after file, replaced when it dies.

    Its environment is empty; see `reader_worker` for its limits.
    """

    def __init__(self, *, cpu_seconds: float = CPU_SECONDS, wall_seconds: float | None = None) -> None:
        self._process: Process | None = None
        self._lock = asyncio.Lock()
        self._cpu_seconds = cpu_seconds
        self._wall_seconds = wall_seconds

    async def read(self, suffix: str, content: bytes) -> ParsedFile:
        """Read a file. Raises Refused with the reason, also when the child died over the file, took too long or
        returned too much."""
        reply = await self._request(suffix, content)
        if reply.content is None:
            raise _broken_error()
        return reply.content

    async def read_links(self, suffix: str, content: bytes) -> PageLinks:
        """Read the links of a page or a sitemap. Raises Refused like `read`."""
        reply = await self._request(suffix, content, leads=True)
        if reply.leads is None:
            raise _broken_error()
        return reply.leads

    async def _request(self, suffix: str, content: bytes, *, leads: bool = False) -> _Reply:
        async with self._lock:
            process = await self._running_process()
            longest = self._wall_seconds or (OFFICE_WALL_SECONDS if suffix in _OFFICE else WALL_SECONDS)
            try:
                async with asyncio.timeout(longest):
                    reply = await self._exchange(process, suffix, content, leads=leads)
            except TimeoutError as error:
                await self.close()
                raise Refused("reading it took too long", what_to_do="Split it into smaller files.") from error
            except BaseException:
                await self.close()
                raise
            if reply.spent:
                await self.close()
        if reply.refused:
            raise Refused(reply.refused, what_to_do=reply.what_to_do)
        return reply

    async def close(self) -> None:
        """End the child, whatever it is doing."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()

    async def _running_process(self) -> Process:
        if self._process is not None and self._process.returncode is not None:
            await self.close()
        if self._process is None:
            command = (sys.executable, "-I", "-B", "-c", _START, _ROOT)
            self._process = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env={}, cwd="/", start_new_session=True
            )
        return self._process

    async def _exchange(self, process: Process, suffix: str, content: bytes, *, leads: bool) -> _Reply:
        """Send a request and receive its reply. Raises Refused when the child died or broke the protocol."""
        try:
            await self._send_request(process, suffix, content, leads=leads)
            reply = _Reply.model_validate_json(await self._read_frame(process, MAX_REPLY_BYTES))
            if reply.content is None:
                return reply
            frames: list[bytes] = []
            for _ in range(reply.frames):
                frames.append(await self._read_frame(process, MAX_REPLY_BYTES - sum(map(len, frames))))
            blocks = PackedBlocks(frames, reply.blocks)
            sequence = blocks if len(frames) > 1 else tuple(blocks)
            return replace(reply, content=replace(reply.content, blocks=sequence))
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise _exit_error(await process.wait()) from error
        except ValidationError as error:
            raise _broken_error() from error

    async def _send_request(self, process: Process, suffix: str, content: bytes, *, leads: bool) -> None:
        assert process.stdin
        request = {"suffix": suffix, "size": len(content), "cpu_seconds": self._cpu_seconds, "leads": leads}
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.write(content)
        await process.stdin.drain()

    async def _read_frame(self, process: Process, limit: int) -> bytes:
        assert process.stdout
        size = int.from_bytes(await process.stdout.readexactly(8), "big")
        if size > limit:
            raise Refused("more came out of it than a document may hold", what_to_do="Split it into smaller files.")
        return await process.stdout.readexactly(size)


def _exit_error(status: int) -> Refused:
    if status == -signal.SIGXCPU:
        return Refused(TOO_LONG_MESSAGE, what_to_do=SPLIT_HINT)
    return _broken_error()


def _broken_error() -> Refused:
    return Refused("the file broke the program that reads it", what_to_do="Open and save it again, then retry.")
