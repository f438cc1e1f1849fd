"""Does a claim turn round what its source says, although the words are there? Each answer is a reason, or nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from pipeline.check.facts import UNIT_WORDS, Quantity
from pipeline.check.ground import Clause, Ground, Said, Vocabulary, clauses, content, split, values
from pipeline.check.negation import bound, negated, overstated
from pipeline.opposites import opposed
from pipeline.text import words

_UNIT_TERMS = frozenset(term for word in UNIT_WORDS for term in content(word))
_LEANS = re.compile(
    r"\W*(?:it|they|this|that|these|those|he|she|which|who|such|both|otherwise|if|when|you|we)\b", re.IGNORECASE
)
"""Begins with a word that takes its subject from what stands before."""
_WORKING = re.compile(r"\b(?:working|business)\b", re.IGNORECASE)
_UNLESS = re.compile(r"\bunless\b", re.IGNORECASE)
"""Is `if not`."""


def turned(said: Said, grounds: Sequence[Ground]) -> str:
    """Why the sentences nearest to the claim say otherwise; empty when they do not."""
    parts = [part for part in split(said.text) if len(content(part)) > 1] or [said.text]
    for part in parts:
        nearest = _nearest(content(part), said.terms, grounds)
        if not _speaks_of(content(part), nearest):
            continue
        flipped = _flipped(part, nearest)
        if flipped != opposed(words(part), words(nearest)):
            return "it negates what the passage says" if flipped else "it says the opposite of the passage"
        if overstated(part, nearest):
            return "it says more or less than the passage does"
    return _limits(said, grounds)


def _nearest(part: Sequence[str], whole: Sequence[str], grounds: Sequence[Ground]) -> str:
    """The clause that holds most of a part of the claim, and of those the one that holds most of the claim."""
    sentences = [ground.sentence(place) for ground in grounds if (place := _fullest(part, whole, ground)) is not None]
    found = [clause for sentence in sentences for clause in clauses(sentence)]
    if not found:
        return ""
    return max(found, key=lambda one: (_count(part, one.vocabulary), _count(whole, one.vocabulary))).text


def _fullest(part: Sequence[str], whole: Sequence[str], ground: Ground) -> int | None:
    counts: Counter[int] = Counter()
    for weight, terms in ((len(whole) + 1, part), (1, whole)):
        for term in terms:
            for place in ground.where(term):
                counts[place] += weight
    return max(sorted(counts), key=lambda place: counts[place], default=None)


def _count(terms: Sequence[str], vocabulary: Vocabulary) -> int:
    return sum(term in vocabulary for term in terms)


def _limits(said: Said, grounds: Sequence[Ground]) -> str:
    lower = said.text.lower()
    for fact in said.facts:
        if not isinstance(fact, Quantity):
            continue
        found = [(ground.text, one) for ground in grounds if (one := ground.facts.only(fact.value))]
        ours, theirs = bound(lower, fact.start), {bound(text, one.start) for text, one in found}
        if ours and theirs & {-ours} and not theirs & {ours}:
            return "it turns a limit of the passage round"
        counted = {_working(text, one) for text, one in found if one.unit == fact.unit}
        if counted and _working(lower, fact) not in counted:
            return "it counts other days than the passage"
    return ""


def _working(text: str, fact: Quantity) -> bool:
    """Whether it counts only the days on which people work."""
    return bool(_WORKING.search(text[fact.start : fact.end]))


def _flipped(claim: str, source: str) -> bool:
    """Whether one of the two negates what the other affirms."""
    ours, theirs = negated(claim), negated(source)
    if len(ours) + len(theirs) == 1 and bool(_UNLESS.search(claim)) != bool(_UNLESS.search(source)):
        return False
    if bool(ours) == bool(theirs):
        return False
    return any(_speaks_of(content(stretch), source if ours else claim) for stretch in ours or theirs)


def _speaks_of(found: Sequence[str], text: str) -> bool:
    """Whether `text` has at least half of the terms; of none it has all."""
    vocabulary = Vocabulary(content(text))
    return 2 * sum(term in vocabulary for term in found) >= len(found)


def mixed(said: Said, grounds: Sequence[Ground]) -> str:
    """Why the claim joins what the sources say of one thing to another; empty when it does not.

    `Alice leads sales` and `Bob leads support` do not make `Alice leads support`: a clause about something that the
    claim does not speak of must not be the only one to have a part of the claim, where it is built like a clause
    about the claim's own subject, or where it has nothing else of the claim than a number or name."""
    near = [_Near(clause, said) for clause in _touched(said, grounds)]
    own = [one for one in near if not one.foreign]
    covered = frozenset[str]().union(*(one.held for one in own))
    telling = values(said.facts) | {word.term for word in said.words if word.name}
    for one in near:
        alone = one.held - covered if one.foreign else frozenset[str]()
        bare = bool(alone & telling) and not (one.held - alone - _UNIT_TERMS)
        if alone and (bare or any(mine.about and one.parallel(mine, said, alone & telling) for mine in own)):
            return f"{', '.join(sorted(alone))} is said of something else"
    return ""


class _Near:
    """A clause of a source, seen from a claim."""

    def __init__(self, clause: Clause, said: Said) -> None:
        self.held = frozenset(term for term in said.terms if term in clause.vocabulary)
        self.held |= clause.values & values(said.facts)
        self.about = bool(said.subject) and all(term in clause.vocabulary for term in said.subject)
        """It has the claim's subject."""
        known = all(term in said.vocabulary for term in clause.lead)
        self.foreign = not (self.about or known or _LEANS.match(clause.text))
        self._verb = clause.verb

    def parallel(self, other: _Near, said: Said, telling: frozenset[str]) -> bool:
        """Whether both say the same kind of thing: the same verb, or of numbers and names, two more words."""
        shared = (self.held & other.held).difference(said.subject)
        return bool(telling and len(shared) > 1) or self._verb == other._verb != ""


def _touched(said: Said, grounds: Sequence[Ground]) -> Iterable[Clause]:
    """The parts of those sentences that have anything of the claim."""
    for ground in grounds:
        for place in sorted(set[int]().union(*map(ground.where, said.terms))):
            yield from clauses(ground.sentence(place))
