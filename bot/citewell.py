"""An open Citewell: ask it, index into it, look after it."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property, partial
from pathlib import Path

import structlog

from bot.config.settings import Settings, configured
from bot.desks.authority import AuditedAuthority
from bot.desks.desk import CitewellDesk
from bot.desks.knowledge import Means
from bot.desks.reading import Reader
from bot.desks.surroundings import with_surroundings
from bot.desks.wishes import try_again, with_wish
from bot.documents.indexing import Indexer, is_path
from bot.documents.sync import Sync
from pipeline.drafting.task import Model
from pipeline.find.scale import Scale
from pipeline.ingest.ingest import Event as IngestEvent
from pipeline.ingest.ingest import Summary
from pipeline.ports import AnswerStream, Embedder, Links, Planner, PlatformAdapter, Retriever, Sources
from pipeline.respond import Responder
from pipeline.rules.access import OPERATOR, Roles, Rules
from pipeline.rules.places import asked
from pipeline.values import (
    Answer,
    Audience,
    Chosen,
    CitationStyle,
    ConversationId,
    Document,
    Format,
    IncomingMessage,
    Options,
    Request,
    Style,
)
from storage.open import Storage

log = structlog.get_logger(__name__)


def console_conversation(thread: str) -> ConversationId:
    """The conversation of a named thread in the terminal."""
    return ConversationId(platform="console", space="local", channel="terminal", thread=thread)


@dataclass(frozen=True)
class Citewell:
    """Everything that lives while the data folder is open."""

    settings: Settings
    storage: Storage
    embedder: Embedder | None
    planner: Planner
    retriever: Retriever
    scale: Callable[[], Awaitable[Scale]]
    """How vectors of the embedder are compared."""
    model: Model | None
    indexer: Indexer
    options: Options
    rules: Rules
    roles: Roles
    sources: Sources
    links: Callable[[], Awaitable[Links]] | None
    """Where passages are opened, as of now; None where only documents with an address of their own are."""
    today: Callable[[], date] = lambda: datetime.now(UTC).date()

    @cached_property
    def responder(self) -> Responder:
        return Responder(
            planner=self.planner,
            retriever=self.retriever,
            model=self.model,
            history=self.storage.history,
            options=self.options,
            report=lambda incident, error: log.error("answer_failed", incident=incident, exc_info=error),
            warn=lambda event, reason: log.warning(event, reason=reason),
            library=self.storage.library,
            links=self.links,
            stale=self._stale,
        )

    def _stale(self, document: Document) -> bool:
        """Whether a document was last changed or reviewed longer ago than what its source says holds."""
        after = self._horizons.get(document.source)
        return after is not None and "" < document.dated < (self.today() - timedelta(days=after)).isoformat()

    @cached_property
    def _horizons(self) -> dict[str, int]:
        return {table.source: table.stale_after for table in self.settings.sources if table.stale_after}

    @property
    def authority(self) -> AuditedAuthority:
        return self.desk.authority

    @cached_property
    def desk(self) -> CitewellDesk:
        return CitewellDesk(
            self.storage,
            rules=self.rules,
            roles=self.roles,
            places=self.settings.places,
            unindexed={config.platform.name: config.unindexed for config in configured(self.settings)},
            keep=self.indexer.keep,
            embedder=self.embedder,
            learns=self.settings.learn_from is not None,
            drafter=self.model.drafter if self.model else None,
            means=Means(self.indexer.reader, self.indexer.keep, self.settings.default_collection),
        )

    @cached_property
    def reading(self) -> Reader:
        return Reader(
            self.desk,
            self.storage.library,
            self.retriever,
            self.responder.respond,
            self.storage.history,
            self.links,
            self.storage.keys,
        )

    def with_retriever(self, retriever: Retriever) -> Citewell:
        """The same with another retriever, for measuring."""
        return dataclasses.replace(self, retriever=retriever)

    async def answer(
        self,
        text: str,
        *,
        thread: str = "",
        style: Style | None = None,
        format: Format | None = None,  # noqa: A002 - the word its users know
        citations: CitationStyle | None = None,
        everything: bool = False,
    ) -> Answer:
        """Answer a question asked in the terminal or from Python, by someone who may see every collection.

        With `thread`, the conversation of that name is recalled and kept; without, the question stands alone. With
        `everything`, a list, table or script is given whole, however long.
        Never raises for what goes wrong while answering: the outcome says it."""
        stream = await self.stream(
            text, thread=thread, style=style, format=format, citations=citations, everything=everything
        )
        return await stream.answer()

    async def stream(
        self,
        text: str,
        *,
        thread: str = "",
        style: Style | None = None,
        format: Format | None = None,  # noqa: A002 - the word its users know
        citations: CitationStyle | None = None,
        everything: bool = False,
    ) -> AnswerStream:
        """The same as it comes: progress and checked sentences, and the answer."""
        request = Request(
            text=text,
            audience=await self.everything(),
            conversation=console_conversation(thread) if thread else None,
            author=OPERATOR,
            style=style,
            format=format,
            citation_style=citations,
            everything=everything,
        )
        return self.responder.respond(request)

    async def respond(self, request: Request) -> Answer:
        """The answer to a request that says everything itself."""
        return await self.responder.respond(request).answer()

    async def request(self, message: IncomingMessage, chosen: Chosen, adapter: PlatformAdapter) -> Request:
        """A platform's message as a request: who will read the reply decides what is searched, and the inbox keeps
        the turn."""
        readers = await adapter.readers(message)
        request = asked(message, await self.desk.audience(readers), chosen)
        request = await with_wish(request, message, chosen, self.storage)
        return await with_surroundings(request, message, adapter)

    async def everything(self) -> Audience:
        """All collections, for whoever holds the data folder."""
        return Audience(collections=frozenset(await self.storage.library.collections()))

    async def index(
        self,
        paths: Sequence[Path],
        *,
        collection: str = "",
        on_event: Callable[[IngestEvent], None] = lambda _: None,
        prefix: str | None = None,
    ) -> Summary:
        """Index files and folders, or bring them up to date. Raises Refused for a path that does not exist.

        Without `collection`, a path stays in the one that it or the folder around it was indexed into."""
        return await self.indexer.index(paths, collection, on_event, prefix=prefix)

    @cached_property
    def sync(self) -> Sync:
        settings = self.settings
        return Sync(settings.default_collection, self.storage, self.indexer, settings.retention_days)

    async def look_again(self) -> None:
        """Look again at every file and folder that was indexed by its path; what goes wrong with one is logged, and the
        others follow. Those in `[[sources]]` are looked at when they are due."""
        in_tables = {table.source for table in self.settings.sources}
        for source in await self.storage.library.sources():
            if is_path(source) and source not in in_tables:
                await self.sync.unwatched(source, partial(self.sync.path, Path(source)))

    async def tell(self) -> None:
        """Try again what people want to be told, where the documents changed since the last try."""
        await try_again(self.storage.wishes, self.storage.inbox)

    async def forget_old(self) -> None:
        """Erase questions and answers that are older than the operator keeps them."""
        await self.storage.people.forget_old(self.settings.retention_days)
