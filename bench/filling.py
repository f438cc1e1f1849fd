"""Fills a database with a made-up library: the rows that indexing writes, by the same functions, many documents in a
transaction."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from adapters.models.minilm.embedder import MiniLMEmbedder
from bench.synthetic import DIMENSIONS, Corpus, Made, document_id
from storage.database import Connection, PassageIndex
from storage.documents.revision import collection_number, insert_chunks, publish_revisions, stage_revision
from storage.open import open_storage

AT_ONCE = 50
"""Documents written in one transaction."""


async def fill(corpus: Corpus, folder: Path, database: str = "") -> bool:
    """Put what is lacking of `corpus` into the SQLite database in `folder`, or into PostgreSQL's at an address.

    False when all of it is there."""
    async with open_storage(folder, database=database) as storage:
        passages, there = (
            storage.database.passage_index,
            {document.id for document in await storage.library.list_documents()},
        )
        lacking = corpus.documents(number for number in range(corpus.count) if document_id(number) not in there)
        while some := list(islice(lacking, AT_ONCE)):
            await storage.database.write(partial(_put, passages=passages, documents=some))
        await storage.database.write(passages.finish_bulk)
    return len(there) < corpus.count


def _put(db: Connection, *, passages: PassageIndex, documents: Sequence[Made]) -> None:
    for document, chunks, vectors in documents:
        collection = collection_number(db, document.collection)
        revision = stage_revision(db, document, collection, MiniLMEmbedder.name, DIMENSIONS)
        insert_chunks(db, passages.bulk_add, revision, collection, document, chunks, vectors, 0)
        publish_revisions(db, {document.id: revision})
