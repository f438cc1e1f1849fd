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

from adapters.http.doors import Doors
from bot import known
from bot.citewell import Citewell
from bot.config.read import read_settings
from bot.config.settings import Settings
from bot.doctor.checks import doubtful_platforms, idle_rules, missing_server, not_embedded
from bot.doctor.data import examine_room
from bot.documents.sync import kept_fresh
from bot.models import EXTRACTIVE, model_spec
from bot.platforms import make_adapters
from bot.run.channels import ChannelReader
from bot.run.courier import Courier, tell_spent
from bot.run.live import LiveSearch
from bot.run.operations.open import open_operations
from bot.run.peers import Peers
from bot.run.roles import divided, held_by_one
from bot.run.roles import role as role_of
from bot.run.schedule import Job, jobs_of, scheduled
from bot.run.worker import IDLE_SECONDS, Worker
from bot.wiring import open_citewell
from pipeline.errors import CitewellError, Misconfigured, Unavailable
from pipeline.ports import Desk, Inbox, PlatformAdapter
from pipeline.values import Search
from pipeline.values.posting import Announcement
from pipeline.words import wording
from storage.messages.inbox import SQLInbox
from storage.settings import JobRuns

# --- What the operator is told at the start -------------------------------------------------------

log = structlog.get_logger(__name__)


async def greet(citewell: Citewell, listening: Collection[str], say: Callable[[str], None], *, answers: bool) -> None:
    """What there is to answer from, where it is listened, who writes, and what may be missing."""
    settings = citewell.settings
    documents = await citewell.storage.library.count()
    indexed = wording.counted(documents, "document is", "documents are")
    connecting = f"Connecting to {' and '.join(_titles(listening))}." if listening else "Nothing is listened to here."
    say(f"{indexed} indexed. {connecting}")
    if answers and not documents:
        say(
            "The sources of citewell.toml are taken in soon."
            if settings.sources
            else "To index a file or a folder, type in another terminal: citewell index PATH"
        )
    say(_who_writes(settings) if answers else "What is asked is taken in here, and answered by another citewell run.")
    if settings.operations:
        say(f"Health and metrics: http://{settings.operations}/healthz, /readyz and /metrics.")
    for finding in examine_room(settings.data):
        say(f"{finding.said}. {finding.fix}")
    if not answers:
        return
    for line in (
        *await idle_rules(citewell),
        *await not_embedded(citewell),
        *await missing_server(settings.chroma_url),
        *doubtful_platforms(settings),
    ):
        say(line)
    await tell_backlog(citewell.storage.inbox, say)


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


def _titles(names: Collection[str]) -> list[str]:
    """As people call them."""
    return [platform.title for platform in known.platforms() if platform.name in names]


# --- The service ----------------------------------------------------------------------------------

DRAIN_SECONDS = 7.0
"""What is under way may take this long after a stop; supervisors kill after 10 s, and the rest may take two."""
BUSY = 12
"""Answers made at a time without a model. Nothing is waited for then but the processor and the disk: with more, all are
late, and each costs a tenth more for signs that it is being worked on (`bench.load`)."""
SHARED_IDLE_SECONDS = 0.2
"""How often the inbox is looked at where other processes may have put something into it, without ringing here."""
FIRST_WAIT, LONGEST_WAIT = 5.0, 60.0
"""Seconds between two tries to reach a platform: twice as long after each, longer where the platform asks for it."""

FIRST = "What is there?"
"""Searched for by the bot itself."""

Part = Callable[[], Coroutine[Any, Any, object]]
Ours = Callable[[Announcement], bool]


async def serve(settings: Settings, say: Callable[[str], None], only: str | None = None) -> int:
    """Answer until SIGTERM or SIGINT; returns the exit status.

    A platform that cannot log in is reported and the others go on; one that cannot be reached, or that breaks, is tried
    again. 1 means that the worker broke, or that no platform is left: a supervisor should start the process again.
    Raises Misconfigured when no platform is set up.
    """
    async with AsyncExitStack() as stack:
        citewell = await stack.enter_async_context(open_citewell(settings, exclusive=True))
        storage = citewell.storage
        doors = Doors(trusted_proxies=settings.trusted_proxies)
        adapters = make_adapters(settings, citewell, doors, say)
        role = role_of(only, settings, adapters)
        operations = await stack.enter_async_context(open_operations(citewell, adapters))
        peers = Peers(storage.database, storage.inbox)

        single = held_by_one(settings)

        def here(name: str) -> bool:
            return name not in single or peers.first

        worker = Worker(
            storage.inbox,
            operations.answering,
            adapters,
            citewell.request,
            citewell.desk.chosen,
            concurrency=settings.concurrency,
            at_a_time=settings.concurrency if citewell.model else BUSY,
            expire_late=settings.late == "expire",
            live=LiveSearch(citewell.indexer, citewell.responder, citewell.scale),
            spent=partial(tell_spent, storage.outbox, settings.digest),
            shown=citewell.desk.seen,
            reached=here,
            idle_seconds=SHARED_IDLE_SECONDS if settings.database else IDLE_SECONDS,
        )
        storage.inbox.on_accept(worker.ring)
        jobs = jobs_of(settings, citewell)
        parts: dict[str, Part] = {
            name: partial(_listening, adapters[name], citewell, peers if name in single else None, say)
            for name in role.listens
        }
        if role.answers:
            apart = divided(settings)
            duties = partial(_duties, citewell, adapters, jobs, lambda post: post.platform not in apart)
            parts["worker"] = worker.run
            parts["peers"] = partial(peers.run, worker)
            parts["duties"] = partial(peers.while_first, duties)
            if here_alone := {name: adapters[name] for name in apart.intersection(adapters)}:
                parts["notices"] = partial(
                    _posted,
                    citewell,
                    here_alone,
                    lambda post: post.platform in here_alone and here_alone[post.platform].serves(post.space),
                )
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        listened = {name: adapters[name] for name in role.listens}
        answering = worker if role.answers else None
        async with operations.serving(doors, answering, listened, jobs, elsewhere=lambda name: not here(name)):
            await greet(citewell, role.listens, say, answers=role.answers)
            settling = asyncio.create_task(_settle(citewell, answers=role.answers), name="settle")
            status = await _until_stopped(parts, role.listens, worker, stop, say)
            settling.cancel()
            closed = await asyncio.gather(*(adapter.close() for adapter in adapters.values()), return_exceptions=True)
            for name, error in zip(adapters, closed, strict=True):
                if isinstance(error, BaseException):
                    log.warning("not_closed_cleanly", part=name, exc_info=error)
            return status


async def _settle(citewell: Citewell, *, answers: bool) -> None:
    """Load what answers need before one is asked for, and keep the collector of garbage from looking through all of it
    again and again: of the acknowledgements of a flood one in a hundred waited for that, 150 ms each time."""
    if answers:
        with suppress(CitewellError):
            await citewell.retriever.retrieve(Search(question=FIRST), await citewell.everything())
    gc.collect()
    gc.freeze()


async def _duties(
    citewell: Citewell, adapters: Mapping[str, PlatformAdapter], jobs: Mapping[str, Job], ours: Ours
) -> None:
    """What one process does for all."""
    storage = citewell.storage
    reader = ChannelReader(storage.said, storage.outbox, citewell.desk.places, citewell.indexer, adapters)
    async with (
        scheduled(jobs, JobRuns(storage.database)),
        kept_fresh(citewell.sync, lambda: read_settings().sources, citewell.settings.sync_minutes),
        asyncio.TaskGroup() as group,
    ):
        group.create_task(reader.run())
        group.create_task(_posted(citewell, adapters, ours))


async def _posted(citewell: Citewell, adapters: Mapping[str, PlatformAdapter], ours: Ours) -> None:
    """What the bot says by itself."""
    storage = citewell.storage
    courier = Courier(storage.outbox, citewell.desk, adapters, ours)
    storage.outbox.on_post(courier.ring)
    await courier.run()


async def _until_stopped(
    parts: Mapping[str, Part],
    platforms: Collection[str],
    worker: Worker,
    stop: asyncio.Event,
    say: Callable[[str], None],
) -> int:
    """Run all parts until told to stop, or until one that is needed ends; the exit status."""
    running = {asyncio.create_task(part(), name=name) for name, part in parts.items()}
    listening = {task for task in running if task.get_name() in platforms}
    stopping = asyncio.create_task(stop.wait(), name="stop")
    status = 0
    while not stopping.done() and not status:
        done, _ = await asyncio.wait({*running, stopping}, return_when=asyncio.FIRST_COMPLETED)
        for task in done - {stopping}:
            status = max(status, _ended(task, say), int(task not in listening))
            running.discard(task)
        if platforms and not listening & running:
            status = 1
    for task in (*running, stopping):
        task.cancel()
    await asyncio.gather(worker.drain(DRAIN_SECONDS), *running, stopping, return_exceptions=True)
    return status


async def _listening(
    adapter: PlatformAdapter, citewell: Citewell, peers: Peers | None, say: Callable[[str], None]
) -> None:
    """With `peers`, while this process is the first of them."""
    listen = partial(keep_listening, adapter, citewell.storage.inbox, citewell.desk, say)
    await (peers.while_first(listen) if peers else listen())


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
