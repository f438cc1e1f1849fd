"""Passages that say the same thing in nearly the same words are one voice, whatever their number.

Of a text and its copies one is taken, and with it the copy that contradicts the others: forty that say 99 euros
neither hide nor outvote the one that says 49.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from pipeline.words.qualifiers import conditions, denies

T = TypeVar("T")


class _Words(NamedTuple):
    """The different words of a text."""

    words: frozenset[str]
    size: int
    bits: int
    """One of BITS for each word: texts differ in at least as many words as in bits, which are compared sooner."""


DIFFERENT = 0.1
"""Share of words up to which two texts may differ, figures aside."""
BITS = 512
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"\w+")


def voices(passages: Sequence[T], text: Callable[[T], str]) -> Iterator[list[T]]:
    """The different texts among `passages`, each once, in their order; linear in `passages` for each of them.

    Each comes with its editions: copies that differ in a number, a name or a negation, the one that lacks most of what
    the majority says first, copies that differ in nothing but a few plain words left out."""
    left = [(one, _words(text(one))) for one in passages]
    while left:
        first = left[0][1]
        near = [_near(first, words) for _, words in left]
        yield _editions([one for (one, _), alike in zip(left, near, strict=True) if alike], text)
        left = [pair for pair, alike in zip(left, near, strict=True) if not alike]


def _editions(copies: list[T], text: Callable[[T], str]) -> list[T]:
    """The first of `copies`, and of the others those that say something else."""
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


def _near(some: _Words, others: _Words) -> bool:
    total = some.size + others.size
    if (some.bits ^ others.bits).bit_count() > DIFFERENT * total:
        return False
    shared = len(some.words & others.words)
    return total - 2 * shared <= DIFFERENT * (total - shared)


@lru_cache(maxsize=1024)
def _words(text: str) -> _Words:
    words = frozenset(_LETTERS.findall(text))
    bits = 0
    for word in words:
        bits |= 1 << hash(word) % BITS
    return _Words(words, len(words), bits)


def _telling(text: str) -> tuple[str, ...]:
    """The words that make a difference by themselves, sorted."""
    return tuple(sorted(word for word in _WORD.findall(text) if not _plain(word)))


@lru_cache(maxsize=16384)
def _plain(word: str) -> bool:
    return word.islower() and word.isalpha() and not denies(word) and not conditions(word)
