"""Documents into the library: each path is a source of its own, and sources are walked one after the other."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import structlog

from adapters.files.reader import Reader
from adapters.models.minilm.embedder import MiniLM
from adapters.sources.folder.source import FolderSource
from bot.config.settings import Settings
from bot.config.tables import FolderTable
from bot.documents.serving import at_this_moment
from pipeline.errors import Refused, Unavailable
from pipeline.ingest.ingest import Event, Summary, ingest
from pipeline.ingest.split import Splitter, WordCount
from pipeline.ingest.unit_texts import unit_texts
from pipeline.ports import DocumentSource, Embedder, Library, Skipping
from pipeline.screen import screen_document
from pipeline.screen.private import key_forms
from pipeline.values import Chunk, Parsed, replace

log = structlog.get_logger(__name__)


class Kept(NamedTuple):
    """What became of a document."""

    passages: int
    flagged: bool
    """It holds instructions to an assistant."""


@dataclass(frozen=True)
class Indexer:
    """Brings a library up to date with files and folders."""

    library: Library
    embedder: Embedder | None
    splitter: Splitter
    reader: Reader
    default_collection: str = "default"
    base_urls: Mapping[str, str] = field(default_factory=dict)
    """Where people read the files of a folder, by its path."""

    async def index(
        self,
        paths: Sequence[Path],
        collection: str,
        on_event: Callable[[Event], None] = lambda _: None,
        *,
        prefix: str | None = None,
    ) -> Summary:
        """Index every path; the summary is of all of them. Raises Refused for a path that is no file and no folder.

        What was indexed on its own inside a path stays a source of its own: it keeps its collection and is brought
        up to date too. Without `collection`, a path stays in that of the nearest source it is or lies in.
        `prefix` begins the ids of all documents; by default they are made from their folders."""
        total = Summary()
        for path in paths:
            whole = await asyncio.to_thread(path.resolve)
            inside = await self.inside(whole)
            for place, into in {whole: collection or await self._collection(whole), **inside}.items():
                gone = await asyncio.to_thread(_is_gone, place)
                if gone and place == whole:
                    raise Refused(f"{place} does not exist", what_to_do="Check the path.")
                if await asyncio.to_thread(_is_special, place):
                    raise Refused(f"{place} is neither a file nor a folder", what_to_do="Name a file or a folder.")
                if gone:
                    removed = await self.library.remove((await self.library.versions(place.as_posix())).keys())
                    total = _add(total, Summary(removed=removed))
                else:
                    source = self._folder(place, prefix=prefix, without=frozenset(inside) - {place})
                    total = _add(total, await self.take_in(source, into, on_event))
        return total

    async def look_again(
        self,
        place: Path,
        collection: str = "",
        on_event: Callable[[Event], None] = lambda _: None,
        *,
        losing: bool = False,
    ) -> Summary:
        """Bring one folder or file up to date, without the sources inside it; without `collection`, where it is.

        Raises Refused when it is gone: a share that is not mounted looks like that, and its documents are kept."""
        if await asyncio.to_thread(_is_gone, place):
            raise Refused(
                f"{place} does not exist, and what was indexed from it is kept",
                what_to_do=f"To forget it: citewell sources remove {place}",
            )
        source = await self.folder(place)
        return await self.take_in(source, collection or await self._collection(place), on_event, losing=losing)

    async def folder(self, place: Path) -> FolderSource:
        """What is in a folder or file that was indexed, without the sources inside it."""
        return self._folder(place, without=frozenset(await self.inside(place)))

    def _folder(self, place: Path, *, prefix: str | None = None, without: frozenset[Path]) -> FolderSource:
        base_url = self.base_urls.get(place.as_posix(), "")
        return FolderSource(place, self.reader, prefix=prefix, without=without, base_url=base_url)

    async def take_in(
        self,
        source: DocumentSource,
        collection: str,
        on_event: Callable[[Event], None] = lambda _: None,
        *,
        losing: bool = True,
    ) -> Summary:
        """Bring the library up to date with one source; `losing` as for `ingest`."""
        summary = await ingest(
            source,
            self.library,
            self.splitter,
            at_this_moment(self.embedder),
            on_event,
            flag=_flagged,
            collection=collection,
            losing=losing,
        )
        if summary.unchanged:  # what is not read of them is as true as before
            unread = [one for one in await self.library.documents() if one.source == source.name and one.unread]
            summary = replace(summary, unread=tuple((one.filename, one.unread) for one in unread))
        if isinstance(source, FolderSource):
            left = source.left_out
            return replace(
                summary,
                unsupported=left["unsupported"],
                outside=left["outside"],
                foreign=left["foreign"],
                empty=left["empty"],
            )
        skipped = tuple(source.skipped.items()) if isinstance(source, Skipping) else ()
        return replace(summary, skipped=skipped)

    async def keep(self, parsed: Parsed) -> Kept:
        """Put one document into the library that is in no file; its earlier version serves until it is there."""
        chunks, flagged = await asyncio.to_thread(self._passages, parsed)
        forms = key_forms(chunk.text for chunk in chunks)
        if forms:
            log.warning("keys_in_document", document=parsed.document.filename, forms=", ".join(forms))
        vectors = None
        if embedder := at_this_moment(self.embedder):
            with suppress(Unavailable):
                vectors = [await embedder.embed(unit_texts(chunk, parsed.document.title)) for chunk in chunks]
        name = embedder.name if embedder and vectors is not None else ""
        await self.library.put(replace(parsed.document, flagged=flagged, keys=forms), chunks, vectors, name)
        return Kept(len(chunks), flagged)

    def _passages(self, parsed: Parsed) -> tuple[tuple[Chunk, ...], bool]:
        chunks = self.splitter.split(parsed)
        return chunks, any(_flagged(chunk.text) for chunk in chunks)

    async def inside(self, folder: Path) -> dict[Path, str]:
        """The sources somewhere below a folder, and the collection of each. `folder` is absolute, without links."""
        found = await self._sources()
        return {source: collection for source, collection in found.items() if folder in source.parents}

    async def _collection(self, path: Path) -> str:
        found = await self._sources()
        return next((found[place] for place in (path, *path.parents) if place in found), self.default_collection)

    async def _sources(self) -> dict[Path, str]:
        found = await self.library.sources()
        return {Path(source): collection for source, collection in found.items() if is_path(source)}


def is_path(source: str) -> bool:
    """Whether a source of the library is a folder or file, named by its path; others are `kind:name`."""
    return source.startswith("/")


@asynccontextmanager
async def open_indexer(settings: Settings, library: Library, embedder: Embedder | None) -> AsyncIterator[Indexer]:
    """An indexer; the process that reads binary files starts when the first one is read."""
    reader = Reader()
    folders = [table for table in settings.sources if isinstance(table, FolderTable)]
    splitter = Splitter(_tokenizer(embedder), tokens=settings.chunk_tokens, overlap=settings.chunk_overlap)
    try:
        yield Indexer(
            library,
            embedder,
            splitter,
            reader,
            default_collection=settings.default_collection,
            base_urls={table.source: table.base_url or "" for table in folders},
        )
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


def _is_gone(path: Path) -> bool:
    try:
        return not path.exists()
    except OSError:
        return False


def _is_special(path: Path) -> bool:
    """Whether it is a device, a pipe or a socket."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


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
        keys=one.keys + two.keys,
        unread=one.unread + two.unread,
        unsupported=one.unsupported + two.unsupported,
        outside=one.outside + two.outside,
        foreign=one.foreign + two.foreign,
        empty=one.empty + two.empty,
        degraded=one.degraded or two.degraded,
    )
