"""`citewell run` as an operator starts it, over the doubles of the platforms."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from bot.settings import Settings
from bot.wiring import open_citewell
from pipeline import wording
from tests.contracts.driver import Driver, Said
from tests.contracts.waiting import until


class Platform(Driver, Protocol):
    """A driver whose bot is a process of its own."""

    @property
    def environment(self) -> dict[str, str]: ...

    async def arrived(self) -> None: ...

    async def gone(self) -> None: ...


async def indexed(folder: Path, documents: Path) -> None:
    """Make the data folder and index `documents` in it."""
    settings = Settings(_env_file=None, data=folder, model="extractive", embedder="none")  # type: ignore[call-arg]
    async with open_citewell(settings) as citewell:
        await citewell.index([documents])


@asynccontextmanager
async def running(folder: Path, *platforms: Platform, **settings: str) -> AsyncIterator[Process]:
    """The process, once it is on every one of `platforms`; killed with SIGKILL at the end, if it is still there."""
    environment = {
        "PATH": os.environ["PATH"],
        "CITEWELL_DATA": str(folder),
        "CITEWELL_EMBEDDER": "none",
        "CITEWELL_MODEL": "extractive",
        **settings,
    }
    for platform in platforms:
        environment |= platform.environment
    command = (sys.executable, "-m", "bot", "run")
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=PIPE, stderr=PIPE)
    try:
        async with asyncio.timeout(60):
            for platform in platforms:
                await platform.arrived()
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
        for platform in platforms:
            await platform.gone()


async def stopped(process: Process) -> str:
    """Stop it as a supervisor does; what it said, after a clean end."""
    process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(10):
        told, errors = (output.decode() for output in await process.communicate())
    assert process.returncode == 0, errors
    assert "Traceback" not in told + errors
    return told + errors


async def answered(platform: Driver, said: Said, word: str) -> str:
    """Wait for a reply with `word` in it that is no longer being written; all that it says."""

    def told() -> str:
        return "\n".join(shown.text for shown in platform.replies(said))

    await until(lambda: word in told() and not any(line in told() for line in wording.PROGRESS.values()), seconds=30)
    return told()
