"""The selection of an extract's sentences: the best one, and those worth showing beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.evidence.gather import Evidence, is_lead_in_needed
from pipeline.evidence.question_analysis import AnalyzedQuestion
from pipeline.evidence.scored_units import ScoredUnit, UnitPosition, is_anaphoric
from pipeline.values import LIST_KINDS, AnswerStyle, BlockKind, require_every
from pipeline.words.text import is_lead_in

ADJACENCY_BONUS, SAME_HEADING_BONUS = 0.15, 1.2
"""Bonus for the neighbour of a chosen sentence, and the further one under a heading that holds the whole question."""


@dataclass(frozen=True, slots=True)
class ExtractLimits:
    """Limits of an extract's length."""

    max_words: int
    """Maximum number of words, unless the best sentence needs more."""
    max_sentences: int
    max_score_gap: float
    """Largest gap to the best score at which a sentence is shown."""


EXTRACT_LIMITS = {
    AnswerStyle.CONCISE: ExtractLimits(max_words=62, max_sentences=6, max_score_gap=0.31),
    AnswerStyle.BULLET: ExtractLimits(max_words=80, max_sentences=6, max_score_gap=0.5),
    AnswerStyle.DETAILED: ExtractLimits(max_words=160, max_sentences=12, max_score_gap=0.9),
}
require_every(AnswerStyle, EXTRACT_LIMITS)


def select_sentences(evidence: Evidence, limits: ExtractLimits) -> list[ScoredUnit]:
    """Return the best unit and those that come near it, each with the ones that it cannot be understood without, in
    reading order.

    A sentence beside a chosen one is preferred, so that an answer of several sentences comes whole. A table row that
    answers stands alone or with rows that the question names as well."""
    entities = evidence.entities
    if entities is None:
        return []
    best = entities.best
    chooser = _Chooser(evidence)
    remaining = {
        unit.position: unit.score
        for unit in chooser.all()
        if unit.can_answer and not entities.is_other(unit) and _belongs_with(evidence.question, best, unit)
    }
    chosen: dict[UnitPosition, ScoredUnit] = {}
    word_count = 0
    while remaining and len(chosen) < limits.max_sentences:
        position = max(remaining, key=remaining.__getitem__)
        if remaining.pop(position) < best.score - limits.max_score_gap:
            break
        added = {unit.position: unit for unit in chooser.with_parts(position) if unit.position not in chosen}
        length = _count_words(added.values())
        repeated = any(chooser.by_place[position].text == unit.text for unit in chosen.values())
        if not chosen or (word_count + length <= limits.max_words and not repeated):
            word_count += length
            chosen.update(added)
            chooser.prefer_neighbours(added, remaining)
    return [chosen[position] for position in sorted(chosen)]


class _Chooser:
    """The candidates by their position in the text."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.by_place = {unit.position: unit for unit in self.all()}

    def all(self) -> Iterable[ScoredUnit]:
        return (unit for units in self._evidence.units for unit in units)

    def with_parts(self, place: UnitPosition) -> list[ScoredUnit]:
        """Return a unit after the lead-in, table header, heading or sentence that it cannot be understood without, with
        the code and the list that are part of it."""
        unit = self.by_place[place]
        opening_index = unit.passage.chunk.lead_in(unit.unit_index)
        if opening_index is None and is_anaphoric(unit):
            opening_index = (
                unit.unit_index - 1 if self.by_place[unit.passage_index, unit.unit_index - 1].can_answer else None
            )
        entries = [unit, *self._parts(unit)]
        if opening_index is None:
            return [*entries, *(self._opened_units(unit) if len(entries) == 1 else ())]
        opening = self.by_place[unit.passage_index, opening_index]
        if unit.kind is BlockKind.CODE:
            entries = list(self._evidence.list_members[place])
        return [*([opening] if is_lead_in_needed(self._evidence.question, opening, entries[0]) else []), *entries]

    def _parts(self, unit: ScoredUnit) -> list[ScoredUnit]:
        """Return the code and the nested list below a unit."""
        below = [self.by_place[unit.passage_index, index] for index in unit.passage.chunk.nested_units(unit.unit_index)]
        return (
            [*below[:-1], *self._evidence.list_members[below[-1].position]]
            if below and below[-1].kind is BlockKind.CODE
            else below
        )

    def _opened_units(self, unit: ScoredUnit) -> list[ScoredUnit]:
        """Return the complete list, table or headings that a lead-in opens."""
        if not is_lead_in(unit.text):
            return []
        header = self.by_place.get((unit.passage_index, unit.unit_index + 1))
        columns = [header] if header and header.kind is BlockKind.HEADER else []
        after = self.by_place.get((unit.passage_index, unit.unit_index + 1 + len(columns)))
        if after is None or after.kind in LIST_KINDS:
            return [*columns, *(self._evidence.list_members[after.position] if after else ())]
        rest = self._evidence.units[unit.passage_index][after.unit_index :]
        return [other for other in rest if other.kind is BlockKind.HEADING] if after.kind is BlockKind.HEADING else []

    def prefer_neighbours(self, added: dict[UnitPosition, ScoredUnit], remaining: dict[UnitPosition, float]) -> None:
        """Raise the scores of remaining neighbours of the added units."""
        for rank, index in added:
            remaining.pop((rank, index), None)
            for place in ((rank, index - 1), (rank, index + 1)):
                if place in remaining:
                    before, after = sorted((place, (rank, index)))
                    bonus = _neighbour_bonus(self.by_place[before], self.by_place[after])
                    remaining[place] = max(remaining[place], self.by_place[place].score + bonus)


def _belongs_with(question: AnalyzedQuestion, best: ScoredUnit, unit: ScoredUnit) -> bool:
    if _is_about_replaced(question, best, unit):
        return False
    if best.kind is BlockKind.HEADING:
        return unit is best
    rows = (best.kind is BlockKind.ROW, unit.kind is BlockKind.ROW)
    fewer = question.names & unit.term_layers[0] < question.names & best.term_layers[0]
    return not any(rows) or (all(rows) and not fewer and (unit.name_coverage > 0 or best.name_coverage == 0))


def _is_about_replaced(question: AnalyzedQuestion, best: ScoredUnit, unit: ScoredUnit) -> bool:
    """Tell whether the question changes one thing of the question that it leans on, and a sentence says about the
    former thing what the best one says about the new one."""
    question_terms, shared = (
        best.term_layers[0].intersection(question.terms),
        best.term_layers[0].intersection(question.topic_terms),
    )
    return bool(shared) and shared <= unit.term_layers[0] and not question_terms <= unit.term_layers[0]


def _count_words(candidates: Iterable[ScoredUnit]) -> int:
    """Count the words to read; code does not count."""
    return sum(len(unit.text.split()) for unit in candidates if unit.kind is not BlockKind.CODE)


def _neighbour_bonus(before: ScoredUnit, after: ScoredUnit) -> float:
    """Return the bonus of either of two neighbours when the other is chosen."""
    return ADJACENCY_BONUS + SAME_HEADING_BONUS * before.heading_coverage
