"""Writes down what the product asks of the doubles of Slack and Discord; `tests.doubles.recorded` begins and ends it.

Where nothing is recorded, the doubles have nothing between them and their callers."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Middleware
from aiohttp.web_request import FileField

Json = dict[str, Any]
UNSEEN = ("/socket", "/gateway", "/gateway/", "/api/v10/gateway", "/api/v10/gateway/bot", "/api/apps.connections.open")
"""How a connection is opened, again after each time it is lost."""


@dataclass
class Call:
    platform: str
    asked: str
    payload: Json
    place: str = ""
    """A channel; an interaction, which is answered by its token, or by the name of its URL."""
    thread: str = ""
    """The message there that it is about, or that stands above it."""
    refused: str | int = ""


@dataclass
class Recording:
    calls: list[Call] = field(default_factory=list)
    above: dict[str, str] = field(default_factory=dict)
    """The thread of each message that was posted."""

    def add(self, platform: str, asked: str, payload: Json) -> Call:
        place = next((str(payload[key]) for key in ("channel", "channel_id", "token", "name") if payload.get(key)), "")
        reference = payload.get("message_reference") or {}
        about = {"message": reference.get("message_id"), **payload}
        keys = ("thread_ts", "ts", "timestamp", "message_ts", "message")
        thread = next((str(about[key]) for key in keys if about.get(key)), "")
        call = Call(platform, asked, payload, place, self.above.get(thread, thread))
        self.calls.append(call)
        return call

    def answered(self, call: Call, answer: web.StreamResponse) -> None:
        known = _read(answer.body) if isinstance(answer, web.Response) and isinstance(answer.body, bytes) else None
        told = known if isinstance(known, dict) else {}
        call.refused = told.get("error", "") if answer.status == 200 else answer.status * (answer.status >= 400)
        if message := told.get("ts") or told.get("id"):
            self.above.setdefault(str(message), call.thread or str(message))


current: Recording | None = None


def watching(platform: str) -> list[Middleware]:
    """What stands before the routes of a double while a test is recorded."""
    if current is None:
        return []
    recording = current

    @web.middleware
    async def watch(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if request.path in UNSEEN:
            return await handler(request)
        call = recording.add(platform, *await _asked(request))
        answer = await handler(request)
        recording.answered(call, answer)
        return answer

    return [watch]


def acknowledged(platform: str, event: Json, answer: Json) -> None:
    """What the product says with its acknowledgement."""
    if current and answer:
        current.add(platform, "acknowledged", {"channel": event.get("channel_id", ""), "answer": answer})


async def _asked(request: web.Request) -> tuple[str, Json]:
    """The route, and everything that stands in its gaps, behind it and in the body."""
    method, gaps = request.match_info.get("method", ""), dict(request.match_info)
    resource = request.match_info.route.resource
    route = f"{request.method} {(resource.canonical if resource else request.path).removeprefix('/api/v10')}"
    if request.content_type in ("multipart/form-data", "application/x-www-form-urlencoded"):
        fields = {key: _field(value) for key, value in (await request.post()).items()}
        body = {**fields, **fields.pop("payload_json", {})}
    else:
        body = _read(await request.read())
    named = body if isinstance(body, dict) else {"body": body}
    payload = {**{key: _read(value) for key, value in request.query.items()}, **gaps, **named}
    if method:  # of Slack, where a token is always the app's own
        payload = {key: value for key, value in payload.items() if key not in ("method", "token")}
    return method or route, payload


def _field(value: str | bytes | bytearray | FileField) -> Any:
    if not isinstance(value, FileField):
        return _read(value)
    content = value.file.read()
    value.file.seek(0)
    return [value.filename, _read(content)]


def _read(value: str | bytes | bytearray) -> Any:
    """JSON, also where it stands in a field of a form; else the text."""
    text = value if isinstance(value, str) else value.decode(errors="replace")
    try:
        return json.loads(text) if text[:1] in ("{", "[") else text
    except ValueError:
        return text
