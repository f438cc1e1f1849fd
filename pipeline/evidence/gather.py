"""What was found for a question, read once: its units, each scored, and the lists that they are part of."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from pipeline.evidence.injected_instructions import find_instruction_units
from pipeline.evidence.question_analysis import AUXILIARIES, AnalyzedQuestion
from pipeline.evidence.scored_units import ScoredUnit, UnitPosition, UnitsByPassage
from pipeline.ports import ChunkReader
from pipeline.values import LIST_KINDS, BlockKind, Chunk, RetrievedChunk, replace
from pipeline.values.documents import exclude_known
from pipeline.words.facts import find_dates
from pipeline.words.text import content_terms, distinct_terms, split_words, stem

# --- A list, a table, a procedure or a script as a whole, also where it was cut into several chunks ---

MAX_LIST_CHUNKS = 12
"""Chunks that are fetched at most to complete a passage: 60 steps are three, 120 rows of a table five."""
_CUT = frozenset({*LIST_KINDS, BlockKind.CODE})


def collect_list_members(units: UnitsByPassage) -> Mapping[UnitPosition, Sequence[ScoredUnit]]:
    """`Evidence.wholes`."""
    told: dict[tuple[int, int, BlockKind], list[ScoredUnit]] = {}
    found: dict[UnitPosition, Sequence[ScoredUnit]] = {}
    for one in (one for passage in units for one in passage if one.kind in _CUT):
        chunk = one.passage.chunk
        key = one.passage_index, chunk.units[one.unit_index].part or -one.unit_index, one.kind
        if key not in told:
            told[key] = _whole(units, one, chunk.enclosing_block(one.unit_index))
        found[one.position] = told[key]
    return found


def _whole(evidence: UnitsByPassage, one: ScoredUnit, own: range) -> list[ScoredUnit]:
    """The entries of `own`, with those of the chunks before and after that go on with them."""
    units = evidence[one.passage_index]
    found = [units[index] for index in own]
    for before in reversed(evidence[: one.passage_index]):
        if not (before and (last := _last(before, one.kind)) and _goes_on(last, found[0])):
            break
        found = [before[index] for index in last.passage.chunk.enclosing_block(last.unit_index)] + found
    for after in evidence[one.passage_index + 1 :]:
        last = next(entry for entry in reversed(found) if entry.kind is one.kind)
        if not (after and _goes_on(last, after[0])):
            break
        first = next(entry for entry in after if _own(entry))
        found += [after[index] for index in first.passage.chunk.enclosing_block(first.unit_index) if _own(after[index])]
    return [entry for entry in found if _own(entry) or entry.passage_index == found[0].passage_index]


async def fetch_list_parts(
    passages: Sequence[RetrievedChunk], chunk_id: str, library: ChunkReader
) -> list[RetrievedChunk]:
    """The chunks beside `passages` in which the list, table or code of the one with `chunk_id` begins or goes on."""
    first = next(one for one in passages if one.chunk.id == chunk_id)
    found = [first]
    for forward in (True, False):
        while len(found) <= MAX_LIST_CHUNKS:
            chunk = found[-1 if forward else 0].chunk
            before, after = await library.neighbours(chunk)
            other = after if forward else before
            if other is None or not _cut_between(*((chunk, other) if forward else (other, chunk))):
                break
            known = next((one for one in passages if one.chunk.id == other.id), None)
            more = known or replace(first, chunk=other, unit_scores=())
            found.insert(len(found) if forward else 0, more)
    return exclude_known(found, passages)


def may_be_split(chunk: Chunk) -> bool:
    """Whether a list, table or code stands where the chunk begins or ends."""
    own = [unit.kind for unit in chunk.units if unit.start >= chunk.overlap]
    return bool(own) and (own[-1] in _CUT or (chunk.position > 0 and own[0] in _CUT))


def _cut_between(before: Chunk, after: Chunk) -> bool:
    last = next((n for n in reversed(range(len(before.units))) if before.units[n].kind in _CUT), None)
    return last is not None and before.continues_in(last, after)


def _last(units: Sequence[ScoredUnit], kind: BlockKind) -> ScoredUnit | None:
    return next((one for one in reversed(units) if one.kind is kind), None)


def _goes_on(last: ScoredUnit, after: ScoredUnit) -> bool:
    return last.passage.chunk.continues_in(last.unit_index, after.passage.chunk)


def _own(one: ScoredUnit) -> bool:
    """Whether it is no repetition of the end of the chunk before."""
    return one.passage.chunk.units[one.unit_index].start >= one.passage.chunk.overlap


# --- What was found -------------------------------------------------------------------------------

RETRIEVAL_WEIGHT = 2.0
"""Weight of the passage beside the question's terms and the vector, which count once each."""
CONTEXT_TERM_WEIGHT = 0.8
"""What a term counts that stands in the sentence before (for a table row: in the header), the heading or the title:
without it a twentieth of the answers of doc2dial is lost."""
UNDER_HEADING_BONUS, UNDER_HEADING_REACH = 0.6, 3
"""What a heading that fits the question adds to the first three sentences under it, the nearest most: another
twentieth."""
TOPIC_WEIGHT = 0.5
"""What all terms count together that only the question has which this one leans on."""
MAX_NAME_WORDS = 5
"""Words up to which a cell, or the beginning of an item, names something."""
_DETAIL = re.compile(r"[,;:]\s|[(\[、（]")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found for a question, read once for every stage that follows."""

    question: AnalyzedQuestion
    passages: Sequence[RetrievedChunk]
    """As they were found, best first."""
    units: UnitsByPassage
    term_weights: Mapping[str, float]
    """How much each term of the question counts, by how rare it is in the passages; they sum to 1 where it leans on no
    topic."""
    list_members: Mapping[UnitPosition, Sequence[ScoredUnit]]
    """Of each entry of a list or table and each block of code, every entry of what it is an entry of, with what stands
    between them, in order."""

    def with_passages(self, further: Sequence[RetrievedChunk]) -> Evidence:
        """The same with `further` passages, each once."""
        new = exclude_known(further, self.passages)
        return gather_evidence(self.question, [*self.passages, *new]) if new else self

    def without_texts(self, texts: Collection[str]) -> Evidence:
        """The same where none of `texts` can be said."""
        units = [
            [replace(one, can_answer=one.can_answer and one.text not in texts) for one in some] for some in self.units
        ]
        return replace(self, units=units, list_members=collect_list_members(units))

    def without_confirmations(self) -> Evidence:
        """The same as it would be had nobody confirmed any of it."""
        if not any(passage.confirmation_boost for passage in self.passages):
            return self
        own = [replace(one, score=one.score - one.confirmation_boost, confirmation_boost=0.0) for one in self.passages]
        return gather_evidence(self.question, sorted((one for one in own if one.score > 0), key=lambda one: -one.score))


def gather_evidence(asked: AnalyzedQuestion, passages: Sequence[RetrievedChunk]) -> Evidence:
    """Read `passages` for a question.

    Where it leans on a topic, they were found by that: their rank says nothing about it."""
    ordered = _in_order(passages)
    units = [unit_terms(passage) for passage in ordered]
    everything = [found for one in units for found in one]
    leant = {term: TOPIC_WEIGHT * weight for term, weight in weigh_terms(asked.topic_terms, everything).items()}
    weights = weigh_terms(asked.terms, everything) | leant
    best = max((passage.score for passage in passages), default=0.0) or 1.0
    relative = [1.0 if asked.topic_terms else passage.score / best for passage in ordered]
    candidates = [
        UnitScorer(asked, weights, passage, place, found, relative[place]).score_units()
        for place, (passage, found) in enumerate(zip(ordered, units, strict=True))
    ]
    return Evidence(asked, passages, candidates, weights, collect_list_members(candidates))


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


def weigh_terms(wanted: Iterable[str], units: Sequence[frozenset[str]]) -> dict[str, float]:
    """How much each term of a question counts, rarer ones more; they sum to 1."""
    raw = {term: math.log(1 + len(units) / (1 + sum(term in unit for unit in units))) for term in wanted}
    total = sum(raw.values()) or 1.0
    return {term: weight / total for term, weight in raw.items()}


def unit_terms(passage: RetrievedChunk) -> list[frozenset[str]]:
    return [distinct_terms(passage.chunk.unit_text(unit)) for unit in passage.chunk.units]


def _named_cells(cells: Iterable[str]) -> list[list[str]]:
    """What each cell of a table row names: the parts between its commas and brackets; nothing if it is long."""
    return [_DETAIL.split(cell) if len(cell.split()) <= MAX_NAME_WORDS else [] for cell in cells]


def _subject(item: str) -> list[str]:
    """What an item begins with, up to a comma, colon or bracket; empty if that is long."""
    found = _DETAIL.split(item, maxsplit=1)[0]
    return [found] if len(found.split()) <= MAX_NAME_WORDS else []


class UnitScorer:
    """Scores the units of one passage."""

    def __init__(
        self,
        asked: AnalyzedQuestion,
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
        self._ordered = find_instruction_units(passage)
        figured = any(term.isdecimal() for term in asked.terms)
        self._pairs = set(pairwise(map(stem, split_words(asked.text)))) if figured else set[tuple[str, str]]()

    def score_units(self) -> list[ScoredUnit]:
        chunk = self._passage.chunk
        heading, cosine, since = distinct_terms(" ".join(chunk.heading)), 0.0, UNDER_HEADING_REACH
        found = []
        for index, own in enumerate(self._units):
            above = chunk.is_heading_like(index)
            found.append(self._candidate(index, heading, cosine, since, above=above))
            if above:
                heading, cosine, since = own, self._cosine(index), 0
            elif chunk.units[index].kind is not BlockKind.ROW:
                since += 1
        return found

    def _candidate(self, index: int, heading: frozenset[str], cosine: float, since: int, *, above: bool) -> ScoredUnit:
        chunk = self._passage.chunk
        text, kind, own = chunk.text_at(index), chunk.units[index].kind, self._units[index]
        before = self._before(index)
        held, named, own_cosine = self._share(own), self._named(kind, text, index), self._cosine(index)
        around = CONTEXT_TERM_WEIGHT * sum(
            weight
            for term, weight in self._weights.items()
            if term not in own and (term in before or term in heading or term in self._title)
        )
        under = self._share(heading)
        near = max(0.0, 1 - since / UNDER_HEADING_REACH)
        return ScoredUnit(
            passage=self._passage,
            passage_index=self._place,
            unit_index=index,
            text=text,
            kind=kind,
            can_answer=(not above or self._dated(index, held))
            and index not in self._ordered
            and kind is not BlockKind.HEADER,
            term_layers=(own, before, heading, self._title),
            own_coverage=held,
            coverage=held + around,
            heading_coverage=under,
            name_coverage=named,
            cosine=own_cosine,
            score=held
            + around
            + named
            + own_cosine
            + RETRIEVAL_WEIGHT * self._relative
            + UNDER_HEADING_BONUS * near * (under + cosine / 2),
        )

    def _dated(self, index: int, held: float) -> bool:
        """Whether a heading is the answer: `3.2.0 (4 March 2026)` to when 3.2.0 came. That of a message says who wrote
        it, and when."""
        text = self._passage.chunk.text_at(index)
        heading = self._passage.chunk.units[index].kind is BlockKind.HEADING
        stated = heading and not self._passage.document.channel_name
        return self._asked.asks_date and stated and held > 0 and bool(find_dates(text.lower()))

    def _before(self, index: int) -> frozenset[str]:
        chunk = self._passage.chunk
        place = chunk.lead_in(index) if chunk.units[index].kind is BlockKind.ROW else index - 1
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
        chunk, place = self._passage.chunk, self._passage.chunk.header_of(index)
        named = _named_cells(chunk.cells_at(index))
        columns = chunk.cells_at(place) if place is not None and self._pairs else []
        if len(columns) != len(named):
            return [name for cell in named for name in cell]
        return [
            name
            for column, cell in zip(columns, named, strict=True)
            for name in cell
            if not name.isdecimal() or any({(term, name), (name, term)} & self._pairs for term in content_terms(column))
        ]

    def _share(self, found: frozenset[str]) -> float:
        return sum([weight for term, weight in self._weights.items() if term in found])

    def _cosine(self, index: int) -> float:
        scores = self._passage.unit_scores
        return max(scores[index], 0.0) if scores else 0.0


# --- Whether a list is what was asked for ---------------------------------------------------------

_SMALL = rf"(?:{'|'.join(sorted(AUXILIARIES))})\b"
_SEVERAL = re.compile(
    rf"^\W*(?:(?:what|which|who) (?:are|were)\b|(?:what|which) (?:(?!{_SMALL})\w+ ){{0,2}}(?!{_SMALL})\w+[^s\W]s\b)",
    re.IGNORECASE,
)
"""Asks for several: `what are the steps`, `which optional parts does it have`."""


def is_requested_list(evidence: Evidence, one: ScoredUnit) -> bool:
    """Whether the list, procedure or table that `one` is an entry of is what was asked for: its headings, the title of
    its document and the rows that the question names hold most of the question, and its passage the rest; the word for
    an entry aside."""
    asked, entries = evidence.question, evidence.list_members[one.position]
    wanted = frozenset(asked.terms) - frozenset(content_terms(one.kind.value))
    over = frozenset(content_terms(f"{one.passage.document.title} {one.passage.chunk.headings_above(one.unit_index)}"))
    over = wanted & over.union(*(row.term_layers[0] for row in find_named_rows(asked, entries)))
    inside = (other.term_layers[0] for other in (*entries, *evidence.units[one.passage_index]))
    return 2 * len(over) > len(wanted) and wanted <= over.union(*inside)


def has_matching_heading(evidence: Evidence, one: ScoredUnit) -> bool:
    """Whether the question asks for several things, and all of it stands over the list that `one` is an entry of: in
    the title, the headings and the lead-in."""
    asked, opening = evidence.question, one.passage.chunk.lead_in(one.unit_index)
    lead = evidence.units[one.passage_index][opening].text if opening is not None else ""
    over = frozenset(
        content_terms(f"{one.passage.document.title} {one.passage.chunk.headings_above(one.unit_index)} {lead}")
    )
    several = bool(_SEVERAL.search(asked.text)) and not asked.asks_figure
    return several and len(asked.terms) > 1 and over.issuperset(asked.terms)


def find_named_rows(asked: AnalyzedQuestion, entries: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """The rows that the question names; not those of which it names less than of others."""
    rows = [one for one in entries if one.kind is BlockKind.ROW and one.name_coverage]
    held = [one.term_layers[0].intersection(asked.terms) for one in rows]
    return [one for one, found in zip(rows, held, strict=True) if not any(found < other for other in held)]


def is_lead_in_needed(asked: AnalyzedQuestion, opening: ScoredUnit, entry: ScoredUnit) -> bool:
    """Whether what opens a list must be said: not a heading that mostly repeats the question or the entry."""
    if not opening.passage.chunk.is_heading_like(opening.unit_index):
        return True
    found = opening.term_layers[0]
    return 2 * len(found.difference(asked.terms, entry.term_layers[0])) > len(found)
