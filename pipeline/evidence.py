"""The units of the passages as candidates for an answer, each scored for how well it fits the question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.asked import Asked, holds
from pipeline.text import terms
from pipeline.values import BlockKind, RetrievedChunk

READ = 5
"""Passages looked at, best first."""
PASSAGE_WEIGHT = 2.0
TYPE_WEIGHT = 0.3
"""Coverage and cosine count 1 each; a passage's score 2, the wanted kind of thing 0.3 (measured on squad2)."""
BEFORE = 1.0
ABOVE = 0.5
"""What a term of the question counts when it stands in the sentence before, or in the heading or title above."""

_TITLES = (BlockKind.HEADING,)
_QUESTION = re.compile(r"[?？]\s*$")
_MEANINGFUL = re.compile(r"\w{2}")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One unit of one passage."""

    passage: RetrievedChunk
    place: int
    """0-based rank of the passage."""
    index: int
    """Which unit of the chunk."""
    text: str
    kind: BlockKind
    terms: frozenset[str]
    score: float
    """Coverage + cosine + passage + kind of answer; comparable within one question."""
    coverage: float
    """0 to 1: weighted share of the question's terms in the unit, the one before, and the heading above."""

    @property
    def says(self) -> bool:
        """It can stand in an answer: no bare heading, no question, no stray marks."""
        return self.kind not in _TITLES and not _QUESTION.search(self.text) and bool(_MEANINGFUL.search(self.text))


def gather(asked: Asked, passages: Sequence[RetrievedChunk]) -> list[list[Candidate]]:
    """Every unit of the first passages, in document order, one list a passage."""
    read = [(passage, _unit_terms(passage)) for passage in passages[:READ]]
    weights = rarity(asked.terms, [found for _, units in read for found in units])
    best = max((passage.score for passage, _ in read), default=0.0) or 1.0
    return [
        _scored(asked, weights, passage, place, units, passage.score / best)
        for place, (passage, units) in enumerate(read)
    ]


def rarity(wanted: Iterable[str], units: Sequence[frozenset[str]]) -> dict[str, float]:
    """How much each term of a question counts, rarer ones more; they sum to 1."""
    seen = Counter(term for unit in units for term in unit)
    raw = {term: math.log(1 + len(units) / (1 + seen[term])) for term in wanted}
    total = sum(raw.values()) or 1.0
    return {term: weight / total for term, weight in raw.items()}


def _unit_terms(passage: RetrievedChunk) -> list[frozenset[str]]:
    text = passage.chunk.text
    return [frozenset(terms(text[unit.start : unit.end])) for unit in passage.chunk.units]


def _scored(
    asked: Asked,
    weights: dict[str, float],
    passage: RetrievedChunk,
    place: int,
    units: list[frozenset[str]],
    prior: float,
) -> list[Candidate]:
    chunk = passage.chunk
    title = frozenset(terms(" ".join((passage.document.title, *chunk.heading))))
    above = title
    found: list[Candidate] = []
    for index, (unit, own) in enumerate(zip(chunk.units, units, strict=True)):
        text = chunk.text[unit.start : unit.end]
        before = units[index - 1] if index else frozenset()
        coverage = sum(
            weight * (1.0 if term in own else BEFORE if term in before else ABOVE if term in above else 0.0)
            for term, weight in weights.items()
        )
        cosine = passage.unit_scores[index] if passage.unit_scores else 0.0
        score = (
            coverage
            + cosine
            + PASSAGE_WEIGHT * prior
            + TYPE_WEIGHT * (asked.wanted is not None and holds(asked.wanted, text))
        )
        found.append(Candidate(passage, place, index, text, unit.kind, own, score, coverage))
        if unit.kind in _TITLES or _QUESTION.search(text):
            above = title | own
    return found
