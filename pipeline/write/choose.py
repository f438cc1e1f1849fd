"""Which sentences make up an extract: the best one, and what is worth saying beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.read import layout
from pipeline.read.asked import Asked
from pipeline.read.evidence import Candidate, best_of, needed
from pipeline.text import terms
from pipeline.values import BlockKind, Style

ADJACENT, UNDER_HEADING = 0.15, 1.2
"""What standing beside a chosen sentence adds, and that much more under a heading that holds the whole question."""
ACROSS = 0.25
"""The share of it that is left across a line break."""
NEEDED = 1.0
"""What a sentence adds that must follow, or come before, a chosen one."""
COMPLETES = 1.2
"""How far below the best one the sentence may score that adds a word of the question missing so far."""
WHOLE = 60
"""Words up to which a list is said as a whole where what opens it fits the question better than its entries."""
LED_IN = 150
"""The same for the list or table of a sentence that answers and ends with a colon: without it nothing is said."""
_LEANING = re.compile(r"(?:it|they|he|she|this|these|those|such|his|her|their|its)\b", re.IGNORECASE)

Place = tuple[int, int]


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


def choose(
    asked: Asked, evidence: Sequence[Sequence[Candidate]], measure: Measure, *, commands: bool = False
) -> list[Candidate]:
    """The best candidate and those that come near it, each with what it leans on, in reading order.

    With `commands`, each sentence has the code blocks below it; without, those only that lead in to them.

    A sentence beside a chosen one is preferred, so that an answer of several sentences comes whole. A table row that
    answers stands alone or with rows that the question names as well, and so does an item of a list; rows never stand
    beside sentences."""
    by_place = {one.place_in_text: one for units in evidence for one in units}
    best = best_of(evidence)
    left = {place: one.score for place, one in by_place.items() if best and one.says and _goes_with(best, one)}
    chosen: dict[Place, Candidate] = {}
    words = 0
    floor = (best.score if best else 0.0) - measure.gap
    while left and len(chosen) < measure.sentences:
        place = max(left, key=left.__getitem__)
        if left.pop(place) < floor:
            break
        whole = _whole(asked, by_place, place, commands=commands)
        added = {one.place_in_text: one for one in whole if one.place_in_text not in chosen}
        length = sum(len(one.text.split()) for one in added.values())
        repeated = any(by_place[place].text == one.text for one in chosen.values())
        if not chosen or (words + length <= measure.words and not repeated):
            words += length
            chosen.update(added)
            _prefer_neighbours(added, by_place, left)
    if best and (more := _completing(asked, best, chosen, by_place)):
        added = {one.place_in_text: one for one in _whole(asked, by_place, more.place_in_text, commands=commands)}
        if words + sum(len(one.text.split()) for one in added.values()) <= measure.words:
            chosen.update(added)
    return [chosen[place] for place in sorted(chosen)]


def _completing(
    asked: Asked, best: Candidate, chosen: dict[Place, Candidate], by_place: dict[Place, Candidate]
) -> Candidate | None:
    """The sentence of the best one's passage that has a word of the question which nothing chosen has."""
    if best.kind is BlockKind.ROW:
        return None
    around = [best.passage.document.title, layout.above(best.passage.chunk, best.index)]
    lacking = set(asked.terms) - set(terms(" ".join([*around, *(one.text for one in chosen.values())])))
    return max(
        (
            one
            for place, one in by_place.items()
            if place not in chosen
            and one.place == best.place
            and one.says
            and _goes_with(best, one)
            and one.score >= best.score - COMPLETES
            and lacking & set(terms(one.text))
        ),
        key=lambda one: one.score,
        default=None,
    )


def _goes_with(best: Candidate, one: Candidate) -> bool:
    rows = (best.kind is BlockKind.ROW, one.kind is BlockKind.ROW)
    if rows == (False, False):
        return one.named > 0 or not (best.named > 0 and one.kind is BlockKind.ITEM)
    return all(rows) and (one.named > 0 or best.named == 0) and (bool(one.crossed) or not best.crossed)


def _whole(asked: Asked, by_place: dict[Place, Candidate], place: Place, *, commands: bool) -> Iterable[Candidate]:
    """A unit after the lead-in, table header, heading or sentence that it cannot be understood without, with the code
    and the list that are part of it; the whole of a short list where rather what opens it was asked for."""
    one = by_place[place]
    before = layout.opening(one.passage.chunk, one.index)
    if before is None and leans(one):
        before = one.index - 1 if by_place[one.place, one.index - 1].says else None
    parts = _parts(by_place, one, commands=commands)
    if before is None:
        return [one, *(parts or _led_in(by_place, one))]
    opening, entries = by_place[one.place, before], [one, *parts]
    if (one.named == 0 and one.heading > one.own) if one.kind is BlockKind.ROW else opening.own > one.own:
        entries = _short([by_place[one.place, index] for index in layout.run(one.passage.chunk, one.index)]) or entries
    return [*([opening] if needed(asked, opening, entries[0]) else []), *entries]


def _parts(by_place: dict[Place, Candidate], one: Candidate, *, commands: bool) -> list[Candidate]:
    """The code blocks and the nested list below a unit, unless it is a sentence that could do without."""
    if one.kind is BlockKind.PROSE and not (commands or layout.leads_in(one.text)):
        return []
    return [by_place[one.place, index] for index in layout.within(one.passage.chunk, one.index)]


def _led_in(by_place: dict[Place, Candidate], one: Candidate) -> list[Candidate]:
    """The list or table that a lead-in opens."""
    header = by_place.get((one.place, one.index + 1))
    columns = [header] if header and header.kind is BlockKind.HEADER else []
    after = by_place.get((one.place, one.index + 1 + len(columns)))
    if after is None or after.kind not in layout.LISTED or not layout.leads_in(one.text):
        return []
    run = layout.run(after.passage.chunk, after.index)
    return _short([*columns, *(by_place[one.place, index] for index in run)], LED_IN)


def _short(entries: list[Candidate], words: int = WHOLE) -> list[Candidate]:
    return entries if sum(len(one.text.split()) for one in entries) <= words else []


def _prefer_neighbours(
    added: dict[Place, Candidate], by_place: dict[Place, Candidate], left: dict[Place, float]
) -> None:
    for rank, index in added:
        left.pop((rank, index), None)
        for place in ((rank, index - 1), (rank, index + 1)):
            if place in left:
                before, after = sorted((place, (rank, index)))
                left[place] = max(left[place], by_place[place].score + _link(by_place[before], by_place[after]))


def _link(before: Candidate, after: Candidate) -> float:
    """What is added to either of two neighbours when the other is chosen."""
    if BlockKind.ROW in (before.kind, after.kind):
        return 0.0
    if layout.leads_in(before.text) or leans(after):
        return NEEDED
    bonus = ADJACENT + UNDER_HEADING * before.heading
    return bonus * ACROSS if layout.apart(after.passage.chunk, after.index) else bonus


def leans(one: Candidate) -> bool:
    """Opens with a word that points back to the sentence before."""
    return one.kind is BlockKind.PROSE and one.index > 0 and bool(_LEANING.match(one.text))
