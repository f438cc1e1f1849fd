"""Which embedder the vectors of each document are of, and new ones for passages that stay as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pipeline.ingest.older import with_tree
from pipeline.ports import Vectors
from pipeline.values import Chunk, Document
from storage.database import Connection, Database, scalar
from storage.documents.revision import SPAN, Revision, span
from storage.documents.sweep import sweep


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


def _embedded(db: Connection) -> list[tuple[int, str]]:
    """Revisions and their embedders, the newest first."""
    return db.execute(
        "SELECT id, embedder FROM live WHERE EXISTS"
        " (SELECT 1 FROM chunk WHERE number BETWEEN live.id * $1 AND live.id * $1 + $1 - 1) ORDER BY id DESC",
        (SPAN,),
    ).fetchall()
