"""Letter ciphers and reversed text, found by what they turn the words of an override into."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from string import ascii_lowercase

from pipeline.screen.lexicon import MARKERS

Transform = Callable[[str], str]
_LEAST = 2
"""Distinct markers that must occur before a text is deciphered: one may be chance."""


def deciphered(folded: str, words: Sequence[str]) -> Iterator[str]:
    """`folded` read backwards, shifted by any number of letters or in Atbash, where its `words` ask for it."""
    disguised = _disguised()
    found: dict[int, set[str]] = {}
    for word in disguised.keys() & set(words):
        for number in disguised[word]:
            found.setdefault(number, set()).add(word)
    for number, markers in found.items():
        if len(markers) >= _LEAST:
            yield from (transform(folded) for transform in _TRANSFORMS[number])


def _shift(by: int) -> Transform:
    table = str.maketrans(ascii_lowercase, ascii_lowercase[by:] + ascii_lowercase[:by])
    return lambda text: text.translate(table)


def _atbash(text: str) -> str:
    return text.translate(str.maketrans(ascii_lowercase, ascii_lowercase[::-1]))


def _reversed(text: str) -> str:
    return text[::-1]


def _words_reversed(text: str) -> str:
    return " ".join(word[::-1] for word in text.split())


_TRANSFORMS: tuple[tuple[Transform, ...], ...] = (
    (_reversed, _words_reversed),
    (_atbash,),
    *((_shift(by),) for by in range(1, 26)),
)
"""Each undoes itself or, for the shifts, is undone by another of them: all are tried on the markers."""


@cache
def _disguised() -> dict[str, list[int]]:
    """Disguised marker -> the transforms that bring it back."""
    found: dict[str, list[int]] = {}
    for number, transforms in enumerate(_TRANSFORMS):
        undone = number if number < 2 else len(_TRANSFORMS) + 1 - number
        for marker in MARKERS.split():
            found.setdefault(transforms[0](marker), []).append(undone)
    return found
