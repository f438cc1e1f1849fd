"""The bot around an adapter: the real inbox, desk and worker over a real data folder. Only the thinking is scripted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Any

from adapters.fetch.fetcher import Fetcher, open_fetcher
from bot.documents.indexing import Indexer
from bot.registry import platforms
from bot.run.channel_indexing import ChannelIndexer
from bot.run.outbox_worker import OutboxWorker, queue_quota_notice
from bot.run.worker import Worker
from bot.services.answers import CitewellServices
from bot.services.knowledge import KnowledgeDependencies
from bot.services.subscriptions import apply_subscription, retry_subscriptions
from bot.services.thread_context import add_thread_context
from pipeline.auto_answers import suppress_unhelpful
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from pipeline.ports import AnswerStream, PlatformAdapter, answer_stream
from pipeline.rules.access import AccessPolicy, AccessRule
from pipeline.rules.place_settings import build_request
from pipeline.values import (
    Answer,
    AnswerEvent,
    AnswerRequest,
    AnswerSettings,
    AnswerStage,
    CitedSentence,
    Document,
    IncomingMessage,
    ParsedDocument,
    PlaceId,
    PlaceSettings,
    ProgressEvent,
    Readers,
    Role,
    SentenceEvent,
)
from storage.open import Storage, open_storage
from tests.contracts.answers import cited, hold
from tests.doubles.reader import ReaderHere

Script = Callable[[AnswerRequest], AsyncGenerator[AnswerEvent, None]]
GRACE = 0.2
IDLE = 0.05


class Crash(BaseException):
    """The process is gone at this very point."""


class Rig:
    """One run of the bot after another on the same folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.script: Script = lambda request: once(cited("Staff get thirty days of leave.", question=request.text))
        self.requests: list[AnswerRequest] = []
        self.readers: list[Readers] = []
        self.rules: dict[str, AccessRule] = {}
        self.roles: dict[Role, frozenset[str]] = {}
        self.places: dict[PlaceId, PlaceSettings] = {}
        self.open_fetcher: Callable[[], AbstractAsyncContextManager[Fetcher]] = open_fetcher
        self.others: dict[str, PlatformAdapter] = {}
        """Where people are asked and told besides."""
        self.digest = ""
        """Who gets what admins are told."""
        self.kept: list[ParsedDocument] = []
        """Replies of people that became documents."""
        self.crash_before = ""
        """`posting`, `posted` or `done`: the next time that something which is posted comes there, the bot is gone."""
        self._gone = asyncio.Event()

    async def start(self, adapter: PlatformAdapter) -> None:
        """Open the folder and answer what `adapter` takes in."""
        self.adapter = adapter
        self._stack = AsyncExitStack()
        self.storage: Storage = await self._stack.enter_async_context(open_storage(self.folder, exclusive=True))
        inbox: Any = _Crashing(self, "inbox")
        reader = ReaderHere()
        self._stack.push_async_callback(reader.close)
        indexer = Indexer(self.storage.library, None, TokenSplitter(WordTokenizer()), reader)
        self.desk = CitewellServices(
            self.storage,
            rules=AccessPolicy(self.rules, platforms()),
            roles=self.roles,
            places=self.places,
            keep=self._keep,
            unindexed={adapter.name: ""},
            knowledge=KnowledgeDependencies(reader, indexer.add_document, "default", lambda: self.open_fetcher()),
            learns=True,
        )
        self.worker = Worker(
            inbox,
            self,
            {adapter.name: adapter},
            self._request,
            self.desk.choose_options,
            concurrency=8,
            on_quota_spent=lambda place: queue_quota_notice(self.storage.outbox, self.digest, place),
            visible_answer=self.desk.visible_answer,
            grace_seconds=GRACE,
            retry_seconds=0.01,
            idle_seconds=IDLE,
        )
        self.storage.inbox.on_accept(self.worker.notify)
        outbox: Any = _Crashing(self, "outbox")
        posted_to = {adapter.name: adapter, **self.others}
        self.courier = OutboxWorker(
            outbox, self.desk, posted_to, grace_seconds=GRACE, retry_seconds=0.01, idle_seconds=IDLE
        )
        self.storage.outbox.on_post(self.courier.notify)
        channels = ChannelIndexer(
            self.storage.channel_messages,
            self.storage.outbox,
            self.desk.places,
            indexer,
            {adapter.name: adapter},
            every=IDLE,
        )
        self._begins = [asyncio.create_task(self.courier.run()), asyncio.create_task(self.worker.run())]
        self._tasks = [
            *self._begins,
            asyncio.create_task(channels.run()),
            asyncio.create_task(adapter.listen(inbox, self.desk)),
        ]

    async def end(self) -> None:
        """Stop as after a crash: nothing is finished and nothing is given back."""
        running = list(self.worker._running.values())
        for task in (*self._tasks, *running):
            task.cancel()
        await asyncio.gather(*self._tasks, *running, return_exceptions=True)
        await self._stack.aclose()

    async def stop(self, drain_seconds: float) -> None:
        """Stop as after SIGTERM."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(self.worker.drain(drain_seconds), *self._tasks, return_exceptions=True)
        await self.adapter.close()
        await self._stack.aclose()

    async def settled(self) -> None:
        """Wait until every question that was taken in has come to its end."""
        async with asyncio.timeout(90):
            while True:
                for task in self._tasks:
                    if task.done():
                        task.result()
                waiting = (await self.storage.inbox.count_by_state()).get(
                    "open", 0
                ) + await self.storage.outbox.count_open()
                if not waiting:
                    return
                await asyncio.sleep(0.02)

    async def crashed(self) -> None:
        """Wait for the crash that was asked for."""
        async with asyncio.timeout(90):
            await self._gone.wait()
        self._gone.clear()

    def crash(self) -> None:
        """Nothing is begun any more: only what others see of the bot is still there, until it is ended."""
        self.crash_before = ""
        for task in self._begins:
            task.cancel()
        self._gone.set()

    async def changed(self, number: int = 1) -> None:
        """The documents change, the job that tells comes round, and all that comes of it ends."""
        await self.change(number)
        await self.settled()

    async def change(self, number: int = 1) -> None:
        """The same without waiting for what comes of it."""
        document = Document(id=f"changed {number}", filename="changed.md", title="changed")
        await self.storage.library.replace_document(document, [], None, "")
        await retry_subscriptions(self.storage.subscriptions, self.storage.inbox, every=0)

    async def tick(self) -> None:
        """The job comes round, and nothing has changed."""
        await retry_subscriptions(self.storage.subscriptions, self.storage.inbox, every=0)
        await self.settled()

    async def state(self) -> dict[str, int]:
        return await self.storage.inbox.count_by_state()

    def respond(self, request: AnswerRequest) -> AnswerStream:
        """The scripted part, in the place of the `Responder`."""
        stream = self._scripted(request)
        return suppress_unhelpful(request, stream) if request.is_unprompted else stream

    @answer_stream
    async def _scripted(self, request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        self.requests.append(request)
        async for event in self.script(request):
            if isinstance(event, Answer):
                await self.hold(event)
            yield event

    async def hold(self, answer: Answer) -> None:
        """What an answer shows is in the library."""
        await hold(self.storage, answer)

    async def _request(
        self, message: IncomingMessage, chosen: AnswerSettings, adapter: PlatformAdapter
    ) -> AnswerRequest:
        readers = await adapter.get_readers(message)
        self.readers.append(readers)
        request = build_request(message, await self.desk.audience(readers), chosen)
        request = await apply_subscription(request, message, chosen, self.storage)
        return await add_thread_context(request, message, adapter)

    async def _keep(self, parsed: ParsedDocument) -> None:
        self.kept.append(parsed)


async def once(answer: Answer) -> AsyncGenerator[AnswerEvent, None]:
    """An answer that is there at once."""
    yield answer


def held_until(free: asyncio.Event) -> Script:
    """Work of which nothing is to be seen before `free`."""

    async def script(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        await free.wait()
        yield cited(f"Thirty days. You asked: {request.text}", question=request.text)

    return script


def searching_until(free: asyncio.Event) -> Script:
    """Work that shows nothing of an answer before `free`."""
    held = held_until(free)

    async def script(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        yield ProgressEvent(stage=AnswerStage.SEARCHING)
        async for event in held(request):
            yield event

    return script


def appearing_until(free: asyncio.Event, all_written: asyncio.Event | None = None) -> Script:
    """Twenty sentences that appear (`all_written` then), and at `free` an answer without them."""

    async def script(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        for number in range(20):
            yield SentenceEvent(
                sentence=CitedSentence(text=f"Rule {number} allows thirty days of leave.", numbers=(1,))
            )
        if all_written:
            all_written.set()
        await free.wait()
        yield cited(f"You asked: {request.text}", question=request.text)

    return script


_SHARED = ("mark_posting", "mark_posted")


def _shared_steps(name: str, given: Sequence[object], named: Mapping[str, object]) -> Sequence[str]:
    """The steps that are taken in the same commit."""
    if name == "mark_posting":
        return ["save_answer"] if any(given[1:]) else []
    return ["mark_done"] if named.get("done") else []


class _Crashing:
    """A real store, except where a crash was asked for."""

    def __init__(self, rig: Rig, store: str) -> None:
        self._rig = rig
        self._store = store

    def __getattr__(self, name: str) -> Any:
        method = getattr(getattr(self._rig.storage, self._store), name)
        if name != self._rig.crash_before and name not in _SHARED:
            return method

        async def crash(*given: object, **named: object) -> Any:
            if self._rig.crash_before in (name, *_shared_steps(name, given, named)):
                self._rig.crash()
                raise Crash(name)
            return await method(*given, **named)

        return crash


__all__ = ["Crash", "Rig", "Script", "appearing_until", "held_until", "once", "searching_until"]
