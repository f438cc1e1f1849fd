"""Which embedder the vectors of each document are of, and new ones for passages that stay as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pipeline.ingest.older import with_tree
from pipeline.ports import Vectors
from pipeline.rules.tenancy import EVERYTHING, bound
from pipeline.values import Chunk, Document
from storage.database import Connection, Database, scalar
from storage.documents.revision import SPAN, Revision, span
from storage.documents.sweep import sweep
from storage.documents.vectors import unpack

_NUMBERS = """
    SELECT number FROM unit_vectors JOIN live ON live.id = number >> 20
    WHERE embedder = $1 AND dimensions = (SELECT dimensions FROM live WHERE embedder = $1 ORDER BY id DESC LIMIT 1)
    ORDER BY number
"""
_PASSAGE = """
    SELECT live.body, chunk.body, dimensions, matrix FROM chunk
    JOIN live ON live.id = chunk.number >> 20 JOIN unit_vectors ON unit_vectors.number = chunk.number
    WHERE chunk.number = $1
"""


class Passage(NamedTuple):
    """One as it was embedded."""

    title: str
    """Of its document."""
    chunk: Chunk
    vectors: Vectors


class EmbeddedDocuments:
    """The documents of `database` that have a passage; an embedder called "" stands for none."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def embedders(self) -> dict[str, int]:
        """How many documents each embedder has embedded, the one that was used last first."""
        return Counter(embedder for _, embedder in await self._database.read(_embedded))

    async def due(self, embedder: str) -> list[int]:
        """The revisions that another has embedded, or none."""
        return [revision for revision, by in await self._database.read(_embedded) if by != embedder]

    async def passages(self, revision: int) -> tuple[str, list[Chunk]]:
        """The title of a revision's document, and all passages in order; none when it is gone."""

        def work(db: Connection) -> tuple[str, list[Chunk]]:
            body = scalar(db, "SELECT body FROM revision WHERE id = $1", (revision,))
            title = Document.model_validate_json(body).title if body else ""
            rows = db.execute("SELECT body FROM chunk WHERE number BETWEEN $1 AND $2 ORDER BY number", span(revision))
            return title, [with_tree(Chunk.model_validate_json(body)) for (body,) in rows]

        return await self._database.read(work)

    async def count(self, embedder: str) -> int:
        """How many passages it has embedded."""
        with bound(EVERYTHING):
            return len(await self._database.read(lambda db: _numbers(db, embedder)))

    async def sample(self, embedder: str, most: int) -> list[Passage]:
        """At most so many passages that it has embedded, evenly spread."""

        def work(db: Connection) -> list[Passage]:
            numbers = _numbers(db, embedder)
            taken = numbers[:: -(-len(numbers) // most)] if numbers else []
            return [_passage(*db.execute(_PASSAGE, (number,)).fetchone()) for number in taken]

        with bound(EVERYTHING):
            return await self._database.read(work)

    async def put(self, revision: int, chunks: Sequence[Chunk], vectors: Sequence[Vectors], embedder: str) -> bool:
        """Replace `revision` by one with the same `chunks` and these vectors of their units.

        False, and nothing changed, when its document was changed, moved or removed meanwhile."""
        query = "SELECT body FROM live WHERE id = $1"
        body = await self._database.read(lambda db: scalar(db, query, (revision,)))
        if body is None:
            return False
        new = Revision(Document.model_validate_json(body), chunks, vectors, embedder, instead_of=revision)
        published = await new.write(self._database)
        await sweep(self._database)
        return published


def _numbers(db: Connection, embedder: str) -> list[int]:
    return [number for (number,) in db.execute(_NUMBERS, (embedder,)).fetchall()]


def _passage(document: str, body: str, dimensions: int, matrix: bytes) -> Passage:
    title, chunk = Document.model_validate_json(document).title, with_tree(Chunk.model_validate_json(body))
    return Passage(title, chunk, unpack(matrix, dimensions))


def _embedded(db: Connection) -> list[tuple[int, str]]:
    """Revisions and their embedders, the newest first."""
    return db.execute(
        "SELECT id, embedder FROM live WHERE EXISTS"
        " (SELECT 1 FROM chunk WHERE number BETWEEN live.id * $1 AND live.id * $1 + $1 - 1) ORDER BY id DESC",
        (SPAN,),
    ).fetchall()
