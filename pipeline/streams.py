"""Streams that end when whoever reads them stops reading."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

Piece = TypeVar("Piece")


@asynccontextmanager
async def closing(stream: AsyncIterator[Piece]) -> AsyncIterator[AsyncIterator[Piece]]:
    """Close `stream` at the end of the block, now and in this task, if it is a generator.

    `async for` alone leaves a generator that it does not exhaust to the garbage collector."""
    try:
        yield stream
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
