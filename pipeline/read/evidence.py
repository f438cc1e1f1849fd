"""What was found for a question, read once: its units, each scored, and the lists that they are part of."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from pipeline.read.asked import Question
from pipeline.read.candidates import Candidate, Place, Units
from pipeline.read.orders import orders
from pipeline.read.wholes import wholes
from pipeline.values import BlockKind, RetrievedChunk, replace
from pipeline.values.documents import others
from pipeline.words.facts import dates
from pipeline.words.text import distinct_terms, stem, terms, words

PASSAGE = 2.0
"""Weight of the passage beside the question's terms and the vector, which count once each."""
CONTEXT = 0.8
"""What a term counts that stands in the sentence before (for a table row: in the header), the heading or the title:
without it a twentieth of the answers of doc2dial is lost."""
UNDER, UNDER_REACH = 0.6, 3
"""What a heading that fits the question adds to the first three sentences under it, the nearest most: another
twentieth."""
TOPIC = 0.5
"""What all terms count together that only the question has which this one leans on."""
NAME = 5
"""Words up to which a cell, or the beginning of an item, names something."""
_DETAIL = re.compile(r"[,;:]\s|[(\[、（]")


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


def rarity(wanted: Iterable[str], units: Sequence[frozenset[str]]) -> dict[str, float]:
    """How much each term of a question counts, rarer ones more; they sum to 1."""
    raw = {term: math.log(1 + len(units) / (1 + sum(term in unit for unit in units))) for term in wanted}
    total = sum(raw.values()) or 1.0
    return {term: weight / total for term, weight in raw.items()}


def unit_terms(passage: RetrievedChunk) -> list[frozenset[str]]:
    return [distinct_terms(passage.chunk.said(unit)) for unit in passage.chunk.units]


def _named_cells(cells: Iterable[str]) -> list[list[str]]:
    """What each cell of a table row names: the parts between its commas and brackets; nothing if it is long."""
    return [_DETAIL.split(cell) if len(cell.split()) <= NAME else [] for cell in cells]


def _subject(item: str) -> list[str]:
    """What an item begins with, up to a comma, colon or bracket; empty if that is long."""
    found = _DETAIL.split(item, maxsplit=1)[0]
    return [found] if len(found.split()) <= NAME else []


class Scorer:
    """Scores the units of one passage."""

    def __init__(
        self,
        asked: Question,
        weights: dict[str, float],
        passage: RetrievedChunk,
        place: int,
        units: list[frozenset[str]],
        relative: float,
    ) -> None:
        self._asked = asked
        self._weights = weights
        self._passage = passage
        self._place = place
        self._units = units
        self._relative = relative
        self._title = distinct_terms(passage.document.title)
        self._ordered = orders(passage)
        figured = any(term.isdecimal() for term in asked.terms)
        self._pairs = set(pairwise(map(stem, words(asked.text)))) if figured else set[tuple[str, str]]()

    def candidates(self) -> list[Candidate]:
        chunk = self._passage.chunk
        heading, cosine, since = distinct_terms(" ".join(chunk.heading)), 0.0, UNDER_REACH
        found = []
        for index, own in enumerate(self._units):
            above = chunk.heads(index)
            found.append(self._candidate(index, heading, cosine, since, above=above))
            if above:
                heading, cosine, since = own, self._cosine(index), 0
            elif chunk.units[index].kind is not BlockKind.ROW:
                since += 1
        return found

    def _candidate(self, index: int, heading: frozenset[str], cosine: float, since: int, *, above: bool) -> Candidate:
        chunk = self._passage.chunk
        text, kind, own = chunk.text_of(index), chunk.units[index].kind, self._units[index]
        before = self._before(index)
        held, named, own_cosine = self._share(own), self._named(kind, text, index), self._cosine(index)
        around = CONTEXT * sum(
            weight
            for term, weight in self._weights.items()
            if term not in own and (term in before or term in heading or term in self._title)
        )
        under = self._share(heading)
        near = max(0.0, 1 - since / UNDER_REACH)
        return Candidate(
            passage=self._passage,
            place=self._place,
            index=index,
            text=text,
            kind=kind,
            says=(not above or self._dated(index, held))
            and index not in self._ordered
            and kind is not BlockKind.HEADER,
            near=(own, before, heading, self._title),
            own=held,
            coverage=held + around,
            heading=under,
            named=named,
            cosine=own_cosine,
            score=held + around + named + own_cosine + PASSAGE * self._relative + UNDER * near * (under + cosine / 2),
        )

    def _dated(self, index: int, held: float) -> bool:
        """Whether a heading is the answer: `3.2.0 (4 March 2026)` to when 3.2.0 came. That of a message says who wrote
        it, and when."""
        text = self._passage.chunk.text_of(index)
        heading = self._passage.chunk.units[index].kind is BlockKind.HEADING
        stated = heading and not self._passage.document.said_in
        return self._asked.dates and stated and held > 0 and bool(dates(text.lower()))

    def _before(self, index: int) -> frozenset[str]:
        chunk = self._passage.chunk
        place = chunk.opening(index) if chunk.units[index].kind is BlockKind.ROW else index - 1
        return self._units[place] if place is not None and place >= 0 else frozenset()

    def _named(self, kind: BlockKind, text: str, index: int) -> float:
        """What `Candidate` calls `named`."""
        if kind not in (BlockKind.ITEM, BlockKind.ROW):
            return 0.0
        names = _subject(text) if kind is BlockKind.ITEM else self._cells(index)
        whole = (found for found in map(distinct_terms, names) if found and found <= self._known)
        return max(map(self._share, whole), default=0.0)

    @cached_property
    def _known(self) -> frozenset[str]:
        """What a cell may name: terms of the question; where those name no row, also names that it leans on."""
        own, chunk = frozenset(self._asked.terms), self._passage.chunk
        if self._asked.names <= own:
            return own
        rows = (index for index, unit in enumerate(chunk.units) if unit.kind is BlockKind.ROW)
        cells = (distinct_terms(name) for index in rows for name in self._cells(index))
        return own if any(cell and cell <= own for cell in cells) else own | self._asked.names

    def _cells(self, index: int) -> list[str]:
        """What the cells of a row name; a bare figure only where the question has it beside the name of its column:
        `floor 3` is not the row with three rooms."""
        chunk, place = self._passage.chunk, self._passage.chunk.header(index)
        named = _named_cells(chunk.cells(index))
        columns = chunk.cells(place) if place is not None and self._pairs else []
        if len(columns) != len(named):
            return [name for cell in named for name in cell]
        return [
            name
            for column, cell in zip(columns, named, strict=True)
            for name in cell
            if not name.isdecimal() or any({(term, name), (name, term)} & self._pairs for term in terms(column))
        ]

    def _share(self, found: frozenset[str]) -> float:
        return sum([weight for term, weight in self._weights.items() if term in found])

    def _cosine(self, index: int) -> float:
        scores = self._passage.unit_scores
        return max(scores[index], 0.0) if scores else 0.0
