"""A follow-up that changes one thing of the question before it: `And for contractors?`, `What about the long term?`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from pipeline.read.asked import AUXILIARIES
from pipeline.words.text import STOP_WORDS, WORD, word_pattern

_ARTICLES = frozenset({"a", "an", "the"})
_CLAUSE = word_pattern("i|you|we|he|she|it|they|if|who|what|when|where|why|which|how|" + "|".join(sorted(AUXILIARIES)))
"""Words of what says or asks something by itself."""
_STANDS_FOR = re.compile(r" ones?$", re.IGNORECASE)
"""`The long term one`: what it is one of was said before."""
_COUNTS = frozenset({"many", "much", "long", "often"})
_MOST = 4
"""Words that are changed at most."""
_LONGEST = 60
"""Characters of a phrase that changes one thing."""


class _Place(NamedTuple):
    shared: int
    """How much a phrase and a question have alike there."""
    start: int
    stop: int
    """The words of the question that the phrase takes the place of."""
    left: int = 0
    """How many words at the beginning of the phrase are left out."""


def changed(phrase: str, question: str) -> str:
    """`question` with `phrase` in the place of what stands there beside the same words, or behind the same preposition
    or article; else in that of its only name; empty where there is none. `Level 4` changes what a level 5 gets, `for
    contractors` what holds for employees, `a service` how much a repair is."""
    said = " ".join(phrase.split()).strip(" ,;:?!.")
    if _CLAUSE.search(said) or len(said) > _LONGEST:
        return ""
    named = _STANDS_FOR.sub("", said)
    words, asked = list(WORD.finditer(named)), list(WORD.finditer(question))
    new, old = ([match.group() for match in found] for found in (words, asked))
    places = [*_between(new, old), *_behind(new, old, whole=named == said), *_before(new, old), *_name(new, old)]
    if not places:
        return ""
    best = max(places, key=lambda place: place.shared)
    start, end = asked[best.start].start(), asked[best.stop - 1].end()
    return f"{question[:start]}{named[words[best.left].start() :]}{question[end:]}"


def _between(new: Sequence[str], old: Sequence[str]) -> Iterator[_Place]:
    """Where the phrase begins and ends as the question does: `an extended family member`."""
    for start in range(len(old)):
        lead = _alike(new, old[start:])
        for stop in range(start + lead + 1, min(len(old), start + lead + _MOST + len(new)) + 1) if lead else ():
            tail = _alike(new[lead:][::-1], old[start + lead : stop][::-1])
            if tail and lead + tail < len(new):
                yield _Place(_weight(new[:lead]) + _weight(new[len(new) - tail :]), start, stop)


def _behind(new: Sequence[str], old: Sequence[str], *, whole: bool) -> Iterator[_Place]:
    """Where the phrase begins alike: a name changes a name, other words all up to the next small word; as many as they
    are where the question ends there, as its last word may be its verb, or where they are not the `whole`."""
    for start in range(len(old)):
        lead = _alike(new, old[start:])
        rest = old[start + lead :]
        if not 0 < lead < len(new) or not rest:
            continue
        if new[lead][0].isupper() and rest[0][0].isupper():
            count = len(list(takewhile(lambda word: word[0].isupper() or word[0].isdigit(), rest)))
        else:
            count = len(list(takewhile(_says, rest)))
            count = count if whole and count < len(rest) else min(count, len(new) - lead)
        if count:
            yield _Place(_weight(new[:lead]), start, start + lead + count)


def _before(new: Sequence[str], old: Sequence[str]) -> Iterator[_Place]:
    """Where the phrase ends alike, with a word that says something: `court leave` changes the words before the leave,
    as many as are new or one more."""
    left = len(list(takewhile(lambda word: word.lower() in _ARTICLES, new)))
    for stop in range(1, len(old) + 1):
        tail = _alike(new[::-1], old[max(0, stop - len(new)) : stop][::-1])
        own = len(new) - left - tail
        most = old[max(0, stop - tail - own - 1) : stop - tail][::-1] if own > 0 else ()
        count = len(list(takewhile(lambda word: _says(word) and word.lower() not in _COUNTS, most)))
        if count and any(map(_says, new[len(new) - tail :])):
            yield _Place(_weight(new[len(new) - tail :]), stop - tail - count, stop, left)


def _name(new: Sequence[str], old: Sequence[str]) -> Iterator[_Place]:
    """The only name of the question, or its only figure, where the phrase is one, whatever stands before it."""
    left = len(list(takewhile(lambda word: not _says(word), new)))
    first = new[left][0] if left < len(new) else " "
    alike = str.isdigit if first.isdigit() else str.isupper
    names = [place for place, word in enumerate(old) if place and alike(word[0]) and _says(word)]
    if alike(first) and names and names[-1] - names[0] < len(names):
        yield _Place(0, names[0], names[-1] + 1, left)


def _says(word: str) -> bool:
    return word.lower() not in STOP_WORDS


def _weight(shared: Sequence[str]) -> int:
    """A word that says something counts for more than all small ones."""
    return sum(2 * _MOST if _says(word) else 1 for word in shared)


def _alike(new: Sequence[str], old: Sequence[str]) -> int:
    """How many words they begin with alike."""
    pairs = zip(new, old, strict=False)
    return len(list(takewhile(lambda pair: pair[0].lower() == pair[1].lower(), pairs)))
