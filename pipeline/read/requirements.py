"""What two documents require differently: one says with `no`, `not` or `without` what the other says plainly."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.phrases import AUXILIARIES
from pipeline.read import layout
from pipeline.read.asked import Asked
from pipeline.read.evidence import Candidate, best_of
from pipeline.text import stem, words
from pipeline.values import BlockKind

NEAR = 1.5
"""How far below the best sentence one of another document may score to be about the same."""
OWN = 0.5
"""The share of the question that it must hold itself."""
REACH = 3
"""So many words behind a negation are negated."""
_WHETHER = re.compile(rf"\W*(?:{AUXILIARIES})\b", re.IGNORECASE)
_NEGATION = re.compile(r"not|no|never|without|cannot|\w+n['’]t|nicht|nie|ohne|kein\w*|pas|jamais|sans|sin|nunca")
_ENDED = re.compile(
    r"\b(?:removed?|dropped|deprecated|discontinued|unsupported|retired|ended|end of life|entfernt|abgeschafft)\b",
    re.IGNORECASE,
)
"""Says without a negation, in a sentence or above it, that something is no longer so."""


def contradicting(asked: Asked, evidence: Sequence[Sequence[Candidate]]) -> tuple[Candidate, ...]:
    """The sentence that answers a yes-or-no question best, and one of another document that has two words of the
    question too, and what it begins with where the best has that; one of them negates such a word, and the other none.
    Empty when there are no such two."""
    best = best_of(evidence)
    if best is None or best.kind is BlockKind.ROW or not _WHETHER.match(asked.text):
        return ()
    said = (one for units in evidence for one in units if one.says and one.kind is not BlockKind.ROW)
    near = (one for one in said if one.score >= best.score - NEAR and one.own >= OWN)
    return next(((best, one) for one in near if _contradict(asked, best, one)), ())


def _contradict(asked: Asked, best: Candidate, one: Candidate) -> bool:
    common = best.near[0] & one.near[0] & frozenset(asked.terms)
    other = best.passage.document.id != one.passage.document.id and not (_ended(best) or _ended(one))
    same = len({asked.terms[0] in found.near[0] for found in (best, one)}) == 1
    return other and same and len(common) > 1 and bool(common & negated(best.text)) != bool(common & negated(one.text))


def _ended(one: Candidate) -> bool:
    return bool(_ENDED.search(f"{layout.above(one.passage.chunk, one.index)} {one.text}"))


def negated(text: str) -> frozenset[str]:
    """The stems of the words that stand right behind a negation."""
    found = words(text)
    places = (place for place, word in enumerate(found) if _NEGATION.fullmatch(word))
    return frozenset(stem(word) for place in places for word in found[place + 1 : place + 1 + REACH])
