"""Documents, chunks, words and vectors: the port `DocumentStore`.

`replace_document` writes a new revision beside the live one and then makes it live in a single transaction. What a
crash leaves half-written is hidden from every reader and deleted by the next write.

Once a source is assigned to a collection, all documents of its place are in that collection, read
anew or not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import PurePosixPath

import numpy as np

from pipeline.ports import DocumentVersion, UnitVectors, Vectors
from pipeline.values import PARSER_VERSION, WITHHELD_COLLECTION, Audience, Chunk, Document, DocumentExcerpt, replace
from storage.database import Connection, Database, fetch_value
from storage.documents.cleanup import delete_unreachable, hide_documents
from storage.documents.revision import Revision, number_range, unpack_vectors, write_revisions
from storage.documents.staged import StagedRevision, open_staged_revision
from storage.schema.tables import upsert_statement

_KEEP = upsert_statement("source")
STRAY_DOCUMENTS = """
    SELECT id, body FROM live
    WHERE source = $1 AND collection <> $2
        OR source IN (SELECT value FROM json_each($3))
        AND substr(rtrim(source, '/') || '/' || filename || '/', 1, length($1) + 1) = $1 || '/'
"""


async def assign_collection(database: Database, source: str, collection: str) -> list[str]:
    """Assign `source` to `collection`, and move its documents there. Return the ids of those that moved.

    Documents of enclosing sources that lie in it become its own. Text and vectors stay as they are; the old revisions
    are left to `delete_unreachable`."""
    await database.write(partial(_keep, source=source, collection=collection))
    return await _move(database, source, collection)


async def hide_source(database: Database, source: str) -> None:
    """Move the documents of `source` to a collection nobody sees; the source stays assigned to its own."""
    await _move(database, source, WITHHELD_COLLECTION)


async def _move(database: Database, source: str, collection: str) -> list[str]:
    strays = await database.read(partial(_strays, source=source, collection=collection))
    for revision, document in strays:
        path = PurePosixPath(document.source, document.filename)
        filename = document.filename if document.source == source else _name_in_source(path, source)
        moved = replace(document, collection=collection, source=source, filename=filename)
        await (await database.read(partial(_copy, revision=revision, document=moved))).write(database)
    return [document.id for _, document in strays]


def _keep(db: Connection, source: str, collection: str) -> None:
    db.execute(_KEEP, (source, collection))


def _strays(db: Connection, source: str, collection: str) -> list[tuple[int, Document]]:
    around = json.dumps([parent.as_posix() for parent in PurePosixPath(source).parents])
    rows = db.execute(STRAY_DOCUMENTS, (source, collection, around))
    return [(revision, Document.model_validate_json(body)) for revision, body in rows.fetchall()]


def _name_in_source(path: PurePosixPath, source: str) -> str:
    """Return a file's name as its source has it: the path below the folder, or the last part of the source's
    own path."""
    return path.name if path == PurePosixPath(source) else path.relative_to(source).as_posix()


def _copy(db: Connection, revision: int, document: Document) -> Revision:
    """Return the passages and vectors of a revision as a new revision of `document`."""
    embedder, dimensions = db.execute("SELECT embedder, dimensions FROM revision WHERE id = $1", (revision,)).fetchone()
    rows = db.execute(
        "SELECT body, matrix FROM chunk LEFT JOIN unit_vectors USING (number)"
        " WHERE number BETWEEN $1 AND $2 ORDER BY number",
        number_range(revision),
    ).fetchall()
    chunks = [Chunk.model_validate_json(body) for body, _ in rows]
    vectors = [_matrix(blob, dimensions) for _, blob in rows] if embedder else None
    return Revision(document, chunks, vectors, embedder)


def _matrix(blob: bytes | None, dimensions: int) -> Vectors:
    return unpack_vectors(blob, dimensions) if blob else np.empty((0, dimensions), np.float32)


_ASKED = """
    WITH found AS MATERIALIZED (SELECT chunk.id, number, body, number >> 20 AS revision
        FROM json_each($1) AS asked JOIN chunk ON chunk.id = asked.value)
"""


class SQLDocumentStore:
    """Documents and passages in SQL. `embedder` names the model that embeds questions now, "" for none.

    Documents embedded by another model are found by words only."""

    def __init__(self, database: Database, *, embedder: Callable[[], str] = lambda: "") -> None:
        self._database = database
        self._embedder = embedder

    async def get_chunks(self, chunk_ids: Sequence[str]) -> list[tuple[Chunk, Document]]:
        """Return chunks in the order of `chunk_ids`, each with its document; ids that are gone are left out."""

        def work(db: Connection) -> dict[str, tuple[str, str]]:
            rows = db.execute(
                f"{_ASKED} SELECT found.id, found.body, revision.body FROM found"  # noqa: S608 - our own words
                " JOIN revision ON revision.id = found.revision AND state = 'live'",
                (json.dumps(list(chunk_ids)),),
            )
            return {chunk_id: (chunk, document) for chunk_id, chunk, document in rows}

        stored = await self._database.read(work)
        bodies = [stored[chunk_id] for chunk_id in chunk_ids if chunk_id in stored]
        return [(_chunk(chunk), _document(document)) for chunk, document in bodies]

    async def get_with_vectors(self, chunk_ids: Sequence[str]) -> tuple[list[tuple[Chunk, Document]], UnitVectors]:
        """Return what `get_chunks` does, with the vectors of each chunk's units in the order of `Chunk.units`.

        A chunk without vectors is missing from these.
        """

        def work(db: Connection) -> dict[str, tuple[str, str, int, bytes | None]]:
            rows = db.execute(
                f"{_ASKED} SELECT found.id, found.body, revision.body, dimensions,"  # noqa: S608 - our own words
                " CASE WHEN embedder = $2 THEN matrix END"
                " FROM found JOIN revision ON revision.id = found.revision AND state = 'live'"
                " LEFT JOIN unit_vectors ON unit_vectors.number = found.number",
                (json.dumps(list(chunk_ids)), self._embedder()),
            )
            return {chunk_id: row for chunk_id, *row in rows}

        stored = await self._database.read(work)
        ids = [chunk_id for chunk_id in chunk_ids if chunk_id in stored]
        pairs = [(_chunk(chunk), _document(document)) for chunk, document, *_ in map(stored.__getitem__, ids)]
        vectors = {chunk_id: matrix for chunk_id in ids if (matrix := stored[chunk_id][3])}
        dimensions = next((stored[chunk_id][2] for chunk_id in vectors), 1)
        rows, end = {}, 0
        for chunk_id, matrix in vectors.items():
            start, end = end, end + len(matrix) // dimensions
            rows[chunk_id] = slice(start, end)
        return pairs, UnitVectors(unpack_vectors(b"".join(vectors.values()), dimensions), rows)

    async def neighbours(self, chunk: Chunk) -> tuple[Chunk | None, Chunk | None]:
        """Return the chunks before and after in the same document."""

        def work(db: Connection) -> dict[int, str]:
            rows = db.execute(
                "WITH here AS MATERIALIZED (SELECT number, number - 1 AS before, number + 1 AS after,"
                " number >> 20 AS revision FROM chunk WHERE id = $1)"
                " SELECT here.number - chunk.number, chunk.body FROM here"
                " JOIN revision ON revision.id = here.revision AND state = 'live'"
                " JOIN chunk ON chunk.number IN (here.before, here.after) AND chunk.number >> 20 = here.revision",
                (chunk.id,),
            )
            return dict(rows.fetchall())

        bodies = await self._database.read(work)
        before, after = (_chunk(bodies[side]) if side in bodies else None for side in (1, -1))
        return before, after

    async def list_documents(self, audience: Audience | None = None) -> list[Document]:
        """Return current documents by collection and filename; those of every collection when `audience` is None."""

        def work(db: Connection) -> list[str]:
            rows = db.execute(
                "SELECT body FROM live WHERE $1 OR collection IN (SELECT value FROM json_each($2))"
                " ORDER BY collection, filename, document",
                _audience_values(audience),
            )
            return [body for (body,) in rows]

        return [_document(body) for body in await self._database.read(work)]

    async def changed_since(
        self, since: str, audience: Audience, limit: int
    ) -> tuple[list[tuple[Chunk, Document]], int]:
        """Return the first passages of documents dated `since` or later, newest first, at most `limit`, and how many
        such documents there are."""

        def work(db: Connection) -> tuple[list[tuple[str, str]], int]:
            values = (since, json.dumps(sorted(audience.collections)))
            within = (
                "FROM live JOIN chunk ON chunk.number = live.id << 20"  # the first passage of each
                " WHERE dated >= $1 AND collection IN (SELECT value FROM json_each($2))"
            )
            rows = db.execute(
                f"SELECT chunk.body, live.body {within} ORDER BY dated DESC, filename, document LIMIT $3",
                (*values, limit),
            )
            return rows.fetchall(), fetch_value(db, f"SELECT count(*) {within}", values)

        first_chunks, total = await self._database.read(work)
        return [(_chunk(chunk), _document(document)) for chunk, document in first_chunks], total

    async def document(self, document_id: str) -> Document | None:
        """Return the current document of that id."""
        query = "SELECT body FROM live WHERE document = $1"
        body = await self._database.read(lambda db: fetch_value(db, query, (document_id,)))
        return _document(body) if body else None

    async def excerpt(self, document_id: str, start: int, most: int) -> DocumentExcerpt | None:
        """Return at most `most` passages of a document from the one at `start` on; None if there is no such
        document."""

        def work(db: Connection) -> tuple[str, float, int, list[str]] | None:
            of_document = "SELECT id, body, created_at FROM revision WHERE document = $1 AND state = 'live'"
            live = db.execute(of_document, (document_id,)).fetchone()
            if live is None:
                return None
            revision, body, created_at = live
            chunks_of = "FROM chunk WHERE number BETWEEN $1 AND $2"
            first, last = number_range(revision)
            total = fetch_value(db, f"SELECT count(*) {chunks_of}", (first, last))
            rows = db.execute(
                f"SELECT body {chunks_of} ORDER BY number LIMIT $3",
                (first + start, last, most),
            )
            return body, created_at, total, [chunk for (chunk,) in rows]

        if (stored := await self._database.read(work)) is None:
            return None
        body, created_at, total, chunks = stored
        return DocumentExcerpt(
            document=_document(body),
            chunks=tuple(map(_chunk, chunks)),
            total=total,
            indexed_at=datetime.fromtimestamp(created_at, UTC),
        )

    async def ids_with_prefix(self, text: str) -> list[str]:
        """Return the ids of documents that begin with `text`."""

        def work(db: Connection) -> list[str]:
            rows = db.execute("SELECT document FROM live WHERE substr(document, 1, length($1)) = $1", (text,))
            return [document for (document,) in rows]

        return await self._database.read(work)

    async def count(self) -> int:
        """Return how many documents there are."""
        return int(await self._database.read(lambda db: fetch_value(db, "SELECT count(*) FROM live")))

    async def list_collections(self) -> list[str]:
        """Return the names of the collections that hold visible documents."""

        def work(db: Connection) -> list[str]:
            names = db.execute(
                "SELECT name FROM collection WHERE (SELECT id FROM revision WHERE collection = collection.id"
                " AND state = 'live' LIMIT 1) IS NOT NULL ORDER BY name"
            )
            return [name for (name,) in names if name != WITHHELD_COLLECTION]

        return await self._database.read(work)

    async def list_sources(self) -> dict[str, str]:
        """Return every indexed source and its collection, also a source without documents."""

        def work(db: Connection) -> dict[str, str]:
            return dict(db.execute("SELECT name, collection FROM source ORDER BY name").fetchall())

        return await self._database.read(work)

    async def claim(self, source: str, collection: str) -> list[str]:
        """Assign `source` to `collection`, and move its documents there. Return the ids of those that moved.

        Documents of enclosing sources that lie in it become its own. Text and vectors stay as they are.
        """
        moved = await assign_collection(self._database, source, collection)
        await self.delete_unreachable()
        return moved

    async def withhold(self, source: str) -> None:
        """Hide the documents of `source` from everybody, until it is claimed again."""
        await hide_source(self._database, source)
        await self.delete_unreachable()

    async def is_withheld(self, source: str) -> bool:
        """Return True while documents of `source` are hidden from everybody."""
        query = "SELECT count(*) FROM live WHERE source = $1 AND collection = $2"
        return bool(await self._database.read(lambda db: fetch_value(db, query, (source, WITHHELD_COLLECTION))))

    async def forget_sources(self, sources: Collection[str]) -> None:
        """Forget that these are sources; their documents stay."""

        def work(db: Connection) -> None:
            db.execute(
                "DELETE FROM source WHERE name IN (SELECT value FROM json_each($1))", (json.dumps(list(sources)),)
            )

        await self._database.write(work)

    async def versions(self, source: str) -> dict[str, str]:
        """Return document id -> version of everything indexed from `source`.

        The version is "" where the vectors are of another embedder than the one in use, or an earlier version of
        Citewell parsed it: such a document is due again.
        """

        def work(db: Connection) -> dict[str, str]:
            rows = db.execute(
                "SELECT document, CASE WHEN $1 IN ('', embedder) AND body ->> 'reading' IN ('', $3) THEN version"
                " ELSE '' END FROM live WHERE source = $2",
                (self._embedder(), source, PARSER_VERSION),
            )
            return dict(rows.fetchall())

        return await self._database.read(work)

    async def replace_document(
        self, document: Document, chunks: Sequence[Chunk], vectors: Sequence[Vectors] | None, embedder: str
    ) -> None:
        """Replace a document and all its chunks; the old version serves until the new one is complete."""
        await self.replace_documents([DocumentVersion(document, chunks, vectors, embedder)])

    async def replace_documents(self, versions: Sequence[DocumentVersion]) -> None:
        """Replace several documents, several of them in a transaction; see `replace_document`."""
        await write_revisions(self._database, [Revision(*version) for version in versions])
        await self.delete_unreachable()

    async def stage_version(self, document: Document, embedder: str, dimensions: int) -> StagedRevision:
        """Begin a new version that comes in parts, or take over what an interrupted run left of it."""
        return await open_staged_revision(self._database, document, embedder, dimensions)

    async def remove_documents(self, document_ids: Collection[str]) -> int:
        """Remove documents. Once this returns, their text, words and vectors are gone from the database, and from
        answers that quoted them. Return how many there were.

        Backups made before keep them until they age out. A removal cut short by a crash is completed when a document is
        next written or removed, or the bot starts or backs up.
        """
        removed = await self._database.write(lambda db: hide_documents(db, document_ids))
        await self.delete_unreachable()
        return removed

    async def delete_unreachable(self) -> None:
        """Delete data that was replaced or removed, and what a crash left behind."""
        await delete_unreachable(self._database)


@lru_cache(maxsize=2048)
def _document(body: str) -> Document:
    return Document.model_validate_json(body)


@lru_cache(maxsize=1024)
def _chunk(body: str) -> Chunk:
    return Chunk.model_validate_json(body)


def _audience_values(audience: Audience | None) -> tuple[bool, str]:
    return audience is None, json.dumps(sorted(audience.collections) if audience else [])
