"""A command on a terminal of its own, and somebody who types."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

SECONDS = 60.0
CTRL_C = "\x03"
_ITS_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
)
"""Makes standard input the terminal that Ctrl-C and passwords come from."""


class TerminalSession:
    """What was written to the terminal so far, and how to answer it."""

    def __init__(self, process: Process, terminal: int) -> None:
        self._process = process
        self._terminal = terminal
        self._more = asyncio.Event()
        self._read = 0
        self.written = ""
        asyncio.get_running_loop().add_reader(terminal, self._take)

    def _take(self) -> None:
        try:
            part = os.read(self._terminal, 65536)
        except OSError:  # the other side is closed
            part = b""
        if not part:
            asyncio.get_running_loop().remove_reader(self._terminal)
        self.written += part.decode(errors="replace")
        self._more.set()

    async def answer(self, question: str, text: str) -> None:
        """Wait for `question`, and type `text` and Enter."""
        await self.until(question)
        os.write(self._terminal, f"{text}\n".encode())

    async def interrupt(self, question: str) -> None:
        """Wait for `question`, and press Ctrl-C."""
        await self.until(question)
        os.write(self._terminal, CTRL_C.encode())

    async def until(self, text: str) -> None:
        """Wait for `text` behind what was waited for before."""
        async with asyncio.timeout(SECONDS):
            while (found := self.written.find(text, self._read)) < 0:
                self._more.clear()
                assert self._process.returncode is None, f"no {text!r} in:\n{self.written[self._read :]}"
                await self._more.wait()
        self._read = found + len(text)

    async def hang_up(self) -> None:
        """Close the terminal, as a connection that is lost does."""
        asyncio.get_running_loop().remove_reader(self._terminal)
        os.close(self._terminal)
        self._terminal = -1
        await self._process.wait()

    async def kill(self) -> None:
        """Kill the command, so that it can tidy up nothing."""
        self._process.kill()
        await self._process.wait()

    async def ended(self) -> int:
        """Return the exit status."""
        async with asyncio.timeout(SECONDS):
            return await self._process.wait()

    def close(self) -> None:
        if self._terminal >= 0:
            asyncio.get_running_loop().remove_reader(self._terminal)
            os.close(self._terminal)


@asynccontextmanager
async def at_a_terminal(
    *words: str, folder: Path, environment: Mapping[str, str], columns: int = 100
) -> AsyncIterator[TerminalSession]:
    """Run `citewell WORDS` in `folder`; it is killed at the end, if it is still there."""
    mine, its = os.openpty()
    surroundings = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "COLUMNS": str(columns),
        "LINES": "50",
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _ITS_TERMINAL, sys.executable, "-m", "bot", *words),
        cwd=folder,
        env={**surroundings, **environment},
        stdin=its,
        stdout=its,
        stderr=its,
        start_new_session=True,
    )
    os.close(its)
    session = TerminalSession(process, mine)
    try:
        yield session
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        session.close()
