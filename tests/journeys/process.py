"""`citewell run` and `citewell ask` as people start them, over the doubles of the platforms and on a terminal."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from pydantic import SecretStr

from bot.wiring import open_citewell
from pipeline.words import wording
from tests.contracts.driver import Driver, Said
from tests.contracts.waiting import until
from tests.doubles.llm.server import LlmServer
from tests.doubles.settings import extractive
from tests.doubles.terminal import screen


class Platform(Driver, Protocol):
    """A driver whose bot is a process of its own."""

    @property
    def environment(self) -> dict[str, str]: ...

    async def arrived(self) -> None: ...

    async def gone(self) -> None: ...


async def indexed(folder: Path, documents: Path, database: str = "") -> None:
    """Make the data folder and index `documents` in it, or in `database`."""
    named = SecretStr(database) if database else None
    settings = extractive(folder, database=named)
    async with open_citewell(settings) as citewell:
        await citewell.index([documents])


def _environment(folder: Path, settings: Mapping[str, str]) -> dict[str, str]:
    data = {"CITEWELL_DATA": str(folder), "CITEWELL_MODEL": "extractive"}
    return {"PATH": os.environ["PATH"], **data, **settings}


@asynccontextmanager
async def running(folder: Path, *platforms: Platform, only: str = "", **settings: str) -> AsyncIterator[Process]:
    """The process, once it is on every one of `platforms`; killed with SIGKILL at the end, if it is still there.
    `only`: its role among several."""
    environment = _environment(folder, settings)
    for platform in platforms:
        environment |= platform.environment
    command = (sys.executable, "-m", "bot", "run", *(["--only", only] if only else []))
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


async def asked(folder: Path, question: str, **settings: str) -> list[str]:
    """`citewell ask --why` on a terminal of its own: what stood there, one state after another, to the end."""
    mine, its = os.openpty()
    environment = {**_environment(folder, settings), "TERM": "xterm-256color", "COLUMNS": "160", "LINES": "50"}
    command = (sys.executable, "-m", "bot", "ask", question, "--why")
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=its, stderr=its)
    os.close(its)
    written, states = b"", [""]
    while part := await asyncio.to_thread(_read, mine):
        written += part
        now = screen(written.decode(errors="replace"), 50)
        if now != states[-1]:
            states.append(now)
    os.close(mine)
    await process.wait()
    return states


async def citewell(folder: Path, *words: str, **settings: str) -> str:
    """What a command says, in one line."""
    environment = _environment(folder, settings)
    command = (sys.executable, "-m", "bot", *words)
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=PIPE, stderr=STDOUT)
    told, _ = await process.communicate()
    return " ".join(told.decode().split())


def _read(terminal: int) -> bytes:
    """What was written meanwhile; nothing once the other side is closed, which Linux calls an error."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


async def stopped(process: Process) -> str:
    """Stop it as a supervisor does; what it said, after a clean end."""
    process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(60):
        told, errors = (output.decode() for output in await process.communicate())
    assert process.returncode == 0, errors
    assert "Traceback" not in told + errors
    return told + errors


def written_by(server: LlmServer, *, seconds: str) -> dict[str, str]:
    """Settings with which `server` is the model; `seconds`: how long it has for the first sentence."""
    return {
        "CITEWELL_MODEL": "openai:double",
        "CITEWELL_FIRST_SENTENCE_SECONDS": seconds,
        "OPENAI_API_KEY": "k",
        "OPENAI_BASE_URL": f"{server.url}/v1",
    }


def told(platform: Driver, said: Said) -> str:
    """All that the replies to what was said say by now."""
    return "\n".join(shown.text for shown in platform.replies(said))


async def answered(platform: Driver, said: Said, *words: str) -> str:
    """Wait for a reply with all `words` in it that is no longer being written; all that it says. What stands below it
    may come after it: to look at that, or to press its buttons, wait for a word of that as well."""

    def complete() -> bool:
        now = told(platform, said)
        return all(word in now for word in words) and not any(line in now for line in wording.PROGRESS.values())

    await until(complete, seconds=90)
    return told(platform, said)
