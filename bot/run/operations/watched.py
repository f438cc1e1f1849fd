"""Answers on their way to a platform, seen by whoever counts or traces them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import structlog

from bot.log import failures_logged
from bot.run.answering import Answering
from pipeline.ports import AnswerStream
from pipeline.values import Answer, Request

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

    def respond(self, request: Request) -> AnswerStream:
        """The same answer."""
        platform = request.conversation.platform if request.conversation else ""

        async def shown(answer: Answer) -> Answer:
            for observer in self._observers:
                with failures_logged(log, "answer_not_observed", observer=type(observer).__name__):
                    observer.observe(platform, answer)
            return answer

        return self._answering.respond(request).then(shown)
