"""What Discord tells is heard until it is in the inbox: Discord tells nothing a second time."""

from __future__ import annotations

import asyncio

import structlog

from adapters.chat.intake import ChatEvent, ChatEventHandler, MessageLoader
from pipeline.errors import Unavailable

MAX_RETRY_SECONDS = 5.0

log = structlog.get_logger(__name__)


class DiscordIntake:
    def __init__(self, hearing: ChatEventHandler) -> None:
        self._hearing = hearing
        self.unsaved = 0
        """Events that came and are not in the inbox yet."""

    async def accept(self, happened: ChatEvent, look: MessageLoader | None = None) -> None:
        """Tries again while the inbox is unavailable; does not return before it is durable."""
        pause = 0.1
        self.unsaved += 1
        try:
            while True:
                try:
                    return await self._hearing.handle(happened, look)
                except Unavailable as error:
                    log.warning("inbox_unavailable", reason=str(error))
                await asyncio.sleep(pause)
                pause = min(pause * 2, MAX_RETRY_SECONDS)
        finally:
            self.unsaved -= 1
