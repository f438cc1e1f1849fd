"""The database's own matrix of mean vectors, and exact search in it.

It answers below the size from which Chroma is filled, and while Chroma is not ready. It is the oracle of the tests.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import simsimd
from numpy.typing import NDArray

from pipeline.ports import Vectors
from storage.database import Connection
from storage.documents.revision import NUMBERS_PER_REVISION, library_generation, number_range, pack_vectors

T = TypeVar("T", bound=np.generic)
SCAN = 50
ROWS_PER_BLOCK = 256
"""Rows converted to float at a time.

They are few enough for the processor's cache, and for OpenBLAS to stay on one thread: its threads wait for each other
by spinning, which costs 20 times as much on a busy machine.
"""
SCORES_PER_GROUP = 64
MIN_COSINE = -2.0
"""Less than any cosine."""
_ROUNDING = 1e-5
"""How far the cosines of two computations with single precision may differ."""


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
    """Searches a matrix row by row.

    All rows are compared with the vector as int8, which takes a sixth of the time of floats. The few that may be among
    the nearest are then compared exactly.
    """

    def __init__(self, matrix: VectorMatrix | None = None) -> None:
        self._matrix = matrix

    def replace(self, matrix: VectorMatrix) -> None:
        """Hold these vectors, and no others, from now on."""
        self._matrix = matrix

    def nearest(self, vector: Vectors, collections: Collection[int], limit: int) -> list[tuple[int, float]]:
        matrix = self._matrix
        if matrix is None or not len(matrix.numbers) or matrix.rows.shape[1] != len(vector):
            return []
        scores, error = _estimate_cosines(matrix, vector)
        visible = np.zeros(int(matrix.collections.max()) + 1, np.bool_)
        visible[[number for number in collections if number < len(visible)]] = True
        scores[~visible[matrix.collections]] = -np.inf
        places = np.flatnonzero(scores >= max(_reached_by(scores, limit) - 2 * error, MIN_COSINE))
        cosines = _cosines(matrix, places, vector)
        best = np.argsort(-cosines, kind="stable")[:limit]
        return list(zip(matrix.numbers[places[best]].tolist(), cosines[best].tolist(), strict=True))


def _estimate_cosines(matrix: VectorMatrix, vector: Vectors) -> tuple[NDArray[np.float32], float]:
    """Return the cosine of each row with the unit `vector`, and the most that one is wrong by."""
    rounded = np.frombuffer(pack_vectors(vector), np.int8)
    scale = float(np.abs(vector).max()) / 127
    scores = np.asarray(simsimd.cdist(rounded[None, :], matrix.rows, "dot", out_dtype="float32"))[0]
    scores *= scale
    scores /= matrix.lengths
    return scores, float(np.linalg.norm(vector - rounded * np.float32(scale))) + _ROUNDING


def _reached_by(scores: NDArray[np.float32], limit: int) -> float:
    """Return a value that `limit` scores reach at least, of large ones little below the best of them.

    It is taken from the best of each group, which are fewer.
    """
    size = len(scores) // SCORES_PER_GROUP
    best = scores if size < limit else scores[: size * SCORES_PER_GROUP].reshape(SCORES_PER_GROUP, size).max(axis=0)
    return float(np.partition(best, -limit)[-limit]) if limit <= len(best) else MIN_COSINE


def _cosines(matrix: VectorMatrix, places: NDArray[np.int64], vector: Vectors) -> NDArray[np.float32]:
    """Return the cosines of the rows at `places` with the unit `vector`."""
    cosines = np.empty(len(places), np.float32)
    for start in range(0, len(places), ROWS_PER_BLOCK):
        block = slice(start, start + ROWS_PER_BLOCK)
        np.dot(matrix.rows[places[block]].astype(np.float32), vector, out=cosines[block])
    return cosines / matrix.lengths[places]


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
    # those of a revision follow one another
    held = set(old_revisions[np.diff(old_revisions, prepend=-1) != 0].tolist())
    added, flat = _load(db, sorted(live.keys() - held))
    rows = flat.reshape(-1, dimensions)
    lengths = np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float32)), 1e-12)
    collections = np.array([live[number // NUMBERS_PER_REVISION] for number in added.tolist()], np.int64)
    new = VectorMatrix(embedder, generation, added, rows, lengths, collections)
    if not old:
        return new
    keep = None if held <= live.keys() else np.isin(old_revisions, np.fromiter(live, np.int64, len(live)))
    return VectorMatrix(
        embedder,
        generation,
        _joined(old.numbers, keep, new.numbers),
        _joined(old.rows, keep, new.rows),
        _joined(old.lengths, keep, new.lengths),
        _joined(old.collections, keep, new.collections),
    )


def _joined(old: NDArray[T], keep: NDArray[np.bool_] | None, new: NDArray[T]) -> NDArray[T]:
    """Return the rows of `old` to keep, None for all of them, and behind them those of `new`."""
    kept = old if keep is None else old[keep]
    return np.concatenate((kept, new)) if len(new) else kept


def _load(db: Connection, revisions: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Return numbers and vectors of `revisions`, by number, without an object for each.

    The vectors are copied to an array of NumPy's, which has huge pages on Linux: 100,000 are scanned in 4.5 rather than
    5.2 ms.
    """
    numbers, vectors = array("q"), bytearray()
    for number, vector in _rows(db, revisions):
        numbers.append(number)
        vectors += vector
    return np.frombuffer(numbers, np.int64), np.frombuffer(vectors, np.int8).copy()


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
