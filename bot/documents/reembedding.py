"""The change of an embedder: which one embeds questions meanwhile, and new vectors for existing documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from pipeline.errors import Unavailable
from pipeline.ingest.embedding_inputs import embedding_texts
from pipeline.ports import Embedder, Vectors
from pipeline.values import Chunk
from storage.database import Database
from storage.documents.embeddings import EmbeddedDocuments
from storage.documents.revision import library_generation

# --- Which is asked -------------------------------------------------------------------------------


class FallbackEmbedder:
    """An `Embedder`: the `previous` one, until every document is embedded with the `target`."""

    def __init__(self, target: Embedder, previous: Embedder, database: Database) -> None:
        self.target = target
        self.active = previous
        self._database = database
        self._generation = -1

    @property
    def name(self) -> str:
        return self.active.name

    @property
    def dimensions(self) -> int:
        return self.active.dimensions

    @property
    def is_reembedding(self) -> bool:
        """True while the previous embedder is used."""
        return self.active is not self.target

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return await self.active.embed(texts)

    async def embed_question(self, text: str) -> Vectors:
        await self.refresh()
        return await self.active.embed_question(text)

    async def refresh(self) -> None:
        """Use the target from now on if its vectors are searched, whichever process switched."""
        at = await self._database.read(library_generation) if self.is_reembedding else self._generation
        if at != self._generation:
            self._generation = at
            if await EmbeddedDocuments(self._database).search_embedder() == self.target.name:
                self.active = self.target


def active_embedder(embedder: Embedder | None) -> Embedder | None:
    """Return the embedder in use now: its name stays that of its vectors, whatever is used later."""
    return embedder.active if isinstance(embedder, FallbackEmbedder) else embedder


def target_embedder(embedder: Embedder) -> Embedder:
    """Return the embedder of the settings."""
    return embedder.target if isinstance(embedder, FallbackEmbedder) else embedder


# --- New vectors, from the database, without files ------------------------------------------------

REEMBED_BATCH = 1024
"""Texts embedded together."""


async def reembed(
    documents: EmbeddedDocuments, embedder: Embedder, on_document: Callable[[int, int], None] = lambda *_: None
) -> int:
    """Embed with the target of `embedder` all documents that it has not embedded. Return how many newly have searched
    vectors.

    While another embedder's vectors are searched, the new ones are stored beside them until every document has some,
    and then searched in their place, all at once; the old ones are kept for the way back. An interrupted run is
    continued by the next. `on_document` is called with the position and the number of documents due. A document that is
    changed meanwhile is left alone. Raises Unavailable; vectors made by then stay.
    """
    new = target_embedder(embedder)
    try:
        await new.embed_question("name")  # which may hold what only a reply tells
    except Unavailable:
        if await documents.outdated_revisions(new.name):
            raise
    beside = await documents.search_embedder() not in ("", new.name)
    done = 0
    while due := await documents.outdated_revisions(new.name):
        for place, revision in enumerate(due, 1):
            on_document(place, len(due))
            title, chunks = await documents.passages(revision)
            vectors = await _vectors(chunks, title, new)
            done += await documents.replace_vectors(revision, chunks, vectors, new.name, beside=beside)
        if not beside:
            break
    done = await documents.switch_to(new.name) or done
    if isinstance(embedder, FallbackEmbedder):
        await embedder.refresh()
    return done


async def _vectors(chunks: Sequence[Chunk], title: str, embedder: Embedder) -> list[Vectors]:
    """Return a matrix for each chunk, a row for each of its units."""
    units = [embedding_texts(chunk, title) for chunk in chunks]
    texts = list(chain.from_iterable(units))
    parts = [
        await embedder.embed(texts[start : start + REEMBED_BATCH]) for start in range(0, len(texts), REEMBED_BATCH)
    ]
    rows = np.concatenate([np.empty((0, embedder.dimensions), np.float32), *parts])
    return np.split(rows, np.cumsum([len(unit_texts) for unit_texts in units])[:-1])
