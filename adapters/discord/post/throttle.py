"""Showing an answer while it is written: throttled, and only ever the newest state."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Self

from adapters.discord.parts.render import Page

EDIT_SECONDS = 1.2
"""Between two edits. Discord publishes no number; five in five seconds is the folklore."""
FIRST_SECONDS = 0.8
"""An answer that is ready sooner is posted at once, without a placeholder."""


class Throttle:
    """Calls `show` with the newest page, at most once in `every` seconds, and never twice at the same time.

    What goes wrong in `show` ends the painting and is raised when the painter is left: the final page must not
    be shown by somebody who does not know.
    """

    def __init__(
        self, show: Callable[[Page], Awaitable[None]], *, first: float = FIRST_SECONDS, every: float = EDIT_SECONDS
    ) -> None:
        self._show = show
        self._first = first
        self._every = every
        self._page: Page | None = None
        self._news = asyncio.Event()
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._paint())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Wait for an edit under way: one that arrived later would undo the final page."""
        self._stop.set()
        self._news.set()
        if self._task:
            await self._task

    def newest(self, page: Page) -> None:
        if page != self._page:
            self._page = page
            self._news.set()

    async def _paint(self) -> None:
        pause = self._first
        while not await self._stopped(pause):
            await self._news.wait()
            self._news.clear()
            if self._stop.is_set():
                return
            if self._page:
                await self._show(self._page)
            pause = self._every

    async def _stopped(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._stop.wait()
        except TimeoutError:
            return False
        return True
