"""Makes a vector store equal to the database and checks that it is: the same step after a change, a crash or drift."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from pipeline.errors import Unavailable
from pipeline.ports import Vectors
from storage.chroma import ChromaStore
from storage.database import Database
from storage.revision import generation
from storage.vectors import unpack

BATCH = 500
CANARIES = 10
"""Vectors of each collection that must find themselves. A store that lost its graph still reports the right count."""
FOUND = 0.8
SAME = 0.999


@dataclass(frozen=True)
class Truth:
    """What the vector index should hold of `embedder` as of one generation. What a number stands for never changes."""

    embedder: str
    generation: int
    collections: dict[str, int]
    numbers: dict[int, list[int]]
    dimensions: int

    @property
    def size(self) -> int:
        return sum(map(len, self.numbers.values()))


def read_truth(db: sqlite3.Connection, embedder: str) -> Truth:
    """Everything live that was embedded by `embedder`."""
    collections = dict(db.execute("SELECT name, id FROM collection").fetchall())
    numbers: dict[int, list[int]] = {}
    dimensions = 0
    for number, collection, size in db.execute(
        "SELECT number, collection_id, dimensions FROM mean_vector JOIN live ON live.id = number >> 20"
        " WHERE embedder = ? ORDER BY number",
        (embedder,),
    ):
        numbers.setdefault(collection, []).append(number)
        dimensions = size
    return Truth(embedder, generation(db), collections, numbers, dimensions)


async def reconcile(
    database: Database,
    store: ChromaStore,
    truth: Truth,
    threads: Executor,
    *,
    known: Mapping[int, Sequence[int]] | None = None,
) -> int:
    """Add what is missing from `store` and delete what is too much; returns how many were deleted.

    `known` is what each collection holds, for a caller who has just made it so; otherwise the store is asked."""
    loop = asyncio.get_running_loop()
    deleted = 0
    for collection in await loop.run_in_executor(threads, store.collections):
        if collection not in truth.numbers:
            await loop.run_in_executor(threads, store.drop, collection)
    for collection, numbers in truth.numbers.items():
        if known is None:
            held = await loop.run_in_executor(threads, store.numbers, collection)
        else:
            held = set(known.get(collection, ()))
        surplus = sorted(held.difference(numbers))
        for batch in _batches(surplus):
            await loop.run_in_executor(threads, store.delete, collection, batch)
        for batch in _batches(sorted(set(numbers) - held)):
            present, vectors = await _vectors(database, batch, truth.dimensions)
            if present:
                await loop.run_in_executor(threads, store.add, collection, present, vectors)
        deleted += len(surplus)
    return deleted


async def check(database: Database, store: ChromaStore, truth: Truth, threads: Executor) -> None:
    """Raises Unavailable unless in each collection a sample of vectors, searched for, finds itself."""
    loop = asyncio.get_running_loop()
    for collection, numbers in truth.numbers.items():
        sample = numbers[:: max(1, len(numbers) // CANARIES)]
        present, vectors = await _vectors(database, sample, truth.dimensions)
        found = 0
        for number, vector in zip(present, vectors, strict=True):
            hits = await loop.run_in_executor(threads, store.search, collection, vector, CANARIES)
            found += any(hit == number or score > SAME for hit, score in hits)
        if found < FOUND * len(present):
            raise Unavailable("chroma", f"of {len(present)} vectors only {found} find themselves")


async def _vectors(database: Database, numbers: Sequence[int], dimensions: int) -> tuple[list[int], Vectors]:
    """The mean vectors of those of `numbers` that are still there."""

    def work(db: sqlite3.Connection) -> list[tuple[int, bytes]]:
        return db.execute(
            "SELECT number, vector FROM json_each(?) JOIN mean_vector ON number = value", (json.dumps(list(numbers)),)
        ).fetchall()

    rows = await database.read(work)
    return [number for number, _ in rows], unpack(b"".join(vector for _, vector in rows), dimensions)


def _batches(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    return (numbers[start : start + BATCH] for start in range(0, len(numbers), BATCH))
