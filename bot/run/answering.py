"""What a worker asks for answers."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from pipeline.values import Event, Request


class Answering(Protocol):
    """`pipeline.respond.Responder`, and whatever watches one."""

    def respond(self, request: Request) -> AsyncGenerator[Event, None]:
        """The events of one answer; the last is the `Answer`."""
        ...
