"""What PostgreSQL's planner keeps of rows: a sample of each column, texts included, until it draws another."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

import structlog

from pipeline.errors import Unavailable
from storage.schema.tables import TABLES

DRAW = f"ANALYZE {', '.join((*(one.name for one in TABLES if one.name != 'unit_vectors'), 'words', 'term'))}"
"""Of tables with columns of text."""
REST = 9
"""How many times as long as it took is rested before they are drawn again: of a large database it takes seconds."""
AWAY = 5.0
"""Seconds until a server that does not answer is asked again."""

log = structlog.get_logger(__name__)


class Samples:
    """Drawn anew after rows were erased, beside everything else."""

    def __init__(self, draw: Callable[[], Awaitable[None]]) -> None:
        """`draw` raises Unavailable."""
        self._draw = draw
        self._due = False
        self._drawing: asyncio.Task[None] | None = None

    def renew(self) -> None:
        """Rows were erased: soon no sample has anything of them."""
        self._due = True
        if self._drawing is None or self._drawing.done():
            self._drawing = asyncio.create_task(self._keep_up(), name="samples")

    async def close(self) -> None:
        """Once what was erased is in no sample, or the server does not answer."""
        if self._drawing:
            self._drawing.cancel()
            await asyncio.gather(self._drawing, return_exceptions=True)
        if self._due:
            with suppress(Unavailable):
                await self._draw()

    async def _keep_up(self) -> None:
        while self._due:
            began, self._due = time.monotonic(), False
            try:
                await self._draw()
            except asyncio.CancelledError:
                self._due = True
                raise
            except Unavailable as error:
                self._due = True
                log.warning("samples_not_drawn", reason=str(error))
                await asyncio.sleep(AWAY)
            await asyncio.sleep(REST * (time.monotonic() - began))
