"""A source takes its place: from then on everything that is there of it is in its collection, read anew or not."""

from __future__ import annotations

import json
from functools import partial
from pathlib import PurePosixPath

import numpy as np

from pipeline.ports import Vectors
from pipeline.values import WITHHELD, Chunk, Document, replace
from storage.database import Connection, Database
from storage.documents.revision import Revision, span
from storage.documents.vectors import unpack
from storage.schema.tables import keep

_KEEP = keep("source")
STRAYS = """
    SELECT id, body FROM live
    WHERE source = $1 AND collection <> $2
        OR source IN (SELECT value FROM json_each($3))
        AND substr(rtrim(source, '/') || '/' || filename || '/', 1, length($1) + 1) = $1 || '/'
"""


async def claim(database: Database, source: str, collection: str) -> list[str]:
    """Keep that `source` fills `collection`, and move its documents there; returns the ids of those that moved.

    Those of sources around it that lie in it become its own. Text and vectors stay as they are; what they were before
    is left to be swept."""
    await database.write(partial(_keep, source=source, collection=collection))
    return await _move(database, source, collection)


async def withhold(database: Database, source: str) -> None:
    """Move the documents of `source` to where nobody sees them; it goes on filling the collection that it does."""
    await _move(database, source, WITHHELD)


async def _move(database: Database, source: str, collection: str) -> list[str]:
    strays = await database.read(partial(_strays, source=source, collection=collection))
    for revision, document in strays:
        path = PurePosixPath(document.source, document.filename)
        filename = document.filename if document.source == source else _below(path, source)
        moved = replace(document, collection=collection, source=source, filename=filename)
        await (await database.read(partial(_copy, revision=revision, document=moved))).write(database)
    return [document.id for _, document in strays]


def _keep(db: Connection, source: str, collection: str) -> None:
    db.execute(_KEEP, (source, collection))


def _strays(db: Connection, source: str, collection: str) -> list[tuple[int, Document]]:
    around = json.dumps([parent.as_posix() for parent in PurePosixPath(source).parents])
    rows = db.execute(STRAYS, (source, collection, around))
    return [(revision, Document.model_validate_json(body)) for revision, body in rows.fetchall()]


def _below(path: PurePosixPath, source: str) -> str:
    """A file's name as its source tells it: the path below the folder, or the last part of the source's own path."""
    return path.name if path == PurePosixPath(source) else path.relative_to(source).as_posix()


def _copy(db: Connection, revision: int, document: Document) -> Revision:
    """The passages and vectors of a revision, as those of `document`."""
    embedder, dimensions = db.execute("SELECT embedder, dimensions FROM revision WHERE id = $1", (revision,)).fetchone()
    rows = db.execute(
        "SELECT body, matrix FROM chunk LEFT JOIN unit_vectors USING (number)"
        " WHERE number BETWEEN $1 AND $2 ORDER BY number",
        span(revision),
    ).fetchall()
    chunks = [Chunk.model_validate_json(body) for body, _ in rows]
    vectors = [_matrix(blob, dimensions) for _, blob in rows] if embedder else None
    return Revision(document, chunks, vectors, embedder)


def _matrix(blob: bytes | None, dimensions: int) -> Vectors:
    return unpack(blob, dimensions) if blob else np.empty((0, dimensions), np.float32)
