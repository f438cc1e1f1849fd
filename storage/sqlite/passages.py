"""Passages by their words, with BM25 over FTS5, and the mean vectors that Chroma or exact search reads."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

from pipeline.values import SearchHit
from pipeline.words.text import lexical_form, stem, stems, strip_accents
from storage.database import Connection, Database, IndexedPassage, PassageRanking
from storage.documents.revision import pack_vectors, run_in_batches

POSTINGS_TABLE = "CREATE VIRTUAL TABLE temp.posting USING fts5vocab(main, words, instance)"
"""The postings of FTS5, as a table of each connection that reads."""
COLLECTION_WORD = "\ue000"
"""Begins the word that stands for a collection in the lexical index; no word of a question holds this character."""
MERGE_PAGES = 64
MAX_PHRASE_MATCHES = 10_000
"""Most passages counted that hold a word of several parts: each one is read."""
_TOKEN = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_LIVE = (
    "(NOT EXISTS (SELECT 1 FROM revision WHERE state <> 'live')"
    " OR rowid >> 20 NOT IN (SELECT id FROM revision WHERE state <> 'live'))"
)
"""True of rows of live revisions; where none is hidden, which SQLite finds out once, no row is looked up."""
_HOLDS = f"SELECT 1 FROM words WHERE words MATCH $1 AND {_LIVE} LIMIT 1"  # noqa: S608 - our own words
_SEARCH = f"""
    SELECT chunk.id, -score / $2 FROM (
        SELECT rowid AS number, bm25(words, 0.0, 1.5, 1.0) AS score FROM words
        WHERE words MATCH $1 AND {_LIVE} ORDER BY score LIMIT $3)
    JOIN chunk USING (number) ORDER BY score
"""  # noqa: S608 - as above
_HOLDING = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH $1 LIMIT $2)"
_IDS = "SELECT number, chunk.id FROM json_each($1) JOIN chunk ON number = value"
_TEXTS = f"SELECT lower(title || ' ' || text) FROM words WHERE words MATCH $1 AND {_LIVE} LIMIT $2"  # noqa: S608


class FTS5Passages:
    """The `PassageIndex` of SQLite."""

    def add(self, db: Connection, passages: Sequence[IndexedPassage]) -> None:
        db.executemany(
            "INSERT INTO words (rowid, collection, title, text) VALUES ($1, $2, $3, $4)",
            (
                (
                    passage.number,
                    f"{COLLECTION_WORD}{passage.collection_id}",
                    lexical_form(passage.title),
                    lexical_form(passage.text),
                )
                for passage in passages
            ),
        )
        db.executemany(
            "INSERT INTO mean_vector VALUES ($1, $2)",
            (
                (passage.number, pack_vectors(passage.mean_vector))
                for passage in passages
                if passage.mean_vector is not None
            ),
        )

    def bulk_add(self, db: Connection, passages: Sequence[IndexedPassage]) -> None:
        self.add(db, passages)

    def finish_bulk(self, db: Connection) -> None:
        """Do nothing: `bulk_add` has made the passages searchable."""

    def remove(self, db: Connection, numbers: Sequence[int]) -> None:
        db.executemany("DELETE FROM words WHERE rowid = $1", ((number,) for number in numbers))
        db.executemany("DELETE FROM mean_vector WHERE number = $1", ((number,) for number in numbers))

    async def purge_removed(self, database: Database) -> None:
        """Merge the lexical index down to one segment, so that none of its pages holds words of deleted text.

        SQLite 3.42 would do this while deleting (`secure-delete`); these are the documented steps for older versions.
        """
        await database.write(partial(_merge, pages=-MERGE_PAGES))
        await run_in_batches(database, partial(_merge, pages=MERGE_PAGES))

    def purge_now(self, db: Connection) -> None:
        """Merge the lexical index down to one segment in one step."""
        db.execute("INSERT INTO words (words) VALUES ('optimize')")

    def document_frequency(self, db: Connection, words: Collection[str]) -> dict[str, int]:
        counts = {}
        for word in words:
            parts = _TOKEN.findall(strip_accents(_POSSESSIVE.sub("", word)))
            if len(parts) > 1:  # found as a phrase
                row = db.execute(_HOLDING, (_quoted(" ".join(parts)), MAX_PHRASE_MATCHES)).fetchone()
            else:
                row = db.execute("SELECT doc FROM term WHERE term = $1", (self.stem(word),)).fetchone()
            counts[word] = int(row[0]) if row else 0
        return counts

    def stem(self, word: str) -> str:
        return stem(strip_accents(word))

    def stems(self, words: Sequence[str]) -> list[str]:
        return stems(words if "".join(words).isascii() else list(map(strip_accents, words)))

    def search(
        self,
        db: Connection,
        rare: Sequence[str],
        frequency: Mapping[str, int],
        total: int,
        scope: Collection[int] | None,
        limit: int,
    ) -> list[SearchHit]:
        expression, times = _expression(rare, [word for word in frequency if word not in rare])
        rows = db.execute(_SEARCH, (_within(scope) + expression, times, limit))
        return [SearchHit(chunk_id, score) for chunk_id, score in rows]

    def load_ranking(self, db: Connection) -> PassageRanking:
        from storage.sqlite.posting_ranking import PostingRanking

        return PostingRanking(db, hits_of_numbers, COLLECTION_WORD)

    def contains_word(self, db: Connection, word: str, scope: Collection[int] | None) -> bool:
        return db.execute(_HOLDS, (_within(scope) + _quoted(word),)).fetchone() is not None

    def count_stems(self, db: Connection, limit: int) -> dict[str, int] | None:
        query = "SELECT term, doc FROM term WHERE term NOT GLOB $1 LIMIT $2"
        rows = db.execute(query, (f"[0-9{COLLECTION_WORD}]*", limit + 1)).fetchall()
        return None if len(rows) > limit else dict(rows)

    def stems_with_prefix(self, db: Connection, letters: Collection[str]) -> dict[str, int]:
        query = (
            "SELECT term, doc FROM json_each($1) CROSS JOIN term WHERE term >= value AND term < value || char(1114111)"
        )
        return dict(db.execute(query, (json.dumps(list(letters)),)).fetchall())

    def texts_containing(self, db: Connection, word: str, scope: Collection[int] | None, limit: int) -> Iterator[str]:
        for (text,) in db.execute(_TEXTS, (_within(scope) + _quoted(word), limit)):
            yield text


def hits_of_numbers(db: Connection, scored: Sequence[tuple[int, float]]) -> list[SearchHit]:
    """Return the passages of numbers with their scores, in order; numbers that are gone are left out."""
    ids = dict(db.execute(_IDS, (json.dumps([number for number, _ in scored]),)).fetchall())
    return [SearchHit(ids[number], score) for number, score in scored if number in ids]


def _merge(db: Connection, pages: int) -> bool:
    (before,) = db.execute("SELECT total_changes()").fetchone()
    db.execute("INSERT INTO words (words, rank) VALUES ('merge', $1)", (pages,))
    (after,) = db.execute("SELECT total_changes()").fetchone()
    return int(after) - int(before) < 2


def _expression(rare: Sequence[str], common: Sequence[str]) -> tuple[str, int]:
    """Return a query for any of the rarer words, ranked by the common ones too, and how often it scores each word.

    FTS5 knows no optional words and scores a word as often as it is written, so each has to be written twice.
    """
    if not common:
        return f"({_any(rare)})", 1
    return f"(({_any(rare)}) AND ({_any([*rare, *common, *common])}))", 2


def _within(scope: Collection[int] | None) -> str:
    """Return the part of a query that keeps it inside `scope`."""
    return (
        "" if scope is None else "collection : (" + _any([f"{COLLECTION_WORD}{number}" for number in scope]) + ") AND "
    )


def _any(words: Sequence[str]) -> str:
    return " OR ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
