"""What was found for a question, read once: its units, each scored, and the lists that they are part of."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pipeline.read.asked import Question
from pipeline.read.candidates import Candidate, Place, Units
from pipeline.read.scorer import TOPIC, Scorer, rarity, unit_terms
from pipeline.read.wholes import wholes
from pipeline.values import RetrievedChunk, replace
from pipeline.values.documents import others


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found for a question, read once for every stage that follows."""

    asked: Question
    passages: Sequence[RetrievedChunk]
    """As they were found, best first."""
    units: Units
    weights: Mapping[str, float]
    """How much each term of the question counts, by how rare it is in the passages; they sum to 1 where it leans on no
    topic."""
    wholes: Mapping[Place, Sequence[Candidate]]
    """Of each entry of a list or table and each block of code, every entry of what it is an entry of, with what stands
    between them, in order."""

    def joined(self, further: Sequence[RetrievedChunk]) -> Evidence:
        """The same with `further` passages, each once."""
        new = others(further, self.passages)
        return gather(self.asked, [*self.passages, *new]) if new else self

    def without(self, texts: Collection[str]) -> Evidence:
        """The same where none of `texts` can be said."""
        units = [[replace(one, says=one.says and one.text not in texts) for one in some] for some in self.units]
        return replace(self, units=units, wholes=wholes(units))

    def unlifted(self) -> Evidence:
        """The same as it would be had nobody confirmed any of it."""
        if not any(passage.lift for passage in self.passages):
            return self
        own = [replace(one, score=one.score - one.lift, lift=0.0) for one in self.passages]
        return gather(self.asked, sorted((one for one in own if one.score > 0), key=lambda one: -one.score))


def gather(asked: Question, passages: Sequence[RetrievedChunk]) -> Evidence:
    """Read `passages` for a question.

    Where it leans on a topic, they were found by that: their rank says nothing about it."""
    ordered = _in_order(passages)
    units = [unit_terms(passage) for passage in ordered]
    everything = [found for one in units for found in one]
    leant = {term: TOPIC * weight for term, weight in rarity(asked.topic, everything).items()}
    weights = rarity(asked.terms, everything) | leant
    best = max((passage.score for passage in passages), default=0.0) or 1.0
    relative = [1.0 if asked.topic else passage.score / best for passage in ordered]
    candidates = [
        Scorer(asked, weights, passage, place, found, relative[place]).candidates()
        for place, (passage, found) in enumerate(zip(ordered, units, strict=True))
    ]
    return Evidence(asked, passages, candidates, weights, wholes(candidates))


def _in_order(passages: Sequence[RetrievedChunk]) -> list[RetrievedChunk]:
    """Each passage with its neighbours around it, in the order of their document."""
    places = {(passage.chunk.document_id, passage.chunk.position): passage for passage in passages}
    ordered: list[RetrievedChunk] = []
    taken: set[str] = set()
    for passage in passages:
        document, position = passage.chunk.document_id, passage.chunk.position
        while (document, position - 1) in places and passage.chunk.id not in taken:
            position -= 1
        while (one := places.get((document, position))) and one.chunk.id not in taken:
            ordered.append(one)
            taken.add(one.chunk.id)
            position += 1
    return [*ordered, *(passage for passage in passages if passage.chunk.id not in taken)]
