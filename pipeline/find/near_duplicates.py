"""Near-duplicates: passages that say the same in nearly the same words count as one text.

Of a text and its copies one is taken, and with it the copy that contradicts the others: forty that say 99 euros neither
hide nor outvote the one that says 49.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Generic, Protocol, TypeVar

from pipeline.values import Chunk, Retrieval, RetrievedChunk
from pipeline.values.documents import exclude_known
from pipeline.words.qualifiers import find_conditions, is_negation
from pipeline.words.text import NOT_ASCII


class ScoredChunk(Protocol):
    """A passage with its score for a question."""

    @property
    def chunk(self) -> Chunk: ...

    @property
    def score(self) -> float: ...


T = TypeVar("T")
S = TypeVar("S", bound=ScoredChunk)

MAX_WORD_DIFFERENCE = 0.1
"""Share of words up to which two texts may differ, figures aside."""
MAX_REMAINING = 40
"""Greatest number of remaining passages."""
ROUNDING = 1e-9
_BLANKS = bytes(code if code > 127 or chr(code).isalpha() else ord(" ") for code in range(256))
"""A blank for each byte of ASCII that is no letter."""
_WORD = re.compile(r"\w+")


def remaining_passages(retrieval: Retrieval) -> list[RetrievedChunk]:
    """Return the other passages that were read, best first, for readers that go beyond the quoted ones."""
    return exclude_known(select_distinct(retrieval.candidates, MAX_REMAINING), retrieval.passages)


def select_distinct(ranked: Sequence[S], most: int) -> list[S]:
    """Select the first `most` passages: of each text the best, and the copy that contradicts the others, unless
    nothing else is left."""
    return DistinctTexts(ranked).select(most)[0]


class DistinctTexts(Generic[S]):
    """The different texts among `ranked` passages, best first, grouped as far as they are looked at, and once."""

    def __init__(self, ranked: Sequence[S]) -> None:
        self._rest = _group_copies(ranked, lambda passage: passage.chunk.text)
        self._known: list[list[S]] = []

    def select(self, most: int, floor: float = -math.inf) -> tuple[list[S], int]:
        """Do what `select_distinct` does with the passages from the score `floor` on; return also the number of texts
        among those looked at."""
        selected: list[S] = []
        spare: list[S] = []
        texts = 0
        for copies in self._groups():
            above = [passage for passage in copies if passage.score >= floor]
            if len(selected) >= most or not above:
                break
            texts += 1
            editions = _select_editions(above, lambda passage: passage.chunk.text)
            selected += editions[:2]
            spare += editions[2:]
        chosen = [*selected[:most], *spare[: max(most - len(selected), 0)]]
        return sorted(chosen, key=lambda passage: -passage.score), texts

    def _groups(self) -> Iterator[list[S]]:
        yield from self._known
        for copies in self._rest:
            self._known.append(copies)
            yield copies


def group_near_duplicates(passages: Sequence[T], text: Callable[[T], str]) -> Iterator[list[T]]:
    """Yield the different texts among `passages`, each once, in order, with their editions; linear in `passages` for
    each of them.

    Editions are copies that differ in a number, a name or a negation; the one that lacks most of what the majority says
    comes first. Copies that differ in nothing but a few plain words are left out."""
    for copies in _group_copies(passages, text):
        yield _select_editions(copies, text)


def _group_copies(passages: Sequence[T], text: Callable[[T], str]) -> Iterator[list[T]]:
    """Yield each passage that is no copy of one before, with its copies."""
    remaining = [(passage, _words(text(passage))) for passage in passages]
    while remaining:
        (passage, first), *others = remaining
        least, most = (
            (1 - MAX_WORD_DIFFERENCE) * len(first) - ROUNDING,
            len(first) / (1 - MAX_WORD_DIFFERENCE) + ROUNDING,
        )
        copies = [pair for pair in others if least <= len(pair[1]) <= most and _is_near(first, pair[1])]
        yield [passage, *(copy for copy, _ in copies)]
        known = set(map(id, copies))
        remaining = [pair for pair in others if id(pair) not in known] if copies else others


def _select_editions(copies: list[T], text: Callable[[T], str]) -> list[T]:
    """Return the first of `copies`, and those of the others that say something else."""
    if len(copies) == 1:
        return copies
    distinctive = [_distinctive_words(text(passage)) for passage in copies]
    counts = Counter(word for words in distinctive for word in set(words))
    common = frozenset(word for word, times in counts.items() if 2 * times > len(copies))
    distinct: dict[tuple[str, ...], T] = {}
    for passage, words in zip(copies, distinctive, strict=True):
        distinct.setdefault(words, passage)
    first, *others = sorted(distinct, key=lambda words: (words != distinctive[0], -len(common.difference(words))))
    return [distinct[words] for words in (first, *others)]


def _is_near(first: frozenset[bytes], second: frozenset[bytes]) -> bool:
    """Return whether two texts differ in at most `MAX_WORD_DIFFERENCE` of their words. Most are told apart by a few
    words: a near text lacks no more than that of those of the first."""
    allowed = MAX_WORD_DIFFERENCE * len(first) + ROUNDING
    lacking = 0
    for word in first:
        if word not in second:
            lacking += 1
            if lacking > allowed:
                return False
    if abs(len(first) - len(second)) > MAX_WORD_DIFFERENCE * max(len(first), len(second)):
        return False
    shared, total = len(first) - lacking, len(first) + len(second)
    return total - 2 * shared <= MAX_WORD_DIFFERENCE * (total - shared)


@lru_cache(maxsize=1024)
def _words(text: str) -> frozenset[bytes]:
    """Return the words as bytes, which are split faster; a word is letters, and signs that are numbers but no decimal
    digits."""
    if not text.isascii():
        for sign in set(NOT_ASCII.findall(text)):
            if not sign.isalnum() or sign.isdecimal():
                text = text.replace(sign, " ")
    return frozenset(text.encode(errors="surrogatepass").translate(_BLANKS).split())


def _distinctive_words(text: str) -> tuple[str, ...]:
    """Return the words that make a difference by themselves, sorted."""
    return tuple(sorted(word for word in _WORD.findall(text) if not _is_plain(word)))


@lru_cache(maxsize=16384)
def _is_plain(word: str) -> bool:
    return word.islower() and word.isalpha() and not is_negation(word) and not find_conditions(word)
