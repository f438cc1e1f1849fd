"""A document's new version that comes in parts, and is visible when complete: the port `StagedVersion`.

The next run takes over what an interrupted one has written of it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from pipeline.errors import Refused
from pipeline.ports import Vectors
from pipeline.values import Chunk, Document
from storage.database import Connection, Database, fetch_value
from storage.documents.cleanup import delete_batch, delete_unreachable
from storage.documents.revision import (
    BATCH_SECONDS,
    CHUNKS_PER_STATEMENT,
    check_chunk_count,
    collection_number,
    insert_chunks,
    number_range,
    publish_revisions,
    run_in_batches,
    stage_revision,
    touch_staged,
)

_FIND = """
    SELECT id FROM revision
    WHERE state <> 'live' AND state = 'staged' AND NOT beside
        AND (document, version, embedder) = ($1, $2, $3)
        AND (dimensions = $4 OR $4 = 0) AND collection = (SELECT id FROM collection WHERE name = $5)
    ORDER BY id DESC LIMIT 1
"""


class StagedRevision:
    """A version being written. Made by `open_staged_revision`."""

    def __init__(self, database: Database, document: Document, revision: int, existing_ids: Sequence[str]) -> None:
        self.existing_ids = existing_ids
        self._database = database
        self._document = document
        self._id = revision
        self._written = len(existing_ids)

    async def truncate(self, count: int) -> None:
        """Keep the first `count` of the existing chunks, and delete the others."""
        await run_in_batches(
            self._database, partial(delete_batch, index=self._database.passage_index, revision=self._id, position=count)
        )
        self.existing_ids, self._written = self.existing_ids[:count], count

    async def add(self, chunks: Sequence[Chunk], vectors: Sequence[Vectors] | None) -> None:
        """Write the next chunks. Raises Refused when the document was removed meanwhile, or another process has taken
        it over."""
        if not chunks:
            return
        end = self._written + len(chunks)
        check_chunk_count(self._document, end)
        start, index = self._written, self._database.passage_index
        dimensions = vectors[0].shape[1] if vectors else 0

        def batch(db: Connection) -> bool:
            self._check(db)
            if dimensions:  # which an embedder may not know before its first run
                db.execute("UPDATE revision SET dimensions = $1 WHERE id = $2", (dimensions, self._id))
            collection = fetch_value(db, "SELECT collection FROM revision WHERE id = $1", (self._id,))
            deadline = time.monotonic() + BATCH_SECONDS
            while self._written < end:
                group = slice(self._written - start, self._written - start + CHUNKS_PER_STATEMENT)
                matrices = vectors[group] if vectors else None
                part = chunks[group]
                insert_chunks(db, index.add, self._id, collection, self._document, part, matrices, self._written)
                self._written += len(part)
                if time.monotonic() >= deadline:
                    break
            return self._written == end

        await run_in_batches(self._database, batch)

    async def publish(self, embedder: str) -> None:
        """Make the version visible in place of the one before, as embedded by `embedder`.

        Raises Refused as `add` does.
        """

        def work(db: Connection) -> None:
            self._check(db)
            document = self._document
            db.execute(
                "UPDATE revision SET body = $1, dated = $2, embedder = $3 WHERE id = $4",
                (document.model_dump_json(), document.last_changed, embedder, self._id),
            )
            publish_revisions(db, {self._document.id: self._id})

        await self._database.write(work)
        await delete_unreachable(self._database)

    def _check(self, db: Connection) -> None:
        bounds = number_range(self._id)
        last = fetch_value(db, "SELECT max(number) FROM chunk WHERE number BETWEEN $1 AND $2", bounds)
        written = last - bounds[0] + 1 if last is not None else 0
        if written != self._written or not touch_staged(db, self._id):
            raise Refused(
                "the document was removed, or read by another process, meanwhile", what_to_do="Index it again."
            )


async def open_staged_revision(
    database: Database, document: Document, embedder: str, dimensions: int
) -> StagedRevision:
    """Begin a version of `document`, or take over what there is of the same one."""

    def work(db: Connection) -> tuple[int, list[str]]:
        identity = (document.id, document.version, embedder, dimensions, document.collection)
        row = db.execute(_FIND, identity).fetchone()
        if row is None or not document.version:
            collection = collection_number(db, document.collection)
            return stage_revision(db, document, collection, embedder, dimensions), []
        (revision,) = row
        touch_staged(db, revision)
        bounds = number_range(revision)
        chunks = db.execute("SELECT id FROM chunk WHERE number BETWEEN $1 AND $2 ORDER BY number", bounds)
        return revision, [chunk_id for (chunk_id,) in chunks]

    return StagedRevision(database, document, *await database.write(work))
