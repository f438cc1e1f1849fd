"""Server-sent events of both vendors, read below the SDKs' own decoding: it takes most of the time of a stream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

from adapters.models.translate import vendor_code
from pipeline.errors import Unavailable, Unusable

_LONGEST = 2**20
"""Bytes of one event."""
_REST_SECONDS = 0.05


async def read_events(service: str, response: Any) -> AsyncGenerator[Any, None]:
    """The JSON of each event until the end mark. Raises Unavailable for an error that the stream reports, Unusable
    for an event without end."""
    lines = _lines(service, response)
    async for line in lines:
        if not line.startswith(b"data:"):
            continue
        data = line.removeprefix(b"data:").strip()
        if data == b"[DONE]":
            await read_rest(lines)
            return
        event = json.loads(data)
        if isinstance(event, dict) and event.get("error"):
            raise Unavailable(service, f"reported an error while answering ({vendor_code(event['error'])})")
        yield event


async def _lines(service: str, response: Any) -> AsyncGenerator[bytes, None]:
    """Lines end with LF or CR LF only: text may hold every other line separator that Unicode knows."""
    rest = b""
    async for piece in response.iter_bytes():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line
        if len(rest) > _LONGEST:
            raise Unusable(f"{service}: an event without end")
    yield rest


async def read_rest(pieces: AsyncIterator[Any]) -> None:
    """Read what comes at once after the end: a connection is used again only after a whole reply. Never raises."""
    try:
        async with asyncio.timeout(_REST_SECONDS):
            async for _ in pieces:
                pass
    except Exception:  # noqa: BLE001, S110 - the reply is complete without it
        pass


def content_type(response: Any) -> str:
    """What came instead of a stream, for the log."""
    return str(response.headers.get("content-type", "none"))[:40]
