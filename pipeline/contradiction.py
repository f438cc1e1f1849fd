"""Does a claim turn round what its source says, although the words are there? Each answer is a reason, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipeline.facts import Date, Quantity, facts_of
from pipeline.ground import Ground, Said, Vocabulary, content
from pipeline.opposites import bound, negated, opposed, overstated
from pipeline.text import words

_PART = re.compile(r"[;,|]\s*|\s+(?:and|but|while|whereas)\s+")
_LEAD = 2
"""So many content words at the start of a clause say what it is about."""
_LEANS = re.compile(
    r"\W*(?:it|they|this|that|these|those|he|she|which|who|such|both|otherwise|if|when|you|we)\b", re.IGNORECASE
)
"""Begins with a word that takes its subject from what stands before."""


def turned(said: Said, source: str) -> str:
    """Why `source`, the sentences nearest to the claim, says otherwise; empty when it does not."""
    flipped = _flipped(said.text, source)
    if flipped != opposed(words(said.text), words(source)):
        return "it negates what the passage says" if flipped else "it says the opposite of the passage"
    if overstated(said.text, source):
        return "it says more or less than the passage does"
    lower = said.text.lower()
    for fact in said.facts:
        if isinstance(fact, Quantity) and bound(lower, fact.start) * _bound(fact, source) < 0:
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
    other = Vocabulary(content(source if ours else claim))
    return any(_governs(content(stretch), other) for stretch in ours or theirs)


def _governs(stretch: Sequence[str], other: Vocabulary) -> bool:
    """Whether what is negated is what the other text speaks of; a bare negation always is."""
    return not stretch or 2 * sum(term in other for term in stretch) >= len(stretch)


def mixed(said: Said, grounds: Sequence[Ground]) -> str:
    """Why the claim joins what the sources say of one thing to another; empty when it does not.

    A clause about something that the claim does not speak of, yet like one about the claim's own subject, must not
    be the only one that has a word or number of the claim: `Alice leads sales` and `Bob leads support` do not make
    `Alice leads support`."""
    wanted = Vocabulary(said.terms)
    subject = Vocabulary(said.terms[:_LEAD])
    own: list[frozenset[str]] = []
    other: list[frozenset[str]] = []
    items = frozenset(said.terms) | _values(said.facts)
    for clause in _clauses(said, grounds):
        found = content(clause)
        lead = found[:_LEAD]
        held = frozenset(item for item in said.terms if item in Vocabulary(found)) | (_values(facts_of(clause)) & items)
        foreign = bool(lead) and not any(term in wanted for term in lead) and not _LEANS.match(clause)
        (other if foreign and not any(term in subject for term in found) else own).append(held)
    covered = frozenset[str]().union(*own)
    for held in other:
        if held - covered and any(held & mine for mine in own):
            return f"{', '.join(sorted(held - covered))} is said of something else"
    return ""


def _clauses(said: Said, grounds: Sequence[Ground]) -> Iterable[str]:
    """The parts of those units that hold anything of the claim."""
    wanted = frozenset(said.terms)
    for ground in grounds:
        for (start, end), found in zip(ground.units, ground.terms, strict=True):
            if wanted & set(found):
                yield from (part for part in _PART.split(ground.text[start:end]) if part)


def _values(facts: Iterable[Quantity | Date]) -> frozenset[str]:
    return frozenset(f"{fact.value}" for fact in facts if isinstance(fact, Quantity))
