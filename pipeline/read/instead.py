"""Words that stand in one text where another has others: `the standard loan` for `the green loan`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from pipeline.read.asked import AUXILIARIES
from pipeline.words.language import SMALL_WORDS
from pipeline.words.qualifiers import denies
from pipeline.words.text import STOP_WORDS, WORD, distinct_terms, terms

BEFORE_VERB = AUXILIARIES | {*"be been not never to you we they i he she nobody everyone".split()}
SMALL = frozenset[str](STOP_WORDS).union(*SMALL_WORDS.values())
"""Words that name nothing, in any of our languages."""
CLAUSE = re.compile(r"[,;:()|.!?](?!\w)|[–—]")
"""What parts a sentence, a heading or a row into what is said of one thing."""

Place = tuple[str, str, str]
"""Where a term stands: the one before it, the small words between them, and the one behind it; as much as is known."""


def instead(wanted: frozenset[str], one: tuple[str, ...], other: Iterable[str]) -> frozenset[str]:
    """The wanted terms, beside others of these or alone, in whose place `other` has terms of its own. Of both, the
    texts that tell what something is about, the nearest first: a sentence, the headings above it, its title."""
    named, known = _named(wanted, one)
    said, found = frozenset[str](), set[str]()
    for text in other if named else ():
        said |= distinct_terms(text)
        own = {place for place, term in _placed(text) if term not in known}
        found |= {term for place, term in named if place in own and term not in said}
    return frozenset(found)


@lru_cache(maxsize=256)
def _named(wanted: frozenset[str], texts: tuple[str, ...]) -> tuple[frozenset[tuple[Place, str]], frozenset[str]]:
    """What is wanted and named in the texts, with its places; and all that is wanted or stands in them."""
    placed = {found for text in texts for found in _placed(text)}
    named = {
        (place, term)
        for place, term in placed
        if term in wanted and wanted.issuperset(filter(None, (place[0], place[2])))
    }
    return frozenset(named), wanted.union(*map(distinct_terms, texts))


@lru_cache(maxsize=4096)
def _placed(text: str) -> tuple[tuple[Place, str], ...]:
    """The terms that begin a clause or follow a small word that no verb follows, each with its places."""
    return tuple(found for clause in CLAUSE.split(text) for found in _in_clause(WORD.findall(clause.lower())))


def _in_clause(spoken: Sequence[str]) -> Iterator[tuple[Place, str]]:
    named = [(place, term) for place, word in enumerate(spoken) for term in _term(word)]
    for number, (place, term) in enumerate(named):
        last, before = named[number - 1] if number else (-1, "")
        small = spoken[last + 1 : place]
        if (small[-1] in BEFORE_VERB) if small else number:
            continue
        if number or len(named) == 1:
            yield (before, " ".join(small), ""), term
        following, after = named[number + 1] if number + 1 < len(named) else (0, "")
        if after and all(word in BEFORE_VERB or denies(word) for word in spoken[place + 1 : following]):
            yield ("", "", after), term


def _term(word: str) -> Sequence[str]:
    return () if word in SMALL or denies(word) else terms(word)[:1]
