"""Near-duplicates: passages that say the same in nearly the same words count as one text.

Of a text and its copies one is taken, and with it the copy that contradicts the others: forty that say 99 euros neither
hide nor outvote the one that says 49.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Protocol, TypeVar

from pipeline.values import Chunk, Retrieval, RetrievedChunk
from pipeline.values.documents import exclude_known
from pipeline.words.qualifiers import find_conditions, is_negation


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
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"\w+")


def remaining_passages(found: Retrieval) -> list[RetrievedChunk]:
    """Return the other passages that were read, best first, for readers that go beyond the quoted ones."""
    return exclude_known(select_distinct(found.candidates, MAX_REMAINING)[0], found.passages)


def select_distinct(ranked: Sequence[S], count: int) -> tuple[list[S], int]:
    """Select the first `count` passages: of each text the best, and the copy that contradicts the others, unless
    nothing else is left. Return them with the number of different texts among those looked at."""
    taken: list[S] = []
    spare: list[S] = []
    texts = 0
    for editions in group_near_duplicates(ranked, lambda one: one.chunk.text):
        if len(taken) >= count:
            break
        texts += 1
        taken += editions[:2]
        spare += editions[2:]
    chosen = [*taken[:count], *spare[: max(count - len(taken), 0)]]
    return sorted(chosen, key=lambda one: -one.score), texts


def group_near_duplicates(passages: Sequence[T], text: Callable[[T], str]) -> Iterator[list[T]]:
    """Yield the different texts among `passages`, each once, in order, with their editions; linear in `passages` for
    each of them.

    Editions are copies that differ in a number, a name or a negation; the one that lacks most of what the majority says
    comes first. Copies that differ in nothing but a few plain words are left out."""
    left = [(one, _words(text(one))) for one in passages]
    while left:
        first = left[0][1]
        near = [_near(first, words) for _, words in left]
        yield _editions([one for (one, _), alike in zip(left, near, strict=True) if alike], text)
        left = [pair for pair, alike in zip(left, near, strict=True) if not alike]


def _editions(copies: list[T], text: Callable[[T], str]) -> list[T]:
    """Return the first of `copies`, and those of the others that say something else."""
    if len(copies) == 1:
        return copies
    told = [_telling(text(one)) for one in copies]
    often = Counter(word for words in told for word in set(words))
    common = frozenset(word for word, times in often.items() if 2 * times > len(copies))
    distinct: dict[tuple[str, ...], T] = {}
    for one, words in zip(copies, told, strict=True):
        distinct.setdefault(words, one)
    first, *others = sorted(distinct, key=lambda words: (words != told[0], -len(common.difference(words))))
    return [distinct[words] for words in (first, *others)]


def _near(some: frozenset[str], others: frozenset[str]) -> bool:
    if abs(len(some) - len(others)) > MAX_WORD_DIFFERENCE * max(len(some), len(others)):
        return False
    shared, total = len(some & others), len(some) + len(others)
    return total - 2 * shared <= MAX_WORD_DIFFERENCE * (total - shared)


@lru_cache(maxsize=1024)
def _words(text: str) -> frozenset[str]:
    return frozenset(_LETTERS.findall(text))


def _telling(text: str) -> tuple[str, ...]:
    """Return the words that make a difference by themselves, sorted."""
    return tuple(sorted(word for word in _WORD.findall(text) if not _plain(word)))


@lru_cache(maxsize=16384)
def _plain(word: str) -> bool:
    return word.islower() and word.isalpha() and not is_negation(word) and not find_conditions(word)
