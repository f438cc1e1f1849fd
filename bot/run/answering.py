"""What a worker asks for answers."""

from __future__ import annotations

from typing import Protocol

from pipeline.ports import AnswerStream
from pipeline.values import Request


class Answering(Protocol):
    """`pipeline.respond.Responder`, and whatever watches one."""

    def respond(self, request: Request) -> AnswerStream: ...
