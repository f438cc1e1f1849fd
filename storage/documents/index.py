"""The port `Index`: the words of a question to search, how rare each is, and what an unknown one may stand for.

The engine finds and ranks, by words and by vectors.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from string import ascii_lowercase

from pipeline.ports import LexicalResult, Vectors
from pipeline.rules.tenancy import ALL_WORKSPACES, current_workspace, workspace_scope
from pipeline.values import Audience, SearchHit
from pipeline.words.text import strip_accents
from storage.database import Connection, Database, PassageIndex, fetch_value
from storage.documents.revision import library_generation
from storage.engine import VectorSearch

# --- Words of the library that an unknown one may be a slip of ------------------------------------

SHORTEST, LONG = 4, 8
"""Letters from which a word may have one typing error, and two: a letter more, less or other, or two swapped."""
MAX_WORD_LENGTH = 40
"""Letters beyond which no similar word is searched: the cost grows with their cube."""
CANDIDATES, TEXTS = 6, 30
"""Stems that are compared closely, and texts that are read for how each is written."""
CODE_PATTERN = re.compile(r"([^\W\d_]{1,8})([-_/. ]?)(\d{2,12})")
"""Letters and a number that name a part, a ticket or an error."""
CollectionScope = Collection[int] | None
_ENDINGS = ("", "e", "s", "ed", "ing", "y")


def find_similar_words(db: Connection, passages: PassageIndex, scope: CollectionScope, word: str) -> list[str]:
    """Return the words nearest to `word` in the texts of `scope`: those with its last letter first, then the more
    frequent.

    Its first letter is taken as right unless it is one too many or swapped with the second. Returns none for a short
    word that begins a longer one of the library, which it may stand for: `secs`.
    """
    word = strip_accents(word.lower())
    if code := CODE_PATTERN.fullmatch(word):
        return _find_written_code(db, passages, scope, *code.groups())
    limit = 0 if not (SHORTEST <= len(word) <= MAX_WORD_LENGTH and word.isalpha()) else 1 if len(word) < LONG else 2
    if not limit:
        return []
    first, second, third = tuple(word[:3])
    frequencies = passages.stems_with_prefix(db, {first, second + first + third, word[1:4]})
    if len(word) == SHORTEST and any(
        term.startswith(passages.stem(word)) and len(term) > len(word) for term in frequencies
    ):
        return []
    nearest = _nearest_forms(
        db,
        passages,
        scope,
        word,
        limit,
        sorted(_one_slip_away(passages, word, frequencies), key=lambda term: -frequencies[term]),
    )
    if nearest or limit < 2:
        return nearest
    root = passages.stem(word)
    stems = [term for term in frequencies if _may_be_similar(root, term) and edit_distance(root, term, 2) <= 2]
    return _nearest_forms(db, passages, scope, word, limit, sorted(stems, key=lambda term: -frequencies[term]))


def _find_written_code(
    db: Connection, passages: PassageIndex, scope: CollectionScope, letters: str, separator: str, digits: str
) -> list[str]:
    """Return a code as documents write it: XR2045 where they have XR-2045, and the other way round."""
    joined = letters + digits
    if separator:
        return [joined] if passages.contains_word(db, joined, scope) else []
    form = re.compile(rf"(?<!\w){re.escape(letters)}[-_/. ]{re.escape(digits)}(?!\w)")
    written = (form.search(text) for text in passages.texts_containing(db, digits, scope, TEXTS))
    return list(dict.fromkeys(match.group() for match in written if match))[:1]


def _nearest_forms(
    db: Connection, passages: PassageIndex, scope: CollectionScope, word: str, limit: int, stems: Sequence[str]
) -> list[str]:
    """Return the forms nearest to `word`, of the first few stems that `scope` has."""
    distances: dict[str, int] = {}
    written = filter(None, (_forms_of_stem(db, passages, scope, term) for term in stems))
    for forms in islice(written, CANDIDATES):
        form = min(sorted(forms), key=lambda form: edit_distance(word, strip_accents(form), limit + 1))
        distances[form] = edit_distance(word, strip_accents(form), limit + 1)
    nearest = min(distances.values(), default=limit + 1)
    matches = [form for form, count in distances.items() if count == nearest <= limit + 1]
    return sorted(matches, key=lambda form: form[-1] != word[-1])


def _may_be_similar(first: str, second: str) -> bool:
    """Return True when two typing errors may lie between the words, by their letters alone."""
    return abs(len(first) - len(second)) <= 2 and len(set(first) ^ set(second)) <= 4


def edit_distance(first: str, second: str, limit: int) -> int:
    """Return the Damerau-Levenshtein distance, each place edited once; more than `limit` where it is more."""
    if abs(len(first) - len(second)) > limit:
        return limit + 1
    older: list[int] = []
    previous = list(range(len(second) + 1))
    for row, letter in enumerate(first, 1):
        current = [row]
        for column, against in enumerate(second, 1):
            cost = min(previous[column] + 1, current[-1] + 1, previous[column - 1] + (letter != against))
            if row > 1 and column > 1 and letter == second[column - 2] and first[row - 2] == against:
                cost = min(cost, older[column - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return limit + 1
        older, previous = previous, current
    return previous[-1]


def _one_slip_away(passages: PassageIndex, word: str, stems: Collection[str]) -> set[str]:
    """Return the stems of `stems` that are one typing error away from `word`."""
    splits = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    candidates = {
        *(head + tail[1:] for head, tail in splits if tail),
        *(head + tail[1] + tail[0] + tail[2:] for head, tail in splits if len(tail) > 1),
        *(head + letter + tail[1:] for head, tail in splits if tail for letter in ascii_lowercase),
        *(head + letter + tail for head, tail in splits for letter in ascii_lowercase),
    }
    prefixes = {term[:-1] for term in stems}
    likely = (
        candidate
        for candidate in candidates
        if any(candidate[:end] in prefixes for end in range(2, len(candidate) + 1))
    )
    return {passages.stem(candidate) for candidate in likely} & set(stems)


def _forms_of_stem(db: Connection, passages: PassageIndex, scope: CollectionScope, term: str) -> set[str]:
    """Return the words of this stem in some texts. The index stems a query, so it is queried with a whole word."""
    forms = [term + ending for ending in _ENDINGS] + [term[:-1] + "y", term + "y"]
    query = next((form for form in forms if passages.stem(form) == term), term)
    texts = " ".join(passages.texts_containing(db, query, scope, TEXTS))
    return {word for word in re.findall(rf"\b{re.escape(term[:-1])}\w*", texts) if passages.stem(word) == term}


# --- The index ------------------------------------------------------------------------------------

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
_POSSESSIVE = re.compile(r"['’]s?$")


@dataclass
class _Cache:
    """Lookups of one generation, during which nothing that can be found changes."""

    generation: int
    frequencies: dict[str, int] = field(default_factory=dict)
    collections: dict[str, dict[int, str]] = field(default_factory=dict)
    """The collections that each workspace sees, by number."""
    total: int | None = None


class SearchIndex:
    """Searches chunks by words and by vectors."""

    def __init__(self, database: Database, vectors: VectorSearch) -> None:
        self._database = database
        self._vectors = vectors
        self._passages = database.passage_index
        self._cache = _Cache(generation=0)

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
            return LexicalResult(self._passages.search(db, _select_rarest(words), words, total, scope, limit), rarity)

        if (result := await self._database.read(work)) is None:
            with workspace_scope(ALL_WORKSPACES):
                total = await self._database.read(_count)
            result = await self._database.read(partial(work, counted=total))
        assert result
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
                word: find_similar_words(db, self._passages, scope, word) for word in words if word not in known_words
            }
            return {word: similar for word, similar in suggestions.items() if similar}

        return await self._database.read(work)

    async def search_vector(self, vector: Vectors, audience: Audience, limit: int) -> list[SearchHit]:
        """Return the chunks whose mean vector is nearest to `vector`; the score is the cosine."""
        return await self._vectors.nearest(vector, audience, limit)

    def _current_cache(self, db: Connection) -> _Cache:
        generation, cache = library_generation(db), self._cache
        if generation != cache.generation or len(cache.frequencies) > CACHED_WORDS:
            cache = self._cache = _Cache(generation)
        return cache

    def _frequency(self, db: Connection, cache: _Cache, words: Sequence[str]) -> dict[str, int]:
        """Return in how many chunks each word occurs."""
        if unknown := [word for word in words if word not in cache.frequencies]:
            cache.frequencies.update(self._passages.document_frequency(db, unknown))
        return {word: cache.frequencies[word] for word in words}


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
