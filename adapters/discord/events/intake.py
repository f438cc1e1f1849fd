"""What Discord tells is heard until it is in the inbox: Discord tells nothing a second time."""

from __future__ import annotations

import asyncio

import structlog

from adapters.chat.hear import Happened, Hearing, Look
from pipeline.errors import Unavailable

LONGEST_PAUSE = 5.0

log = structlog.get_logger(__name__)


class DiscordIntake:
    def __init__(self, hearing: Hearing) -> None:
        self._hearing = hearing
        self.unsaved = 0
        """Events that came and are not in the inbox yet."""

    async def hear(self, happened: Happened, look: Look | None = None) -> None:
        """Tries again while the inbox is unavailable; does not return before it is durable."""
        pause = 0.1
        self.unsaved += 1
        try:
            while True:
                try:
                    return await self._hearing.hear(happened, look)
                except Unavailable as error:
                    log.warning("inbox_unavailable", reason=str(error))
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
        finally:
            self.unsaved -= 1
