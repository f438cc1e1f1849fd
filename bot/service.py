"""`citewell run`: platforms, worker and scheduled jobs in one process, and a clean stop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

import structlog

from bot.checks import idle_rules, missing_server, not_embedded, places_without_text
from bot.citewell import Citewell
from bot.courier import Courier
from bot.digest import DigestPoster, digests_posted
from bot.doctor.data import examine_room
from bot.due_sources import kept_fresh
from bot.operations.open import open_operations
from bot.peers import Peers
from bot.platforms import make_adapters
from bot.schedule import jobs_of, scheduled
from bot.settings import Settings, read_settings
from bot.wiring import open_citewell
from bot.worker import Worker
from bot.writers import EXTRACTIVE, model_spec
from pipeline import wording
from pipeline.errors import Misconfigured, Unavailable
from pipeline.ports import Desk, Inbox, PlatformAdapter
from storage.inbox import SQLInbox
from storage.runs import JobRuns

DRAIN_SECONDS = 7.0
"""What is under way may take this long after a stop; supervisors kill after 10 s, and the rest may take two."""
BUSY = 12
"""Answers made at a time without a model. Nothing is waited for then but the processor and the disk: with more, all are
late, and each costs a tenth more for signs that it is being worked on (`bench.load`)."""
FIRST_WAIT, LONGEST_WAIT = 5.0, 60.0
"""Seconds between two tries to reach a platform: twice as long after each, longer where the platform asks for it."""

log = structlog.get_logger(__name__)


async def serve(settings: Settings, say: Callable[[str], None]) -> int:
    """Answer until SIGTERM or SIGINT; returns the exit status.

    A platform that cannot log in is reported and the others go on; one that cannot be reached, or that breaks, is tried
    again. 1 means that the worker broke, or that no platform is left: a supervisor should start the process again.
    Raises Misconfigured when no platform is set up.
    """
    async with AsyncExitStack() as stack:
        citewell = await stack.enter_async_context(open_citewell(settings, exclusive=True))
        adapters = make_adapters(settings, citewell, say)
        if not adapters:
            raise Misconfigured(
                "SLACK_BOT_TOKEN, DISCORD_TOKEN",
                "no platform is set up",
                what_to_do="Set the tokens of Slack or Discord (see README.md), or use `citewell chat` here.",
            )
        operations = await stack.enter_async_context(open_operations(citewell, adapters))
        worker = Worker(
            citewell.storage.inbox,
            operations.answering,
            adapters,
            citewell.request,
            citewell.desk.chosen,
            concurrency=settings.concurrency,
            at_a_time=settings.concurrency if citewell.model else BUSY,
            expire_late=settings.late == "expire",
        )
        citewell.storage.inbox.on_accept(worker.ring)
        courier = Courier(citewell.storage.handoffs, citewell.desk, adapters)
        citewell.storage.handoffs.on_notice(courier.ring)
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, stop.set)
        jobs = jobs_of(settings, citewell)

        async def duties() -> None:
            async with (
                scheduled(jobs, JobRuns(citewell.storage.database)),
                digests_posted(DigestPoster(citewell.storage.digests, citewell.desk, adapters)),
                kept_fresh(citewell.sync, lambda: read_settings().sources, settings.sync_minutes),
            ):
                await courier.run()

        peers = Peers(citewell.storage.database, citewell.storage.inbox, worker, duties)
        async with operations.serving(worker, adapters, jobs):
            documents = await citewell.storage.library.count()
            indexed = wording.counted(documents, "document is", "documents are")
            say(f"{indexed} indexed. Connecting to {' and '.join(adapters)}.")
            if not documents:
                say(
                    "The sources of citewell.toml are taken in soon."
                    if settings.sources
                    else "To index a file or a folder, type in another terminal: citewell index PATH"
                )
            say(_who_writes(settings))
            if settings.operations:
                say(f"Health and metrics: http://{settings.operations}/healthz, /readyz and /metrics.")
            for finding in examine_room(settings.data):
                say(f"{finding.said}. {finding.fix}")
            for line in (
                *await idle_rules(citewell),
                *await not_embedded(citewell),
                *await missing_server(settings.chroma_url),
                *places_without_text(settings),
            ):
                say(line)
            await tell_backlog(citewell.storage.inbox, say)
            return await _until_stopped(worker, peers, adapters, citewell, stop, say)


def _who_writes(settings: Settings) -> str:
    spec = model_spec(settings)
    if spec == EXTRACTIVE:
        return "No language model is set: answers are made of the documents' own sentences."
    judge = {"auto": "by itself", "none": "by words alone"}.get(settings.judge, f"by {settings.judge}")
    return f"{spec} writes, and its sentences are checked {judge}."


async def tell_backlog(inbox: SQLInbox, say: Callable[[str], None]) -> None:
    """Tell the operator which questions wait since before, and which were given up and why."""
    waiting, given_up = (await inbox.counts()).get("open", 0), await inbox.given_up()
    if waiting:
        say(f"{wording.counted(waiting, 'question')} from before will be answered now.")
    if given_up:
        log.warning("questions_given_up", reasons=given_up)
        say(
            f"{wording.counted(sum(given_up.values()), 'question')} could not be delivered: "
            f"{', '.join(f'{count} × {why}' for why, count in given_up.items())}. "
            "They are not tried again: once the cause is mended, whoever asked has to ask again."
        )


async def _until_stopped(
    worker: Worker,
    peers: Peers,
    adapters: Mapping[str, PlatformAdapter],
    citewell: Citewell,
    stop: asyncio.Event,
    say: Callable[[str], None],
) -> int:
    listening = {
        asyncio.create_task(keep_listening(adapter, citewell.storage.inbox, citewell.desk, say), name=name)
        for name, adapter in adapters.items()
    }
    working: asyncio.Task[Any] = asyncio.create_task(worker.run(), name="worker")
    looking: asyncio.Task[Any] = asyncio.create_task(peers.run(), name="duties")
    stopping = asyncio.create_task(stop.wait(), name="stop")
    status = 0
    while listening and not stopping.done() and not status:
        done, _ = await asyncio.wait({*listening, working, looking, stopping}, return_when=asyncio.FIRST_COMPLETED)
        for task in done - {stopping}:
            listening.discard(task)
            status = max(status, _ended(task, say), int(task in (working, looking)))
    status = status or int(not listening)
    for task in (*listening, working, looking, stopping):
        task.cancel()
    await asyncio.gather(worker.drain(DRAIN_SECONDS), *listening, working, looking, stopping, return_exceptions=True)
    closed = await asyncio.gather(*(adapter.close() for adapter in adapters.values()), return_exceptions=True)
    for name, error in zip(adapters, closed, strict=True):
        if isinstance(error, BaseException):
            log.warning("not_closed_cleanly", part=name, exc_info=error)
    return status


async def keep_listening(adapter: PlatformAdapter, inbox: Inbox, desk: Desk, say: Callable[[str], None]) -> None:
    """Listen, and again after whatever ended it, until the adapter says that it is no use: raises Misconfigured."""
    clock = asyncio.get_running_loop().time
    wait = FIRST_WAIT
    while True:
        start = clock()
        try:
            await adapter.listen(inbox, desk)
            why, asked = f"{adapter.name} stopped without a reason", 0.0
        except Misconfigured:
            raise
        except Unavailable as error:
            why, asked = f"{error}. Check the network, and whether {adapter.name} is down", error.retry_after or 0.0
        except Exception as error:  # one platform's failure is not the other's
            log.exception("stopped_listening", part=adapter.name)
            why, asked = f"{adapter.name} stopped: {type(error).__name__}. The log says where", 0.0
        wait = FIRST_WAIT if clock() - start > LONGEST_WAIT else wait
        pause = max(wait, asked)
        say(f"{why}; {adapter.name} is tried again in {pause:.0f} seconds.")
        await asyncio.sleep(pause)
        wait = min(2 * wait, LONGEST_WAIT)


def _ended(task: asyncio.Task[Any], say: Callable[[str], None]) -> int:
    """Report why `task` ended; 1 when the process must be started again."""
    error = task.exception()
    if isinstance(error, Misconfigured):
        say(f"{task.get_name()} is left out: {error}. {error.what_to_do}")
        return 0
    log.error("stopped", part=task.get_name(), exc_info=error)
    say(f"{task.get_name()} stopped: {error or 'without a reason'}")
    return 1
