"""What a provider can do wrong, as values: a fault script is a list of them, one a request."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Text:
    """Answer `text`, well formed, in pieces of `size` characters, `pause` seconds apart; the second half once `held` is
    set."""

    text: str
    size: int = 7
    pause: float = 0.0
    first_pause: float = 0.0
    held: asyncio.Event | None = None


@dataclass(frozen=True)
class Status:
    """An HTTP error with a JSON body as the vendors write it."""

    code: int
    message: str = "the request could not be processed"
    kind: str = "server_error"
    param: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """A proxy's HTML page with this status in place of an API reply."""

    code: int = 200


@dataclass(frozen=True)
class Raw:
    """These bytes, with this content type, compression and status."""

    body: bytes
    content_type: str = "text/event-stream"
    encoding: str = "identity"
    code: int = 200


@dataclass(frozen=True)
class Reset:
    """Drop the connection without a reply."""


@dataclass(frozen=True)
class Hang:
    """Take the request and never answer."""


@dataclass(frozen=True)
class Cut:
    """Send `text` and end the stream cleanly in its middle: no finish reason, no end mark."""

    text: str
    reset: bool = False
    """Drop the connection instead of ending it."""
    closed: bool = False
    """Close the connection before the end of the body."""


@dataclass(frozen=True)
class Stall:
    """Send `text` and then nothing more, the connection open."""

    text: str


@dataclass(frozen=True)
class Ending:
    """Send `text` and finish for this reason, in OpenAI's words: `length`, `content_filter`, `refusal`."""

    text: str
    reason: str
    hang: bool = False
    """Keep the connection open behind the finish reason, without token counts or an end mark."""


@dataclass(frozen=True)
class Hollow:
    """A well-formed reply with nothing in it: `choices`, `content`, `usage` or `events`."""

    without: str


@dataclass(frozen=True)
class Broken:
    """Send `text`, then an error event inside the stream."""

    text: str = ""


@dataclass(frozen=True)
class Call:
    """Of a tool. Without an `id` the server forgets it."""

    name: str
    arguments: str = "{}"
    id: str = "call_1"


@dataclass(frozen=True)
class Asking:
    """Send `text` and ask for `calls`, their arguments in pieces; then `after`, and finish for this reason, in OpenAI's
    words."""

    calls: tuple[Call, ...]
    text: str = ""
    after: str = ""
    reason: str = "tool_calls"
    cut: bool = False
    """End the stream cleanly in the middle of the last call's arguments."""


Act = Text | Status | Page | Raw | Reset | Hang | Cut | Stall | Ending | Hollow | Broken | Asking
