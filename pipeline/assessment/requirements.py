"""What two documents require differently: one says with `no`, `not` or `without` what the other says plainly."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from pipeline.extraction.asked import Asked
from pipeline.extraction.evidence import Candidate
from pipeline.text import stem, words
from pipeline.values import BlockKind

NEAR = 1.5
"""How far below the best sentence one of another document may score to be about the same."""
OWN = 0.5
"""The share of the question that each must hold itself."""
MOST = 20
"""So many sentences are held against one another."""
REACH = 3
"""So many words behind a negation are negated."""
_WHETHER = re.compile(r"\W*(?:is|are|was|were|do|does|did|can|may|must|should|will|could|has|have)\b", re.IGNORECASE)
_NEGATION = re.compile(r"not|no|never|without|cannot|\w+n['’]t|nicht|nie|ohne|kein\w*|pas|jamais|sans|sin|nunca")


def contradicting(asked: Asked, evidence: Sequence[Sequence[Candidate]]) -> tuple[Candidate, ...]:
    """Two sentences of different documents that have two words of a yes-or-no question, one of them negated in one
    sentence only; or none."""
    if not _WHETHER.match(asked.text):
        return ()
    said = [one for units in evidence for one in units if one.says and one.kind is not BlockKind.ROW]
    best = max((one.score for one in said), default=0.0)
    near = [one for one in said if one.score >= best - NEAR and one.own >= OWN][:MOST]
    return next((pair for pair in combinations(near, 2) if _contradict(asked, *pair)), ())


def _contradict(asked: Asked, one: Candidate, other: Candidate) -> bool:
    if one.passage.document.id == other.passage.document.id:
        return False
    common = one.near[0] & other.near[0] & frozenset(asked.terms)
    return len(common) > 1 and bool(common & (negated(one.text) ^ negated(other.text)))


def negated(text: str) -> frozenset[str]:
    """The stems of the words that stand right behind a negation."""
    found = words(text)
    places = (place for place, word in enumerate(found) if _NEGATION.fullmatch(word))
    return frozenset(stem(word) for place in places for word in found[place + 1 : place + 1 + REACH])
