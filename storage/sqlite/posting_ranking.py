"""BM25 in memory: the ranks of FTS5, from the postings of the words that were asked for.

FTS5 reads the length of each passage that it ranks from the disk, a microsecond a match. Here the lengths are read
once, and the postings of a word when it is first asked for, a quarter of a microsecond each, or those of all frequent
words beforehand. The formula and the order of its operations are FTS5's (`fts5_aux.c`), so the scores are the same to
the last bit.
"""

from __future__ import annotations

import math
import re
import threading
from array import array
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.values import SearchHit
from pipeline.words.text import stem, strip_accents
from storage.database import Connection
from storage.documents.revision import NUMBERS_PER_REVISION

K1, B, LEAST_IDF = 1.2, 0.75, 1e-6
"""FTS5's own."""
TITLE_WEIGHT = 1.5
WORDS_AT_ONCE = 64
FREQUENT = 64
"""Postings from which on those of a word are read beforehand: fewer are read in 30 µs when it is asked for, and logs or
lists of parts have a million words of one each."""
HELD_POSTINGS = 12_000_000
"""Most postings held, 72 MB; those of the words that were asked for longest ago go first."""
_TOKEN = re.compile(r"[^\W_]+")
_POSTINGS = "SELECT group_concat(doc * 2 + (col = 'title')) FROM posting WHERE term = $1"
_ALL_POSTINGS = (
    "SELECT term, group_concat(doc * 2 + (col = 'title')) FROM posting"
    " WHERE term >= $1 AND term < $2 GROUP BY term HAVING count(*) >= $3"
)
_RANGES = ("", *"123456789abcdefghijklmnopqrstuvwxyz", "{")
"""First letters of the words that are read by one statement, which runs through rare words without a pause."""
_TOTALS = "SELECT block FROM words_data WHERE id = 1"
"""FTS5's numbers of passages and words, with those that are not live."""

Numbered = Sequence[tuple[int, float]]
Scores = NDArray[np.float64]
Places = NDArray[np.int32]


class Postings(NamedTuple):
    """The passages that hold a word."""

    places: Places
    """0-based places among all passages, ascending."""
    frequencies: NDArray[np.uint16]
    """Twice as often as each holds it; in a title it counts TITLE_WEIGHT times."""


class _FrequentPostings(NamedTuple):
    """The postings of all frequent words, one after the other."""

    terms: Mapping[str, int]
    """The place of each word among the ends."""
    ends: Sequence[int]
    stored: Postings

    def of(self, term: str) -> Postings | None:
        place = self.terms.get(term)
        if place is None:
            return None
        held = slice(self.ends[place - 1], self.ends[place])
        return Postings(self.stored.places[held], self.stored.frequencies[held])


_NONE = Postings(np.zeros(0, np.int32), np.zeros(0, np.uint16))


class PostingRanking:
    """Ranks the passages of one generation of the library; may be used from any thread."""

    def __init__(self, db: Connection, hits: Callable[[Connection, Numbered], list[SearchHit]], end: str) -> None:
        """Read the lengths. `hits`: finds the ids of passages with these numbers and scores. `end`: where the words of
        texts end in the index."""
        self._hits = hits
        self._end = end
        self._totals = db.execute(_TOTALS).fetchone()
        rows = db.execute("SELECT id, sz FROM words_docsize ORDER BY id").fetchall()
        self._numbers = np.fromiter((number for number, _ in rows), np.int64, len(rows))
        lengths = np.fromiter((_sum_varints(sizes) for _, sizes in rows), np.float64, len(rows))
        average = lengths.sum() / max(len(rows), 1)
        self._words = int(lengths.sum())
        self._norms: Scores = K1 * (1 - B + B * lengths / max(average, 1e-9))
        collections = dict(db.execute("SELECT id, collection_id FROM live").fetchall())
        revisions = (self._numbers // NUMBERS_PER_REVISION).tolist()
        self._collections = np.fromiter((collections.get(one, -1) for one in revisions), np.int32, len(rows))
        self._live = self._collections >= 0
        self._lock = threading.Lock()
        self._held: OrderedDict[str, Postings] = OrderedDict()
        self._size = 0
        self._frequent: _FrequentPostings | None = None
        self._asked: set[str] = set()
        """Words that were too common for some question to rank all that hold them."""

    def search(
        self, db: Connection, rare: Sequence[str], words: Collection[str], scope: Collection[int] | None, limit: int
    ) -> list[SearchHit] | None:
        """Do what `PassageIndex.search` does; return None for words that are searched as phrases, and for new ones once
        the index holds other passages than at the start: what is erased changes how rare a word is."""
        common = [word for word in words if word not in rare]
        if self._is_new(common) or (postings := self._postings(db, words)) is None:
            return None
        found = np.zeros(len(self._numbers), np.bool_)
        for word in rare:
            found[postings[word].places] = True
        found &= self._live if scope is None else np.isin(self._collections, list(scope))
        places = np.flatnonzero(found)
        parts = {word: self._score(one, found, len(places)) for word, one in postings.items()}
        scores = np.zeros(len(self._numbers))
        for word in [*rare, *rare, *common, *common] if common else rare:  # as FTS5 is asked: `passages._expression`
            held, part = parts[word]
            scores[held] += part
        reached = scores[places] / (2 if common else 1)
        best = _best(reached, limit)
        return self._hits(db, list(zip(self._numbers[places[best]].tolist(), reached[best].tolist(), strict=True)))

    def read_all(self, db: Connection, is_stopped: Callable[[], bool]) -> None:
        """Read the postings of all frequent words, unless they are too many: 30 µs a passage of a hundred words, and up
        to 400 where each has words of its own. Nothing is kept once `is_stopped`."""
        if not 0 < self._words <= HELD_POSTINGS or self._has_changed(db):
            return
        stored = Postings(np.empty(self._words, np.int32), np.empty(self._words, np.uint16))
        terms: dict[str, int] = {}
        ends = array("q", [0])
        for some in self._frequent_words(db):
            if is_stopped():
                return
            for (term, _), postings in zip(some, self._parse([text for _, text in some]), strict=True):
                terms[term] = len(ends)
                ends.append(ends[-1] + len(postings.places))
                held = slice(ends[-2], ends[-1])
                stored.places[held], stored.frequencies[held] = postings
        with self._lock:
            self._frequent, self._size = _FrequentPostings(terms, ends, stored), 0
            self._held.clear()

    def _frequent_words(self, db: Connection) -> Iterator[Sequence[tuple[str, str]]]:
        """Yield the frequent words with their postings as text, some at a time, which may be none."""
        for first, after in pairwise((*_RANGES, self._end)):
            rows = db.execute(_ALL_POSTINGS, (first, after, FREQUENT))
            while True:
                yield (some := list(islice(rows, WORDS_AT_ONCE)))
                if len(some) < WORDS_AT_ONCE:
                    break

    def _is_new(self, common: Iterable[str]) -> bool:
        """Return whether one of these words was not asked for before: its postings, more than FTS5 would rank, are read
        only for a second question."""
        new = {word for word in common if word not in self._asked and self._cached(stem(strip_accents(word))) is None}
        self._asked |= new
        return bool(new)

    def _postings(self, db: Connection, words: Iterable[str]) -> dict[str, Postings] | None:
        found = {}
        for word in words:
            plain = strip_accents(word)
            if not _TOKEN.fullmatch(plain):
                return None
            term = stem(plain)
            postings = self._cached(term)
            if postings is None:
                if self._has_changed(db):
                    return None
                postings = self._read(db, term)
            if not len(postings.places) and not word.isascii():
                return None  # FTS5 may know the word by another form
            found[word] = postings
        return found

    def _score(self, postings: Postings, found: NDArray[np.bool_], ranked: int) -> tuple[Places, Scores]:
        """Return the places of passages that hold a word, all of those `found`, `ranked` of them, included, and what it
        adds to the score of each."""
        count, (places, halves) = len(postings.places), postings
        idf = math.log((len(self._numbers) - count + 0.5) / (count + 0.5))
        if count > ranked:
            held = found[places]
            places, halves = places[held], halves[held]
        frequencies = halves * 0.5
        scores: Scores = (idf if idf > 0 else LEAST_IDF) * (
            (frequencies * (K1 + 1.0)) / (frequencies + self._norms[places])
        )
        return places, scores

    def _cached(self, term: str) -> Postings | None:
        with self._lock:
            if term in self._held:
                self._held.move_to_end(term)
                return self._held[term]
        return self._frequent.of(term) if self._frequent else None

    def _has_changed(self, db: Connection) -> bool:
        return bool(db.execute(_TOTALS).fetchone() != self._totals)

    def _read(self, db: Connection, term: str) -> Postings:
        (text,) = db.execute(_POSTINGS, (term,)).fetchone()
        postings = self._parse([text])[0] if text and len(self._numbers) else _NONE
        self._hold(term, postings)
        return postings

    def _parse(self, texts: Sequence[str]) -> list[Postings]:
        """Return the postings of words, each as the statements above give them."""
        if not texts:
            return []
        ends = np.cumsum([text.count(",") + 1 for text in texts])
        entries = np.fromstring(",".join(texts), np.int64, sep=",")
        rows = entries >> 1
        is_first = np.ones(len(rows), np.bool_)
        np.not_equal(rows[1:], rows[:-1], out=is_first[1:])
        is_first[ends[:-1]] = True
        starts = is_first.nonzero()[0]
        halves = np.where(entries & 1, int(2 * TITLE_WEIGHT), 2)
        frequencies = np.add.reduceat(halves, starts) if len(starts) < len(halves) else halves
        bounds, numbers = np.searchsorted(starts, ends), rows[starts]
        places = np.searchsorted(self._numbers, numbers)
        known = self._numbers[np.minimum(places, len(self._numbers) - 1)] == numbers  # others are not live yet
        if not known.all():
            places, frequencies, bounds = places[known], frequencies[known], np.cumsum(known)[bounds - 1]
        stored = places.astype(np.int32), np.minimum(frequencies, 2**16 - 1).astype(np.uint16)
        return [Postings(stored[0][start:end], stored[1][start:end]) for start, end in pairwise((0, *bounds.tolist()))]

    def _hold(self, term: str, postings: Postings) -> None:
        with self._lock:
            if term not in self._held:
                self._held[term] = postings
                self._size += len(postings.places)
            while self._size > HELD_POSTINGS:
                _, oldest = self._held.popitem(last=False)
                self._size -= len(oldest.places)


def _sum_varints(blob: bytes) -> int:
    """Return the sum of SQLite's variable-length integers: seven bits a byte, the last one below 128."""
    total = value = 0
    for byte in blob:
        value = value << 7 | byte & 127
        if byte < 128:
            total, value = total + value, 0
    return total


def _best(scores: Scores, limit: int) -> NDArray[np.intp]:
    """Return the places of the `limit` highest scores, best first; of equal ones the first."""
    least = np.partition(scores, -limit)[-limit] if limit < len(scores) else -np.inf
    reached = np.flatnonzero(scores >= least)
    return reached[np.argsort(-scores[reached], kind="stable")][:limit]
