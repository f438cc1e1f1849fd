"""New vectors for documents that another embedder has embedded, or none: from the database, without their files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from pipeline.errors import Unavailable
from pipeline.ingest.unit_texts import unit_texts
from pipeline.ports import Embedder, Vectors
from pipeline.values import Chunk
from storage.documents.embedded import EmbeddedDocuments

BATCH = 1024
"""Texts embedded together."""


async def embed_again(
    documents: EmbeddedDocuments, embedder: Embedder, on_document: Callable[[int, int], None] = lambda *_: None
) -> int:
    """Embed with `embedder` what it has not embedded, and return how many documents that were.

    `on_document` is told the place and the number of those that are due. What is changed meanwhile is left as it is.
    Raises Unavailable; what was embedded by then stays."""
    try:
        await embedder.embed_question("name")  # which may hold what only a reply tells
    except Unavailable:
        if await documents.due(embedder.name):
            raise
    due = await documents.due(embedder.name)
    done = 0
    for place, revision in enumerate(due, 1):
        on_document(place, len(due))
        title, chunks = await documents.passages(revision)
        vectors = await _vectors(chunks, title, embedder)
        done += await documents.put(revision, chunks, vectors, embedder.name)
    return done


async def _vectors(chunks: Sequence[Chunk], title: str, embedder: Embedder) -> list[Vectors]:
    """A matrix for each chunk, a row for each of its units."""
    units = [unit_texts(chunk, title) for chunk in chunks]
    texts = list(chain.from_iterable(units))
    parts = [await embedder.embed(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]
    rows = np.concatenate([np.empty((0, embedder.dimensions), np.float32), *parts])
    return np.split(rows, np.cumsum([len(own) for own in units])[:-1])
