"""The embedder of each document's vectors, and new vectors for passages that stay unchanged."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from pipeline.ports import Vectors
from pipeline.rules.tenancy import ALL_WORKSPACES, workspace_scope
from pipeline.values import Chunk, Document
from storage.database import Connection, Database, fetch_value
from storage.documents.cleanup import delete_unreachable
from storage.documents.revision import NUMBERS_PER_REVISION, Revision, bump_generation, number_range, unpack_vectors

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


_BESIDE = "state <> 'live' AND state = 'staged' AND beside"


class _Embedded(NamedTuple):
    revision: int
    document: str
    embedder: str


class EmbeddedPassage(NamedTuple):
    """A passage as it was embedded."""

    title: str
    """The title of its document."""
    chunk: Chunk
    vectors: Vectors


class EmbeddedDocuments:
    """The documents of `database` that have a passage; the embedder "" stands for none."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def embedders(self) -> dict[str, int]:
        """Return how many documents each embedder has embedded, the one used last first."""
        return Counter(embedded.embedder for embedded in await self._database.read(_list_embedded))

    async def search_embedder(self) -> str:
        """Return the embedder whose vectors are searched: that of the most documents, "" if none has any."""
        counts = await self.embedders()
        return max((name for name in counts if name), key=counts.__getitem__, default="")

    async def outdated_revisions(self, embedder: str) -> list[int]:
        """Return the revisions that `embedder` has not embedded."""
        return [embedded.revision for embedded in await self._database.read(partial(_list_outdated, embedder=embedder))]

    async def count_ready(self, embedder: str) -> int:
        """Return how many documents have vectors of `embedder` ready beside the ones that are searched."""
        return len(await self._database.read(partial(_documents_ready, embedder=embedder)))

    async def switch_to(self, embedder: str) -> int:
        """Search the vectors of `embedder` in place of the others, all at once. Return how many documents changed.

        The others are kept for the way back. Nothing is changed while a document is not embedded yet.
        """
        changed = await self._database.write(partial(_switch, embedder=embedder))
        await delete_unreachable(self._database)
        return changed

    async def passages(self, revision: int) -> tuple[str, list[Chunk]]:
        """Return the title of a revision's document and all its passages in order; none when it is gone."""

        def work(db: Connection) -> tuple[str, list[Chunk]]:
            body = fetch_value(db, "SELECT body FROM revision WHERE id = $1", (revision,))
            title = Document.model_validate_json(body).title if body else ""
            rows = db.execute(
                "SELECT body FROM chunk WHERE number BETWEEN $1 AND $2 ORDER BY number", number_range(revision)
            )
            return title, [Chunk.model_validate_json(body) for (body,) in rows]

        return await self._database.read(work)

    async def count_passages(self, embedder: str) -> int:
        """Return how many passages `embedder` has embedded."""
        with workspace_scope(ALL_WORKSPACES):
            return len(await self._database.read(lambda db: _list_numbers(db, embedder)))

    async def sample(self, embedder: str, limit: int) -> list[EmbeddedPassage]:
        """Return at most `limit` passages that `embedder` has embedded, evenly spread."""

        def work(db: Connection) -> list[EmbeddedPassage]:
            numbers = _list_numbers(db, embedder)
            # -(-a // b) rounds up, so that at most `limit` are taken
            sampled = numbers[:: -(-len(numbers) // limit)] if numbers else []
            return [_passage(*db.execute(_PASSAGE, (number,)).fetchone()) for number in sampled]

        with workspace_scope(ALL_WORKSPACES):
            return await self._database.read(work)

    async def replace_vectors(
        self,
        revision: int,
        chunks: Sequence[Chunk],
        vectors: Sequence[Vectors],
        embedder: str,
        *,
        beside: bool = False,
    ) -> bool:
        """Replace `revision` by one with the same `chunks` and new vectors of their units, or store that `beside` it.

        Return False, and change nothing, when its document was changed, moved or removed meanwhile.
        """
        query = "SELECT body FROM live WHERE id = $1"
        body = await self._database.read(lambda db: fetch_value(db, query, (revision,)))
        if body is None:
            return False
        document = Document.model_validate_json(body)
        new = Revision(document, chunks, vectors, embedder, instead_of=revision, beside=beside)
        published = await new.write(self._database)
        await delete_unreachable(self._database)
        return published


def _list_numbers(db: Connection, embedder: str) -> list[int]:
    return [number for (number,) in db.execute(_NUMBERS, (embedder,)).fetchall()]


def _passage(document: str, body: str, dimensions: int, matrix: bytes) -> EmbeddedPassage:
    title, chunk = Document.model_validate_json(document).title, Chunk.model_validate_json(body)
    return EmbeddedPassage(title, chunk, unpack_vectors(matrix, dimensions))


def _list_embedded(db: Connection) -> list[_Embedded]:
    """Return the live revisions, the newest first.

    The scalar subquery is deliberate: of a join or an EXISTS, PostgreSQL may make a scan of every passage for each
    revision.
    """
    rows = db.execute(
        "SELECT id, document, embedder FROM live WHERE (SELECT number FROM chunk"
        " WHERE number BETWEEN live.id * $1 AND live.id * $1 + $1 - 1 LIMIT 1) IS NOT NULL ORDER BY id DESC",
        (NUMBERS_PER_REVISION,),
    )
    return [_Embedded(*row) for row in rows.fetchall()]


def _documents_ready(db: Connection, embedder: str) -> set[str]:
    """Return the documents that have a revision of `embedder` beside the live one."""
    query = f"SELECT document FROM revision WHERE {_BESIDE} AND embedder = $1"  # noqa: S608 - our own words
    return {document for (document,) in db.execute(query, (embedder,)).fetchall()}


def _list_outdated(db: Connection, embedder: str) -> list[_Embedded]:
    ready = _documents_ready(db, embedder)
    return [
        embedded for embedded in _list_embedded(db) if embedded.embedder != embedder and embedded.document not in ready
    ]


def _switch(db: Connection, embedder: str) -> int:
    """Swap live and beside revisions; of those beside, only the ones that were live are kept. Return how many."""
    ready = json.dumps(sorted(_documents_ready(db, embedder)))
    if ready == "[]" or _list_outdated(db, embedder):
        return 0
    db.execute(
        f"UPDATE revision SET state = 'retired' WHERE {_BESIDE} AND embedder <> $1",  # noqa: S608 - our own words
        (embedder,),
    )
    db.execute(
        "UPDATE revision SET state = CASE embedder WHEN '' THEN 'retired' ELSE 'staged' END, beside = TRUE"
        " WHERE state = 'live' AND document IN (SELECT value FROM json_each($1))",
        (ready,),
    )
    changed = db.execute(
        f"UPDATE revision SET state = 'live', beside = FALSE WHERE {_BESIDE} AND embedder = $1",  # noqa: S608 - as above
        (embedder,),
    ).rowcount
    bump_generation(db)
    return changed
