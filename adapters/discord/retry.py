"""How long Discord is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from adapters.discord.errors import TRANSIENT

T = TypeVar("T")

REQUEST_SECONDS = 32.0
"""The longest one request may take, discord.py's own waiting on 429 (30 s) and 5xx (25 s) included. A lost request
has taken effect within this time or never."""
PATIENCE_SECONDS = 30.0
"""How long a failing post is tried again here. Well within the two minutes in which a nonce is remembered."""


async def steadily(call: Callable[[], Awaitable[T]], *, before_retry: Callable[[], Awaitable[None]] | None = None) -> T:
    """`call`, tried again for half a minute while Discord cannot be reached: for edits and what a nonce guards."""
    clock = asyncio.get_running_loop().time
    until, pause = clock() + PATIENCE_SECONDS, 0.5
    while True:
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                return await call()
        except TRANSIENT:
            if clock() + pause > until:
                raise
        await asyncio.sleep(pause)
        pause *= 2
        if before_retry:
            await before_retry()
