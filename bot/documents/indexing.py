"""Indexes documents: each path is a source of its own, and sources are read one after the other."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import structlog

from adapters.files.reader import FileReader
from adapters.models.minilm.embedder import MiniLMEmbedder
from adapters.sources.folder.source import FolderSource
from bot.config.settings import Settings
from bot.config.tables import FolderTable
from bot.documents.reembedding import active_embedder
from pipeline.errors import Refused, Unavailable
from pipeline.ingest.embedding_inputs import embedding_texts
from pipeline.ingest.ingest import IngestEvent, IngestSummary, ingest_source
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from pipeline.ports import DocumentSource, DocumentStore, Embedder, SkipReportingSource
from pipeline.screen import screen_document
from pipeline.screen.sensitive_data import secret_types
from pipeline.values import Chunk, ParsedDocument, replace

log = structlog.get_logger(__name__)


class IndexedDocument(NamedTuple):
    """The result of indexing a document."""

    passages: int
    is_flagged: bool
    """True if it contains instructions to an assistant."""


@dataclass(frozen=True)
class Indexer:
    """Brings a library up to date with files and folders."""

    library: DocumentStore
    embedder: Embedder | None
    splitter: TokenSplitter
    reader: FileReader
    default_collection: str = "default"
    base_urls: Mapping[str, str] = field(default_factory=dict)
    """Addresses where people read the files of a folder, by its path."""

    async def index(
        self,
        paths: Sequence[Path],
        collection: str,
        on_event: Callable[[IngestEvent], None] = lambda _: None,
        *,
        prefix: str | None = None,
    ) -> IngestSummary:
        """Index every path. Return one summary of all. Raises Refused for a path that is no file and no folder.

        Sources inside a path that were indexed on their own stay sources of their own: they keep their collection and
        are brought up to date too. Without `collection`, a path stays in that of the nearest source it is or lies in.
        `prefix` begins the ids of all documents; by default they are made from their folders.
        """
        total = IngestSummary()
        for path in paths:
            root = await asyncio.to_thread(path.resolve)
            inside = await self.nested_sources(root)
            for place, into in {root: collection or await self._collection(root), **inside}.items():
                is_gone = await asyncio.to_thread(_is_gone, place)
                if is_gone and place == root:
                    raise Refused(f"{place} does not exist", what_to_do="Check the path.")
                if await asyncio.to_thread(_is_special, place):
                    raise Refused(f"{place} is neither a file nor a folder", what_to_do="Name a file or a folder.")
                if is_gone:
                    removed = await self.library.remove_documents(
                        (await self.library.versions(place.as_posix())).keys()
                    )
                    total = _add_summaries(total, IngestSummary(removed=removed))
                else:
                    source = self._folder(place, prefix=prefix, without=frozenset(inside) - {place})
                    total = _add_summaries(total, await self.sync_source(source, into, on_event))
        return total

    async def resync(
        self,
        place: Path,
        collection: str = "",
        on_event: Callable[[IngestEvent], None] = lambda _: None,
        *,
        losing: bool = False,
    ) -> IngestSummary:
        """Bring one folder or file up to date, without the sources inside it; without `collection`, in its present one.

        Raises Refused when it is gone: a share that is not mounted looks like that, and its documents are kept.
        """
        if await asyncio.to_thread(_is_gone, place):
            raise Refused(
                f"{place} does not exist, and what was indexed from it is kept",
                what_to_do=f"To forget it: citewell sources remove {place}",
            )
        source = await self.open_folder_source(place)
        return await self.sync_source(source, collection or await self._collection(place), on_event, losing=losing)

    async def open_folder_source(self, place: Path) -> FolderSource:
        """Return the source of an indexed folder or file, without the sources inside it."""
        return self._folder(place, without=frozenset(await self.nested_sources(place)))

    def _folder(self, place: Path, *, prefix: str | None = None, without: frozenset[Path]) -> FolderSource:
        base_url = self.base_urls.get(place.as_posix(), "")
        return FolderSource(place, self.reader, prefix=prefix, without=without, base_url=base_url)

    async def sync_source(
        self,
        source: DocumentSource,
        collection: str,
        on_event: Callable[[IngestEvent], None] = lambda _: None,
        *,
        losing: bool = True,
    ) -> IngestSummary:
        """Bring the library up to date with one source; `losing` as for `ingest_source`."""
        summary = await ingest_source(
            source,
            self.library,
            self.splitter,
            active_embedder(self.embedder),
            on_event,
            flag=_is_flagged,
            collection=collection,
            losing=losing,
        )
        if summary.unchanged:  # what is not read of them is as true as before
            unread = [
                document
                for document in await self.library.list_documents()
                if document.source == source.name and document.unread
            ]
            summary = replace(summary, unread=tuple((document.filename, document.unread) for document in unread))
        if isinstance(source, FolderSource):
            reasons = source.skipped_by_reason
            return replace(
                summary,
                unsupported=reasons["unsupported"],
                outside=reasons["outside"],
                foreign=reasons["foreign"],
                empty=reasons["empty"],
            )
        skipped = tuple(source.skipped.items()) if isinstance(source, SkipReportingSource) else ()
        return replace(summary, skipped=skipped)

    async def add_document(self, parsed: ParsedDocument) -> IndexedDocument:
        """Index one document without a file; its earlier version serves until it is complete."""
        chunks, flagged = await asyncio.to_thread(self._passages, parsed)
        forms = secret_types(chunk.text for chunk in chunks)
        if forms:
            log.warning("keys_in_document", document=parsed.document.filename, forms=", ".join(forms))
        vectors = None
        if embedder := active_embedder(self.embedder):
            with suppress(Unavailable):
                vectors = [await embedder.embed(embedding_texts(chunk, parsed.document.title)) for chunk in chunks]
        name = embedder.name if embedder and vectors is not None else ""
        await self.library.replace_document(
            replace(parsed.document, flagged=flagged, keys=forms), chunks, vectors, name
        )
        return IndexedDocument(len(chunks), flagged)

    def _passages(self, parsed: ParsedDocument) -> tuple[tuple[Chunk, ...], bool]:
        chunks = self.splitter.split(parsed)
        return chunks, any(_is_flagged(chunk.text) for chunk in chunks)

    async def nested_sources(self, folder: Path) -> dict[Path, str]:
        """Return the sources below a folder, and the collection of each. `folder` is absolute, without links."""
        sources = await self._sources()
        return {source: collection for source, collection in sources.items() if folder in source.parents}

    async def _collection(self, path: Path) -> str:
        sources = await self._sources()
        return next((sources[place] for place in (path, *path.parents) if place in sources), self.default_collection)

    async def _sources(self) -> dict[Path, str]:
        sources = await self.library.list_sources()
        return {Path(source): collection for source, collection in sources.items() if is_path_source(source)}


def is_path_source(source: str) -> bool:
    """Return True if a source of the library is a folder or file, named by its path; others are `kind:name`."""
    return source.startswith("/")


def open_indexer(settings: Settings, library: DocumentStore, embedder: Embedder | None) -> Indexer:
    """Open an indexer. The process that reads binary files starts with the first of them; the caller closes
    `reader`."""
    folders = [table for table in settings.sources if isinstance(table, FolderTable)]
    splitter = TokenSplitter(_tokenizer(embedder), tokens=settings.chunk_tokens, overlap=settings.chunk_overlap)
    return Indexer(
        library,
        embedder,
        splitter,
        FileReader(),
        default_collection=settings.default_collection,
        base_urls={table.source_id: table.base_url or "" for table in folders},
    )


def _tokenizer(embedder: Embedder | None) -> MiniLMEmbedder | WordTokenizer:
    """Return the shipped tokenizer, which measures passages for every embedder, or one of words if its file is
    missing."""
    tokenizer = embedder if isinstance(embedder, MiniLMEmbedder) else MiniLMEmbedder()
    try:
        tokenizer.count_tokens("")
    except Unavailable:
        return WordTokenizer()
    return tokenizer


def _is_gone(path: Path) -> bool:
    try:
        return not path.exists()
    except OSError:
        return False


def _is_special(path: Path) -> bool:
    """Return True for a device, a pipe or a socket."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _is_flagged(text: str) -> bool:
    return screen_document(text).flag


def _add_summaries(total: IngestSummary, summary: IngestSummary) -> IngestSummary:
    return IngestSummary(
        added=total.added + summary.added,
        changed=total.changed + summary.changed,
        unchanged=total.unchanged + summary.unchanged,
        removed=total.removed + summary.removed,
        failed=total.failed + summary.failed,
        chunks=total.chunks + summary.chunks,
        words=total.words + summary.words,
        flagged=total.flagged + summary.flagged,
        keys=total.keys + summary.keys,
        unread=total.unread + summary.unread,
        unsupported=total.unsupported + summary.unsupported,
        outside=total.outside + summary.outside,
        foreign=total.foreign + summary.foreign,
        empty=total.empty + summary.empty,
        degraded=total.degraded or summary.degraded,
    )
