"""Processes that do not outlive the test that started them."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager


@asynccontextmanager
async def child(
    *command: str, env: Mapping[str, str] | None = None, stdout: int | None = None, stderr: int | None = None
) -> AsyncIterator[Process]:
    """A process, killed at the end if it is still there."""
    process = await asyncio.create_subprocess_exec(*command, env=env, stdout=stdout, stderr=stderr)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
