"""An open Citewell: answers questions, indexes documents, keeps itself in order."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from bot.config.settings import Settings, platform_configs
from pipeline.drafting.task import AnswerModel
from pipeline.find.calibration import ScoreCalibration
from pipeline.ports import AnswerStream, Embedder, LinkTargets, PassageLinks, Planner, PlatformAdapter, Retriever
from pipeline.respond import Responder
from pipeline.rules.access import OPERATOR, AccessPolicy, RoleGrants
from pipeline.rules.place_settings import build_request
from pipeline.values import (
    Answer,
    AnswerFormat,
    AnswerOptions,
    AnswerRequest,
    AnswerSettings,
    AnswerStyle,
    Audience,
    CitationStyle,
    ConversationId,
    Document,
    IncomingMessage,
)
from storage.open import Storage

if TYPE_CHECKING:
    from bot.documents.indexing import Indexer
    from bot.documents.sync import SourceSync
    from bot.services.answers import CitewellServices
    from bot.services.authority import AuditedAuthorizer
    from bot.services.reading import StoredQueryService
    from pipeline.ingest.ingest import IngestEvent, IngestSummary

log = structlog.get_logger(__name__)


def console_conversation(thread: str) -> ConversationId:
    """Return the conversation of a named thread in the terminal."""
    return ConversationId(platform="console", space="local", channel="terminal", thread=thread)


@dataclass(frozen=True)
class Citewell:
    """All live objects of an open data folder. What one question needs is imported with it; indexing, and what is done
    after an answer, where it is first used."""

    settings: Settings
    storage: Storage
    embedder: Embedder | None
    planner: Planner
    retriever: Retriever
    calibration: Callable[[], Awaitable[ScoreCalibration]]
    """Calibrates scores of the embedder's vectors."""
    model: AnswerModel | None
    open_indexer: Callable[[], Indexer]
    """The indexer is closed with all else."""
    options: AnswerOptions
    rules: AccessPolicy
    roles: RoleGrants
    sources: LinkTargets
    links: Callable[[], Awaitable[PassageLinks]] | None
    """Returns the present links to passages; None where only documents with an address of their own have links."""
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
            is_stale=self._is_stale,
        )

    def _is_stale(self, document: Document) -> bool:
        """Return True if a document was last changed or reviewed longer ago than its source allows."""
        limit_days = self._horizons.get(document.source)
        return (
            limit_days is not None
            and "" < document.last_changed < (self.today() - timedelta(days=limit_days)).isoformat()
        )

    @cached_property
    def _horizons(self) -> dict[str, int]:
        return {table.source_id: table.stale_after for table in self.settings.sources if table.stale_after}

    @cached_property
    def indexer(self) -> Indexer:
        return self.open_indexer()

    @property
    def authority(self) -> AuditedAuthorizer:
        return self.services.authority

    @cached_property
    def services(self) -> CitewellServices:
        from bot.services.answers import CitewellServices
        from bot.services.knowledge import KnowledgeDependencies

        return CitewellServices(
            self.storage,
            rules=self.rules,
            roles=self.roles,
            places=self.settings.places,
            unindexed={
                config.platform.name: config.channel_indexing_blocker for config in platform_configs(self.settings)
            },
            keep=self.indexer.add_document,
            embedder=self.embedder,
            learns=self.settings.learn_from is not None,
            drafter=self.model.drafter if self.model else None,
            knowledge=KnowledgeDependencies(
                self.indexer.reader, self.indexer.add_document, self.settings.default_collection
            ),
        )

    @cached_property
    def reading(self) -> StoredQueryService:
        from bot.services.reading import StoredQueryService

        return StoredQueryService(
            self.services,
            self.storage.library,
            self.retriever,
            self.responder.respond,
            self.storage.history,
            self.links,
            self.storage.api_keys,
        )

    def with_retriever(self, retriever: Retriever) -> Citewell:
        """Return a copy with another retriever, for measuring."""
        return dataclasses.replace(self, retriever=retriever)

    async def answer(
        self,
        text: str,
        *,
        thread: str = "",
        style: AnswerStyle | None = None,
        format: AnswerFormat | None = None,  # noqa: A002 - the word its users know
        citations: CitationStyle | None = None,
        everything: bool = False,
    ) -> Answer:
        """Answer a question asked in the terminal or from Python, by someone who may see every collection.

        With `thread`, the conversation of that name is recalled and stored; without, the question stands alone. With
        `everything`, a list, table or script is given completely, however long. Never raises for a failure while
        answering: the outcome reports it.
        """
        stream = await self.stream(
            text, thread=thread, style=style, format=format, citations=citations, everything=everything
        )
        return await stream.answer()

    async def stream(
        self,
        text: str,
        *,
        thread: str = "",
        style: AnswerStyle | None = None,
        format: AnswerFormat | None = None,  # noqa: A002 - the word its users know
        citations: CitationStyle | None = None,
        everything: bool = False,
    ) -> AnswerStream:
        """Stream what `answer` returns: progress and checked sentences, and the answer."""
        request = AnswerRequest(
            text=text,
            audience=await self.all_collections(),
            conversation=console_conversation(thread) if thread else None,
            author=OPERATOR,
            style=style,
            format=format,
            citation_style=citations,
            wants_all=everything,
        )
        return self.responder.respond(request)

    async def respond(self, request: AnswerRequest) -> Answer:
        """Answer a request that is complete in itself."""
        return await self.responder.respond(request).answer()

    async def request(
        self, message: IncomingMessage, chosen: AnswerSettings, adapter: PlatformAdapter
    ) -> AnswerRequest:
        """Return a platform's message as a request.

        The readers of the reply decide what is searched, and the inbox stores the turn.
        """
        from bot.services.subscriptions import apply_subscription
        from bot.services.thread_context import add_thread_context

        readers = await adapter.get_readers(message)
        request = build_request(message, await self.services.audience(readers), chosen)
        request = await apply_subscription(request, message, chosen, self.storage)
        return await add_thread_context(request, message, adapter)

    async def all_collections(self) -> Audience:
        """Return all collections, for the owner of the data folder."""
        return Audience(collections=frozenset(await self.storage.library.list_collections()))

    async def index(
        self,
        paths: Sequence[Path],
        *,
        collection: str = "",
        on_event: Callable[[IngestEvent], None] = lambda _: None,
        prefix: str | None = None,
    ) -> IngestSummary:
        """Index files and folders, or bring them up to date. Raises Refused for a path that does not exist.

        Without `collection`, a path stays in the one that it or the folder around it was indexed into.
        """
        return await self.indexer.index(paths, collection, on_event, prefix=prefix)

    @cached_property
    def sync(self) -> SourceSync:
        from bot.documents.sync import SourceSync

        settings = self.settings
        return SourceSync(settings.default_collection, self.storage, self.indexer, settings.retention_days)

    async def resync_paths(self) -> None:
        """Sync every file and folder that was indexed by its path. Failures are logged, and the others follow.

        Sources in `[[sources]]` have their own schedule.
        """
        from bot.documents.indexing import is_path_source

        in_tables = {table.source_id for table in self.settings.sources}
        for source in await self.storage.library.list_sources():
            if is_path_source(source) and source not in in_tables:
                await self.sync.sync_unattended(source, partial(self.sync.sync_path, Path(source)))

    async def retry_subscriptions(self) -> None:
        """Try subscriptions again if the documents changed since the last try."""
        from bot.services.subscriptions import retry_subscriptions

        await retry_subscriptions(self.storage.subscriptions, self.storage.inbox)

    async def delete_expired(self) -> None:
        """Erase questions and answers that are older than the retention time."""
        await self.storage.personal_data.delete_expired(self.settings.retention_days)
