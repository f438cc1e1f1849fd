"""Which embedder is asked while documents are being embedded with another one, and new vectors for those that another
one has embedded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from pipeline.errors import Unavailable
from pipeline.ingest.unit_texts import unit_texts
from pipeline.ports import Embedder, Vectors
from pipeline.values import Chunk
from storage.database import Database
from storage.documents.embedded import EmbeddedDocuments
from storage.documents.revision import generation

# --- Which is asked -------------------------------------------------------------------------------


class Serving:
    """An `Embedder`: the one that is there from `before`, until every document is embedded with the one `wanted`."""

    def __init__(self, wanted: Embedder, before: Embedder, database: Database) -> None:
        self.wanted = wanted
        self.now = before
        self._database = database
        self._generation = -1

    @property
    def name(self) -> str:
        return self.now.name

    @property
    def dimensions(self) -> int:
        return self.now.dimensions

    @property
    def changing(self) -> bool:
        """Whether the one from before is asked."""
        return self.now is not self.wanted

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return await self.now.embed(texts)

    async def embed_question(self, text: str) -> Vectors:
        await self.look()
        return await self.now.embed_question(text)

    async def look(self) -> None:
        """Ask the one wanted from now on, if its vectors are those that are searched, whichever process saw to it."""
        at = await self._database.read(generation) if self.changing else self._generation
        if at != self._generation:
            self._generation = at
            if await EmbeddedDocuments(self._database).serving() == self.wanted.name:
                self.now = self.wanted


def at_this_moment(embedder: Embedder | None) -> Embedder | None:
    """The one that is asked now: what is embedded with it is of its name, whatever is asked later."""
    return embedder.now if isinstance(embedder, Serving) else embedder


def wanted(embedder: Embedder) -> Embedder:
    """The one in the settings."""
    return embedder.wanted if isinstance(embedder, Serving) else embedder


# --- New vectors, from the database, without files ------------------------------------------------

BATCH = 1024
"""Texts embedded together."""


async def embed_again(
    documents: EmbeddedDocuments, embedder: Embedder, on_document: Callable[[int, int], None] = lambda *_: None
) -> int:
    """Embed with the `embedder` that is wanted what it has not embedded, and return how many documents are found by its
    vectors now that were not.

    Where another one's vectors are searched, these are kept beside them until there are some for every document, and
    then searched in their place, all at once; those of before are kept for the way back. Cut off, it goes on where it
    was.
    `on_document` is told the place and the number of those that are due. What is changed meanwhile is left as it is.
    Raises Unavailable; what was embedded by then stays."""
    new = wanted(embedder)
    try:
        await new.embed_question("name")  # which may hold what only a reply tells
    except Unavailable:
        if await documents.due(new.name):
            raise
    beside = await documents.serving() not in ("", new.name)
    done = 0
    while due := await documents.due(new.name):
        for place, revision in enumerate(due, 1):
            on_document(place, len(due))
            title, chunks = await documents.passages(revision)
            vectors = await _vectors(chunks, title, new)
            done += await documents.put(revision, chunks, vectors, new.name, beside=beside)
        if not beside:
            break
    done = await documents.change(new.name) or done
    if isinstance(embedder, Serving):
        await embedder.look()
    return done


async def _vectors(chunks: Sequence[Chunk], title: str, embedder: Embedder) -> list[Vectors]:
    """A matrix for each chunk, a row for each of its units."""
    units = [unit_texts(chunk, title) for chunk in chunks]
    texts = list(chain.from_iterable(units))
    parts = [await embedder.embed(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]
    rows = np.concatenate([np.empty((0, embedder.dimensions), np.float32), *parts])
    return np.split(rows, np.cumsum([len(own) for own in units])[:-1])
