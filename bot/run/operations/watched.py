"""Answers on their way to a platform, seen by whoever counts or traces them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Protocol

import structlog

from bot.log import failures_logged
from bot.run.answering import Answering
from pipeline.values import Answer, Event, Request

log = structlog.get_logger(__name__)


class Observer(Protocol):
    def observe(self, platform: str, answer: Answer) -> None:
        """Take note of an answer to a question on `platform` that has just been made. Quick: the asker waits."""
        ...


class Watched:
    """Answers as `answering` does, and shows each answer to the observers; one that fails takes nothing from it."""

    def __init__(self, answering: Answering, observers: Sequence[Observer]) -> None:
        self._answering = answering
        self._observers = observers

    async def respond(self, request: Request) -> AsyncGenerator[Event, None]:
        """The same events."""
        platform = request.conversation.platform if request.conversation else ""
        async with aclosing(self._answering.respond(request)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    self._show(platform, event)
                yield event

    def _show(self, platform: str, answer: Answer) -> None:
        for observer in self._observers:
            with failures_logged(log, "answer_not_observed", observer=type(observer).__name__):
                observer.observe(platform, answer)
