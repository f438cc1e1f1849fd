"""What a process owes the others that answer from the same database, and what only one of them does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import structlog

from bot.worker import Worker
from pipeline.errors import CitewellError
from storage.database import Database, Standing
from storage.inbox import SQLInbox

LOOK_SECONDS = 1.0
"""How soon it is noticed that this process was cut off, that another ended, and that nobody does what one has to."""

log = structlog.get_logger(__name__)


class Peers:
    """`duties` is what the first of them does, until it is cancelled."""

    def __init__(
        self, database: Database, inbox: SQLInbox, worker: Worker, duties: Callable[[], Coroutine[Any, Any, object]]
    ) -> None:
        self._database = database
        self._inbox = inbox
        self._worker = worker
        self._duties = duties
        self._doing: asyncio.Task[object] | None = None

    async def run(self) -> None:
        """Look after it until cancelled. Raises what the duties raise."""
        holder: int | None = None
        try:
            while True:
                standing = await self._standing()
                if standing is None or holder not in (None, standing.holder):
                    await self._worker.abandon()
                holder = standing.holder if standing else None
                await (self._do() if standing and standing.first else self._leave())
                await self._take_over()
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            await self._leave()

    async def _standing(self) -> Standing | None:
        """None where this process may have been cut off: what it had begun may be others' by now."""
        try:
            return await self._database.stand()
        except CitewellError as error:
            log.warning("cut_off", reason=str(error))
            return None

    async def _do(self) -> None:
        if self._doing is None:
            self._doing = asyncio.create_task(self._duties(), name="duties")
        elif self._doing.done():
            self._doing.result()

    async def _leave(self) -> None:
        if self._doing:
            self._doing.cancel()
            await asyncio.wait({self._doing})
            self._doing = None

    async def _take_over(self) -> None:
        try:
            if taken := await self._inbox.take_over():
                log.warning("taken_over", messages=taken)
        except CitewellError as error:
            log.warning("inbox_unavailable", reason=str(error))
