"""Parsers for replies of model servers: events of a stream and JSON, read below the SDKs' own decoding, which takes
most of the time of a stream and minutes for 8 MB of `{}`; and JSON as models write it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from adapters.models.sdk_errors import stream_error
from pipeline.errors import CitewellError, Unavailable, UnusableResponse
from pipeline.ports import T

_MAX_EVENT_BYTES = 2**20
"""Bytes of one event."""
_REST_SECONDS = 0.05
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


async def read_event_stream(service: str, response: Any) -> AsyncGenerator[Any, None]:
    """Yield the JSON of each event until the end mark. Raise Unavailable or PromptTooLong for an error that the stream
    reports, UnusableResponse for an event without end."""
    lines = _lines(service, response)
    async for line in lines:
        kind, _, data = line.partition(b":")
        if kind not in (b"data", b"error"):  # earlier versions of llama.cpp report an error as `error:`
            continue
        if data.strip() == b"[DONE]":
            await drain_response(lines)
            return
        event = json.loads(data)
        if kind == b"error" or (isinstance(event, dict) and event.get("error")):
            raise stream_error(service, event)
        yield event


async def _lines(service: str, response: Any) -> AsyncGenerator[bytes, None]:
    """Yield lines that end with LF or CR LF only: text may hold every other line separator that Unicode knows."""
    rest = b""
    async for piece in response.iter_bytes():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line
        if len(rest) > _MAX_EVENT_BYTES:
            raise UnusableResponse(f"{service}: an event without end")
    yield rest


async def drain_response(pieces: AsyncIterator[Any]) -> None:
    """Read the rest that comes at once after the end: a connection is reused only after a whole reply. Errors in the
    rest are ignored: the reply is complete without it."""
    import httpx2

    with suppress(OSError, RuntimeError, ValueError, CitewellError, httpx2.HTTPError):
        async with asyncio.timeout(_REST_SECONDS):
            async for _ in pieces:
                pass


def response_content_type(response: Any) -> str:
    """Return the content type for the log where no stream came."""
    return str(response.headers.get("content-type", "none"))[:40]


def json_body(service: str, response: Any) -> Any:
    """Return the JSON that an SDK's raw `response` holds. Raise Unavailable when it holds something else."""
    try:
        return json.loads(response.http_response.content)
    except (ValueError, RecursionError) as error:
        raise Unavailable(service, "answered with a page instead of an API reply") from error


def parse_structured(service: str, content: str, into: type[T]) -> T:
    """Return the JSON object in `content` as `into`, whether in a fence, among words or by itself. Raises
    UnusableResponse; the error holds nothing of the content."""
    match = _OBJECT.search(content)
    if match is None:
        raise UnusableResponse(f"{service}: no JSON object in the reply")
    try:
        return into.model_validate_json(match.group())
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        location = ".".join(map(str, first["loc"])) or "the object"
        raise UnusableResponse(
            f"{service}: the reply does not fit {into.__name__} at {location} ({first['type']})"
        ) from None
