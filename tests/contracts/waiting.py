"""Waiting for what another task will bring about."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


async def until(true: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until `true()` is; TimeoutError after `seconds`."""
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110 - what is looked at belongs to code that does not know of us
            await asyncio.sleep(0.005)


async def eventually(true: Callable[[], Awaitable[bool]], seconds: float = 60.0) -> None:
    """The same for a question that must be awaited."""
    async with asyncio.timeout(seconds):
        while not await true():  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.005)
