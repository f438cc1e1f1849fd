"""Which sentences make up an extract: the best one, and what is worth saying beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.evidence.gather import Evidence, is_lead_in_needed
from pipeline.evidence.other_entities import is_other_entity
from pipeline.evidence.question_analysis import AnalyzedQuestion
from pipeline.evidence.scored_units import ScoredUnit, UnitPosition, best_unit, is_anaphoric
from pipeline.values import LIST_KINDS, AnswerStyle, BlockKind, require_every
from pipeline.words.text import is_lead_in

ADJACENCY_BONUS, SAME_HEADING_BONUS = 0.15, 1.2
"""What standing beside a chosen sentence adds, and that much more under a heading that holds the whole question."""


@dataclass(frozen=True, slots=True)
class ExtractLimits:
    """How much is said."""

    max_words: int
    """At most, unless the best sentence needs more."""
    max_sentences: int
    max_score_gap: float
    """How far below the best one a sentence may score."""


EXTRACT_LIMITS = {
    AnswerStyle.CONCISE: ExtractLimits(max_words=62, max_sentences=6, max_score_gap=0.31),
    AnswerStyle.BULLET: ExtractLimits(max_words=80, max_sentences=6, max_score_gap=0.5),
    AnswerStyle.DETAILED: ExtractLimits(max_words=160, max_sentences=12, max_score_gap=0.9),
}
require_every(AnswerStyle, EXTRACT_LIMITS)


def select_sentences(evidence: Evidence, measure: ExtractLimits) -> list[ScoredUnit]:
    """The best candidate and those that come near it, each with what it cannot be understood without, in reading order.

    A sentence beside a chosen one is preferred, so that an answer of several sentences comes whole. A table
    row that answers stands alone or with rows that the question names as well."""
    best = best_unit(evidence.units)
    if best is None:
        return []
    chooser = _Chooser(evidence)
    left = {
        one.position: one.score for one in chooser.all() if one.can_answer and _goes_with(evidence.question, best, one)
    }
    chosen: dict[UnitPosition, ScoredUnit] = {}
    words = 0
    while left and len(chosen) < measure.max_sentences:
        place = max(left, key=left.__getitem__)
        if left.pop(place) < best.score - measure.max_score_gap:
            break
        added = {one.position: one for one in chooser.with_parts(place) if one.position not in chosen}
        length = _words(added.values())
        repeated = any(chooser.by_place[place].text == one.text for one in chosen.values())
        if not chosen or (words + length <= measure.max_words and not repeated):
            words += length
            chosen.update(added)
            chooser.prefer_neighbours(added, left)
    return [chosen[place] for place in sorted(chosen)]


class _Chooser:
    """The candidates by their place in the text."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.by_place = {one.position: one for one in self.all()}

    def all(self) -> Iterable[ScoredUnit]:
        return (one for units in self._evidence.units for one in units)

    def with_parts(self, place: UnitPosition) -> list[ScoredUnit]:
        """A unit after the lead-in, table header, heading or sentence that it cannot be understood without, with the
        code and the list that are part of it."""
        one = self.by_place[place]
        before = one.passage.chunk.lead_in(one.unit_index)
        if before is None and is_anaphoric(one):
            before = one.unit_index - 1 if self.by_place[one.passage_index, one.unit_index - 1].can_answer else None
        entries = [one, *self._parts(one)]
        if before is None:
            return [*entries, *(self._led_in(one) if len(entries) == 1 else ())]
        opening = self.by_place[one.passage_index, before]
        if one.kind is BlockKind.CODE:
            entries = list(self._evidence.list_members[place])
        return [*([opening] if is_lead_in_needed(self._evidence.question, opening, entries[0]) else []), *entries]

    def _parts(self, one: ScoredUnit) -> list[ScoredUnit]:
        """The code and the nested list below a unit."""
        below = [self.by_place[one.passage_index, index] for index in one.passage.chunk.nested_units(one.unit_index)]
        return (
            [*below[:-1], *self._evidence.list_members[below[-1].position]]
            if below and below[-1].kind is BlockKind.CODE
            else below
        )

    def _led_in(self, one: ScoredUnit) -> list[ScoredUnit]:
        """What a lead-in opens, whole: a list, a table, or headings."""
        if not is_lead_in(one.text):
            return []
        header = self.by_place.get((one.passage_index, one.unit_index + 1))
        columns = [header] if header and header.kind is BlockKind.HEADER else []
        after = self.by_place.get((one.passage_index, one.unit_index + 1 + len(columns)))
        if after is None or after.kind in LIST_KINDS:
            return [*columns, *(self._evidence.list_members[after.position] if after else ())]
        rest = self._evidence.units[one.passage_index][after.unit_index :]
        return [other for other in rest if other.kind is BlockKind.HEADING] if after.kind is BlockKind.HEADING else []

    def prefer_neighbours(self, added: dict[UnitPosition, ScoredUnit], left: dict[UnitPosition, float]) -> None:
        """Raise what is `left` beside what was added."""
        for rank, index in added:
            left.pop((rank, index), None)
            for place in ((rank, index - 1), (rank, index + 1)):
                if place in left:
                    before, after = sorted((place, (rank, index)))
                    bonus = _link(self.by_place[before], self.by_place[after])
                    left[place] = max(left[place], self.by_place[place].score + bonus)


def _goes_with(asked: AnalyzedQuestion, best: ScoredUnit, one: ScoredUnit) -> bool:
    if is_other_entity(asked, best, one) or _former(asked, best, one):
        return False
    if best.kind is BlockKind.HEADING:
        return one is best
    rows = (best.kind is BlockKind.ROW, one.kind is BlockKind.ROW)
    fewer = asked.names & one.term_layers[0] < asked.names & best.term_layers[0]
    return not any(rows) or (all(rows) and not fewer and (one.name_coverage > 0 or best.name_coverage == 0))


def _former(asked: AnalyzedQuestion, best: ScoredUnit, one: ScoredUnit) -> bool:
    """Whether the question changes one thing of the one that it leans on, and a sentence says of what stood there what
    the best one says of what is asked."""
    own, shared = best.term_layers[0].intersection(asked.terms), best.term_layers[0].intersection(asked.topic_terms)
    return bool(shared) and shared <= one.term_layers[0] and not own <= one.term_layers[0]


def _words(candidates: Iterable[ScoredUnit]) -> int:
    """Words of what is read; code is not."""
    return sum(len(one.text.split()) for one in candidates if one.kind is not BlockKind.CODE)


def _link(before: ScoredUnit, after: ScoredUnit) -> float:
    """What is added to either of two neighbours when the other is chosen."""
    return ADJACENCY_BONUS + SAME_HEADING_BONUS * before.heading_coverage
