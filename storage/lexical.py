"""Search by words: BM25 over SQLite's FTS5, a title counting one and a half times as much as the text."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Sequence

from pipeline.ports import Lexical
from pipeline.text import fold, stem
from pipeline.values import Audience, Hit
from storage.database import Database
from storage.revision import MARK, generation
from storage.spelling import similar

RAREST = 24
"""Words searched for, the rarest of a long question or thread."""
MATCHES = 8_000
"""A search ranks the chunks that hold one of its rarer words: of so many words that they have this many matches in all.
Ranking costs a microsecond a match, matching next to nothing. With 2,000 of 10,000 chunks, or 10,000 of 100,000,
99.9 % of the top 10 stay the same; leaving the common words out altogether would keep 79 and 51 %."""
REMEMBERED = 20_000
"""Words whose frequency is kept: a few megabytes. All are looked up anew once there are more, a moment's work."""
_POSSESSIVE = re.compile(r"['’]s?$")

HELD = """
    SELECT 1 FROM words
    WHERE words MATCH ? AND rowid >> 20 NOT IN (SELECT id FROM revision WHERE state <> 'live') LIMIT 1
"""
SEARCH = """
    SELECT chunk.id, -score / ? FROM (
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

    async def search(self, terms: Sequence[str], audience: Audience, limit: int) -> Lexical:
        """Chunks of `audience` holding any of the RAREST of `terms`, best first, and the rarity of each of those:
        ln(1 + (N - n + 0.5) / (n + 0.5)) where n of N chunks hold it."""

        def work(db: sqlite3.Connection) -> Lexical:
            holding, total = self._frequency(db, terms), self._total(db)
            rarest = sorted(holding, key=holding.__getitem__)[:RAREST]
            kept = {term: holding[term] for term in holding if term in rarest}
            rarity = {term: math.log1p((max(total - n, 0) + 0.5) / (n + 0.5)) for term, n in kept.items()}
            words = {word: n for term, n in kept.items() if (word := _POSSESSIVE.sub("", term))}
            scope = _scope(db, audience)
            if scope is None or not words:
                return Lexical([], rarity)
            expression, times = _expression(words)
            rows = db.execute(SEARCH, (times, scope + expression, limit))
            return Lexical([Hit(chunk_id, score) for chunk_id, score in rows], rarity)

        return await self._database.read(work)

    async def similar(self, words: Sequence[str], audience: Audience) -> dict[str, list[str]]:
        """For each of `words` that no document of `audience` holds, the nearest that they do hold, if any."""

        def work(db: sqlite3.Connection) -> dict[str, list[str]]:
            scope = _scope(db, audience)
            if scope is None:
                return {}
            known = {word for word, n in self._frequency(db, words).items() if n and _held(db, scope + _quoted(word))}
            return {word: near for word in words if word not in known and (near := similar(db, scope, word))}

        return await self._database.read(work)

    def _total(self, db: sqlite3.Connection) -> int:
        """How many chunks there are, as of this generation."""
        if "" not in self._frequencies:
            self._frequencies[""] = db.execute("SELECT count(*) FROM chunk").fetchone()[0]
        return self._frequencies[""]

    def _frequency(self, db: sqlite3.Connection, words: Sequence[str]) -> dict[str, int]:
        """In how many chunks each word occurs, as of this generation."""
        now = generation(db)
        if now != self._generation or len(self._frequencies) > REMEMBERED:
            self._frequencies, self._generation = {}, now
        frequencies = self._frequencies
        for word in words:
            if word not in frequencies:
                row = db.execute("SELECT doc FROM term WHERE term = ?", (stem(fold(word)),)).fetchone()
                frequencies[word] = row[0] if row else 0
        return {word: frequencies[word] for word in words}


def _expression(frequency: dict[str, int]) -> tuple[str, int]:
    """Any of the rarer words; the common ones count where one of those is found. With it, how often each is scored.

    FTS5 knows no optional words and scores a word as often as it is written, so that each has to be written twice."""
    rare: list[str] = []
    matches = 0
    common = sorted(frequency, key=frequency.__getitem__)
    while common and (matches == 0 or matches + frequency[common[0]] <= MATCHES):
        matches += frequency[common[0]]
        rare.append(common.pop(0))
    if not common:
        return f"({_any(rare)})", 1
    return f"(({_any(rare)}) AND ({_any([*rare, *common, *common])}))", 2


def _scope(db: sqlite3.Connection, audience: Audience) -> str | None:
    """The part of a query that keeps it inside `audience`; None when it may see nothing."""
    rows = db.execute("SELECT id, name FROM collection").fetchall()
    seen = [f"{MARK}{number}" for number, name in rows if name in audience.collections]
    if not seen:
        return None
    return "" if len(seen) == len(rows) else "collection : (" + _any(seen) + ") AND "


def _held(db: sqlite3.Connection, expression: str) -> bool:
    return db.execute(HELD, (expression,)).fetchone() is not None


def _any(words: Sequence[str]) -> str:
    return " OR ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
