"""Intake of events, retried until they are in the inbox: Discord sends none a second time."""

from __future__ import annotations

import asyncio

import structlog

from adapters.chat.intake import ChatEvent, ChatEventHandler, MessageLoader
from pipeline.errors import Unavailable

MAX_RETRY_SECONDS = 5.0

log = structlog.get_logger(__name__)


class DiscordIntake:
    def __init__(self, handler: ChatEventHandler) -> None:
        self._handler = handler
        self.unsaved = 0
        """Events that came and are not in the inbox yet."""

    async def accept(self, event: ChatEvent, load: MessageLoader | None = None) -> None:
        """Handle an event. Retries while the inbox is unavailable, and returns once it is durable."""
        pause = 0.1
        self.unsaved += 1
        try:
            while True:
                try:
                    return await self._handler.handle(event, load)
                except Unavailable as error:
                    log.warning("inbox_unavailable", reason=str(error))
                await asyncio.sleep(pause)
                pause = min(pause * 2, MAX_RETRY_SECONDS)
        finally:
            self.unsaved -= 1
