"""The units of the passages as candidates for an answer, each scored for how well it fits the question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from pipeline.read import layout
from pipeline.read.asked import AnswerType, Asked, held_kind, holds
from pipeline.read.orders import orders
from pipeline.text import stem, terms, words
from pipeline.values import BlockKind, RetrievedChunk

READ = 5
"""Passages looked at, best first."""
COVERAGE, COSINE, PASSAGE, TYPE = 1.0, 1.0, 2.0, 0.5
"""Weights of the question's terms, the vector, the passage and the wanted kind of thing. Flat: any of them may be
changed by half without moving an answer rate by more than a point (squad2, doc2dial, clapnq)."""
BEFORE, HEADING, TITLE = 0.7, 0.6, 0.5
"""What a term counts that stands in the sentence before (for a table row: in the header), the heading above, or the
title only."""
NAMED = 1.0
"""What a table row or list item gains when the question names one of its cells, or what the item begins with, times
the weight of those terms."""
SPECIFIC = 0.6
"""How far below a sentence a row may score and still go before it, when the question names the row and one of its
columns, and the sentence is about something else in the place of the row."""
DATED = 0.5
"""The share of the question's terms in a heading that answers when something was: `3.2.0 (4 March 2026)`."""
UNDER_COVERAGE, UNDER_COSINE, UNDER_REACH = 0.6, 0.25, 3
"""What a heading that fits the question adds to the first three sentences under it, the nearest most."""

_MEANINGFUL = re.compile(r"\w{2}|[^\W\d_a-zA-Z]")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One unit of one passage."""

    passage: RetrievedChunk
    place: int
    """0-based rank of the passage."""
    index: int
    """Which unit of the chunk."""
    text: str
    kind: BlockKind
    says: bool
    """It can stand in an answer: no heading (unless it has the date that is asked for), no question, no stray marks, no
    paragraph with orders to an assistant."""
    near: tuple[frozenset[str], ...]
    """Terms of its own, of the sentence before (for a table row: of the header), the heading and the title."""
    own: float
    """0 to 1: weighted share of the question's terms that it holds itself."""
    coverage: float
    """The same with the sentence before, the heading above and the title, which count less."""
    heading: float
    """The share that the heading above holds."""
    named: float
    """For a table row: the weight of the question's terms in a cell that the question names whole, in its first one if
    it asks for nothing but a person (`Who is Ann?` is not answered by what Ann owns); for an item, in what it begins
    with; otherwise 0."""
    crossed: frozenset[str]
    """For a table row: the terms of such a cell, when the question names another column as well; otherwise empty."""
    lacks: float
    """The weight of the weightiest term of the question that it does not hold itself."""
    cosine: float
    """With the question; 0 without vectors."""
    score: float
    """How well it answers; comparable within one question."""

    @property
    def chunk_id(self) -> str:
        return self.passage.chunk.id

    @property
    def place_in_text(self) -> tuple[int, int]:
        """Sorts into reading order."""
        return self.place, self.index


def gather(asked: Asked, passages: Sequence[RetrievedChunk]) -> list[list[Candidate]]:
    """Every unit of the first passages in reading order, one list a passage."""
    read = [(passage, _unit_terms(passage)) for passage in passages[:READ]]
    weights = rarity(asked.terms, [found for _, units in read for found in units])
    best = max((passage.score for passage, _ in read), default=0.0) or 1.0
    return _specific_first(
        [
            _Scorer(asked, weights, passage, place, units, passage.score / best).candidates()
            for place, (passage, units) in enumerate(read)
        ]
    )


def _specific_first(evidence: list[list[Candidate]]) -> list[list[Candidate]]:
    """The same, with a row that is asked for before a sentence that says it of something else."""
    said = [one for units in evidence for one in units if one.says and one.kind is not BlockKind.ROW]
    best = max(said, key=lambda one: one.score, default=None)
    if best is None:
        return evidence

    def scored(one: Candidate) -> Candidate:
        general = one.crossed and not one.crossed <= best.near[0]
        near = best.score - SPECIFIC <= one.score <= best.score
        return replace(one, score=math.nextafter(best.score, math.inf)) if general and near else one

    return [[scored(one) for one in units] for units in evidence]


def best_of(evidence: Iterable[Sequence[Candidate]]) -> Candidate | None:
    """The candidate that fits best of those that can stand in an answer."""
    return max((one for units in evidence for one in units if one.says), key=lambda one: one.score, default=None)


def rarity(wanted: Iterable[str], units: Sequence[frozenset[str]]) -> dict[str, float]:
    """How much each term of a question counts, rarer ones more; they sum to 1."""
    seen = Counter(term for unit in units for term in unit)
    raw = {term: math.log(1 + len(units) / (1 + seen[term])) for term in wanted}
    total = sum(raw.values()) or 1.0
    return {term: weight / total for term, weight in raw.items()}


def needed(asked: Asked, opening: Candidate, entry: Candidate) -> bool:
    """Whether what opens a list must be said: not a heading that mostly repeats the question or the entry."""
    if not layout.is_heading(opening.passage.chunk, opening.index):
        return True
    found = set(terms(opening.text))
    return 2 * len(found - set(asked.terms) - set(terms(entry.text))) > len(found)


def _unit_terms(passage: RetrievedChunk) -> list[frozenset[str]]:
    text = passage.chunk.text
    return [
        _terms(text[unit.start : unit.end])
        | (_done(text[unit.start : unit.end]) if unit.kind is BlockKind.HEADER else frozenset())
        for unit in passage.chunk.units
    ]


@lru_cache(maxsize=512)
def _done(header: str) -> frozenset[str]:
    """What the people and things that head a column do: an `Owner` owns."""
    return frozenset(stem(word[:-2]) for word in words(header) if len(word) > 4 and word.endswith(("er", "or")))


@lru_cache(maxsize=4096)
def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


class _Scorer:
    """Scores the units of one passage."""

    def __init__(
        self,
        asked: Asked,
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
        self._title = frozenset(terms(passage.document.title))
        self._ordered = orders(passage)

    def candidates(self) -> list[Candidate]:
        chunk = self._passage.chunk
        heading, heading_cosine, since, rows = frozenset(terms(" ".join(chunk.heading))), 0.0, UNDER_REACH, 0
        found = []
        for index, own in enumerate(self._units):
            above, row = layout.is_heading(chunk, index), chunk.units[index].kind is BlockKind.ROW
            found.append(self._candidate(index, heading, heading_cosine, since if row else since - rows, above=above))
            if above:
                heading, heading_cosine, since, rows = own, self._cosine(index), 0, 0
            else:
                since, rows = since + 1, rows + row
        return found

    def _candidate(
        self, index: int, heading: frozenset[str], heading_cosine: float, since: int, *, above: bool
    ) -> Candidate:
        chunk = self._passage.chunk
        text = layout.text_of(chunk, index)
        own = self._units[index] | held_kind(self._asked, text)
        before = self._before(index)
        around = sum(
            weight
            * (BEFORE if term in before else HEADING if term in heading else TITLE if term in self._title else 0.0)
            for term, weight in self._weights.items()
            if term not in own
        )
        held = self._share(own)
        under = self._share(heading)
        near = max(0.0, 1 - since / UNDER_REACH)
        named, crossed = self._named(index)
        score = (
            COVERAGE * (held + around)
            + COSINE * self._cosine(index)
            + PASSAGE * self._relative
            + NAMED * named
            + (TYPE if self._asked.wanted is not None and holds(self._asked.wanted, text) else 0.0)
            + near * (UNDER_COVERAGE * under + UNDER_COSINE * heading_cosine)
        )
        return Candidate(
            passage=self._passage,
            place=self._place,
            index=index,
            text=text,
            kind=chunk.units[index].kind,
            says=(not above or self._dated(index, text, held))
            and index not in self._ordered
            and chunk.units[index].kind is not BlockKind.HEADER
            and bool(_MEANINGFUL.search(text)),
            near=(own, before, heading, self._title),
            own=held,
            coverage=held + around,
            heading=under,
            named=named,
            crossed=crossed,
            lacks=max((weight for term, weight in self._weights.items() if term not in own), default=0.0),
            cosine=self._cosine(index),
            score=score,
        )

    def _dated(self, index: int, text: str, held: float) -> bool:
        """Whether a heading answers by itself: it has the date that is asked for, and much of the question."""
        asked = self._asked.wanted is AnswerType.DATE and held >= DATED and holds(AnswerType.DATE, text)
        return asked and self._passage.chunk.units[index].kind is BlockKind.HEADING

    def _before(self, index: int) -> frozenset[str]:
        chunk = self._passage.chunk
        place = layout.opening(chunk, index) if chunk.units[index].kind is BlockKind.ROW else index - 1
        return self._units[place] if place is not None and place >= 0 else frozenset()

    def _named(self, index: int) -> tuple[float, frozenset[str]]:
        """What `Candidate` calls `named` and `crossed`."""
        text, kind = layout.text_of(self._passage.chunk, index), self._passage.chunk.units[index].kind
        if kind is BlockKind.ITEM:
            return max(map(self._share, self._asked_for(layout.subject(text))), default=0.0), frozenset()
        if kind is not BlockKind.ROW:
            return 0.0, frozenset()
        cells = [self._asked_for(names) for names in layout.cells(text)]
        columns = {number for number, name in enumerate(self._columns(index)) if self._asked_for([name])}
        crossed = [name for number, names in enumerate(cells) for name in names if columns - {number}]
        person = frozenset(self._asked.terms) if self._asked.wanted is AnswerType.PERSON else None
        said = [name for number, names in enumerate(cells) for name in names if number == 0 or name != person]
        named = max(map(self._share, said), default=0.0)
        return named, max(crossed, key=self._share, default=frozenset())

    def _asked_for(self, names: Iterable[str]) -> list[frozenset[str]]:
        """The terms of those names that the question has whole."""
        asked = frozenset(self._asked.terms)
        return [found for found in map(_terms, names) if found and found <= asked]

    def _columns(self, index: int) -> list[str]:
        header = layout.opening(self._passage.chunk, index)
        return layout.text_of(self._passage.chunk, header).split(" | ") if header is not None else []

    def _share(self, found: frozenset[str]) -> float:
        return sum(weight for term, weight in self._weights.items() if term in found)

    def _cosine(self, index: int) -> float:
        scores = self._passage.unit_scores
        return max(scores[index], 0.0) if scores else 0.0
