"""Readers of a response: its body, decompressed as it comes and only up to a limit, and its Retry-After header."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import TYPE_CHECKING

from pipeline.errors import Refused

if TYPE_CHECKING:
    import httpx2

ENCODINGS = "gzip, deflate"
"""Value of the Accept-Encoding header."""
_PIECE_BYTES = 65_536
_KNOWN_ENCODINGS = ("", "identity", "gzip", "x-gzip", "deflate")


async def iter_capped(response: httpx2.Response, max_bytes: int) -> AsyncGenerator[bytes, None]:
    """Yield pieces of at most 64 KiB; other tasks run between them. Raise Refused above `max_bytes`, counted as
    received or as decompressed, and for an encoding that was not asked for or more than one."""
    if response.headers.get("content-encoding", "").strip().lower() not in _KNOWN_ENCODINGS:
        raise Refused(f"{response.url.host} sent a compression that was not asked for")
    if response.headers.get("content-encoding") == "x-gzip":
        response.headers["content-encoding"] = "gzip"
    size = 0
    async with aclosing(response.aiter_bytes()) as pieces:
        async for piece in pieces:
            size += len(piece)
            if max(size, response.num_bytes_downloaded) > max_bytes:
                raise Refused(f"{response.url.host} sent more than {max_bytes // 1_000_000} MB")
            for start in range(0, len(piece), _PIECE_BYTES):
                yield piece[start : start + _PIECE_BYTES]
                await asyncio.sleep(0)


def parse_retry_after(header: str | None) -> float | None:
    """Return the seconds of a Retry-After header, given as seconds or as a date (RFC 9110, 10.2.3); None when there is
    none."""
    if not header:
        return None
    try:
        seconds = float(header)
        return max(seconds, 0.0) if isfinite(seconds) else None
    except ValueError:
        pass
    try:
        return max((parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds(), 0.0)
    except (TypeError, ValueError):
        return None
