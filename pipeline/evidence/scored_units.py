"""The units of the passages as candidates for an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.values import BlockKind, RetrievedChunk

_LEANING = re.compile(r"(?:it|they|he|she|this|these|those|such|his|her|their|its)\b", re.IGNORECASE)

UnitPosition = tuple[int, int]
"""Of a passage, and of a unit in it; sorts into reading order."""


@dataclass(frozen=True, slots=True)
class ScoredUnit:
    """One unit of one passage."""

    passage: RetrievedChunk
    passage_index: int
    """0-based, of the passage."""
    unit_index: int
    """Which unit of the chunk."""
    text: str
    kind: BlockKind
    can_answer: bool
    """It can stand in an answer: no heading, no question, no orders to an assistant."""
    term_layers: tuple[frozenset[str], ...]
    """Terms of its own, of the sentence before (for a table row: of the header), the headings and the title."""
    own_coverage: float
    """0 to 1: weighted share of the question's terms that it holds itself."""
    coverage: float
    """The same with what stands around it, which counts less."""
    heading_coverage: float
    """The share that the heading above holds."""
    name_coverage: float
    """The share in a cell of a table row, or in what an item begins with, that the question names whole."""
    cosine: float
    """With the question; 0 without vectors."""
    score: float
    """How well it answers; comparable within one question."""

    @property
    def chunk_id(self) -> str:
        return self.passage.chunk.id

    @property
    def position(self) -> UnitPosition:
        return self.passage_index, self.unit_index


UnitsByPassage = Sequence[Sequence[ScoredUnit]]
"""Every unit of some passages in reading order, one list a passage; neighbours in a document stand in its order."""


def best_unit(units: UnitsByPassage) -> ScoredUnit | None:
    """The candidate that fits best of those that can stand in an answer."""
    return max((one for passage in units for one in passage if one.can_answer), key=lambda one: one.score, default=None)


def is_anaphoric(one: ScoredUnit) -> bool:
    """Opens with a word that points back to the sentence before."""
    return one.kind is BlockKind.PROSE and one.unit_index > 0 and bool(_LEANING.match(one.text))
