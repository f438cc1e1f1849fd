"""Many passages at once: rows are copied in, and what they are found by is made when all are there, which takes a
fraction of the time that keeping it up to date row by row does."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import psycopg

from storage.database import Connection
from storage.postgres.analysis import MARK
from storage.postgres.connection import PostgresConnection

INDEXED = 4_000
"""Dimensions that pgvector indexes at most; longer vectors are searched exactly."""
MEMORY_MB = 64, 2048
"""Of the server's, for making an index: at least, and at most."""
NEIGHBOURS_BYTES = 1024
"""What pgvector keeps for a vector beside that, while it makes its index."""
_TERMS = "CREATE INDEX words_terms ON words USING gin (terms) WITH (fastupdate = off)"
_NEAREST = """
    CREATE INDEX mean_vector_{n} ON mean_vector USING hnsw ((vector::halfvec({n})) halfvec_cosine_ops)
    WHERE dimensions = {n}
"""
_COUNT = f"INSERT INTO term SELECT word, ndoc FROM ts_stat('SELECT terms FROM words') WHERE left(word, 1) <> '{MARK}'"  # noqa: S608 - our own words
_HELD = "SELECT dimensions, count(*) FROM mean_vector WHERE dimensions <= $1 GROUP BY dimensions"
_INDEXES = """
    SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE relname = 'words_terms' OR relname ~ '^mean_vector_[0-9]+$'
"""

Row = tuple[object, ...]


def store(db: Connection, words: Sequence[Row], vectors: Sequence[Row]) -> None:
    """Rows of `words` and `mean_vector`. From the first of them on, nothing is found."""
    assert isinstance(db, PostgresConnection)
    if names := [name for (name,) in db.execute(_INDEXES)]:
        db.execute(f"DROP INDEX {', '.join(names)}")
    db.copy("words", ("number", "terms", "weights", "length"), words)
    db.copy("mean_vector", ("number", "collection", "dimensions", "vector"), vectors)


def complete(db: Connection) -> None:
    """Make the indexes that `store` dropped, and count how many passages hold each word."""
    assert isinstance(db, PostgresConnection)
    if _there(db, "words_terms"):
        return
    _remember(db, MEMORY_MB[1])
    db.execute(_TERMS)
    db.execute("TRUNCATE term")
    db.execute(_COUNT)
    for dimensions, count in db.execute(_HELD, (INDEXED,)).fetchall():
        _remember(db, count * (2 * dimensions + NEIGHBOURS_BYTES) >> 20)
        _build(db, _NEAREST.format(n=dimensions))
    db.execute("ANALYZE revision, chunk, unit_vectors, words, mean_vector, term")


def indexed(db: Connection, dimensions: int) -> bool:
    """Vectors of some dimensions have an index of their own, made when the first of them comes; True when it was there
    before this transaction, or cannot be."""
    if dimensions > INDEXED or _there(db, f"mean_vector_{dimensions}"):
        return True
    db.execute(_NEAREST.format(n=dimensions))
    return False


def _build(db: PostgresConnection, statement: str) -> None:
    """With workers side by side, unless they have no room for what they share, as in a container of Docker's."""
    with suppress(psycopg.errors.DiskFull, psycopg.errors.OutOfMemory), db.raw.transaction():
        db.execute(statement)
        return
    db.execute("SET LOCAL max_parallel_maintenance_workers TO 0")
    db.execute(statement)


def _remember(db: Connection, megabytes: int) -> None:
    least, most = MEMORY_MB
    db.execute(f"SET LOCAL maintenance_work_mem TO '{min(max(megabytes, least), most)}MB'")


def _there(db: Connection, name: str) -> bool:
    return bool(db.execute("SELECT to_regclass($1) IS NOT NULL", (name,)).fetchone()[0])
