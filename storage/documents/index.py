"""The port `Index`: the words of a question to search, how rare each is, and what an unknown one may stand for.

The engine finds and ranks, by words and by vectors.
"""

from __future__ import annotations

import asyncio
import math
import re
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import structlog

from pipeline.errors import CitewellError
from pipeline.ports import LexicalResult, Vectors
from pipeline.rules.tenancy import ALL_WORKSPACES, current_workspace, workspace_scope
from pipeline.values import Audience, SearchHit
from storage.database import Connection, Database, PassageRanking, fetch_value
from storage.documents.revision import library_generation
from storage.documents.spelling import find_similar_words
from storage.documents.vocabulary import MAX_STEMS, Vocabulary
from storage.engine import VectorSearch

MAX_RARE_TERMS = 24
"""Words searched: the rarest of a long question or thread."""
MAX_MATCHES = 8_000
"""Matches that the ranked words of a search may have in all: a search ranks the chunks that hold one of its rarer
words.

Ranking costs a microsecond a match, matching next to nothing. With 2,000 of 10,000 chunks, or 10,000 of 100,000, 99.9 %
of the top 10 stay the same; leaving out the common words altogether would keep 79 and 51 %.
"""
CACHED_WORDS = 20_000
"""Words whose frequency is cached: a few megabytes. The cache is emptied when there are more; a lookup takes a moment.
"""
LASTING_SEARCHES, LASTING_SECONDS = 10, 5.0
"""Searches of one generation, and its age, from which on its vocabulary is read: a third of a second at 100,000
passages, not worth it for one question, or while documents are being added."""
MANY_SEARCHES = 300
"""Searches of one generation from which on all that ranks is read: reading takes about what they would have saved, 3 s
and 6 ms each at 100,000 passages, .1 s and .5 ms at 4,000."""
_POSSESSIVE = re.compile(r"['’]s?$")

log = structlog.get_logger(__name__)


@dataclass
class _Cache:
    """Lookups of one generation, during which nothing that can be found changes."""

    generation: int
    since: float
    frequencies: dict[str, int] = field(default_factory=dict)
    collections: dict[str, dict[int, str]] = field(default_factory=dict)
    """The collections that each workspace sees, by number."""
    total: int | None = None
    searches: int = 0
    vocabulary: Vocabulary | None = None
    """None until it is read, and for a library with too many words."""
    ranking: PassageRanking | None = None
    """None until it is read, and where the engine has none."""
    is_read: bool = False
    """True once the vocabulary was read."""
    is_complete: bool = False
    """True once all that ranks was read."""


class SearchIndex:
    """Searches chunks by words and by vectors."""

    def __init__(
        self, database: Database, vectors: VectorSearch, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._vectors = vectors
        self._passages = database.passage_index
        self._clock = clock
        self._cache = _Cache(generation=0, since=clock())
        self._reading: asyncio.Task[None] | None = None
        self._closing = threading.Event()

    async def search_lexical(self, terms: Sequence[str], audience: Audience, limit: int) -> LexicalResult:
        """Return chunks of `audience` holding any of the MAX_RARE_TERMS rarest of `terms`, best first, and each term's
        rarity.

        The rarity is ln(1 + (N - n + 0.5) / (n + 0.5)) where n of N chunks hold the term.
        """

        workspace = current_workspace()

        def work(db: Connection, counted: int | None = None) -> LexicalResult | None:
            cache = self._current_cache(db)
            total = cache.total = counted if cache.total is None else cache.total
            if total is None:
                return None
            frequencies = self._frequency(db, cache, terms)
            rarest = sorted(frequencies, key=frequencies.__getitem__)[:MAX_RARE_TERMS]
            counts = {term: frequencies[term] for term in frequencies if term in rarest}
            rarity = {term: math.log1p((max(total - n, 0) + 0.5) / (n + 0.5)) for term, n in counts.items()}
            words = {word: n for term, n in counts.items() if (word := _POSSESSIVE.sub("", term))}
            scope = _scope(db, cache, audience, workspace)
            if scope == [] or not words:
                return LexicalResult([], rarity)
            rare, ranking = _select_rarest(words), cache.ranking
            hits = ranking.search(db, rare, words, scope, limit) if ranking else None
            if hits is None:
                hits = self._passages.search(db, rare, words, total, scope, limit)
            return LexicalResult(hits, rarity)

        if (result := await self._database.read(work)) is None:
            with workspace_scope(ALL_WORKSPACES):
                total = await self._database.read(_count)
            result = await self._database.read(partial(work, counted=total))
        assert result
        self._count_search()
        return result

    async def suggest_words(self, words: Sequence[str], audience: Audience) -> dict[str, list[str]]:
        """Return, for each of `words` that no document of `audience` holds, the nearest words that they do hold, if
        any."""

        workspace = current_workspace()

        def work(db: Connection) -> dict[str, list[str]]:
            cache = self._current_cache(db)
            frequency, scope = self._frequency(db, cache, words), _scope(db, cache, audience, workspace)
            if scope == []:
                return {}
            known_words = {word for word, n in frequency.items() if n and self._passages.contains_word(db, word, scope)}
            suggestions = {
                word: find_similar_words(db, self._passages, scope, word, cache.vocabulary)
                for word in words
                if word not in known_words
            }
            return {word: similar for word, similar in suggestions.items() if similar}

        return await self._database.read(work)

    async def search_vector(self, vector: Vectors, audience: Audience, limit: int) -> list[SearchHit]:
        """Return the chunks whose mean vector is nearest to `vector`; the score is the cosine."""
        return await self._vectors.nearest(vector, audience, limit)

    async def close(self) -> None:
        """Stop reading in the background."""
        self._closing.set()
        if self._reading:
            self._reading.cancel()
            with suppress(asyncio.CancelledError):
                await self._reading

    def _count_search(self) -> None:
        """Have the vocabulary read in the background once this generation has lasted."""
        cache = self._cache
        cache.searches += 1
        if cache.is_read:
            if cache.ranking and not cache.is_complete and cache.searches >= MANY_SEARCHES:
                self._begin(self.read_postings)
            return
        if cache.searches < LASTING_SEARCHES or self._clock() - cache.since < LASTING_SECONDS:
            return
        self._begin(self.read_vocabulary)

    def _begin(self, read: Callable[[], Coroutine[None, None, None]]) -> None:
        if not self._closing.is_set() and (not self._reading or self._reading.done()):
            self._reading = asyncio.create_task(read(), name="vocabulary")

    async def read_postings(self) -> None:
        """Read all that ranks in the present generation into memory."""

        def read(db: Connection) -> None:
            cache = self._current_cache(db)
            if cache.ranking:
                cache.ranking.read_all(db, partial(self._is_obsolete, cache))
                cache.is_complete = not self._is_obsolete(cache)

        await self._read_in_background(read)

    def _is_obsolete(self, cache: _Cache) -> bool:
        return self._closing.is_set() or cache is not self._cache

    async def read_vocabulary(self) -> None:
        """Read the words of the present generation, and what ranks by them, into memory."""

        def read(db: Connection) -> None:
            cache = self._current_cache(db)
            counts = self._passages.count_stems(db, MAX_STEMS)
            cache.vocabulary = None if counts is None else Vocabulary(counts)
            if self._is_obsolete(cache):
                return
            cache.ranking = self._passages.load_ranking(db)
            cache.is_read = True

        await self._read_in_background(read)

    async def _read_in_background(self, read: Callable[[Connection], None]) -> None:
        try:
            await self._database.read(read)
        except Exception as error:
            unforeseen = not isinstance(error, CitewellError)
            log.warning(
                "vocabulary_not_read",
                effect="words are looked up and ranked in the database for now",
                reason=str(error),
                exc_info=error if unforeseen else None,
            )
            self._cache.searches, self._cache.since = 0, self._clock()

    def _current_cache(self, db: Connection) -> _Cache:
        generation, cache = library_generation(db), self._cache
        if generation != cache.generation:
            cache = self._cache = _Cache(generation, self._clock())
        elif len(cache.frequencies) > CACHED_WORDS:
            cache.frequencies = {}
        return cache

    def _frequency(self, db: Connection, cache: _Cache, words: Sequence[str]) -> dict[str, int]:
        """Return in how many chunks each word occurs."""
        known = cache.frequencies  # those of another thread may be the next ones
        if unknown := [word for word in words if word not in known]:
            vocabulary = cache.vocabulary
            stems = {word: self._passages.stem(word) for word in unknown if vocabulary and word.isalpha()}
            held = {word: stem for word, stem in stems.items() if stem.isalpha()}
            if vocabulary:
                known.update({word: vocabulary.counts.get(stem, 0) for word, stem in held.items()})
            if others := [word for word in unknown if word not in held]:
                known.update(self._passages.document_frequency(db, others))
        return {word: known[word] for word in words}


def _count(db: Connection) -> int:
    """Return the number of all chunks, visible or not: word frequencies count all of them, too."""
    return int(fetch_value(db, "SELECT count(*) FROM chunk"))


def _scope(db: Connection, cache: _Cache, audience: Audience, workspace: str) -> list[int] | None:
    """Return the collections that `audience` may see; None when it may see all that its workspace sees."""
    if workspace not in cache.collections:
        cache.collections[workspace] = dict(db.execute("SELECT id, name FROM collection").fetchall())
    names = cache.collections[workspace]
    visible = [number for number, name in names.items() if name in audience.collections]
    return None if visible and len(visible) == len(names) else visible


def _select_rarest(frequency: dict[str, int]) -> list[str]:
    """Return the rarest words, as many as have MAX_MATCHES between them."""
    rare: list[str] = []
    matches = 0
    for word in sorted(frequency, key=frequency.__getitem__):
        if matches and matches + frequency[word] > MAX_MATCHES:
            break
        matches += frequency[word]
        rare.append(word)
    return rare
