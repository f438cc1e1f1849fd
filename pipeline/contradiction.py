"""Does a claim turn round what its source says, although the words are there? Each answer is a reason, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipeline.facts import UNIT_WORDS, Date, Quantity, facts_of
from pipeline.ground import Ground, Said, Vocabulary, content, lead
from pipeline.opposites import bound, negated, opposed, overstated
from pipeline.text import words

_PART = re.compile(r"[;,|]\s*|\s+(?:and|but|while|whereas)\s+")
_UNIT_TERMS = frozenset(term for word in UNIT_WORDS for term in content(word))
_LEANS = re.compile(
    r"\W*(?:it|they|this|that|these|those|he|she|which|who|such|both|otherwise|if|when|you|we)\b", re.IGNORECASE
)
"""Begins with a word that takes its subject from what stands before."""


def turned(said: Said, grounds: Sequence[Ground]) -> str:
    """Why the sentences nearest to the claim say otherwise; empty when they do not."""
    parts = [part for part in _PART.split(said.text) if len(content(part)) > 1] or [said.text]
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
    best, score = "", (0, 0)
    for ground in grounds:
        for (start, end), vocabulary in zip(ground.units, ground.vocabularies, strict=True):
            found = sum(term in vocabulary for term in part), sum(term in vocabulary for term in whole)
            if found > score:
                best, score = ground.text[start:end], found
    return max(_PART.split(best), key=lambda clause: _overlap(content(clause), part, whole))


def _overlap(found: Sequence[str], part: Sequence[str], whole: Sequence[str]) -> tuple[int, int]:
    vocabulary = Vocabulary(found)
    return sum(term in vocabulary for term in part), sum(term in vocabulary for term in whole)


def _limits(said: Said, grounds: Sequence[Ground]) -> str:
    lower = said.text.lower()
    for fact in said.facts:
        if isinstance(fact, Quantity) and (ours := bound(lower, fact.start)):
            theirs = {_bound(fact, ground.text) for ground in grounds}
            if theirs & {-ours} and not theirs & {ours}:
                return "it turns a limit of the passage round"
    return ""


def _bound(fact: Quantity, source: str) -> int:
    found = [other for other in facts_of(source) if isinstance(other, Quantity) and other.value == fact.value]
    return bound(source.lower(), found[0].start) if len(found) == 1 else 0


def _flipped(claim: str, source: str) -> bool:
    """Whether one of the two negates what the other affirms."""
    ours, theirs = negated(claim), negated(source)
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
    clauses = [_Clause(text, said) for text in _clauses(said, grounds)]
    own = [clause for clause in clauses if not clause.foreign]
    covered = frozenset[str]().union(*(clause.held for clause in own))
    telling = _values(said.facts) | {word.term for word in said.words if word.name}
    for clause in clauses:
        alone = clause.held - covered if clause.foreign else frozenset[str]()
        bare = bool(alone & telling) and not (clause.held - alone - _UNIT_TERMS)
        if alone and (bare or any(mine.about and clause.parallel(mine, said, alone & telling) for mine in own)):
            return f"{', '.join(sorted(alone))} is said of something else"
    return ""


class _Clause:
    """A clause of a source, seen from a claim."""

    def __init__(self, text: str, said: Said) -> None:
        vocabulary = Vocabulary(content(text))
        self.held = frozenset(term for term in said.terms if term in vocabulary)
        self.held |= _values(facts_of(text)) & _values(said.facts)
        self.about = bool(said.subject) and all(term in vocabulary for term in said.subject)
        """It has the claim's subject."""
        begins = lead(text)
        wanted = Vocabulary(said.terms)
        known = all(term in wanted for term in begins)
        self.foreign = not (self.about or known or _LEANS.match(text))
        self._verb = next((content(word)[0] for word in text.split()[1:] if word.islower() and content(word)), "")

    def parallel(self, other: _Clause, said: Said, telling: frozenset[str]) -> bool:
        """Whether both say the same kind of thing: the same verb, or of numbers and names, two more words."""
        shared = (self.held & other.held).difference(said.subject)
        return bool(telling and len(shared) > 1) or self._verb == other._verb != ""


def _clauses(said: Said, grounds: Sequence[Ground]) -> Iterable[str]:
    """The parts of those units that hold anything of the claim."""
    wanted = frozenset(said.terms)
    for ground in grounds:
        for (start, end), found in zip(ground.units, ground.terms, strict=True):
            if wanted & set(found):
                yield from (part for part in _PART.split(ground.text[start:end]) if part)


def _values(facts: Iterable[Quantity | Date]) -> frozenset[str]:
    return frozenset(f"{fact.value}" for fact in facts if isinstance(fact, Quantity))
