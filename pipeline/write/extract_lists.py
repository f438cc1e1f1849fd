"""Extracts that are more than sentences: whole lists and procedures, overviews."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.read.candidates import Candidate, Units, best_of
from pipeline.read.evidence import Evidence
from pipeline.read.listed import headed, named, needed, titled
from pipeline.values import BlockKind
from pipeline.words.text import leads_in

NEAR, NEAR_WITHIN = 0.5, 1.2
"""How far below the best sentence a list may score and still be the answer to a question that asks for one; further
when it stands in the same passage as that sentence."""
OVERVIEW = 6
"""Entries of an overview."""
ENTRIES = (BlockKind.ITEM, BlockKind.STEP)
TOLD = frozenset({BlockKind.PROSE, BlockKind.ITEM, BlockKind.STEP})


def answering(evidence: Evidence) -> list[Candidate]:
    """The list or procedure over which all that is asked stands, nearest to the question, whole and with its opening;
    [] where there is none."""
    firsts = [one for units in evidence.units for one in _lists(units, ENTRIES) if headed(evidence, one)]
    first = max(firsts, key=lambda one: (one.heading, _fit(evidence.units[one.place], one)), default=None)
    return _opened(evidence, evidence.wholes[first.place_in_text]) if first else []


def entries(evidence: Evidence, kinds: Sequence[BlockKind]) -> list[Candidate]:
    """The list, procedure or table that was asked for by its title, or fits the question best, whole and with its
    opening; [] when none comes near. Of a table only the rows that the question names, if any."""
    best = best_of(evidence.units)
    found: list[tuple[tuple[float, ...], Candidate]] = []
    for units in evidence.units:
        for first in _lists(units, kinds):
            score = _fit(units, first)
            near = NEAR_WITHIN if best and best.place == first.place else NEAR
            if titled(evidence, first):
                found.append(((1.0, first.heading, len(evidence.wholes[first.place_in_text])), first))
            elif best and score >= best.score - near:
                found.append(((0.0, score), first))
    if not found:
        return []
    return _opened(evidence, evidence.wholes[max(found, key=lambda one: one[0])[1].place_in_text])


def _opened(evidence: Evidence, listed: Sequence[Candidate]) -> list[Candidate]:
    """The entries of a list, of a table those that the question names, behind what opens them if that must be said."""
    asked, first = evidence.asked, listed[0]
    place = first.passage.chunk.opening(first.index)
    opening = evidence.units[first.place][place] if place is not None else None
    return [*([opening] if opening and needed(asked, opening, first) else []), *(named(asked, listed) or listed)]


def _lists(units: Sequence[Candidate], kinds: Sequence[BlockKind]) -> list[Candidate]:
    """The first entry of every list of at least two entries of the wanted kinds."""
    found: list[Candidate] = []
    end = 0
    for one in units:
        if one.kind in kinds and one.index >= end:
            members = one.passage.chunk.whole(one.index)
            end = members.stop
            if sum(units[index].kind in kinds for index in members) > 1:
                found.append(one)
    return found


def _fit(units: Sequence[Candidate], first: Candidate) -> float:
    """A list fits as well as its best entry or what opens it."""
    members = [units[index] for index in first.passage.chunk.whole(first.index)]
    place = first.passage.chunk.opening(first.index)
    return max(one.score for one in ([units[place]] if place is not None else []) + members)


def overview(evidence: Units) -> list[Candidate]:
    """The best sentences of all passages; [] when there is only one."""
    told = [one for units in evidence for one in units if one.says and one.kind in TOLD]
    distinct = {one.text: one for one in reversed(told) if not leads_in(one.text)}
    best = sorted(distinct.values(), key=lambda one: -one.score)[:OVERVIEW]
    return sorted(best, key=lambda one: one.place_in_text) if len(best) > 1 else []
