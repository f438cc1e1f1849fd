"""Opens health, metrics and traces as the settings name them, around a worker that answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

import structlog

from bot.citewell import Citewell
from bot.log import log_failures
from bot.run.delivery import Answerer
from bot.run.operations.health import HealthMonitor
from bot.run.worker import Worker
from pipeline.errors import Misconfigured
from pipeline.ports import AnswerStream, HttpServers, PlatformAdapter
from pipeline.values import Answer, AnswerRequest
from storage.messages.levels import read_levels
from storage.settings import JobRuns

if TYPE_CHECKING:
    from bot.run.operations.metrics import Metrics


# --- Answers on their way to a platform, seen by whoever counts or traces them --------------------

log = structlog.get_logger(__name__)


class AnswerObserver(Protocol):
    def observe(self, platform: str, answer: Answer) -> None:
        """Observe an answer just made to a question on `platform`. Must be quick: the asker waits."""
        ...


class ObservedAnswerer:
    """Answers like `answerer`, and passes each answer to the observers; one that fails does not change it."""

    def __init__(self, answerer: Answerer, observers: Sequence[AnswerObserver]) -> None:
        self._answerer = answerer
        self._observers = observers

    def respond(self, request: AnswerRequest) -> AnswerStream:
        """Return the same answer, observed."""
        platform = request.conversation.platform if request.conversation else ""

        async def shown(answer: Answer) -> Answer:
            for observer in self._observers:
                with log_failures(log, "answer_not_observed", observer=type(observer).__name__):
                    observer.observe(platform, answer)
            return answer

        return self._answerer.respond(request).map_answer(shown)


# --- What the settings ask for --------------------------------------------------------------------

STUCK_SECONDS = 60.0
"""Seconds added to the deadline of an answer: signs and posts around it take less."""


class Operations:
    """Health, metrics and traces.

    `answering` is the answerer for the worker; nothing is served or imported unless set.
    """

    def __init__(self, citewell: Citewell, answering: Answerer, metrics: Metrics | None) -> None:
        self._citewell = citewell
        self._metrics = metrics
        self.answering = answering

    @asynccontextmanager
    async def serve(
        self,
        http_servers: HttpServers,
        worker: Worker | None,
        adapters: Mapping[str, PlatformAdapter],
        jobs: Collection[str],
        *,
        connected_elsewhere: Callable[[str], bool],
    ) -> AsyncIterator[None]:
        """Serve health and metrics while the block is open, if the settings name an address.

        `connected_elsewhere` tells whether another process has the connection to a platform. Raises Misconfigured when
        the address cannot be used.
        """
        settings, metrics = self._citewell.settings, self._metrics
        if settings.operations is None or metrics is None:
            yield
            return
        from bot.run.operations.health import OPERATIONS_SETTING, routes

        storage = self._citewell.storage
        stuck = settings.total_seconds + STUCK_SECONDS
        health = HealthMonitor(
            worker, adapters, storage.library, stuck_seconds=stuck, connected_elsewhere=connected_elsewhere
        )

        async def alive() -> list[str]:
            return health.liveness_problems()

        async def page() -> bytes:
            metrics.update_gauges(
                await read_levels(storage.database),
                await storage.feedback.counts(),
                await _last_successes(JobRuns(storage.database), jobs),
                await health.platform_connections(),
                now=time.time(),
                healthy=not health.liveness_problems(),
            )
            return metrics.render()

        watching = asyncio.create_task(health.watch(), name="health")
        try:
            probes = routes(alive, health.readiness_problems, page, hosts=settings.operations_hosts)
            async with http_servers.serve(settings.operations, probes, setting=OPERATIONS_SETTING):
                yield
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)


@asynccontextmanager
async def open_operations(citewell: Citewell, platforms: Collection[str]) -> AsyncIterator[Operations]:
    """Count and trace answers on `platforms`, as the settings ask.

    Raises Misconfigured when traces are wanted and their packages are missing.
    """
    settings = citewell.settings
    observers: list[AnswerObserver] = []
    metrics = None
    async with AsyncExitStack() as stack:
        if settings.operations:
            from bot.run.operations.metrics import Metrics

            writers = [citewell.model.name] if citewell.model else []
            metrics = Metrics(platforms, writers, price_input=settings.price_input, price_output=settings.price_output)
            observers.append(metrics)
        if settings.traces:
            try:
                from bot.run.operations.traces import open_trace_exporter
            except ImportError as error:
                raise Misconfigured(
                    "CITEWELL_TRACES",
                    f"needs a package that is not installed ({error.name})",
                    what_to_do="Install it: pip install 'citewell[traces]'",
                ) from error
            observers.append(await stack.enter_async_context(open_trace_exporter(settings.traces)))
        answering = ObservedAnswerer(citewell.responder, observers) if observers else citewell.responder
        yield Operations(citewell, answering, metrics)


async def _last_successes(runs: JobRuns, jobs: Collection[str]) -> dict[str, datetime]:
    last = {name: await runs.last(name) for name in jobs}
    return {name: run.succeeded for name, run in last.items() if run and run.succeeded}
