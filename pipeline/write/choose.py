"""Which sentences make up an extract: the best one, and what is worth saying beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.read.asked import Question
from pipeline.read.candidates import Candidate, Place, best_of, leans
from pipeline.read.evidence import Evidence, needed
from pipeline.read.siblings import another
from pipeline.values import LISTED, BlockKind, Style
from pipeline.words.text import leads_in

ADJACENT, UNDER_HEADING = 0.15, 1.2
"""What standing beside a chosen sentence adds, and that much more under a heading that holds the whole question."""


@dataclass(frozen=True, slots=True)
class Measure:
    """How much is said."""

    words: int
    """At most, unless the best sentence needs more."""
    sentences: int
    gap: float
    """How far below the best one a sentence may score."""


MEASURES = {
    Style.CONCISE: Measure(words=62, sentences=6, gap=0.31),
    Style.BULLET: Measure(words=80, sentences=6, gap=0.5),
    Style.DETAILED: Measure(words=160, sentences=12, gap=0.9),
}


def choose(evidence: Evidence, measure: Measure) -> list[Candidate]:
    """The best candidate and those that come near it, each with what it cannot be understood without, in reading order.

    A sentence beside a chosen one is preferred, so that an answer of several sentences comes whole. A table
    row that answers stands alone or with rows that the question names as well."""
    best = best_of(evidence.units)
    if best is None:
        return []
    chooser = _Chooser(evidence)
    left = {one.place_in_text: one.score for one in chooser.all() if one.says and _goes_with(evidence.asked, best, one)}
    chosen: dict[Place, Candidate] = {}
    words = 0
    while left and len(chosen) < measure.sentences:
        place = max(left, key=left.__getitem__)
        if left.pop(place) < best.score - measure.gap:
            break
        added = {one.place_in_text: one for one in chooser.with_parts(place) if one.place_in_text not in chosen}
        length = _words(added.values())
        repeated = any(chooser.by_place[place].text == one.text for one in chosen.values())
        if not chosen or (words + length <= measure.words and not repeated):
            words += length
            chosen.update(added)
            chooser.prefer_neighbours(added, left)
    return [chosen[place] for place in sorted(chosen)]


class _Chooser:
    """The candidates by their place in the text."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.by_place = {one.place_in_text: one for one in self.all()}

    def all(self) -> Iterable[Candidate]:
        return (one for units in self._evidence.units for one in units)

    def with_parts(self, place: Place) -> list[Candidate]:
        """A unit after the lead-in, table header, heading or sentence that it cannot be understood without, with the
        code and the list that are part of it."""
        one = self.by_place[place]
        before = one.passage.chunk.opening(one.index)
        if before is None and leans(one):
            before = one.index - 1 if self.by_place[one.place, one.index - 1].says else None
        entries = [one, *self._parts(one)]
        if before is None:
            return [*entries, *(self._led_in(one) if len(entries) == 1 else ())]
        opening = self.by_place[one.place, before]
        if one.kind is BlockKind.CODE:
            entries = list(self._evidence.wholes[place])
        return [*([opening] if needed(self._evidence.asked, opening, entries[0]) else []), *entries]

    def _parts(self, one: Candidate) -> list[Candidate]:
        """The code and the nested list below a unit."""
        below = [self.by_place[one.place, index] for index in one.passage.chunk.within(one.index)]
        return (
            [*below[:-1], *self._evidence.wholes[below[-1].place_in_text]]
            if below and below[-1].kind is BlockKind.CODE
            else below
        )

    def _led_in(self, one: Candidate) -> list[Candidate]:
        """What a lead-in opens, whole: a list, a table, or headings."""
        if not leads_in(one.text):
            return []
        header = self.by_place.get((one.place, one.index + 1))
        columns = [header] if header and header.kind is BlockKind.HEADER else []
        after = self.by_place.get((one.place, one.index + 1 + len(columns)))
        if after is None or after.kind in LISTED:
            return [*columns, *(self._evidence.wholes[after.place_in_text] if after else ())]
        rest = self._evidence.units[one.place][after.index :]
        return [other for other in rest if other.kind is BlockKind.HEADING] if after.kind is BlockKind.HEADING else []

    def prefer_neighbours(self, added: dict[Place, Candidate], left: dict[Place, float]) -> None:
        """Raise what is `left` beside what was added."""
        for rank, index in added:
            left.pop((rank, index), None)
            for place in ((rank, index - 1), (rank, index + 1)):
                if place in left:
                    before, after = sorted((place, (rank, index)))
                    bonus = _link(self.by_place[before], self.by_place[after])
                    left[place] = max(left[place], self.by_place[place].score + bonus)


def _goes_with(asked: Question, best: Candidate, one: Candidate) -> bool:
    if another(asked, best, one) or _former(asked, best, one):
        return False
    if best.kind is BlockKind.HEADING:
        return one is best
    rows = (best.kind is BlockKind.ROW, one.kind is BlockKind.ROW)
    fewer = asked.names & one.near[0] < asked.names & best.near[0]
    return not any(rows) or (all(rows) and not fewer and (one.named > 0 or best.named == 0))


def _former(asked: Question, best: Candidate, one: Candidate) -> bool:
    """Whether the question changes one thing of the one that it leans on, and a sentence says of what stood there what
    the best one says of what is asked."""
    own, shared = best.near[0].intersection(asked.terms), best.near[0].intersection(asked.topic)
    return bool(shared) and shared <= one.near[0] and not own <= one.near[0]


def _words(candidates: Iterable[Candidate]) -> int:
    """Words of what is read; code is not."""
    return sum(len(one.text.split()) for one in candidates if one.kind is not BlockKind.CODE)


def _link(before: Candidate, after: Candidate) -> float:
    """What is added to either of two neighbours when the other is chosen."""
    return ADJACENT + UNDER_HEADING * before.heading
