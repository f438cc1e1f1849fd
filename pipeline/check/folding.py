"""Words as they are compared: the same sentence with other quotes, dashes, spaces, contractions, case, or another
spelling of its numbers and units folds to the same words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pipeline.words.facts import Date, Quantity, figures

_CHARACTERS = str.maketrans(dict.fromkeys("‘’ʼ′`´", "'") | dict.fromkeys("‐‑‒–—−", "-") | dict.fromkeys("“”„«»″", '"'))
_PIECE = re.compile(
    r"(?P<word>[^\W_]+(?:[._'@][^\W_]+)*)|(?P<sign>[^\w\s.,;:!…\-*\"'()\[\]{}|$€£¥%¿¡。、，；：！？「」『』])"
)
_MINUS = re.compile(r"(?:^|[\s(])-$")
_NOT = re.compile(r"(.+)n't$")
_SHORT = {"'re": "are", "'ve": "have", "'ll": "will", "'m": "am"}
_IS = frozenset("it's that's there's what's he's she's who's here's where's".split())
_WHOLE = {"can't": "can not", "cannot": "can not", "won't": "will not", "&": "and"}
_TIMES = frozenset("minute hour day week month quarter year".split())
_QUALIFIED = re.compile(r"\b(?:working|business|calendar|full|consecutive|us)\b")


class Folded(NamedTuple):
    """One word as it is compared, and where it stands."""

    word: str
    start: int
    end: int


@lru_cache(maxsize=2048)
def fold(text: str) -> tuple[Folded, ...]:
    """The words of `text`, numbers and dates as values; marks that say nothing by themselves are left out."""
    plain = text.translate(_CHARACTERS)
    taken = sorted(figures(plain), key=lambda fact: fact.start)
    found: list[Folded] = []
    place = 0
    for fact in taken:
        if fact.start < place:
            continue
        found.extend(_words(plain, place, fact.start))
        found.extend(_figure(fact, plain))
        place = fact.end
    found.extend(_words(plain, place, len(plain)))
    return tuple(_rates(found))


def _figure(fact: Quantity | Date, text: str) -> Iterator[Folded]:
    if isinstance(fact, Quantity):
        if _MINUS.search(text[: fact.start]):
            yield Folded("-", fact.start - 1, fact.start)
        for word in _QUALIFIED.findall(text[fact.start : fact.end].lower()):
            yield Folded(word, fact.start, fact.end)
        told = f"{fact.value} {fact.unit} {fact.amount}".removesuffix("  nan")
        yield Folded(f"{told} {fact.readings or ''}".strip(), fact.start, fact.end)
    else:
        yield Folded(fact.name, fact.start, fact.end)


def _words(text: str, start: int, end: int) -> Iterator[Folded]:
    for match in _PIECE.finditer(text, start, end):
        for word in _plain(match.group()).split():
            yield Folded(word, match.start(), match.end())


@lru_cache(maxsize=16384)
def _plain(word: str) -> str:
    word = unicodedata.normalize("NFKC", word).casefold()
    if word in _WHOLE:
        return _WHOLE[word]
    if word in _IS:
        return f"{word[:-2]} is"
    if found := _NOT.match(word):
        return f"{found[1]} not"
    for short, long in _SHORT.items():
        if word.endswith(short):
            return f"{word.removesuffix(short)} {long}"
    return word


def _rates(found: Sequence[Folded]) -> Iterator[Folded]:
    """`/month` and `a month` are `per month`."""
    for place, one in enumerate(found):
        after = found[place + 1].word if place + 1 < len(found) else ""
        yield one._replace(word="per") if one.word in ("/", "a", "an") and after in _TIMES else one
