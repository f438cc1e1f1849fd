"""Documents, sections and sentences that are alike but for the name of what they are about: a customer, a country, a
product."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pipeline.read.asked import CODE, NAME, Question
from pipeline.read.candidates import Candidate, leans
from pipeline.read.instead import instead
from pipeline.words.text import WORD, distinct_terms, labels, terms

_INSIDE = re.compile(r"[\w,;] $")
"""What stands before a word inside a sentence."""


def apart(asked: Question, one: Candidate, other: Candidate) -> bool:
    """Whether two sentences cannot contradict each other: where one alone is about something that the question names,
    or neither is, and where each is about another part of the question."""
    if _instead(asked, one, other) or _instead(asked, other, one):
        return True
    wanted, near = set(asked.terms), (about(one), about(other))
    if wanted & (near[0] - near[1]) and wanted & (near[1] - near[0]):
        return True
    names = asked.names | _written(asked, one, other)
    told = names | asked.spoken_of
    mine, theirs = (told & each for each in near)
    if not mine and not theirs:
        return bool(names) and not any(names & _everything(each) for each in (one, other))
    return bool((mine - _everything(other)) or (theirs - _everything(one)))


def another(asked: Question, best: Candidate, one: Candidate) -> bool:
    """Whether a sentence is about another than the one that the question names, and that the `best` is about."""
    if best.named > one.named or not best.near[0].isdisjoint(one.near[0].intersection(asked.terms)):
        own = _instead(asked, best, one)
        if (own and best.named > one.named) or _same_said(asked, best, one, own):
            return True
    names = asked.names | asked.spoken_of | _written(asked, best, one)
    meant = names.intersection(about(best))
    if not meant or names.intersection(about(one)) - meant:
        return False
    if best.passage.document.id != one.passage.document.id:
        missing = meant - _everything(one)
        return bool(meant <= missing) and (_titled_alike(best, one) or _parallel(asked, best, one, missing))
    missing = meant - about(one)
    own = meant - frozenset[str]().union(one.near[0], *one.near[2:])
    return (bool(missing) and _elsewhere(best, one, missing)) or _parallel(asked, best, one, own)


def others(asked: Question, best: Candidate, units: Sequence[Candidate]) -> frozenset[int]:
    """Which of the units of a passage are about another, with what goes on from them in their paragraph."""
    found, goes_on = set[int](), False
    for one in units:
        goes_on = (
            goes_on and not one.passage.chunk.apart(one.index) and one.near[0].isdisjoint(about(best) & asked.names)
        )
        goes_on = one.says and (goes_on or another(asked, best, one))
        found |= {one.index} if goes_on else set()
    return frozenset(found)


def about(one: Candidate) -> frozenset[str]:
    """The terms of a sentence, of the one before it and of what stands above them."""
    return frozenset[str]().union(*one.near)


def _instead(asked: Question, one: Candidate, other: Candidate) -> frozenset[str]:
    """The terms of the question in the one where the other has words of its own."""
    return instead(frozenset(asked.terms), _layers(one), _layers(other))


def _layers(one: Candidate) -> tuple[str, ...]:
    """What tells what a sentence is about, the nearest first."""
    said = f"{one.passage.chunk.text_of(one.index - 1)} {one.text}" if leans(one) else one.text
    return said, one.passage.chunk.above(one.index), one.passage.document.title


def _elsewhere(best: Candidate, one: Candidate, missing: frozenset[str]) -> bool:
    """Whether it stands under another heading than the one that has the name."""
    mine, theirs = best.near[2], one.near[2]
    return bool(theirs) and mine != theirs and not mine.isdisjoint(missing)


def _titled_alike(best: Candidate, one: Candidate) -> bool:
    """Whether their documents are called the same but for the name."""
    mine, theirs = best.near[3], one.near[3]
    return mine != theirs and 2 * len(mine & theirs) >= min(len(mine), len(theirs)) > 0


def _parallel(asked: Question, best: Candidate, one: Candidate, missing: frozenset[str]) -> bool:
    """Whether it says of another what the best sentence says of what is asked."""
    return _same_said(asked, best, one, missing) and not _called(one.text) <= best.near[0]


def _same_said(asked: Question, best: Candidate, one: Candidate, missing: frozenset[str]) -> bool:
    """Whether it has all that the best sentence has of what is asked, but for what it is missing."""
    said = (best.near[0] & set(asked.terms)) - missing
    return bool(missing and said) and one.near[0].issuperset(said)


@lru_cache(maxsize=4096)
def _called(text: str) -> frozenset[str]:
    """The terms of a sentence that name what it is about: with a capital, in a code, behind a noun, or first."""
    first = WORD.search(text)
    named = [*NAME.findall(text), *CODE.findall(text), *([first.group()] if first else [])]
    return frozenset(term for name in named for term in terms(name)) | labels(text)


def _everything(one: Candidate) -> frozenset[str]:
    return about(one) | distinct_terms(one.passage.chunk.text)


def _written(asked: Question, *some: Candidate) -> frozenset[str]:
    """Terms of the question that are names in the documents, however they are written in the question, `spain`, and its
    figures: years, versions."""
    names = frozenset[str]().union(*(_proper(one.passage.chunk.text) for one in some))
    return names.intersection(asked.terms) | {term for term in asked.terms if term[0].isdigit()}


@lru_cache(maxsize=1024)
def _proper(text: str) -> frozenset[str]:
    """The terms that are written with a capital inside a sentence, and nowhere without."""
    proper, common = set[str](), set[str]()
    for match in WORD.finditer(text):
        word = match.group()
        if word[0].isupper():
            if _INSIDE.search(text, max(0, match.start() - 2), match.start()):
                proper.update(terms(word))
        else:
            common.update(terms(word))
    return frozenset(proper - common)
