"""Fills a database with a made-up library: the rows that indexing writes, by the same functions, many documents in a
transaction and, in PostgreSQL, by several processes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from adapters.models.minilm.embedder import MiniLM
from bench.synthetic import DIMENSIONS, Corpus, Made, document_id
from storage.database import Connection, PassageIndex
from storage.open import open_storage
from storage.revision import insert, raise_generation, stage

AT_ONCE = 20
"""Documents written in one transaction."""
WRITERS = int(os.environ.get("SCALE_WRITERS", "2"))


async def fill(corpus: Corpus, folder: Path, database: str = "") -> bool:
    """Put what is lacking of `corpus` into the SQLite database in `folder`, or into PostgreSQL's at an address.

    False when all of it is there."""
    async with open_storage(folder, database=database) as storage:
        passages = storage.database.passages
        if lacking := await storage.library.count() < corpus.count:
            await storage.database.write(partial(_begin, passages=passages))
            await (_by_several if database and WRITERS > 1 else _write)(corpus, folder, database)
            await storage.database.write(raise_generation)
        await storage.database.write(passages.complete)
    return lacking


async def _by_several(corpus: Corpus, folder: Path, database: str) -> None:
    with ProcessPoolExecutor(WRITERS, mp_context=get_context("spawn")) as pool:
        parts = [pool.submit(_write_part, corpus, folder, database, part) for part in range(WRITERS)]
        await asyncio.gather(*map(asyncio.wrap_future, parts))


def _write_part(corpus: Corpus, folder: Path, database: str, part: int) -> None:
    asyncio.run(_write(corpus, folder, database, part, WRITERS))


async def _write(corpus: Corpus, folder: Path, database: str, part: int = 0, parts: int = 1) -> None:
    async with open_storage(folder, database=database) as storage:
        there = {document.id for document in await storage.library.documents()}
        mine = range(part, corpus.count, parts)
        documents = corpus.documents(number for number in mine if document_id(number) not in there)
        while some := list(islice(documents, AT_ONCE)):
            await storage.database.write(partial(_put, passages=storage.database.passages, documents=some))


def _begin(db: Connection, *, passages: PassageIndex) -> None:
    """What writers would wait for each other to do."""
    db.execute("INSERT INTO collection (name) VALUES ('default') ON CONFLICT DO NOTHING")
    passages.fill(db, [])


def _put(db: Connection, *, passages: PassageIndex, documents: Sequence[Made]) -> None:
    for document, chunks, vectors in documents:
        revision = stage(db, document, MiniLM.name, DIMENSIONS)
        insert(db, passages.fill, revision, document, chunks, vectors, 0)
        db.execute("UPDATE revision SET state = 'live' WHERE id = $1", (revision,))
