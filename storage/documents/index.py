"""The port `Index`: which of a question's words are looked for, how rare each is, and what an unknown one may stand
for. The engine finds and ranks, by words and by vectors."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from pipeline.ports import Lexical, Vectors
from pipeline.rules.tenancy import EVERYTHING, bound, workspace
from pipeline.values import Audience, Hit
from storage.database import Connection, Database, scalar
from storage.documents.revision import generation
from storage.documents.spelling import similar
from storage.engine import VectorSearch

RAREST = 24
"""Words searched for, the rarest of a long question or thread."""
MATCHES = 8_000
"""A search ranks the chunks that hold one of its rarer words: of so many words that they have this many matches in all.
Ranking costs a microsecond a match, matching next to nothing. With 2,000 of 10,000 chunks, or 10,000 of 100,000,
99.9 % of the top 10 stay the same; leaving the common words out altogether would keep 79 and 51 %."""
REMEMBERED = 20_000
"""Words whose frequency is kept: a few megabytes. All are looked up anew once there are more, a moment's work."""
_POSSESSIVE = re.compile(r"['’]s?$")


@dataclass
class _Known:
    """What was looked up as of one generation, in which nothing of it changes for what can be found."""

    generation: int
    frequencies: dict[str, int] = field(default_factory=dict)
    collections: dict[str, dict[int, str]] = field(default_factory=dict)
    """Those that each workspace sees."""
    total: int | None = None


class SearchIndex:
    """Finds chunks."""

    def __init__(self, database: Database, vectors: VectorSearch) -> None:
        self._database = database
        self._vectors = vectors
        self._passages = database.passages
        self._known = _Known(generation=0)

    async def lexical(self, terms: Sequence[str], audience: Audience, limit: int) -> Lexical:
        """Chunks of `audience` holding any of the RAREST of `terms`, best first, and the rarity of each of those:
        ln(1 + (N - n + 0.5) / (n + 0.5)) where n of N chunks hold it."""

        of = workspace()

        def work(db: Connection, counted: int | None = None) -> Lexical | None:
            known = self._now(db)
            total = known.total = counted if known.total is None else known.total
            if total is None:
                return None
            holding = self._frequency(db, known, terms)
            rarest = sorted(holding, key=holding.__getitem__)[:RAREST]
            kept = {term: holding[term] for term in holding if term in rarest}
            rarity = {term: math.log1p((max(total - n, 0) + 0.5) / (n + 0.5)) for term, n in kept.items()}
            words = {word: n for term, n in kept.items() if (word := _POSSESSIVE.sub("", term))}
            scope = _scope(db, known, audience, of)
            if scope == [] or not words:
                return Lexical([], rarity)
            return Lexical(self._passages.search(db, _rarer(words), words, total, scope, limit), rarity)

        if (found := await self._database.read(work)) is None:
            with bound(EVERYTHING):
                total = await self._database.read(_count)
            found = await self._database.read(partial(work, counted=total))
        assert found
        return found

    async def similar(self, words: Sequence[str], audience: Audience) -> dict[str, list[str]]:
        """For each of `words` that no document of `audience` holds, the nearest that they do hold, if any."""

        of = workspace()

        def work(db: Connection) -> dict[str, list[str]]:
            known = self._now(db)
            frequency, scope = self._frequency(db, known, words), _scope(db, known, audience, of)
            if scope == []:
                return {}
            held = {word for word, n in frequency.items() if n and self._passages.holds(db, word, scope)}
            near = {word: similar(db, self._passages, scope, word) for word in words if word not in held}
            return {word: meant for word, meant in near.items() if meant}

        return await self._database.read(work)

    async def nearest(self, vector: Vectors, audience: Audience, limit: int) -> list[Hit]:
        """Chunks whose mean vector is nearest to `vector`; score is cosine."""
        return await self._vectors.nearest(vector, audience, limit)

    def _now(self, db: Connection) -> _Known:
        now, known = generation(db), self._known
        if now != known.generation or len(known.frequencies) > REMEMBERED:
            known = self._known = _Known(now)
        return known

    def _frequency(self, db: Connection, known: _Known, words: Sequence[str]) -> dict[str, int]:
        """In how many chunks each word occurs."""
        if unknown := [word for word in words if word not in known.frequencies]:
            known.frequencies.update(self._passages.frequency(db, unknown))
        return {word: known.frequencies[word] for word in words}


def _count(db: Connection) -> int:
    """How many chunks there are, whoever may see them: words are counted over all, too."""
    return int(scalar(db, "SELECT count(*) FROM chunk"))


def _scope(db: Connection, known: _Known, audience: Audience, workspace: str) -> list[int] | None:
    """The collections that `audience` may see; None when it may see all that its workspace sees."""
    if workspace not in known.collections:
        known.collections[workspace] = dict(db.execute("SELECT id, name FROM collection").fetchall())
    there = known.collections[workspace]
    seen = [number for number, name in there.items() if name in audience.collections]
    return None if seen and len(seen) == len(there) else seen


def _rarer(frequency: dict[str, int]) -> list[str]:
    """The rarest words, as many as have MATCHES between them."""
    rare: list[str] = []
    matches = 0
    for word in sorted(frequency, key=frequency.__getitem__):
        if matches and matches + frequency[word] > MATCHES:
            break
        matches += frequency[word]
        rare.append(word)
    return rare
