"""Starts a bot in milliseconds, so that it can be killed hundreds of times: imports once, forks for each life.

`python -m tests.faults.nursery MODULE` reads the arguments of one life a line and answers with its process id;
`MODULE.live(arguments)` is a coroutine function."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import traceback
from asyncio.subprocess import PIPE
from importlib import import_module
from pathlib import Path
from types import TracebackType


class Nursery:
    """`async with Nursery("tests.faults.slack_bot") as nursery: pid = await nursery.start(folder, url)`."""

    def __init__(self, module: str, *within: str) -> None:
        """`within`: a command that runs the one that is appended to it."""
        self._module = module
        self._within = within
        self.pid = 0

    async def __aenter__(self) -> Nursery:
        root = Path(__file__).parents[2]
        self._process = await asyncio.create_subprocess_exec(
            *(*self._within, sys.executable, "-m", "tests.faults.nursery", self._module),
            stdin=PIPE,
            stdout=PIPE,
            cwd=root,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.kill()
        assert self._process.stdin
        self._process.stdin.close()
        await self._process.wait()

    async def start(self, *arguments: object) -> None:
        """Start a life and forget the one before."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(("\t".join(map(str, arguments)) + "\n").encode())
        self.pid = int(await self._process.stdout.readline())

    def shoot(self) -> None:
        """`kill -9`, now."""
        if self.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    async def kill(self) -> None:
        """`kill -9`, and wait until the process is gone."""
        self.shoot()
        while self.living:  # noqa: ASYNC110 - the process does not know of us
            await asyncio.sleep(0.002)

    @property
    def living(self) -> bool:
        """Whether the life that was started last is not over."""
        with contextlib.suppress(ProcessLookupError):
            if self.pid:
                os.kill(self.pid, 0)
                return True
        self.pid = 0
        return False


def main() -> None:
    bot = import_module(sys.argv[1])
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            try:
                asyncio.run(bot.live(*line.rstrip("\n").split("\t")))
            finally:
                traceback.print_exc()
                os._exit(1)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
