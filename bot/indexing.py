"""Documents into the library: each path is a source of its own, and sources are walked one after the other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from adapters.files.reader import Reader
from adapters.models.minilm.embedder import MiniLM
from adapters.sources.folder import FolderSource
from bot.settings import Settings
from pipeline.errors import Unavailable
from pipeline.ingestion.ingest import Event, Summary, ingest
from pipeline.ingestion.split import Splitter, WordCount
from pipeline.ports import Embedder, Library
from pipeline.screen import screen_document


@dataclass(frozen=True)
class Indexer:
    """Brings a library up to date with files and folders."""

    library: Library
    embedder: Embedder | None
    splitter: Splitter
    reader: Reader

    async def index(
        self,
        paths: Sequence[Path],
        collection: str,
        on_event: Callable[[Event], None] = lambda _: None,
        *,
        prefix: str | None = None,
    ) -> Summary:
        """Index every path; the summary is of all of them. Raises Refused for a path that does not exist.

        `prefix` begins the ids of all documents; by default it is made from each path."""
        total = Summary()
        for path in paths:
            source = FolderSource(path, self.reader, prefix=prefix)
            done = await ingest(
                source, self.library, self.splitter, self.embedder, on_event, flag=_flagged, collection=collection
            )
            total = _add(total, done)
        return total


@asynccontextmanager
async def open_indexer(settings: Settings, library: Library, embedder: Embedder | None) -> AsyncIterator[Indexer]:
    """An indexer; the process that reads binary files starts when the first one is read."""
    reader = Reader()
    splitter = Splitter(_tokenizer(embedder), tokens=settings.chunk_tokens, overlap=settings.chunk_overlap)
    try:
        yield Indexer(library=library, embedder=embedder, splitter=splitter, reader=reader)
    finally:
        await reader.close()


def _tokenizer(embedder: Embedder | None) -> MiniLM | WordCount:
    """The shipped tokenizer measures passages for every embedder; words do where its file is missing."""
    tokenizer = embedder if isinstance(embedder, MiniLM) else MiniLM()
    try:
        tokenizer.count("")
    except Unavailable:
        return WordCount()
    return tokenizer


def _flagged(text: str) -> bool:
    return screen_document(text).flag


def _add(one: Summary, two: Summary) -> Summary:
    return Summary(
        added=one.added + two.added,
        changed=one.changed + two.changed,
        unchanged=one.unchanged + two.unchanged,
        removed=one.removed + two.removed,
        failed=one.failed + two.failed,
        chunks=one.chunks + two.chunks,
        words=one.words + two.words,
        flagged=one.flagged + two.flagged,
        degraded=one.degraded or two.degraded,
    )
