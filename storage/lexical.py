"""Search by words: BM25 over SQLite's FTS5, a title counting one and a half times as much as the text."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence

from pipeline.text import fold, stem
from pipeline.values import Audience, Hit
from storage.database import Database
from storage.revision import generation

POSTINGS = 20_000
"""The most common words are left out of a search once the rarer ones alone have this many matches: each costs about
a microsecond, and words in so many chunks tell little."""
_POSSESSIVE = re.compile(r"['’]s?$")

SEARCH = """
    SELECT chunk.id, -score FROM (
        SELECT rowid AS number, bm25(words, 0.0, 1.5, 1.0) AS score FROM words
        WHERE words MATCH ? AND rowid >> 20 NOT IN (SELECT id FROM revision WHERE state <> 'live')
        ORDER BY score LIMIT ?)
    JOIN chunk USING (number) ORDER BY score
"""


class LexicalSearch:
    """Finds chunks by their words."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._frequencies: dict[str, int] = {}
        self._generation = 0

    async def search(self, terms: Sequence[str], audience: Audience, limit: int) -> list[Hit]:
        """Chunks of `audience` holding any of `terms`, best first."""
        words = [word for word in dict.fromkeys(_POSSESSIVE.sub("", term) for term in terms) if word]

        def work(db: sqlite3.Connection) -> list[tuple[str, float]]:
            scope = _scope(db, audience)
            if scope is None or not words:
                return []
            match = scope + "{title text} : (" + " OR ".join(map(_quoted, self._rarest(db, words))) + ")"
            return db.execute(SEARCH, (match, limit)).fetchall()

        return [Hit(chunk_id=chunk_id, score=score) for chunk_id, score in await self._database.read(work)]

    def _rarest(self, db: sqlite3.Connection, words: Sequence[str]) -> list[str]:
        """The rarest of `words`, as many as stay within POSTINGS; at least one."""
        found: dict[str, int] = {}
        for word in words:
            if frequency := self._frequency(db, word):
                found[word] = frequency
        chosen: list[str] = []
        total = 0
        for word in sorted(found, key=found.__getitem__):
            total += found[word]
            if chosen and total > POSTINGS:
                break
            chosen.append(word)
        return chosen or list(words[:1])

    def _frequency(self, db: sqlite3.Connection, word: str) -> int:
        """In how many chunks `word` occurs, as of this generation."""
        now = generation(db)
        if now != self._generation:
            self._frequencies, self._generation = {}, now
        frequencies = self._frequencies
        if word not in frequencies:
            row = db.execute("SELECT doc FROM term WHERE term = ?", (stem(fold(word)),)).fetchone()
            frequencies[word] = row[0] if row else 0
        return frequencies[word]


def _scope(db: sqlite3.Connection, audience: Audience) -> str | None:
    """The part of a query that keeps it inside `audience`; None when it may see nothing."""
    rows = db.execute("SELECT id, name FROM collection").fetchall()
    seen = [f"c{number}" for number, name in rows if name in audience.collections]
    if not seen:
        return None
    return "" if len(seen) == len(rows) else "collection : (" + " OR ".join(map(_quoted, seen)) + ") AND "


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
