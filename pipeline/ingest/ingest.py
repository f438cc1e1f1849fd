"""The other walk: source -> parse -> split -> embed -> library.

A document that fails is reported and the rest goes on; what was there of it keeps serving.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence, Set
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from pipeline.errors import CitewellError, Refused, Unavailable
from pipeline.ingest.embedding_inputs import embedding_texts
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
    Embedder,
    PermissionAwareSource,
    SourceItem,
    StagedVersion,
    Vectors,
)
from pipeline.screen.sensitive_data import secret_types
from pipeline.values import PARSER_VERSION, Block, Chunk, Document, ParsedDocument, replace

# --- Stages, side by side with bounded queues between them ----------------------------------------
# Texts of many documents are embedded together; a long document comes in parts, so that no more of it is in memory than
# a few of those.

MAX_PARSERS = 2
"""Documents read at a time, so that a slow one does not leave the embedder idle."""
QUEUE_SIZE = 16
"""Parts between two stages."""
EMBEDDING_BATCH_UNITS = 1024
"""Units embedded together, and units of a part."""
WINDOW_CHARACTERS = 1_000_000
"""Characters of a stretch: less than the screening of a document reads."""
WINDOW_OVERLAP = 10_000
"""Characters that two stretches share, so that no paragraph is seen in halves only."""


class ChunkSplitter(Protocol):
    def chunks(self, document: Document, blocks: Iterable[Block]) -> Iterator[Chunk]: ...


@dataclass(frozen=True)
class DocumentPart:
    """A document on its way to the library, or so many of its chunks."""

    item: SourceItem
    document: Document
    chunks: tuple[Chunk, ...]
    vectors: tuple[Vectors, ...] | None = None
    staged_version: StagedVersion | None = None
    """Where the parts of a long document are put."""
    is_last: bool = True
    progress: float = 1.0
    """Of the document, read so far."""


PartQueue = asyncio.Queue[DocumentPart | None]


async def run_stages(stages: IngestPipeline, items: Sequence[SourceItem]) -> None:
    """Bring all `items` into the library. Raises the first error that is not one document's own."""
    parsed, embedded = PartQueue(QUEUE_SIZE), PartQueue(QUEUE_SIZE)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(stages.read(iter(items), parsed))
            group.create_task(stages.embed(parsed, embedded))
            group.create_task(stages.store(embedded))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


@dataclass
class IngestPipeline:
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
    """Why not all of the source was seen."""
    is_stopped: bool = False
    """It does not answer any more."""
    failed_ids: set[str] = field(default_factory=set)
    """Documents of which some parts were stored before they failed."""

    async def read(self, items: Iterator[SourceItem], parsed: PartQueue) -> None:
        async def reader() -> None:
            for item in items:
                if self.is_stopped:
                    return
                if item.version and self.known_versions.get(item.id) == item.version:
                    self.reporter.record_change(
                        DocumentChange.CHANGED if item.id in self.moved_ids else DocumentChange.UNCHANGED, item.label
                    )
                    continue
                try:
                    async with aclosing(self._parts(item)) as parts:
                        async for part in parts:
                            await parsed.put(part)
                except CitewellError as error:
                    self.reporter.record_failure(item.label, error)
                    if isinstance(error, Unavailable):
                        self.is_stopped, self.source_error = True, error

        async with asyncio.TaskGroup() as group:
            for _ in range(MAX_PARSERS):
                group.create_task(reader())
        await parsed.put(None)

    async def _parts(self, item: SourceItem) -> AsyncGenerator[DocumentPart, None]:
        found = await self.source.parse_item(item)
        flagged, keys = await asyncio.to_thread(self._screened, found)
        document = replace(
            found.document,
            collection=self.collection,
            source=self.source.name,
            reading=PARSER_VERSION,
            flagged=flagged,
            keys=keys,
        )
        blocks = _Counted(found.blocks)
        batches = _batches(self.splitter.chunks(document, blocks))
        staged, position = None, 0
        while batch := await asyncio.to_thread(next, batches, None):
            chunks, last = batch
            if not last and staged is None:
                staged = await self.library.stage_version(document, *self._embedded_by())
            left = await _without_held(chunks, staged, position, last) if staged else chunks
            position += len(chunks)
            self.reporter.record_chunks(chunks)
            share = blocks.taken / max(1, len(found.blocks))
            yield DocumentPart(item, document, left, staged_version=staged, is_last=last, progress=share)

    def _embedded_by(self) -> tuple[str, int]:
        embedder = None if self.embedder_problem else self.embedder
        return (embedder.name, embedder.dimensions) if embedder else ("", 0)

    def _screened(self, found: ParsedDocument) -> tuple[bool, tuple[str, ...]]:
        """Whether it holds instructions to an assistant, and the forms of keys in it."""
        texts = list(overlapping_windows([found.document.title, *(block.text for block in found.blocks)]))
        return any(map(self.is_injection, texts)), secret_types(texts)

    async def embed(self, parsed: PartQueue, embedded: PartQueue) -> None:
        """Parts together, until there are BATCH units: a server is asked less often."""
        more = True
        while more:
            batch: list[DocumentPart] = []
            units = 0
            while more and units < EMBEDDING_BATCH_UNITS:
                part = await parsed.get()
                if part is None:
                    more = False
                else:
                    batch.append(part)
                    units += sum(len(chunk.units) for chunk in part.chunks)
            for part in await self._with_vectors(batch):
                await embedded.put(part)
        await embedded.put(None)

    async def _with_vectors(self, batch: Sequence[DocumentPart]) -> list[DocumentPart]:
        """The same parts with vectors for each chunk; as they are when the embedder fails."""
        if self.embedder is None or self.embedder_problem:
            return list(batch)
        texts = [[embedding_texts(chunk, part.document.title) for chunk in part.chunks] for part in batch]
        rows = {text: row for row, text in enumerate(dict.fromkeys(t for d in texts for c in d for t in c))}
        unique = list(rows)
        try:
            parts = [
                await self.embedder.embed(unique[start : start + EMBEDDING_BATCH_UNITS])
                for start in range(0, len(unique), EMBEDDING_BATCH_UNITS)
            ]
        except Unavailable as error:
            self.embedder_problem = str(error)
            return list(batch)
        matrix = np.concatenate(parts) if parts else np.empty((0, self.embedder.dimensions), np.float32)
        return [
            replace(part, vectors=tuple(matrix[[rows[text] for text in chunk]] for chunk in document))
            for part, document in zip(batch, texts, strict=True)
        ]

    async def store(self, embedded: PartQueue) -> None:
        """A document whose vectors are not all there is stored as if it had none, and is due again."""
        while part := await embedded.get():
            name = self.embedder.name if self.embedder and part.vectors is not None else ""
            if part.staged_version is None:
                await self.library.replace_document(part.document, part.chunks, part.vectors, name)
            elif part.item.id in self.failed_ids or not await self._add(part, part.staged_version, name):
                continue
            if part.is_last:
                self.reporter.record_stored(part.item.label, part.document, new=part.item.id not in self.known_versions)
            else:
                self.reporter.report_progress(part.item.label, part.progress)

    async def _add(self, part: DocumentPart, staged: StagedVersion, embedder: str) -> bool:
        try:
            await staged.add(part.chunks, part.vectors)
            if part.is_last:
                await staged.publish(embedder)
        except Refused as error:
            self.failed_ids.add(part.item.id)
            self.reporter.record_failure(part.item.label, error)
            return False
        return True


class _Counted:
    """Blocks, and how many were taken."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._blocks = blocks
        self.taken = 0

    def __iter__(self) -> Iterator[Block]:
        for block in self._blocks:
            self.taken += 1
            yield block


def _batches(chunks: Iterable[Chunk]) -> Iterator[tuple[tuple[Chunk, ...], bool]]:
    """Chunks of BATCH units or a little less together, and whether they are the last."""
    held: list[Chunk] = []
    units = 0
    for chunk in chunks:
        if held and units + len(chunk.units) > EMBEDDING_BATCH_UNITS:
            yield tuple(held), False
            held, units = [], 0
        held.append(chunk)
        units += len(chunk.units)
    yield tuple(held), True


async def _without_held(chunks: Sequence[Chunk], staged: StagedVersion, position: int, last: bool) -> tuple[Chunk, ...]:
    """Those that are not stored yet; what was stored otherwise than it is read now is forgotten."""
    held = staged.existing_ids[position : position + len(chunks)]
    same = next((n for n, (chunk, one) in enumerate(zip(chunks, held, strict=False)) if chunk.id != one), len(held))
    if same < len(held) or (last and len(staged.existing_ids) > position + same):
        await staged.truncate(position + same)
    return tuple(chunks[same:])


def overlapping_windows(
    texts: Iterable[str], length: int = WINDOW_CHARACTERS, overlap: int = WINDOW_OVERLAP
) -> Iterator[str]:
    """All of `texts`, a line end between each two; every run of `overlap` characters stands whole in one stretch.

    Raises nothing."""
    held: list[str] = []
    size = 0
    first = True
    for text in texts:
        held.append(text)
        size += len(text) + 1
        if size <= length:
            continue
        joined = "\n".join(held)
        while len(joined) > length:
            yield joined[:length]
            joined, first = joined[length - overlap :], False
        held, size = [joined], len(joined) + 1
    joined = "\n".join(held)
    if first or len(joined) > overlap:
        yield joined


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
"""Documents that may always be gone at once, as long as others are left."""


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
    """Bring `library` up to date with `source`: new and changed documents replaced whole, gone ones forgotten.

    What is there of it is in `collection` before anything is read: a document that cannot be read now is not left
    where others see it; what nobody sees stays so until all was listed again, and something was there.

    What the source withholds is forgotten before anything is read. Without an embedder, or when it fails, documents
    are stored without vectors. Of a source that lets us read nothing any more nobody sees anything until it was listed
    whole again; what it does not list then is forgotten, however much that is. Nothing else is forgotten when the
    source could not list everything or became unavailable while it was read, and without `losing` not when too few
    documents would be left: the summary names what was kept. Raises what `library` raises, and Refused when the source
    does not exist.
    """
    withheld = await library.is_withheld(source.name)
    moved = set() if withheld else set(await library.claim(source.name, collection))
    items, unlisted = await _list(source)
    tally = IngestReporter(on_event, len(items))
    if unlisted:
        tally.record_failure(source.name, unlisted, whole=True)
        if unlisted.denied and not items:
            await library.withhold(source.name)
            return replace(tally.build_summary(""), unreached=str(unlisted), denied=True)
    known = await library.versions(source.name)
    listed = {item.id for item in items}
    closed = known.keys() & (source.withheld if isinstance(source, PermissionAwareSource) else frozenset())
    back = withheld and items and not unlisted
    if back:
        closed |= known.keys() - listed
    if closed:
        await _forget(closed, library, tally)
        known = {document: version for document, version in known.items() if document not in closed}
    if back:
        moved = set(await library.claim(source.name, collection))
    stages = IngestPipeline(
        source, library, splitter, embedder, flag, collection, known, moved, tally, source_error=unlisted
    )
    await run_stages(stages, items)
    gone = known.keys() - listed
    summary = tally.build_summary(stages.embedder_problem)
    if stages.source_error:
        return replace(summary, unreached=str(stages.source_error))
    if not losing and is_mass_deletion(len(known), len(gone), summary.added):
        return replace(summary, kept=tuple(sorted(gone)))
    if gone:
        await _forget(gone, library, tally)
    return tally.build_summary(stages.embedder_problem)


async def _forget(documents: Set[str], library: DocumentStore, tally: IngestReporter) -> None:
    await library.remove_documents(documents)
    for document_id in sorted(documents):
        tally.record_change(DocumentChange.REMOVED, document_id)


def is_mass_deletion(known: int, gone: int, added: int) -> bool:
    """Whether a source with `known` documents would be emptied, or lose more than a HANDFUL and than a third of them:
    that is how a share that is not mounted, or a service that answers with less, looks like."""
    left = known - gone + added
    return bool(gone) and (not left or (gone > SAFE_DELETION_COUNT and 3 * left < 2 * known))


async def _list(source: DocumentSource) -> tuple[list[SourceItem], Unavailable | None]:
    """All items, and why there may be more."""
    items: list[SourceItem] = []
    try:
        async for item in source.list_items():
            items.append(item)  # noqa: PERF401 what came before an error counts
    except Unavailable as error:
        return items, error
    return items, None
