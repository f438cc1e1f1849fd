"""The units of the passages as candidates for an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.values import BlockKind, RetrievedChunk

_ANAPHOR = re.compile(r"(?:it|they|he|she|this|these|those|such|his|her|their|its)\b", re.IGNORECASE)

UnitPosition = tuple[int, int]
"""Index of a passage, and of a unit in it; sorts into reading order."""


@dataclass(frozen=True, slots=True)
class ScoredUnit:
    """One unit of one passage, with its scores for a question."""

    passage: RetrievedChunk
    passage_index: int
    """0-based index of the passage."""
    unit_index: int
    """0-based index of the unit in the chunk."""
    text: str
    kind: BlockKind
    can_answer: bool
    """True where it can stand in an answer: no heading, no question, no instruction to an assistant."""
    term_layers: tuple[frozenset[str], ...]
    """Terms of the unit, of the sentence before (for a table row: of the header), of the headings and of the title."""
    own_coverage: float
    """Weighted share (0 to 1) of the question's terms in the unit itself."""
    coverage: float
    """Weighted share of the question's terms in the unit and, with less weight, around it."""
    heading_coverage: float
    """Weighted share of the question's terms in the heading above."""
    name_coverage: float
    """Weighted share of the terms of a cell of a table row, or of the beginning of an item, that the question names in
    full."""
    cosine: float
    """Cosine with the question; 0 without vectors."""
    score: float
    """Overall fit as an answer; comparable within one question."""

    @property
    def chunk_id(self) -> str:
        return self.passage.chunk.id

    @property
    def position(self) -> UnitPosition:
        return self.passage_index, self.unit_index


UnitsByPassage = Sequence[Sequence[ScoredUnit]]
"""Every unit of some passages in reading order, one list per passage; neighbours in a document stand in its order."""


def best_unit(units: UnitsByPassage) -> ScoredUnit | None:
    """Return the unit with the best score of those that can stand in an answer."""
    return max(
        (unit for passage in units for unit in passage if unit.can_answer), key=lambda unit: unit.score, default=None
    )


def is_anaphoric(unit: ScoredUnit) -> bool:
    """Tell whether a unit opens with a word that points back to the sentence before."""
    return unit.kind is BlockKind.PROSE and unit.unit_index > 0 and bool(_ANAPHOR.match(unit.text))
