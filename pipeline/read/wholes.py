"""A list, a table, a procedure or a script as a whole, also where it was cut into several chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipeline.ports import Passages
from pipeline.read.candidates import Candidate, Place, Units
from pipeline.values import LISTED, BlockKind, Chunk, RetrievedChunk, replace
from pipeline.values.documents import others

FURTHER = 12
"""Chunks that are fetched at most to complete a passage: 60 steps are three, 120 rows of a table five."""
_CUT = frozenset({*LISTED, BlockKind.CODE})


def wholes(units: Units) -> Mapping[Place, Sequence[Candidate]]:
    """`Evidence.wholes`."""
    told: dict[tuple[int, int, BlockKind], list[Candidate]] = {}
    found: dict[Place, Sequence[Candidate]] = {}
    for one in (one for passage in units for one in passage if one.kind in _CUT):
        chunk = one.passage.chunk
        key = one.place, chunk.units[one.index].part or -one.index, one.kind
        if key not in told:
            told[key] = _whole(units, one, chunk.whole(one.index))
        found[one.place_in_text] = told[key]
    return found


def _whole(evidence: Units, one: Candidate, own: range) -> list[Candidate]:
    """The entries of `own`, with those of the chunks before and after that go on with them."""
    units = evidence[one.place]
    found = [units[index] for index in own]
    for before in reversed(evidence[: one.place]):
        if not (before and (last := _last(before, one.kind)) and _goes_on(last, found[0])):
            break
        found = [before[index] for index in last.passage.chunk.whole(last.index)] + found
    for after in evidence[one.place + 1 :]:
        last = next(entry for entry in reversed(found) if entry.kind is one.kind)
        if not (after and _goes_on(last, after[0])):
            break
        first = next(entry for entry in after if _own(entry))
        found += [after[index] for index in first.passage.chunk.whole(first.index) if _own(after[index])]
    return [entry for entry in found if _own(entry) or entry.place == found[0].place]


async def parts(passages: Sequence[RetrievedChunk], chunk_id: str, library: Passages) -> list[RetrievedChunk]:
    """The chunks beside `passages` in which the list, table or code of the one with `chunk_id` begins or goes on."""
    first = next(one for one in passages if one.chunk.id == chunk_id)
    found = [first]
    for forward in (True, False):
        while len(found) <= FURTHER:
            chunk = found[-1 if forward else 0].chunk
            before, after = await library.neighbours(chunk)
            other = after if forward else before
            if other is None or not _cut_between(*((chunk, other) if forward else (other, chunk))):
                break
            known = next((one for one in passages if one.chunk.id == other.id), None)
            more = known or replace(first, chunk=other, unit_scores=())
            found.insert(len(found) if forward else 0, more)
    return others(found, passages)


def may_be_cut(chunk: Chunk) -> bool:
    """Whether a list, table or code stands where the chunk begins or ends."""
    own = [unit.kind for unit in chunk.units if unit.start >= chunk.overlap]
    return bool(own) and (own[-1] in _CUT or (chunk.position > 0 and own[0] in _CUT))


def _cut_between(before: Chunk, after: Chunk) -> bool:
    last = next((n for n in reversed(range(len(before.units))) if before.units[n].kind in _CUT), None)
    return last is not None and before.goes_on(last, after)


def _last(units: Sequence[Candidate], kind: BlockKind) -> Candidate | None:
    return next((one for one in reversed(units) if one.kind is kind), None)


def _goes_on(last: Candidate, after: Candidate) -> bool:
    return last.passage.chunk.goes_on(last.index, after.passage.chunk)


def _own(one: Candidate) -> bool:
    """Whether it is no repetition of the end of the chunk before."""
    return one.passage.chunk.units[one.index].start >= one.passage.chunk.overlap
