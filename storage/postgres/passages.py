"""Passages by their words and their mean vectors.

A `tsvector` finds the words and a sparse vector ranks them; pgvector searches the mean vectors.
"""

from __future__ import annotations

import json
import math
import re
import threading
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache

import psycopg

from pipeline.ports import Vectors
from pipeline.values import Chunk, Document, SearchHit
from pipeline.words.text import WORD, lexical_form, snowball_stem, snowball_stems, strip_accents
from storage.database import AdvisoryLock, Connection, Cursor, Database, IndexedPassage
from storage.postgres.connection import PostgresConnection
from storage.postgres.row_security import SET_SEARCH_WORDS

# --- The words of a text as they are indexed ------------------------------------------------------
# PostgreSQL's own ranking knows neither how rare a word is nor how long a text is. The weight that BM25 gives a word
# in a passage is therefore computed when the passage is written, and a search is the inner product of these weights
# with the rarity of the words asked for.

COLLECTION_LEXEME = "\ue000"
"""Begins the lexeme that stands for a collection; no word of a text holds this character."""
TITLE_WEIGHT = 1.5
K1, B = 1.2, 0.75
"""The parameters of BM25, as FTS5 has them."""
SPARSE_DIMENSIONS = 1_000_000_000
"""Most dimensions of pgvector's sparse vectors."""
_TOKEN = re.compile(r"[^\W_]+")
_PARTS = 6
"""Parts of a word such as `v3.2.0` that are also indexed together."""
_LETTERS = 250
"""Characters after which a word is cut: PostgreSQL refuses words of more than 2,046 bytes."""


def to_lexeme(word: str) -> str:
    """Return `word` as the index holds it; the parts of one such as `v3.2.0` stay together. May be empty."""
    return _joined(_stems(word.lower()))


def weigh_words(title: str, text: str, average: float) -> tuple[dict[str, float], int]:
    """Return the words of a passage with their weights, and its length; `average` is the mean length of passages."""
    length, counts = 1, Counter[str]()
    for part, factor in ((title, TITLE_WEIGHT), (text, 1.0)):
        lexemes = _lexemes(part)
        length += sum(count for lexeme, count in lexemes.items() if " " not in lexeme)
        for lexeme, count in lexemes.items():
            counts[lexeme] += count * factor  # type: ignore[assignment] # a Counter of floats
    least = K1 * (1 - B + B * length / average)
    return {lexeme: count * (K1 + 1) / (count + least) for lexeme, count in counts.items()}, length


def sparsevec_text(weights: Iterable[tuple[str, float]]) -> str:
    """Return weights as the text of a `sparsevec`; the weights of a word that occurs twice are added."""
    added: dict[int, float] = {}
    for lexeme, weight in weights:
        dimension = _place(lexeme)
        added[dimension] = added.get(dimension, 0.0) + weight
    return (
        "{" + ",".join(f"{dimension}:{added[dimension]:.5g}" for dimension in sorted(added)) + f"}}/{SPARSE_DIMENSIONS}"
    )


def _lexemes(text: str) -> Mapping[str, int]:
    lowered = lexical_form(text).lower()
    counts = Counter(_stems(lowered))
    for word in WORD.findall(lowered):
        if word.isalnum():
            continue
        parts = _stems(word)[:_PARTS]
        for start in range(len(parts) - 1):
            counts.update(_joined(parts[start:end]) for end in range(start + 2, len(parts) + 1))
    return counts


def _stems(lowered: str) -> list[str]:
    return [stem[:_LETTERS] for token in _TOKEN.findall(strip_accents(lowered)) if (stem := _stem(token))]


@lru_cache(maxsize=65536)
def _stem(token: str) -> str:
    return snowball_stem(token)


def _joined(parts: Sequence[str]) -> str:
    return " ".join(parts)[:_LETTERS]


@lru_cache(maxsize=65536)
def _place(word: str) -> int:
    return zlib.crc32(word.encode()) % SPARSE_DIMENSIONS + 1


# --- Many passages at once ------------------------------------------------------------------------

MAX_INDEXED_DIMENSIONS = 4_000
"""Most dimensions that pgvector indexes; longer vectors are searched exactly."""
INDEX_MEMORY_MB = 64, 2048
"""Least and most of the server's memory for making an index."""
NEIGHBOURS_BYTES = 1024
"""Bytes that pgvector needs for each vector beside the vector, while it makes its index."""
_TERMS = "CREATE INDEX words_terms ON words USING gin (terms) WITH (fastupdate = off)"
_NEAREST = """
    CREATE INDEX mean_vector_{n} ON mean_vector USING hnsw ((vector::halfvec({n})) halfvec_cosine_ops)
    WHERE dimensions = {n}
"""
_COUNT_ALL = f"""
    INSERT INTO term SELECT word, ndoc FROM ts_stat('SELECT terms FROM words')
    WHERE left(word, 1) <> '{COLLECTION_LEXEME}'
"""  # noqa: S608 - our own words
_HELD = "SELECT dimensions, count(*) FROM mean_vector WHERE dimensions <= $1 GROUP BY dimensions"
_INDEXES = """
    SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE relname = 'words_terms' OR relname ~ '^mean_vector_[0-9]+$'
"""

PassageRow = tuple[object, ...]


def bulk_store(db: Connection, words: Sequence[PassageRow], vectors: Sequence[PassageRow]) -> None:
    """Store rows of `words` and `mean_vector`. From the first of them on, nothing is found."""
    assert isinstance(db, PostgresConnection)
    if names := [name for (name,) in db.execute(_INDEXES)]:
        db.execute(f"DROP INDEX {', '.join(names)}")
    db.copy("words", ("number", "terms", "weights", "length"), words)
    db.copy("mean_vector", ("number", "collection", "dimensions", "vector"), vectors)


def rebuild_indexes(db: Connection) -> None:
    """Make the indexes that `bulk_store` dropped, and count how many passages hold each word."""
    assert isinstance(db, PostgresConnection)
    if _exists(db, "words_terms"):
        return
    _set_index_memory(db, INDEX_MEMORY_MB[1])
    db.execute(_TERMS)
    db.execute("TRUNCATE term")
    db.execute(_COUNT_ALL)
    for dimensions, count in db.execute(_HELD, (MAX_INDEXED_DIMENSIONS,)).fetchall():
        # >> 20: bytes to megabytes
        _set_index_memory(db, count * (2 * dimensions + NEIGHBOURS_BYTES) >> 20)
        _build(db, _NEAREST.format(n=dimensions))
    db.execute("ANALYZE revision, chunk, unit_vectors, words, mean_vector, term")


def ensure_vector_index(db: Connection, dimensions: int) -> bool:
    """Make the index of vectors with these dimensions. Return True when it was there before this transaction, or cannot
    be made."""
    if dimensions > MAX_INDEXED_DIMENSIONS or _exists(db, f"mean_vector_{dimensions}"):
        return True
    db.execute(_NEAREST.format(n=dimensions))
    return False


def _build(db: PostgresConnection, statement: str) -> None:
    """Make an index with parallel workers, or without when they lack shared memory, as in a container of Docker's."""
    with suppress(psycopg.errors.DiskFull, psycopg.errors.OutOfMemory), db.raw.transaction():
        db.execute(statement)
        return
    db.execute("SET LOCAL max_parallel_maintenance_workers TO 0")
    db.execute(statement)


def _set_index_memory(db: Connection, megabytes: int) -> None:
    minimum, maximum = INDEX_MEMORY_MB
    db.execute(f"SET LOCAL maintenance_work_mem TO '{min(max(megabytes, minimum), maximum)}MB'")


def _exists(db: Connection, name: str) -> bool:
    return bool(db.execute("SELECT to_regclass($1) IS NOT NULL", (name,)).fetchone()[0])


# --- Passages -------------------------------------------------------------------------------------

USUAL, SUPPOSED = 100.0, 50
"""The length of a passage, in words, before any is stored, and how many passages are assumed to have it."""
_LIVE = "number >> 20 NOT IN (SELECT id FROM revision WHERE state <> 'live')"
_HOLDS = f"SELECT 1 FROM words WHERE {{held}} AND {_LIVE} LIMIT 1"  # noqa: S608 - our own words
_SEARCH = f"""
    SELECT chunk.id, -distance FROM (
        SELECT number, weights <#> $1::sparsevec AS distance FROM words WHERE {{held}} AND {_LIVE}
        ORDER BY distance LIMIT $2) AS found
    JOIN chunk USING (number) ORDER BY distance
"""  # noqa: S608 - as above
_TEXTS = f"""
    SELECT chunk.body, revision.body FROM (
        SELECT number, number >> 20 AS revision FROM words WHERE {{held}} AND {_LIVE} LIMIT $1) AS found
    JOIN chunk USING (number) JOIN revision ON revision.id = found.revision
"""  # noqa: S608 - as above
_WALLED, _BARE = "(SELECT row_security_active('words'))", "terms @@ {last}::tsquery"
"""Conditions for rows that hold a query's words: those that the policy of `words` shows (see `row_security`), and all,
for a role that policies do not bind."""
_COUNT = """
    INSERT INTO term SELECT * FROM unnest($1::text[], $2::bigint[])
    ON CONFLICT (term) DO UPDATE SET passages = term.passages + excluded.passages
"""
_DISCOUNT = f"""
    WITH gone AS (
        SELECT lexeme, count(*) AS passages FROM words, unnest(terms)
        WHERE number = ANY($1::bigint[]) AND left(lexeme, 1) <> '{COLLECTION_LEXEME}' GROUP BY lexeme)
    UPDATE term SET passages = term.passages - gone.passages FROM gone WHERE term.term = gone.lexeme
    RETURNING term.term, term.passages
"""  # noqa: S608 - as above


class TsvectorPassages:
    """The `PassageIndex` of PostgreSQL.

    Processes write it one after the other: two that updated the counts of words in different orders would wait for each
    other, and a passage deleted by both would be counted twice.
    """

    def __init__(self) -> None:
        self._counting = threading.Lock()
        self._length: float | None = None
        self._count = SUPPOSED
        self._indexed: set[int] = set()
        self.walled = False
        """True where the database keeps workspaces apart.
    """

    def add(self, db: Connection, passages: Sequence[IndexedPassage]) -> None:
        db.advisory_lock(AdvisoryLock.PASSAGES)
        holding = Counter[str]()
        rows = list(self._words(db, passages, holding))
        db.execute(_COUNT, (list(holding), list(holding.values())))
        db.executemany("INSERT INTO words VALUES ($1, $2::tsvector, $3::sparsevec, $4)", rows)
        self._add_vectors(db, passages)

    def bulk_add(self, db: Connection, passages: Sequence[IndexedPassage]) -> None:
        bulk_store(db, list(self._words(db, passages, Counter())), list(_vectors(passages)))

    def finish_bulk(self, db: Connection) -> None:
        rebuild_indexes(db)

    def remove(self, db: Connection, numbers: Sequence[int]) -> None:
        db.advisory_lock(AdvisoryLock.PASSAGES)
        counts = db.execute(_DISCOUNT, (list(numbers),)).fetchall()
        if terms := [term for term, passages in counts if passages <= 0]:
            db.execute("DELETE FROM term WHERE term = ANY($1::text[])", (terms,))
        db.execute("DELETE FROM words WHERE number = ANY($1::bigint[])", (list(numbers),))
        db.execute("DELETE FROM mean_vector WHERE number = ANY($1::bigint[])", (list(numbers),))

    async def purge_removed(self, database: Database) -> None:
        """Do nothing: see `PostgresDatabase.purge_deleted`."""

    def document_frequency(self, db: Connection, words: Collection[str]) -> dict[str, int]:
        lexemes = {word: to_lexeme(word) for word in words}
        query = "SELECT term, passages FROM term WHERE term = ANY($1::text[])"
        counts = dict(db.execute(query, (list(set(lexemes.values())),)).fetchall())
        return {word: counts.get(lexeme, 0) for word, lexeme in lexemes.items()}

    def stem(self, word: str) -> str:
        return to_lexeme(word)

    def stems(self, words: Sequence[str]) -> list[str]:
        letters = "".join(words)
        if letters.isascii() and letters.isalpha() and letters.islower():
            return [stem[:_LETTERS] for stem in snowball_stems(words)]
        return [to_lexeme(word) for word in words]

    def search(
        self,
        db: Connection,
        rare: Sequence[str],
        frequency: Mapping[str, int],
        total: int,
        scope: Collection[int] | None,
        limit: int,
    ) -> list[SearchHit]:
        rarities = sparsevec_text((to_lexeme(word), _rarity(n, total)) for word, n in frequency.items())
        if not (any_of := _any(filter(None, map(to_lexeme, rare)))):
            return []
        rows = self._run_search(db, _SEARCH, f"{_within(scope)}({any_of})", rarities, limit)
        return [SearchHit(chunk_id, score) for chunk_id, score in rows]

    def load_ranking(self, db: Connection) -> None:
        """Return nothing: the server ranks."""

    def contains_word(self, db: Connection, word: str, scope: Collection[int] | None) -> bool:
        lexeme = to_lexeme(word)
        return bool(lexeme) and self._run_search(db, _HOLDS, f"{_within(scope)}'{lexeme}'").fetchone() is not None

    def count_stems(self, db: Connection, limit: int) -> dict[str, int] | None:
        query = "SELECT term, passages FROM term WHERE term !~ '^[0-9]| ' LIMIT $1"
        rows = db.execute(query, (limit + 1,)).fetchall()
        return None if len(rows) > limit else dict(rows)

    def stems_with_prefix(self, db: Connection, letters: Collection[str]) -> dict[str, int]:
        query = (
            "SELECT term, passages FROM json_each($1) CROSS JOIN term"
            " WHERE term >= value AND term < value || U&'\\+10FFFF' AND strpos(term, ' ') = 0"
        )
        return dict(db.execute(query, (json.dumps(list(letters)),)).fetchall())

    def texts_containing(self, db: Connection, word: str, scope: Collection[int] | None, limit: int) -> Iterator[str]:
        for chunk, document in self._run_search(db, _TEXTS, f"{_within(scope)}'{to_lexeme(word)}'", limit):
            yield _text(Chunk.model_validate_json(chunk), Document.model_validate_json(document))

    def _run_search(self, db: Connection, statement: str, words: str, *values: object) -> Cursor:
        if self.walled:
            db.execute(SET_SEARCH_WORDS, (words,))
            return db.execute(statement.format(held=_WALLED), values)
        return db.execute(statement.format(held=_BARE.format(last=f"${len(values) + 1}")), (*values, words))

    def _add_vectors(self, db: Connection, passages: Sequence[IndexedPassage]) -> None:
        rows = list(_vectors(passages))
        for dimensions in {
            len(passage.mean_vector) for passage in passages if passage.mean_vector is not None
        } - self._indexed:
            if ensure_vector_index(db, dimensions):
                self._indexed.add(dimensions)
        db.executemany("INSERT INTO mean_vector VALUES ($1, $2, $3, $4::halfvec)", rows)

    def _words(self, db: Connection, passages: Sequence[IndexedPassage], holding: Counter[str]) -> Iterator[PassageRow]:
        """Yield rows of `words`; the number of passages with each word is added to `holding`."""
        for passage in passages:
            weights, length = weigh_words(passage.title, passage.text, self._average(db))
            holding.update(weights.keys())
            terms = " ".join(f"'{term}'" for term in (*weights, f"{COLLECTION_LEXEME}{passage.collection_id}"))
            yield passage.number, terms, sparsevec_text(weights.items()), length
            self._count_length(length)

    def _average(self, db: Connection) -> float:
        """Return the mean length of passages: of those stored when this process first wrote, and of its own."""
        with self._counting:
            if self._length is None:
                count, length = db.execute("SELECT count(*), coalesce(sum(length), 0) FROM words").fetchone()
                self._count += count
                self._length = SUPPOSED * USUAL + float(length)
            return self._length / self._count

    def _count_length(self, length: int) -> None:
        with self._counting:
            assert self._length is not None
            self._length += length
            self._count += 1


def halfvec_text(vector: Vectors) -> str:
    return "[" + ",".join(["%.5g"] * len(vector)) % tuple(vector.tolist()) + "]"


def _vectors(passages: Sequence[IndexedPassage]) -> Iterator[PassageRow]:
    """Yield rows of `mean_vector`."""
    for passage in passages:
        if passage.mean_vector is not None:
            yield passage.number, passage.collection_id, len(passage.mean_vector), halfvec_text(passage.mean_vector)


def _rarity(holding: int, total: int) -> float:
    """Return the rarity of a word as FTS5 weighs it: never below zero."""
    return max(math.log((total - holding + 0.5) / (holding + 0.5)) if holding < total else 0.0, 1e-6)


def _within(scope: Collection[int] | None) -> str:
    return "" if scope is None else f"({_any(f'{COLLECTION_LEXEME}{number}' for number in scope)}) & "


def _any(lexemes: Iterable[str]) -> str:
    return " | ".join(f"'{lexeme}'" for lexeme in lexemes)


def _text(chunk: Chunk, document: Document) -> str:
    return lexical_form(" ".join((document.title, *chunk.heading, chunk.text))).lower()
