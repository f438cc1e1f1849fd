"""Exact nearest-neighbour search over the vectors of the database: the standby while Chroma is not to be had, and the
oracle of the tests. 1 ms at 10,000 chunks, about 15 ms at 100,000 (384 dimensions, two cores)."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.ports import Vectors
from pipeline.values import Audience, Hit
from storage.database import Database
from storage.hits import hits
from storage.revision import SPAN, generation

SCAN = 50
BLOCK = 256
"""Rows brought to float at a time: few enough for the processor's cache, and for OpenBLAS to stay on one thread (its
threads wait for each other by spinning, which costs 20 times as much on a busy machine)."""


@dataclass(frozen=True)
class _Snapshot:
    """Mean vectors by `embedder` of all live chunks as of one generation, in the order of `numbers`."""

    embedder: str
    generation: int
    numbers: NDArray[np.int64]
    rows: NDArray[np.int8]
    lengths: NDArray[np.float32]
    collections: NDArray[np.int64]


class ExactSearch:
    """Vectors of the model that `embedder` names now, and of no other."""

    def __init__(self, database: Database, embedder: Callable[[], str]) -> None:
        self._database = database
        self._embedder = embedder
        self._snapshot: _Snapshot | None = None
        self._loading = threading.Lock()

    async def search(self, vector: Vectors, audience: Audience, limit: int) -> list[Hit]:
        """The `limit` chunks of `audience` nearest to the unit `vector`, best first."""

        def work(db: sqlite3.Connection) -> list[Hit]:
            with self._loading:
                snapshot = self._snapshot = self._current(db, len(vector))
            collections = [
                number for number, name in db.execute("SELECT id, name FROM collection") if name in audience.collections
            ]
            return hits(db, _best(snapshot, vector, collections, limit))

        return await self._database.read(work)

    def _current(self, db: sqlite3.Connection, dimensions: int) -> _Snapshot:
        """The snapshot of now, made from the last one."""
        embedder, now = self._embedder(), generation(db)
        old = self._snapshot if self._snapshot and self._snapshot.embedder == embedder else None
        if old and old.generation == now:
            return old
        live = dict(
            db.execute(
                "SELECT id, collection_id FROM live WHERE embedder = ? AND dimensions = ?", (embedder, dimensions)
            ).fetchall()
        )
        had = old.numbers // SPAN if old else np.zeros(0, np.int64)
        numbers, blob = _load(db, sorted(set(live) - set(np.unique(had).tolist())))
        rows = np.frombuffer(blob, np.int8).reshape(-1, dimensions)
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float32))
        if old:
            keep = np.isin(had, np.fromiter(live, np.int64, len(live)))
            numbers = np.concatenate((old.numbers[keep], numbers))
            rows = np.concatenate((old.rows[keep], rows))
            lengths = np.concatenate((old.lengths[keep], lengths))
        collections = np.array([live[revision] for revision in (numbers // SPAN).tolist()], np.int64)
        return _Snapshot(embedder, now, numbers, rows, np.maximum(lengths, 1e-12), collections)


def _load(db: sqlite3.Connection, revisions: Sequence[int]) -> tuple[NDArray[np.int64], bytes]:
    """Numbers and vectors of `revisions`, by number: one scan where there are many."""
    if len(revisions) > SCAN:
        wanted = set(revisions)
        rows = [row for row in db.execute("SELECT number, vector FROM mean_vector") if row[0] // SPAN in wanted]
    else:
        rows = [
            row
            for revision in revisions
            for row in db.execute(
                "SELECT number, vector FROM mean_vector WHERE number BETWEEN ? AND ?",
                (revision * SPAN, (revision + 1) * SPAN - 1),
            )
        ]
    return np.array([number for number, _ in rows], np.int64), b"".join(vector for _, vector in rows)


def _best(snapshot: _Snapshot, vector: Vectors, collections: Iterable[int], limit: int) -> list[tuple[int, float]]:
    scores = np.empty(len(snapshot.numbers), np.float32)
    block = np.empty((BLOCK, len(vector)), np.float32)
    for start in range(0, len(scores), BLOCK):
        rows = snapshot.rows[start : start + BLOCK]
        np.copyto(block[: len(rows)], rows)
        np.dot(block[: len(rows)], vector, out=scores[start : start + BLOCK])
    scores /= snapshot.lengths
    scores[~np.isin(snapshot.collections, list(collections))] = -np.inf
    first = np.argpartition(-scores, limit)[:limit] if limit < len(scores) else np.arange(len(scores))
    ordered = first[np.argsort(-scores[first], kind="stable")]
    return [(int(snapshot.numbers[row]), float(scores[row])) for row in ordered if scores[row] > -np.inf]
