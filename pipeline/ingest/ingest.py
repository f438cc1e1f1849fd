"""The other walk: source -> parse -> split -> embed -> library.

Reading, embedding and storing run side by side with bounded queues between them; texts of many documents are
embedded together. A document that fails is reported and the rest goes on; what was there of it keeps serving.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from pipeline.errors import CitewellError, Refused, Unavailable
from pipeline.ingest.stretches import stretches
from pipeline.ingest.tally import Change, Event, Failed, Summary, Tally
from pipeline.ingest.unit_texts import unit_texts
from pipeline.ports import DocumentSource, Embedder, Library, SourceItem, Vectors
from pipeline.values import Chunk, Document, Parsed

__all__ = ["Change", "Event", "Failed", "Summary", "ingest", "nothing_left"]

READERS = 2
"""Documents read at a time, so that a slow one does not leave the embedder idle."""
WAITING = 64
"""Documents between two stages."""
BATCH = 1024
"""Units embedded together."""


class Split(Protocol):
    def split(self, parsed: Parsed) -> tuple[Chunk, ...]: ...


async def ingest(
    source: DocumentSource,
    library: Library,
    splitter: Split,
    embedder: Embedder | None,
    on_event: Callable[[Event], None],
    *,
    flag: Callable[[str], bool],
    collection: str = "default",
    emptying: bool = True,
) -> Summary:
    """Bring `library` up to date with `source`: new and changed documents replaced whole, gone ones forgotten.

    What is there of it is in `collection` before anything is read: a document that cannot be read now is not left
    where others see it.

    Without an embedder, or when it fails, documents are stored without vectors. Nothing is forgotten when the
    source could not list everything. Raises what `library` raises, and Refused when the source does not exist, or
    without `emptying` when none of its documents is there any more; new ones are taken in, and the old ones kept.
    """
    moved = set(await library.claim(source.name, collection))
    items, unlisted = await _list(source)
    tally = Tally(on_event, len(items))
    if unlisted:
        tally.failed(source.name, unlisted)
    known = await library.versions(source.name)
    stages = _Stages(source, library, splitter, embedder, flag, collection, known, moved, tally)
    await _side_by_side(stages, items)
    gone = set() if unlisted else known.keys() - {item.id for item in items}
    if gone and gone == known.keys() and not emptying:
        raise nothing_left(source.name, len(gone))
    if gone:
        await library.remove(gone)
        for document_id in sorted(gone):
            tally.count(Change.REMOVED, document_id)
    return tally.summary(stages.degraded)


def nothing_left(source: str, documents: int) -> Refused:
    """Why a source is not emptied while nobody watches."""
    return Refused(
        f"nothing is left of what was indexed from {source} ({documents} in all), and it is kept",
        what_to_do=f"To forget it: citewell documents remove {source}",
    )


async def _list(source: DocumentSource) -> tuple[list[SourceItem], Unavailable | None]:
    """All items, and why there may be more."""
    items: list[SourceItem] = []
    try:
        async for item in source.items():
            items.append(item)  # noqa: PERF401 what came before an error counts
    except Unavailable as error:
        return items, error
    return items, None


async def _side_by_side(stages: _Stages, items: Sequence[SourceItem]) -> None:
    parsed: asyncio.Queue[_Ready | None] = asyncio.Queue(WAITING)
    embedded: asyncio.Queue[_Ready | None] = asyncio.Queue(WAITING)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(stages.read(iter(items), parsed))
            group.create_task(stages.embed(parsed, embedded))
            group.create_task(stages.store(embedded))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


@dataclass(frozen=True)
class _Ready:
    """A document on its way to the library."""

    item: SourceItem
    document: Document
    chunks: tuple[Chunk, ...]
    vectors: tuple[Vectors, ...] | None = None


@dataclass
class _Stages:
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

    async def read(self, items: Iterator[SourceItem], parsed: asyncio.Queue[_Ready | None]) -> None:
        async def reader() -> None:
            for item in items:
                if item.version and self.known.get(item.id) == item.version:
                    self.tally.count(Change.CHANGED if item.id in self.moved else Change.UNCHANGED, item.label)
                elif ready := await self._read_one(item):
                    await parsed.put(ready)

        async with asyncio.TaskGroup() as group:
            for _ in range(READERS):
                group.create_task(reader())
        await parsed.put(None)

    async def _read_one(self, item: SourceItem) -> _Ready | None:
        try:
            found = await self.source.parse(item)
            chunks, flagged = await asyncio.to_thread(self._split, found)
        except CitewellError as error:
            self.tally.failed(item.label, error)
            return None
        update = {"collection": self.collection, "source": self.source.name, "flagged": flagged}
        return _Ready(item, found.document.model_copy(update=update), chunks)

    def _split(self, found: Parsed) -> tuple[tuple[Chunk, ...], bool]:
        text = "\n".join([found.document.title, *(block.text for block in found.blocks)])
        return self.splitter.split(found), any(map(self.flag, stretches(text)))

    async def embed(self, parsed: asyncio.Queue[_Ready | None], embedded: asyncio.Queue[_Ready | None]) -> None:
        """Documents together, until there are BATCH units: a server is asked less often."""
        more = True
        while more:
            batch: list[_Ready] = []
            units = 0
            while more and units < BATCH:
                ready = await parsed.get()
                if ready is None:
                    more = False
                else:
                    batch.append(ready)
                    units += sum(len(chunk.units) for chunk in ready.chunks)
            for ready in await self._with_vectors(batch):
                await embedded.put(ready)
        await embedded.put(None)

    async def _with_vectors(self, batch: Sequence[_Ready]) -> list[_Ready]:
        """The same documents with a vector for each unit; as they are when the embedder fails."""
        if self.embedder is None or self.degraded:
            return list(batch)
        texts = [[unit_texts(chunk) for chunk in ready.chunks] for ready in batch]
        rows = {text: row for row, text in enumerate(dict.fromkeys(t for d in texts for c in d for t in c))}
        unique = list(rows)
        try:
            parts = [await self.embedder.embed(unique[start : start + BATCH]) for start in range(0, len(unique), BATCH)]
        except Unavailable as error:
            self.degraded = str(error)
            return list(batch)
        matrix = np.concatenate(parts) if parts else np.empty((0, self.embedder.dimensions), np.float32)
        return [
            replace(ready, vectors=tuple(matrix[[rows[text] for text in chunk]] for chunk in document))
            for ready, document in zip(batch, texts, strict=True)
        ]

    async def store(self, embedded: asyncio.Queue[_Ready | None]) -> None:
        while ready := await embedded.get():
            name = self.embedder.name if self.embedder and ready.vectors is not None else ""
            await self.library.put(ready.document, ready.chunks, ready.vectors, name)
            self.tally.stored(ready.item.label, ready.document, ready.chunks, new=ready.item.id not in self.known)
