"""The database's own matrix of mean vectors, and exact search in it.

It answers while Chroma is not ready, and is the oracle of the tests. A search takes 1 ms at 10,000 passages, 15 at
100,000 (384 dimensions, two cores).
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.ports import Vectors
from storage.database import Connection
from storage.documents.revision import NUMBERS_PER_REVISION, library_generation, number_range

SCAN = 50
ROWS_PER_BLOCK = 256
"""Rows converted to float at a time.

They are few enough for the processor's cache, and for OpenBLAS to stay on one thread: its threads wait for each other
by spinning, which costs 20 times as much on a busy machine.
"""


@dataclass(frozen=True, eq=False)
class VectorMatrix:
    """Mean vectors by `embedder` of all live passages at one generation of the database.

    The arrays run in parallel. A number always stands for the same passage.
    """

    embedder: str
    generation: int
    numbers: NDArray[np.int64]
    rows: NDArray[np.int8]
    """Rows as stored: of any length, shape (n, dimensions)."""
    lengths: NDArray[np.float32]
    collections: NDArray[np.int64]

    def unit_rows(self, places: NDArray[np.int64]) -> Vectors:
        """Return the rows at `places` as unit vectors."""
        return self.rows[places].astype(np.float32) / self.lengths[places, None]


class ExactVectors:
    """Searches a matrix row by row."""

    def __init__(self, matrix: VectorMatrix | None = None) -> None:
        self._matrix = matrix

    def replace(self, matrix: VectorMatrix) -> None:
        """Hold these vectors, and no others, from now on."""
        self._matrix = matrix

    def nearest(self, vector: Vectors, collections: Collection[int], limit: int) -> list[tuple[int, float]]:
        matrix = self._matrix
        if matrix is None or matrix.rows.shape[1] != len(vector):
            return []
        scores = np.empty(len(matrix.numbers), np.float32)
        block = np.empty((ROWS_PER_BLOCK, len(vector)), np.float32)
        for start in range(0, len(scores), ROWS_PER_BLOCK):
            rows = matrix.rows[start : start + ROWS_PER_BLOCK]
            np.copyto(block[: len(rows)], rows)
            np.dot(block[: len(rows)], vector, out=scores[start : start + ROWS_PER_BLOCK])
        scores /= matrix.lengths
        scores[~np.isin(matrix.collections, list(collections))] = -np.inf
        first = np.argpartition(-scores, limit)[:limit] if limit < len(scores) else np.arange(len(scores))
        ordered = first[np.argsort(-scores[first], kind="stable")]
        return [(int(matrix.numbers[row]), float(scores[row])) for row in ordered if scores[row] > -np.inf]


def read_matrix(db: Connection, embedder: str, last: VectorMatrix | None) -> VectorMatrix:
    """Return the present matrix, of the dimensions that `embedder` gave last; only passages missing from `last` are
    read."""
    generation = library_generation(db)
    old = last if last and last.embedder == embedder else None
    if old and old.generation == generation:
        return old
    newest = "SELECT dimensions FROM live WHERE embedder = $1 AND dimensions > 0 ORDER BY id DESC LIMIT 1"
    (dimensions,) = db.execute(newest, (embedder,)).fetchone() or (1,)
    if old and old.rows.shape[1] != dimensions:
        old = None
    live = dict(
        db.execute("SELECT id, collection_id FROM live WHERE embedder = $1 AND dimensions = $2", (embedder, dimensions))
    )
    old_revisions = old.numbers // NUMBERS_PER_REVISION if old else np.zeros(0, np.int64)
    numbers, blob = _load(db, sorted(set(live) - set(np.unique(old_revisions).tolist())))
    rows = np.frombuffer(blob, np.int8).reshape(-1, dimensions)
    lengths = np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float32)), 1e-12)
    if old:
        keep = np.isin(old_revisions, np.fromiter(live, np.int64, len(live)))
        numbers = np.concatenate((old.numbers[keep], numbers))
        rows = np.concatenate((old.rows[keep], rows))
        lengths = np.concatenate((old.lengths[keep], lengths))
    collections = np.array([live[revision] for revision in (numbers // NUMBERS_PER_REVISION).tolist()], np.int64)
    return VectorMatrix(embedder, generation, numbers, rows, lengths, collections)


def _load(db: Connection, revisions: Sequence[int]) -> tuple[NDArray[np.int64], bytearray]:
    """Return numbers and vectors of `revisions`, by number, without an object for each."""
    numbers, vectors = array("q"), bytearray()
    for number, vector in _rows(db, revisions):
        numbers.append(number)
        vectors += vector
    return np.frombuffer(numbers, np.int64), vectors


def _rows(db: Connection, revisions: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """Yield numbers and vectors of `revisions`: by one scan if there are many, else by a query each."""
    if len(revisions) > SCAN:
        wanted = set(revisions)
        yield from (
            row
            for row in db.execute("SELECT number, vector FROM mean_vector")
            if row[0] // NUMBERS_PER_REVISION in wanted
        )
        return
    for revision in revisions:
        yield from db.execute(
            "SELECT number, vector FROM mean_vector WHERE number BETWEEN $1 AND $2",
            number_range(revision),
        )
