"""The words of a text as they are indexed: those that `unicode61` makes of it, stemmed by Porter's rules as Snowball
has them, and how much each weighs.

PostgreSQL's own ranking knows neither how rare a word is nor how long a text is. The weight that BM25 gives a word in a
passage is therefore computed when the passage is written, and a search is the inner product of these weights with the
rarity of the words asked for.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from pipeline.words.text import WORD, fold, lexical_form, porter

MARK = "\ue000"
"""Begins the lexeme that stands for a collection; no word of a text holds this character."""
TITLE = 1.5
K1, B = 1.2, 0.75
"""As FTS5 has them."""
SPARSE = 1_000_000_000
"""Dimensions of pgvector's sparse vectors, at most."""
_TOKEN = re.compile(r"[^\W_]+")
_PARTS = 6
"""Parts of a word such as `v3.2.0` that are also indexed together."""
_LETTERS = 250
"""What is longer is known by its beginning: PostgreSQL refuses words of more than 2,046 bytes."""


def lexeme(word: str) -> str:
    """How `word` stands in the index; the parts of one such as `v3.2.0` are kept together. May be empty."""
    return _joined(_stems(word.lower()))


def weighed(title: str, text: str, average: float) -> tuple[dict[str, float], int]:
    """The words of a passage with their weights, and its length; `average` is the length of passages."""
    length, counts = 1, Counter[str]()
    for part, factor in ((title, TITLE), (text, 1.0)):
        lexemes = _lexemes(part)
        length += sum(count for one, count in lexemes.items() if " " not in one)
        for one, count in lexemes.items():
            counts[one] += count * factor  # type: ignore[assignment] # a Counter of floats
    least = K1 * (1 - B + B * length / average)
    return {one: count * (K1 + 1) / (count + least) for one, count in counts.items()}, length


def sparse(weights: Iterable[tuple[str, float]]) -> str:
    """As the text of a `sparsevec`; the weights of a word that occurs twice are added."""
    added: dict[int, float] = {}
    for one, weight in weights:
        place = _place(one)
        added[place] = added.get(place, 0.0) + weight
    return "{" + ",".join(f"{place}:{added[place]:.5g}" for place in sorted(added)) + f"}}/{SPARSE}"


def _lexemes(text: str) -> Mapping[str, int]:
    lowered = lexical_form(text).lower()
    counts = Counter(_stems(lowered))
    for word in WORD.findall(lowered):
        if word.isalnum():
            continue
        parts = _stems(word)[:_PARTS]
        for start in range(len(parts) - 1):
            counts.update(_joined(parts[start:end]) for end in range(start + 2, len(parts) + 1))
    return counts


def _stems(lowered: str) -> list[str]:
    return [found[:_LETTERS] for token in _TOKEN.findall(fold(lowered)) if (found := _stem(token))]


@lru_cache(maxsize=65536)
def _stem(token: str) -> str:
    return porter(token)


def _joined(parts: Sequence[str]) -> str:
    return " ".join(parts)[:_LETTERS]


@lru_cache(maxsize=65536)
def _place(word: str) -> int:
    return zlib.crc32(word.encode()) % SPARSE + 1
