"""The ingestion of a source: list, parse, split, embed, store.

A document that fails is reported and the others go on; its earlier version keeps serving."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence, Set
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from pipeline.errors import CitewellError, Refused, Unavailable
from pipeline.ingest.embedding_inputs import embedding_texts
from pipeline.ingest.parts import (
    PART_UNITS,
    CountedBlocks,
    DocumentPart,
    drop_stored,
    overlapping_windows,
    part_batches,
)
from pipeline.ingest.reporting import (
    DocumentChange,
    DocumentFailed,
    DocumentProgress,
    IngestEvent,
    IngestReporter,
    IngestSummary,
)
from pipeline.ports import (
    DocumentSource,
    DocumentStore,
    DocumentVersion,
    Embedder,
    PermissionAwareSource,
    SourceItem,
    StagedVersion,
)
from pipeline.screen.sensitive_data import secret_types
from pipeline.values import PARSER_VERSION, Block, Chunk, Document, ParsedDocument, replace

# --- Stages, side by side with bounded queues between them ----------------------------------------
# Texts of many documents are embedded together; a long document comes in parts, so that no more of it is in memory than
# a few of those.

MAX_PARSERS = 2
"""Maximum number of documents that are parsed at a time, so that a slow one does not leave the embedder idle."""
QUEUE_SIZE = 16
"""Maximum number of parts that wait to be embedded."""
EMBEDDING_BATCH_UNITS = 256
"""Number of units from which a batch of parts is embedded."""
BATCHES_AT_ONCE = 4
"""Maximum number of batches that are embedded at a time: while the last text of one runs, cores take texts of the next.
"""


class ChunkSplitter(Protocol):
    """A splitter of documents into chunks."""

    def chunks(self, document: Document, blocks: Iterable[Block]) -> Iterator[Chunk]:
        """Yield the chunks of a document as its blocks come."""
        ...


PartQueue = asyncio.Queue[DocumentPart | None]
EmbeddedQueue = asyncio.Queue[asyncio.Task[list[DocumentPart]] | None]
"""Batches that are embedded or will be, in the order of their parts."""


async def run_stages(stages: IngestPipeline, items: Sequence[SourceItem]) -> None:
    """Bring all `items` into the library. Raises the first error that does not belong to a single document."""
    parsed, embedded = PartQueue(QUEUE_SIZE), EmbeddedQueue(BATCHES_AT_ONCE - 1)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(stages.read(iter(items), parsed))
            group.create_task(stages.embed(parsed, embedded, group))
            group.create_task(stages.store(embedded))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


@dataclass
class IngestPipeline:
    """The stages of an ingestion, connected by queues."""

    source: DocumentSource
    library: DocumentStore
    splitter: ChunkSplitter
    embedder: Embedder | None
    is_injection: Callable[[str], bool]
    collection: str
    known_versions: dict[str, str]
    moved_ids: set[str]
    reporter: IngestReporter
    embedder_problem: str = ""
    source_error: Unavailable | None = None
    """Error because of which a part of the source was not seen."""
    is_stopped: bool = False
    """True once the source does not answer any more."""
    failed_ids: set[str] = field(default_factory=set)
    """Documents that failed after some of their parts were stored."""
    unembedded_ids: set[str] = field(default_factory=set)
    """Documents of which a part could not be embedded."""
    embedding_slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(BATCHES_AT_ONCE))

    def is_unchanged(self, item: SourceItem) -> bool:
        """Return whether the library has this version of an item."""
        return bool(item.version) and self.known_versions.get(item.id) == item.version

    async def read(self, items: Iterator[SourceItem], parsed: PartQueue) -> None:
        """Parse and split the items that are new or changed, and queue their parts."""

        async def reader() -> None:
            for item in items:
                if self.is_stopped:
                    return
                if self.is_unchanged(item):
                    self.reporter.record_change(
                        DocumentChange.CHANGED if item.id in self.moved_ids else DocumentChange.UNCHANGED, item.label
                    )
                    continue
                try:
                    async with aclosing(self._split_item(item)) as parts:
                        async for part in parts:
                            await parsed.put(part)
                except CitewellError as error:
                    self.reporter.record_failure(item, error)
                    if isinstance(error, Unavailable):
                        self.is_stopped, self.source_error = True, error

        async with asyncio.TaskGroup() as group:
            for _ in range(MAX_PARSERS):
                group.create_task(reader())
        await parsed.put(None)

    async def _split_item(self, item: SourceItem) -> AsyncGenerator[DocumentPart, None]:
        """Parse and screen an item, and yield its chunks in parts."""
        parsed = await self.source.parse_item(item)
        flagged, keys = await asyncio.to_thread(self._screen, parsed)
        document = replace(
            parsed.document,
            collection=self.collection,
            source=self.source.name,
            reading=PARSER_VERSION,
            flagged=flagged,
            keys=keys,
        )
        blocks = CountedBlocks(parsed.blocks)
        batches = part_batches(self.splitter.chunks(document, blocks))
        staged, position = None, 0
        while batch := await asyncio.to_thread(next, batches, None):
            chunks, last = batch
            if not last and staged is None:
                staged = await self.library.stage_version(document, *self._embedder_key())
            unstored = await drop_stored(chunks, staged, position, last) if staged else chunks
            position += len(chunks)
            self.reporter.record_chunks(chunks)
            share = blocks.taken / max(1, len(parsed.blocks))
            yield DocumentPart(item, document, unstored, staged_version=staged, is_last=last, progress=share)

    def _embedder_key(self) -> tuple[str, int]:
        embedder = None if self.embedder_problem else self.embedder
        return (embedder.name, embedder.dimensions) if embedder else ("", 0)

    def _screen(self, parsed: ParsedDocument) -> tuple[bool, tuple[str, ...]]:
        """Return whether the document holds instructions to an assistant, and the types of keys in it."""
        texts = list(overlapping_windows([parsed.document.title, *(block.text for block in parsed.blocks)]))
        return any(map(self.is_injection, texts)), secret_types(texts)

    async def embed(self, parsed: PartQueue, embedded: EmbeddedQueue, group: asyncio.TaskGroup) -> None:
        """Embed parts in batches, several at a time: a server then gets fewer requests, and no core waits."""
        has_more = True
        while has_more:
            batch: list[DocumentPart] = []
            units = 0
            while has_more and units < EMBEDDING_BATCH_UNITS:
                part = await parsed.get()
                if part is None:
                    has_more = False
                else:
                    batch.append(part)
                    units += sum(len(chunk.units) for chunk in part.chunks)
            await embedded.put(group.create_task(self._embed_batch(batch)))
        await embedded.put(None)

    async def _embed_batch(self, batch: Sequence[DocumentPart]) -> list[DocumentPart]:
        async with self.embedding_slots:
            return await self._with_vectors(batch)

    async def _with_vectors(self, batch: Sequence[DocumentPart]) -> list[DocumentPart]:
        """Return the parts with vectors for each chunk; unchanged when the embedder fails."""
        if self.embedder is None or self.embedder_problem:
            return list(batch)
        texts = [[embedding_texts(chunk, part.document.title) for chunk in part.chunks] for part in batch]
        rows = {text: row for row, text in enumerate(dict.fromkeys(t for d in texts for c in d for t in c))}
        unique = list(rows)
        try:
            parts = [
                await self.embedder.embed(unique[start : start + PART_UNITS])
                for start in range(0, len(unique), PART_UNITS)
            ]
        except Unavailable as error:
            self.embedder_problem = str(error)
            return list(batch)
        matrix = np.concatenate(parts) if parts else np.empty((0, self.embedder.dimensions), np.float32)
        return [
            replace(part, vectors=tuple(matrix[[rows[text] for text in chunk]] for chunk in document))
            for part, document in zip(batch, texts, strict=True)
        ]

    async def store(self, embedded: EmbeddedQueue) -> None:
        """Store the parts, the complete documents of a batch together. A document with incomplete vectors is stored
        without any, and is due again."""
        while batch := await embedded.get():
            parts = await batch
            await self._store_documents([part for part in parts if part.staged_version is None])
            for part in map(self._without_partial_vectors, parts):
                if part.staged_version is None or part.item.id in self.failed_ids:
                    continue
                if not await self._add_part(part, part.staged_version):
                    continue
                if part.is_last:
                    self._record_stored(part)
                else:
                    self.reporter.report_progress(part.item, part.progress)

    async def _store_documents(self, parts: Sequence[DocumentPart]) -> None:
        if parts:
            await self.library.replace_documents(
                [DocumentVersion(part.document, part.chunks, part.vectors, self._embedder_of(part)) for part in parts]
            )
        for part in parts:
            self._record_stored(part)

    def _record_stored(self, part: DocumentPart) -> None:
        is_new = part.item.id not in self.known_versions
        self.reporter.record_stored(part.item, part.document, new=is_new)

    def _embedder_of(self, part: DocumentPart) -> str:
        return self.embedder.name if self.embedder and part.vectors is not None else ""

    def _without_partial_vectors(self, part: DocumentPart) -> DocumentPart:
        """Return a part without vectors where one before it of its document has none."""
        if part.vectors is None:
            self.unembedded_ids.add(part.item.id)
        return replace(part, vectors=None) if part.item.id in self.unembedded_ids else part

    async def _add_part(self, part: DocumentPart, staged: StagedVersion) -> bool:
        try:
            await staged.add(part.chunks, part.vectors)
            if part.is_last:
                await staged.publish(self._embedder_of(part))
        except Refused as error:
            self.failed_ids.add(part.item.id)
            self.reporter.record_failure(part.item, error)
            return False
        return True


# --- The walk -------------------------------------------------------------------------------------

__all__ = [
    "SAFE_DELETION_COUNT",
    "DocumentChange",
    "DocumentFailed",
    "DocumentProgress",
    "IngestEvent",
    "IngestSummary",
    "ingest_source",
    "is_mass_deletion",
]

SAFE_DELETION_COUNT = 5
"""Number of documents that may always disappear at once, as long as others are left."""


async def ingest_source(
    source: DocumentSource,
    library: DocumentStore,
    splitter: ChunkSplitter,
    embedder: Embedder | None,
    on_event: Callable[[IngestEvent], None],
    *,
    flag: Callable[[str], bool],
    collection: str = "default",
    losing: bool = True,
) -> IngestSummary:
    """Bring `library` up to date with `source`: replace new and changed documents, and remove those that are gone.

    Its documents move into `collection` before anything is read, so that a document that cannot be read now does not
    stay visible to others. A withheld source stays so until all of it was listed again, and is not empty.

    Documents that the source withholds are removed before anything is read. Without an embedder, or when it fails,
    documents are stored without vectors. The documents of a source that denies us all access are withheld until it was
    completely listed again; those that are not listed then are removed, however many. Otherwise nothing is removed when
    the source could not list everything or became unavailable while it was read, and without `losing` not when too few
    documents would be left: the summary has the ids that were kept. Raises what `library` raises, and Refused when the
    source does not exist."""
    withheld = await library.is_withheld(source.name)
    moved = set() if withheld else set(await library.claim(source.name, collection))
    items, unlisted = await _list_items(source)
    reporter = IngestReporter(on_event, len(items))
    if unlisted:
        reporter.record_unlisted(source.name, unlisted)
        if unlisted.denied and not items:
            await library.withhold(source.name)
            return replace(reporter.build_summary(""), unreached=str(unlisted), denied=True)
    versions = await library.versions(source.name)
    listed = {item.id for item in items}
    withdrawn = versions.keys() & (source.withheld if isinstance(source, PermissionAwareSource) else frozenset())
    is_restored = withheld and items and not unlisted
    if is_restored:
        withdrawn |= versions.keys() - listed
    if withdrawn:
        await _remove(withdrawn, library, reporter)
        versions = {document: version for document, version in versions.items() if document not in withdrawn}
    if is_restored:
        moved = set(await library.claim(source.name, collection))
    stages = IngestPipeline(
        source, library, splitter, embedder, flag, collection, versions, moved, reporter, source_error=unlisted
    )
    reporter.expect(item for item in items if not stages.is_unchanged(item))
    await run_stages(stages, items)
    gone = versions.keys() - listed
    summary = reporter.build_summary(stages.embedder_problem)
    if stages.source_error:
        return replace(summary, unreached=str(stages.source_error))
    if not losing and is_mass_deletion(len(versions), len(gone), summary.added):
        return replace(summary, kept=tuple(sorted(gone)))
    if gone:
        await _remove(gone, library, reporter)
    return reporter.build_summary(stages.embedder_problem)


async def _remove(documents: Set[str], library: DocumentStore, reporter: IngestReporter) -> None:
    await library.remove_documents(documents)
    for document_id in sorted(documents):
        reporter.record_change(DocumentChange.REMOVED, document_id)


def is_mass_deletion(known: int, gone: int, added: int) -> bool:
    """Tell whether a source with `known` documents would become empty, or lose more than `SAFE_DELETION_COUNT` and more
    than a third of them: a share that is not mounted, or a service that answers with less, looks like that."""
    remaining = known - gone + added
    return bool(gone) and (not remaining or (gone > SAFE_DELETION_COUNT and 3 * remaining < 2 * known))


async def _list_items(source: DocumentSource) -> tuple[list[SourceItem], Unavailable | None]:
    """Return all items, and the error because of which there may be more."""
    items: list[SourceItem] = []
    try:
        async for item in source.list_items():
            items.append(item)  # noqa: PERF401 what came before an error counts
    except Unavailable as error:
        return items, error
    return items, None
