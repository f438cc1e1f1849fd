"""A document's new version that comes in parts, and is seen when it is complete: the port `Staged`.

What a run that was cut off has written of it is taken over by the next one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from pipeline.errors import Refused
from pipeline.ports import Vectors
from pipeline.values import Chunk, Document
from storage.database import Connection, Database, scalar
from storage.documents.revision import (
    BATCH_SECONDS,
    GROUP,
    check_count,
    in_batches,
    insert,
    publish,
    span,
    stage,
    still_staged,
)
from storage.documents.sweep import delete_batch, sweep

_FIND = """
    SELECT id FROM revision
    WHERE state <> 'live' AND state = 'staged' AND NOT beside
        AND (document, version, embedder) = ($1, $2, $3)
        AND (dimensions = $4 OR $4 = 0) AND collection = (SELECT id FROM collection WHERE name = $5)
    ORDER BY id DESC LIMIT 1
"""


class StagedRevision:
    """Made by `stage_document`."""

    def __init__(self, database: Database, document: Document, revision: int, held: Sequence[str]) -> None:
        self.held = held
        self._database = database
        self._document = document
        self._id = revision
        self._written = len(held)

    async def keep(self, count: int) -> None:
        """Keep the first `count` chunks of those that are `held`, and no others."""
        await in_batches(
            self._database, partial(delete_batch, index=self._database.passages, revision=self._id, position=count)
        )
        self.held, self._written = self.held[:count], count

    async def add(self, chunks: Sequence[Chunk], vectors: Sequence[Vectors] | None) -> None:
        """Write the chunks that come next. Raises Refused when the document was removed meanwhile, or another process
        has taken it over."""
        if not chunks:
            return
        end = self._written + len(chunks)
        check_count(self._document, end)
        start, index = self._written, self._database.passages
        dimensions = vectors[0].shape[1] if vectors else 0

        def batch(db: Connection) -> bool:
            self._check(db)
            if dimensions:  # which an embedder may not know before its first run
                db.execute("UPDATE revision SET dimensions = $1 WHERE id = $2", (dimensions, self._id))
            until = time.monotonic() + BATCH_SECONDS
            while self._written < end and time.monotonic() < until:
                group = slice(self._written - start, self._written - start + GROUP)
                matrices = vectors[group] if vectors else None
                insert(db, index.add, self._id, self._document, chunks[group], matrices, self._written)
                self._written += len(chunks[group])
            return self._written == end

        await in_batches(self._database, batch)

    async def publish(self, embedder: str) -> None:
        """Let it be seen in place of the version before, as embedded by `embedder`. Raises Refused as `add` does."""

        def work(db: Connection) -> None:
            self._check(db)
            document = self._document
            db.execute(
                "UPDATE revision SET body = $1, dated = $2, embedder = $3 WHERE id = $4",
                (document.model_dump_json(), document.dated, embedder, self._id),
            )
            publish(db, self._id, self._document.id)

        await self._database.write(work)
        await sweep(self._database)

    def _check(self, db: Connection) -> None:
        bounds = span(self._id)
        last = scalar(db, "SELECT max(number) FROM chunk WHERE number BETWEEN $1 AND $2", bounds)
        written = last - bounds[0] + 1 if last is not None else 0
        if written != self._written or not still_staged(db, self._id):
            raise Refused(
                "the document was removed, or read by another process, meanwhile", what_to_do="Index it again."
            )


async def stage_document(database: Database, document: Document, embedder: str, dimensions: int) -> StagedRevision:
    """Begin a version of `document`, or take over what there is of the same one."""

    def work(db: Connection) -> tuple[int, list[str]]:
        same = (document.id, document.version, embedder, dimensions, document.collection)
        row = db.execute(_FIND, same).fetchone()
        if row is None or not document.version:
            return stage(db, document, embedder, dimensions), []
        (revision,) = row
        still_staged(db, revision)
        bounds = span(revision)
        chunks = db.execute("SELECT id FROM chunk WHERE number BETWEEN $1 AND $2 ORDER BY number", bounds)
        return revision, [chunk_id for (chunk_id,) in chunks]

    return StagedRevision(database, document, *await database.write(work))
