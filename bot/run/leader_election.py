"""Leader election: duties towards processes on the same database, and work that only one of them does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import structlog

from bot.run.worker import Worker
from pipeline.errors import CitewellError
from storage.database import Database, Leadership
from storage.messages.inbox import SQLInbox

ELECTION_POLL_SECONDS = 1.0
"""Seconds until this process sees that it was cut off, that another ended, or that there is no leader."""
SETTLED_SECONDS = 10.0
"""Seconds that a process is connected before it takes over from others.

A server that was restarted, or replaced another, knows nobody at first, and a process that is cut off from it may not
know yet.
"""

log = structlog.get_logger(__name__)


class LeaderElection:
    def __init__(self, database: Database, inbox: SQLInbox) -> None:
        self._database = database
        self._inbox = inbox
        self._first, self._not_first = asyncio.Event(), asyncio.Event()
        self._has_checked = False

    @property
    def is_leader(self) -> bool:
        """True while this process is the leader."""
        return self._first.is_set()

    async def run(self, worker: Worker) -> None:
        """Run until cancelled: end the work of `worker` when this process was cut off, take over from dead processes,
        and pass on requests to stop."""
        clock = asyncio.get_running_loop().time
        holder, since = None, clock()
        while True:
            leadership = await self._check_leadership()
            if leadership is None or holder not in (None, leadership.lease_holder):
                self._set_leader(first=False)
                since = clock()
                await worker.abandon()
            holder = leadership.lease_holder if leadership else None
            self._set_leader(first=bool(leadership and leadership.is_leader))
            if self._database.is_shared:
                await self._stop_requested(worker)
                if clock() - since >= SETTLED_SECONDS:
                    await self._take_over()
            await asyncio.sleep(ELECTION_POLL_SECONDS)

    async def run_as_leader(self, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Run `work` whenever this process leads, until it ends by itself. Raises what it raises."""
        while True:
            await self._first.wait()
            doing, losing = asyncio.create_task(work()), asyncio.create_task(self._not_first.wait())
            try:
                await asyncio.wait({doing, losing}, return_when=asyncio.FIRST_COMPLETED)
                if doing.done():
                    doing.result()
                    return
            finally:
                for task in (doing, losing):
                    task.cancel()
                await asyncio.gather(doing, losing, return_exceptions=True)

    def _set_leader(self, *, first: bool) -> None:
        if self._has_checked and first != self.is_leader:
            log.info("became_leader" if first else "lost_leadership")
        for event, true in ((self._first, first), (self._not_first, not first)):
            event.set() if true else event.clear()
        self._has_checked = True

    async def _check_leadership(self) -> Leadership | None:
        """Return this process's role; None when it may have been cut off: its work may then be others'."""
        try:
            return await self._database.check_leadership()
        except CitewellError as error:
            log.warning("database_cut_off", reason=str(error))
            return None

    async def _take_over(self) -> None:
        try:
            if reclaimed := await self._inbox.reclaim_dead():
                log.warning("messages_taken_over", messages=reclaimed)
        except CitewellError as error:
            log.warning("inbox_unavailable", reason=str(error))

    async def _stop_requested(self, worker: Worker) -> None:
        """Stop answers that users asked other processes to stop."""
        try:
            for conversation in await self._inbox.stop_requests():
                await worker.stop(conversation)
        except CitewellError as error:
            log.warning("answer_not_stopped", reason=str(error))
