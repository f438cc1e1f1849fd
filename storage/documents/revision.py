"""One version of a document while it is written.

It is written in batches so short that a message waiting to be accepted waits 20 ms at most.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import Refused, Unavailable
from pipeline.ports import Vectors
from pipeline.values import Chunk, Document
from storage.database import Connection, Database, IndexedPassage, PassageIndex, fetch_value
from storage.settings import read_setting

# --- Vectors as they are stored: int8, one byte a dimension ---------------------------------------
# A row keeps its direction only: each is scaled by its own largest component, and brought back to unit length when
# read. That keeps 99.2 to 99.6 % of the exact top 10 (technology notes, measured on 384 dimensions).


def pack_vectors(vectors: Vectors) -> bytes:
    """Return vectors of shape (n, dimensions) or (dimensions,) as bytes, row after row."""
    largest = np.abs(vectors).max(axis=-1, keepdims=True, initial=1e-12)
    return bytes(np.rint(vectors * (127.0 / largest)).astype(np.int8).tobytes())


def unpack_vectors(blob: bytes, dimensions: int) -> Vectors:
    """Return the vectors that `pack_vectors` packed: shape (n, dimensions), rows of unit length."""
    return normalize_rows(np.frombuffer(blob, dtype=np.int8).reshape(-1, dimensions))


def normalize_rows(rows: NDArray[np.int8] | Vectors) -> Vectors:
    """Return rows scaled to unit length; a row of zeros stays zero."""
    floats = rows.astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", floats, floats))
    floats /= np.maximum(lengths, 1e-12)[:, None]
    return floats


def mean_direction(vectors: Vectors) -> Vectors:
    """Return the direction of the mean of unit vectors, shape (dimensions,)."""
    direction: Vectors = normalize_rows(vectors.mean(axis=0, dtype=np.float32)[None, :])[0]
    return direction


# --- A version of a document ----------------------------------------------------------------------

NUMBERS_PER_REVISION = 1 << 20
"""Numbers reserved for each revision: the largest number of chunks a document may have."""
BATCH_SECONDS = 0.01
"""Seconds after which a batch ends; the chunks of one statement are written however slowly the database answers."""
PAUSE_SECONDS = 0.002
"""Seconds between batches, in which other processes can take the lock."""
CHUNKS_PER_STATEMENT = 8
"""Chunks written by one statement."""


class Revision:
    """The `chunks` of `document`, with one matrix of unit vectors for each chunk or none at all.

    With `instead_of`, it is written only while that revision is the live one; with `beside`, it stays hidden next to
    the live one.
    """

    def __init__(
        self,
        document: Document,
        chunks: Sequence[Chunk],
        vectors: Sequence[Vectors] | None,
        embedder: str,
        *,
        instead_of: int | None = None,
        beside: bool = False,
    ) -> None:
        check_chunk_count(document, len(chunks))
        self._document = document
        self._chunks = chunks
        self._vectors = vectors if embedder else None
        self._embedder = embedder if vectors is not None else ""
        self._instead_of = instead_of
        self._beside = beside
        self._id = 0
        self._written = 0
        self._published = False

    @property
    def document_id(self) -> str:
        return self._document.id

    @property
    def collection(self) -> str:
        return self._document.collection

    @property
    def number(self) -> int:
        """The number of the revision; 0 while it is not staged."""
        return self._id

    async def write(self, database: Database) -> bool:
        """Stage the revision, write its chunks and make it live, or keep it beside the live one. After a failure the
        old one stays live.

        Starts over when the staged revision was deleted meanwhile, because it was abandoned or the document was
        removed. Return False when the one to be replaced is not live any more.
        """
        try:
            await run_in_batches(database, partial(self._batch, index=database.passage_index))
        except BaseException:
            await database.write(lambda db: retire_revision(db, self._id))
            raise
        return self._published

    def _batch(self, db: Connection, index: PassageIndex) -> bool:
        """Write for BATCH_SECONDS. Return True once the revision is live, or cannot become live any more."""
        if self._instead_of is not None and not _is_live(db, self._instead_of):
            retire_revision(db, self._id)
            return True
        collection = collection_number(db, self.collection)
        if not self.write_until(time.monotonic() + BATCH_SECONDS, db, index, collection):
            return False
        if self._beside:
            db.execute("UPDATE revision SET beside = TRUE WHERE id = $1", (self._id,))
        else:
            publish_revisions(db, {self._document.id: self._id})
        self._published = True
        return True

    def write_until(self, end: float, db: Connection, index: PassageIndex, collection: int) -> bool:
        """Stage the revision, if it is not, and write chunks until `end`, at least those of one statement. Return True
        once all are written."""
        if not self._id or not touch_staged(db, self._id):
            dimensions = self._vectors[0].shape[1] if self._vectors else 0
            self._id = stage_revision(db, self._document, collection, self._embedder, dimensions)
            self._written = 0
        while self._written < len(self._chunks):
            group = slice(self._written, self._written + CHUNKS_PER_STATEMENT)
            matrices = self._vectors[group] if self._vectors else None
            chunks = self._chunks[group]
            insert_chunks(db, index.add, self._id, collection, self._document, chunks, matrices, self._written)
            self._written += len(chunks)
            if time.monotonic() >= end:
                break
        return self._written == len(self._chunks)


async def write_revisions(database: Database, revisions: Sequence[Revision]) -> None:
    """Write revisions in place of the live ones of their documents, several in a transaction: each becomes live when
    all of it is written. After a failure the old ones of those that are not live stay so.

    One that cannot be written takes none of those before it with it: they are written again, each by itself."""
    waiting = deque(revisions)
    try:
        while waiting:
            for _ in range(await database.write(partial(_write_some, waiting=waiting, index=database.passage_index))):
                waiting.popleft()
            if waiting:
                await asyncio.sleep(PAUSE_SECONDS)
    except BaseException as error:
        await database.write(partial(_retire_all, revisions=waiting))
        if not isinstance(error, Exception) or isinstance(error, Unavailable):
            raise
        for revision in waiting:
            await revision.write(database)


def _write_some(db: Connection, waiting: Collection[Revision], index: PassageIndex) -> int:
    """Write for BATCH_SECONDS, and make live what is complete. Return how many those are: the first of `waiting`, no
    two of one document."""
    numbers = {name: collection_number(db, name) for name in {revision.collection for revision in waiting}}
    end = time.monotonic() + BATCH_SECONDS
    complete: dict[str, int] = {}
    for revision in waiting:
        if revision.document_id in complete or (complete and time.monotonic() >= end):
            break
        if not revision.write_until(end, db, index, numbers[revision.collection]):
            break
        complete[revision.document_id] = revision.number
    if complete:
        publish_revisions(db, complete)
    return len(complete)


def number_range(revision: int) -> tuple[int, int]:
    """Return the first and the last number that a passage of a revision may have."""
    return revision * NUMBERS_PER_REVISION, (revision + 1) * NUMBERS_PER_REVISION - 1


def check_chunk_count(document: Document, chunks: int) -> None:
    """Raise Refused for more chunks than a revision has numbers."""
    if chunks >= NUMBERS_PER_REVISION:
        raise Refused(
            f"{document.filename} has more than {NUMBERS_PER_REVISION} passages", what_to_do="Split the document."
        )


def touch_staged(db: Connection, revision: int) -> bool:
    """Mark a staged revision as written to just now. Return False when it is not staged."""
    touch = "UPDATE revision SET created_at = $1 WHERE id = $2 AND state = 'staged'"
    return db.execute(touch, (time.time(), revision)).rowcount == 1


def collection_number(db: Connection, name: str) -> int:
    """Return the number of a collection, which is made where there is none of that name."""
    find = "SELECT id FROM collection WHERE name = $1"
    if (number := fetch_value(db, find, (name,))) is None:
        db.execute("INSERT INTO collection (name) VALUES ($1) ON CONFLICT DO NOTHING", (name,))
        number = fetch_value(db, find, (name,))
    return int(number)


def stage_revision(db: Connection, document: Document, collection: int, embedder: str, dimensions: int) -> int:
    """Begin a revision that nobody sees yet. Return its id."""
    (revision,) = db.execute(
        "INSERT INTO revision"
        " (document, collection, source, filename, version, embedder, dimensions, state, body, created_at, dated)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, 'staged', $8, $9, $10)"
        " RETURNING id",
        (
            document.id,
            collection,
            document.source,
            document.filename,
            document.version,
            embedder,
            dimensions,
            document.model_dump_json(),
            time.time(),
            document.last_changed,
        ),
    ).fetchone()
    return int(revision)


def insert_chunks(
    db: Connection,
    add: Callable[[Connection, Sequence[IndexedPassage]], None],
    revision: int,
    collection: int,
    document: Document,
    chunks: Sequence[Chunk],
    matrices: Sequence[Vectors] | None,
    position: int,
) -> None:
    """Write chunks, the first of them at `position`; `add` writes their index entries."""
    numbers = range(
        revision * NUMBERS_PER_REVISION + position, revision * NUMBERS_PER_REVISION + position + len(chunks)
    )
    vectors: Sequence[Vectors | None] = matrices or [None] * len(chunks)
    placed = list(zip(numbers, chunks, vectors, strict=True))
    db.executemany(
        "INSERT INTO chunk VALUES ($1, $2, $3)",
        [(number, chunk.id, chunk.model_dump_json()) for number, chunk, _ in placed],
    )
    db.executemany(
        "INSERT INTO unit_vectors VALUES ($1, $2)",
        [(number, pack_vectors(matrix)) for number, _, matrix in placed if matrix is not None and len(matrix)],
    )
    add(db, [make_indexed_passage(number, collection, document, chunk, matrix) for number, chunk, matrix in placed])


def make_indexed_passage(
    number: int, collection: int, document: Document, chunk: Chunk, matrix: Vectors | None
) -> IndexedPassage:
    """Return the index entry of `chunk`; `matrix` has the vectors of its units."""
    title = " ".join((document.title, *chunk.heading))
    return IndexedPassage(
        number, collection, title, chunk.text, mean_direction(matrix) if matrix is not None and len(matrix) else None
    )


def publish_revisions(db: Connection, revisions: Mapping[str, int]) -> None:
    """Make the revision of each document live, in place of the one before and of those kept beside it."""
    documents = json.dumps(list(revisions))
    for which in ("state = 'live'", "state <> 'live' AND beside"):
        db.execute(
            f"UPDATE revision SET state = 'retired' WHERE {which}"  # noqa: S608 - our own words
            " AND document IN (SELECT value FROM json_each($1))",
            (documents,),
        )
    db.executemany("UPDATE revision SET state = 'live' WHERE id = $1", ((number,) for number in revisions.values()))
    bump_generation(db)


def retire_revision(db: Connection, revision: int) -> None:
    """Give up a revision that is not live."""
    db.execute("UPDATE revision SET state = 'retired' WHERE id = $1 AND state = 'staged'", (revision,))


def bump_generation(db: Connection) -> None:
    """Tell every process that what can be found has changed."""
    db.execute(
        "INSERT INTO setting VALUES ('generation', '1') ON CONFLICT (name)"
        " DO UPDATE SET value = CAST(CAST(setting.value AS BIGINT) + 1 AS TEXT)"
    )


def library_generation(db: Connection) -> int:
    """Return the library's generation, which changes whenever what can be found changes."""
    return int(read_setting(db, "generation") or 0)


async def run_in_batches(database: Database, batch: Callable[[Connection], bool]) -> None:
    """Run `batch` in a transaction of its own again and again, until it returns True."""
    while True:
        if await database.write(batch):
            return
        await asyncio.sleep(PAUSE_SECONDS)


def _retire_all(db: Connection, revisions: Iterable[Revision]) -> None:
    for revision in revisions:
        retire_revision(db, revision.number)


def _is_live(db: Connection, revision: int) -> bool:
    return db.execute("SELECT 1 FROM revision WHERE id = $1 AND state = 'live'", (revision,)).fetchone() is not None
