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
from pipeline.ingest.tally import Change, Event, Failed, Summary, Tally, Underway
from pipeline.ingest.unit_texts import unit_texts
from pipeline.ports import DocumentSource, Embedder, Library, SourceItem, Staged, Vectors, Withholding
from pipeline.screen.private import key_forms
from pipeline.values import READING, Block, Chunk, Document, Parsed, replace

# --- Stages, side by side with bounded queues between them ----------------------------------------
# Texts of many documents are embedded together; a long document comes in parts, so that no more of it is in memory than
# a few of those.

READERS = 2
"""Documents read at a time, so that a slow one does not leave the embedder idle."""
WAITING = 16
"""Parts between two stages."""
BATCH = 1024
"""Units embedded together, and units of a part."""
LENGTH = 1_000_000
"""Characters of a stretch: less than the screening of a document reads."""
OVERLAP = 10_000
"""Characters that two stretches share, so that no paragraph is seen in halves only."""


class Split(Protocol):
    def chunks(self, document: Document, blocks: Iterable[Block]) -> Iterator[Chunk]: ...


@dataclass(frozen=True)
class Part:
    """A document on its way to the library, or so many of its chunks."""

    item: SourceItem
    document: Document
    chunks: tuple[Chunk, ...]
    vectors: tuple[Vectors, ...] | None = None
    staged: Staged | None = None
    """Where the parts of a long document are put."""
    last: bool = True
    share: float = 1.0
    """Of the document, read so far."""


Queue = asyncio.Queue[Part | None]


async def side_by_side(stages: Stages, items: Sequence[SourceItem]) -> None:
    """Bring all `items` into the library. Raises the first error that is not one document's own."""
    parsed, embedded = Queue(WAITING), Queue(WAITING)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(stages.read(iter(items), parsed))
            group.create_task(stages.embed(parsed, embedded))
            group.create_task(stages.store(embedded))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


@dataclass
class Stages:
    source: DocumentSource
    library: Library
    splitter: Split
    embedder: Embedder | None
    flag: Callable[[str], bool]
    collection: str
    known: dict[str, str]
    moved: set[str]
    tally: Tally
    degraded: str = ""
    unreached: Unavailable | None = None
    """Why not all of the source was seen."""
    stopped: bool = False
    """It does not answer any more."""
    given_up: set[str] = field(default_factory=set)
    """Documents of which some parts were stored before they failed."""

    async def read(self, items: Iterator[SourceItem], parsed: Queue) -> None:
        async def reader() -> None:
            for item in items:
                if self.stopped:
                    return
                if item.version and self.known.get(item.id) == item.version:
                    self.tally.count(Change.CHANGED if item.id in self.moved else Change.UNCHANGED, item.label)
                    continue
                try:
                    async with aclosing(self._parts(item)) as parts:
                        async for part in parts:
                            await parsed.put(part)
                except CitewellError as error:
                    self.tally.failed(item.label, error)
                    if isinstance(error, Unavailable):
                        self.stopped, self.unreached = True, error

        async with asyncio.TaskGroup() as group:
            for _ in range(READERS):
                group.create_task(reader())
        await parsed.put(None)

    async def _parts(self, item: SourceItem) -> AsyncGenerator[Part, None]:
        found = await self.source.parse(item)
        flagged, keys = await asyncio.to_thread(self._screened, found)
        document = replace(
            found.document,
            collection=self.collection,
            source=self.source.name,
            reading=READING,
            flagged=flagged,
            keys=keys,
        )
        blocks = _Counted(found.blocks)
        batches = _batches(self.splitter.chunks(document, blocks))
        staged, position = None, 0
        while batch := await asyncio.to_thread(next, batches, None):
            chunks, last = batch
            if not last and staged is None:
                staged = await self.library.stage(document, *self._embedded_by())
            left = await _without_held(chunks, staged, position, last) if staged else chunks
            position += len(chunks)
            self.tally.read(chunks)
            share = blocks.taken / max(1, len(found.blocks))
            yield Part(item, document, left, staged=staged, last=last, share=share)

    def _embedded_by(self) -> tuple[str, int]:
        embedder = None if self.degraded else self.embedder
        return (embedder.name, embedder.dimensions) if embedder else ("", 0)

    def _screened(self, found: Parsed) -> tuple[bool, tuple[str, ...]]:
        """Whether it holds instructions to an assistant, and the forms of keys in it."""
        texts = list(stretches([found.document.title, *(block.text for block in found.blocks)]))
        return any(map(self.flag, texts)), key_forms(texts)

    async def embed(self, parsed: Queue, embedded: Queue) -> None:
        """Parts together, until there are BATCH units: a server is asked less often."""
        more = True
        while more:
            batch: list[Part] = []
            units = 0
            while more and units < BATCH:
                part = await parsed.get()
                if part is None:
                    more = False
                else:
                    batch.append(part)
                    units += sum(len(chunk.units) for chunk in part.chunks)
            for part in await self._with_vectors(batch):
                await embedded.put(part)
        await embedded.put(None)

    async def _with_vectors(self, batch: Sequence[Part]) -> list[Part]:
        """The same parts with vectors for each chunk; as they are when the embedder fails."""
        if self.embedder is None or self.degraded:
            return list(batch)
        texts = [[unit_texts(chunk, part.document.title) for chunk in part.chunks] for part in batch]
        rows = {text: row for row, text in enumerate(dict.fromkeys(t for d in texts for c in d for t in c))}
        unique = list(rows)
        try:
            parts = [await self.embedder.embed(unique[start : start + BATCH]) for start in range(0, len(unique), BATCH)]
        except Unavailable as error:
            self.degraded = str(error)
            return list(batch)
        matrix = np.concatenate(parts) if parts else np.empty((0, self.embedder.dimensions), np.float32)
        return [
            replace(part, vectors=tuple(matrix[[rows[text] for text in chunk]] for chunk in document))
            for part, document in zip(batch, texts, strict=True)
        ]

    async def store(self, embedded: Queue) -> None:
        """A document whose vectors are not all there is stored as if it had none, and is due again."""
        while part := await embedded.get():
            name = self.embedder.name if self.embedder and part.vectors is not None else ""
            if part.staged is None:
                await self.library.put(part.document, part.chunks, part.vectors, name)
            elif part.item.id in self.given_up or not await self._add(part, part.staged, name):
                continue
            if part.last:
                self.tally.stored(part.item.label, part.document, new=part.item.id not in self.known)
            else:
                self.tally.underway(part.item.label, part.share)

    async def _add(self, part: Part, staged: Staged, embedder: str) -> bool:
        try:
            await staged.add(part.chunks, part.vectors)
            if part.last:
                await staged.publish(embedder)
        except Refused as error:
            self.given_up.add(part.item.id)
            self.tally.failed(part.item.label, error)
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
        if held and units + len(chunk.units) > BATCH:
            yield tuple(held), False
            held, units = [], 0
        held.append(chunk)
        units += len(chunk.units)
    yield tuple(held), True


async def _without_held(chunks: Sequence[Chunk], staged: Staged, position: int, last: bool) -> tuple[Chunk, ...]:
    """Those that are not stored yet; what was stored otherwise than it is read now is forgotten."""
    held = staged.held[position : position + len(chunks)]
    same = next((n for n, (chunk, one) in enumerate(zip(chunks, held, strict=False)) if chunk.id != one), len(held))
    if same < len(held) or (last and len(staged.held) > position + same):
        await staged.keep(position + same)
    return tuple(chunks[same:])


def stretches(texts: Iterable[str], length: int = LENGTH, overlap: int = OVERLAP) -> Iterator[str]:
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

__all__ = ["HANDFUL", "Change", "Event", "Failed", "Summary", "Underway", "ingest", "loses"]

HANDFUL = 5
"""Documents that may always be gone at once, as long as others are left."""


async def ingest(
    source: DocumentSource,
    library: Library,
    splitter: Split,
    embedder: Embedder | None,
    on_event: Callable[[Event], None],
    *,
    flag: Callable[[str], bool],
    collection: str = "default",
    losing: bool = True,
) -> Summary:
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
    withheld = await library.withheld(source.name)
    moved = set() if withheld else set(await library.claim(source.name, collection))
    items, unlisted = await _list(source)
    tally = Tally(on_event, len(items))
    if unlisted:
        tally.failed(source.name, unlisted, whole=True)
        if unlisted.denied and not items:
            await library.withhold(source.name)
            return replace(tally.summary(""), unreached=str(unlisted), denied=True)
    known = await library.versions(source.name)
    listed = {item.id for item in items}
    closed = known.keys() & (source.withheld if isinstance(source, Withholding) else frozenset())
    back = withheld and items and not unlisted
    if back:
        closed |= known.keys() - listed
    if closed:
        await _forget(closed, library, tally)
        known = {document: version for document, version in known.items() if document not in closed}
    if back:
        moved = set(await library.claim(source.name, collection))
    stages = Stages(source, library, splitter, embedder, flag, collection, known, moved, tally, unreached=unlisted)
    await side_by_side(stages, items)
    gone = known.keys() - listed
    summary = tally.summary(stages.degraded)
    if stages.unreached:
        return replace(summary, unreached=str(stages.unreached))
    if not losing and loses(len(known), len(gone), summary.added):
        return replace(summary, kept=tuple(sorted(gone)))
    if gone:
        await _forget(gone, library, tally)
    return tally.summary(stages.degraded)


async def _forget(documents: Set[str], library: Library, tally: Tally) -> None:
    await library.remove(documents)
    for document_id in sorted(documents):
        tally.count(Change.REMOVED, document_id)


def loses(known: int, gone: int, added: int) -> bool:
    """Whether a source with `known` documents would be emptied, or lose more than a HANDFUL and than a third of them:
    that is how a share that is not mounted, or a service that answers with less, looks like."""
    left = known - gone + added
    return bool(gone) and (not left or (gone > HANDFUL and 3 * left < 2 * known))


async def _list(source: DocumentSource) -> tuple[list[SourceItem], Unavailable | None]:
    """All items, and why there may be more."""
    items: list[SourceItem] = []
    try:
        async for item in source.items():
            items.append(item)  # noqa: PERF401 what came before an error counts
    except Unavailable as error:
        return items, error
    return items, None
