"""`citewell run`: platforms, worker and scheduled jobs in one process, and a clean stop."""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import Callable, Collection, Coroutine, Mapping
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import Any

import structlog

from adapters.http.servers import UvicornServers
from bot import registry
from bot.citewell import Citewell
from bot.config.read import read_settings
from bot.config.settings import Settings
from bot.doctor.config_warnings import (
    find_unused_rules,
    platform_warnings,
    warn_stale_embeddings,
    warn_unreachable_server,
)
from bot.doctor.disk_space import diagnose_disk_space
from bot.documents.sync import sync_periodically
from bot.models import EXTRACTIVE, model_spec
from bot.platforms import make_adapters
from bot.run.channel_indexing import ChannelIndexer
from bot.run.leader_election import LeaderElection
from bot.run.live_search import LiveSearch
from bot.run.operations.open import open_operations
from bot.run.outbox_worker import OutboxWorker, queue_quota_notice
from bot.run.process_roles import exclusive_platforms, sharded_platforms
from bot.run.process_roles import process_role as role_of
from bot.run.schedule import Job, run_scheduler, scheduled_jobs
from bot.run.worker import INBOX_POLL_SECONDS, Worker
from bot.wiring import open_citewell
from pipeline.errors import CitewellError, Misconfigured, Unavailable
from pipeline.ports import BotServices, Inbox, PlatformAdapter
from pipeline.values import SearchPlan
from pipeline.values.posting import Announcement
from pipeline.words import wording
from storage.messages.inbox import SQLInbox
from storage.settings import JobRuns

# --- What the operator is told at the start -------------------------------------------------------

log = structlog.get_logger(__name__)


async def print_startup_summary(
    citewell: Citewell, platforms: Collection[str], say: Callable[[str], None], *, answers: bool
) -> None:
    """Print the number of documents, the platforms, the writer, and warnings."""
    settings = citewell.settings
    documents = await citewell.storage.library.count()
    indexed = wording.count_noun(documents, "document is", "documents are")
    connecting = (
        f"Connecting to {' and '.join(_titles(platforms))}." if platforms else "This process connects to no platform."
    )
    say(f"{indexed} indexed. {connecting}")
    if answers and not documents:
        say(
            "The sources of citewell.toml are indexed soon."
            if settings.sources
            else "To index a file or a folder, type in another terminal: citewell index PATH"
        )
    say(
        _describe_writer(settings) if answers else "This process takes questions in. Another citewell run answers them."
    )
    if settings.operations:
        say(f"Health and metrics: http://{settings.operations}/healthz, /readyz and /metrics.")
    for finding in diagnose_disk_space(settings.data):
        say(f"{finding.said}. {finding.fix}")
    if not answers:
        return
    for line in (
        *await find_unused_rules(citewell),
        *await warn_stale_embeddings(citewell),
        *await warn_unreachable_server(settings.chroma_url),
        *platform_warnings(settings),
    ):
        say(line)
    await print_backlog(citewell.storage.inbox, say)


def _describe_writer(settings: Settings) -> str:
    spec = model_spec(settings)
    if spec == EXTRACTIVE:
        return "No language model is set: answers are made of the documents' own sentences."
    judge = {"auto": "by itself", "none": "by words alone"}.get(settings.judge, f"by {settings.judge}")
    return f"{spec} writes, and its sentences are checked {judge}."


async def print_backlog(inbox: SQLInbox, say: Callable[[str], None]) -> None:
    """Print the questions that waited before, and those given up and why."""
    waiting, given_up = (await inbox.count_by_state()).get("open", 0), await inbox.failure_counts()
    if waiting:
        say(f"{wording.count_noun(waiting, 'question')} from before will be answered now.")
    if given_up:
        log.warning("questions_given_up", reasons=given_up)
        say(
            f"{wording.count_noun(sum(given_up.values()), 'question')} could not be delivered: "
            f"{', '.join(f'{count} × {why}' for why, count in given_up.items())}. "
            "They are not tried again. Fix the cause; people have to ask again."
        )


def _titles(names: Collection[str]) -> list[str]:
    """Return the titles of platforms."""
    return [platform.title for platform in registry.platforms() if platform.name in names]


# --- The service ----------------------------------------------------------------------------------

DRAIN_SECONDS = 7.0
"""Seconds that work under way may take after a stop; supervisors kill after 10 s, and the rest may take two."""
EXTRACTIVE_CONCURRENCY = 12
"""Answers computed at the same time without a model.

They wait only for processor and disk: with more, all are late, and each costs a tenth more for typing indicators
(`bench.load`).
"""
SHARED_IDLE_SECONDS = 0.2
"""Seconds between two checks of the inbox when other processes may fill it, without notifying this one."""
FIRST_WAIT, LONGEST_WAIT = 5.0, 60.0
"""Seconds between two tries to reach a platform: twice as long after each, longer if the platform asks for it."""

COLLECTED_AFTER = 20_000
"""Objects made, less those gone, after which the garbage collector looks at the youngest.

With Python's 700 it looked once in two answers, mostly at what answers under way hold, and found garbage in one look of
six: 1.1 ms of an answer's 15 on the event loop, and pauses of 10 and 34 ms for the older ones.
"""
WARMUP_QUESTION = "What is there?"
"""A search by the bot itself."""

Component = Callable[[], Coroutine[Any, Any, object]]
AnnouncementFilter = Callable[[Announcement], bool]


async def run_service(settings: Settings, say: Callable[[str], None], only: str | None = None) -> int:
    """Answer until SIGTERM or SIGINT; returns the exit status.

    A platform that cannot log in is reported and the others continue; one that cannot be reached, or that breaks, is
    tried again. 1 means that the worker broke, or that no platform is left: a supervisor should start the process
    again. Raises Misconfigured when no platform is set up.
    """
    async with AsyncExitStack() as stack:
        citewell = await stack.enter_async_context(open_citewell(settings, exclusive=True))
        storage = citewell.storage
        http_servers = UvicornServers(trusted_proxies=settings.trusted_proxies)
        adapters = make_adapters(settings, citewell, http_servers, say)
        role = role_of(only, settings, adapters)
        operations = await stack.enter_async_context(open_operations(citewell, adapters))
        election = LeaderElection(storage.database, storage.inbox)

        single = exclusive_platforms(settings)

        def here(name: str) -> bool:
            return name not in single or election.is_leader

        worker = Worker(
            storage.inbox,
            operations.answering,
            adapters,
            citewell.request,
            citewell.services.choose_options,
            concurrency=settings.concurrency,
            at_a_time=settings.concurrency if citewell.model else EXTRACTIVE_CONCURRENCY,
            expire_late=settings.late == "expire",
            live=LiveSearch(citewell.indexer, citewell.responder, citewell.calibration),
            on_quota_spent=partial(queue_quota_notice, storage.outbox, settings.digest),
            visible_answer=citewell.services.visible_answer,
            can_reach=here,
            idle_seconds=SHARED_IDLE_SECONDS if settings.database else INBOX_POLL_SECONDS,
        )
        storage.inbox.on_accept(worker.notify)
        jobs = scheduled_jobs(settings, citewell)
        parts: dict[str, Component] = {
            name: partial(_listen, adapters[name], citewell, election if name in single else None, say)
            for name in role.platforms
        }
        if role.is_worker:
            if citewell.model and citewell.model.turns:
                citewell.model.turns.prepare()  # ahead of the first question
            apart = sharded_platforms(settings)
            duties = partial(_run_duties, citewell, adapters, jobs, lambda post: post.platform not in apart)
            parts["worker"] = worker.run
            parts["peers"] = partial(election.run, worker)
            parts["duties"] = partial(election.run_as_leader, duties)
            if here_alone := {name: adapters[name] for name in apart.intersection(adapters)}:
                parts["notices"] = partial(
                    _run_outbox,
                    citewell,
                    here_alone,
                    lambda post: post.platform in here_alone and here_alone[post.platform].can_serve(post.space),
                )
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        listened = {name: adapters[name] for name in role.platforms}
        answering = worker if role.is_worker else None
        async with operations.serve(
            http_servers, answering, listened, jobs, connected_elsewhere=lambda name: not here(name)
        ):
            await print_startup_summary(citewell, role.platforms, say, answers=role.is_worker)
            settling = asyncio.create_task(_warm_up(citewell, answers=role.is_worker), name="settle")
            status = await _run_until_stopped(parts, role.platforms, worker, stop, say)
            settling.cancel()
            closed = await asyncio.gather(*(adapter.close() for adapter in adapters.values()), return_exceptions=True)
            for name, error in zip(adapters, closed, strict=True):
                if isinstance(error, BaseException):
                    log.warning("shutdown_incomplete", part=name, exc_info=error)
            return status


async def _warm_up(citewell: Citewell, *, answers: bool) -> None:
    """Load what answers need before the first question, exempt it from garbage collection, and let that wait.

    Without that, one acknowledgement in a hundred of a flood waited 150 ms for the collector.
    """
    if answers:
        with suppress(CitewellError):
            await citewell.retriever.retrieve(SearchPlan(question=WARMUP_QUESTION), await citewell.all_collections())
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECTED_AFTER)


async def _run_duties(
    citewell: Citewell, adapters: Mapping[str, PlatformAdapter], jobs: Mapping[str, Job], accepts: AnnouncementFilter
) -> None:
    """Run the work that one process does for all."""
    storage = citewell.storage
    reader = ChannelIndexer(
        storage.channel_messages, storage.outbox, citewell.services.places, citewell.indexer, adapters
    )
    async with (
        run_scheduler(jobs, JobRuns(storage.database)),
        sync_periodically(citewell.sync, lambda: read_settings().sources, citewell.settings.sync_minutes),
        asyncio.TaskGroup() as group,
    ):
        group.create_task(reader.run())
        group.create_task(_run_outbox(citewell, adapters, accepts))


async def _run_outbox(citewell: Citewell, adapters: Mapping[str, PlatformAdapter], accepts: AnnouncementFilter) -> None:
    """Post the announcements that `accepts` allows."""
    storage = citewell.storage
    outbox_worker = OutboxWorker(storage.outbox, citewell.services, adapters, accepts)
    storage.outbox.on_post(outbox_worker.notify)
    await outbox_worker.run()


async def _run_until_stopped(
    parts: Mapping[str, Component],
    platforms: Collection[str],
    worker: Worker,
    stop: asyncio.Event,
    say: Callable[[str], None],
) -> int:
    """Run all parts until told to stop, or until one that is needed ends. Return the exit status."""
    running = {asyncio.create_task(part(), name=name) for name, part in parts.items()}
    listening = {task for task in running if task.get_name() in platforms}
    stopping = asyncio.create_task(stop.wait(), name="stop")
    status = 0
    while not stopping.done() and not status:
        done, _ = await asyncio.wait({*running, stopping}, return_when=asyncio.FIRST_COMPLETED)
        for task in done - {stopping}:
            status = max(status, _report_end(task, say), int(task not in listening))
            running.discard(task)
        if platforms and not listening & running:
            status = 1
    for task in (*running, stopping):
        task.cancel()
    await asyncio.gather(worker.drain(DRAIN_SECONDS), *running, stopping, return_exceptions=True)
    return status


async def _listen(
    adapter: PlatformAdapter, citewell: Citewell, election: LeaderElection | None, say: Callable[[str], None]
) -> None:
    """Listen; with `election`, only while this process leads."""
    listen = partial(keep_listening, adapter, citewell.storage.inbox, citewell.services, say)
    await (election.run_as_leader(listen) if election else listen())


async def keep_listening(
    adapter: PlatformAdapter, inbox: Inbox, services: BotServices, say: Callable[[str], None]
) -> None:
    """Listen, and again after any failure, until the adapter raises Misconfigured."""
    clock = asyncio.get_running_loop().time
    wait = FIRST_WAIT
    while True:
        start = clock()
        try:
            await adapter.listen(inbox, services)
            why, retry_after = f"{adapter.name} stopped without a reason", 0.0
        except Misconfigured:
            raise
        except Unavailable as error:
            why, retry_after = (
                f"{error}. Check the network, and whether {adapter.name} is down",
                error.retry_after or 0.0,
            )
        except Exception as error:  # one platform's failure is not the other's
            log.exception("listener_failed", part=adapter.name)
            why, retry_after = f"{adapter.name} stopped: {type(error).__name__}. The log says where", 0.0
        wait = FIRST_WAIT if clock() - start > LONGEST_WAIT else wait
        pause = max(wait, retry_after)
        say(f"{why}; {adapter.name} is tried again in {pause:.0f} seconds.")
        await asyncio.sleep(pause)
        wait = min(2 * wait, LONGEST_WAIT)


def _report_end(task: asyncio.Task[Any], say: Callable[[str], None]) -> int:
    """Report why `task` ended. Return 1 when the process must be started again."""
    error = task.exception()
    if isinstance(error, Misconfigured):
        say(f"{task.get_name()} is left out: {error}. {error.what_to_do}")
        return 0
    log.error("task_failed", part=task.get_name(), exc_info=error)
    say(f"{task.get_name()} stopped: {error or 'without a reason'}")
    return 1
