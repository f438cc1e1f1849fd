"""The evidence for a question, read once: the units of its passages, each scored, and the lists that they are part
of."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

from pipeline.evidence.conflicts import find_conflict
from pipeline.evidence.injected_instructions import find_instruction_units
from pipeline.evidence.other_entities import EntityComparison
from pipeline.evidence.question_analysis import AUXILIARIES, AnalyzedQuestion
from pipeline.evidence.scored_units import ScoredUnit, UnitPosition, UnitsByPassage, best_unit
from pipeline.ports import ChunkReader
from pipeline.values import LIST_KINDS, BlockKind, Chunk, RetrievedChunk, replace
from pipeline.values.documents import exclude_known
from pipeline.words.facts import find_dates
from pipeline.words.text import content_terms, distinct_terms, split_words, stem

# --- A list, a table, a procedure or a script as a whole, also where it was cut into several chunks ---

MAX_LIST_CHUNKS = 12
"""Maximum number of chunks that are fetched to complete a passage: 60 steps are three, 120 rows of a table five."""
_SPLITTABLE = frozenset({*LIST_KINDS, BlockKind.CODE})


def collect_list_members(units: UnitsByPassage) -> Mapping[UnitPosition, Sequence[ScoredUnit]]:
    """Return `Evidence.list_members` of some units."""
    blocks: dict[tuple[int, int, BlockKind], list[ScoredUnit]] = {}
    members: dict[UnitPosition, Sequence[ScoredUnit]] = {}
    for unit in (unit for passage in units for unit in passage if unit.kind in _SPLITTABLE):
        chunk = unit.passage.chunk
        # A unit without a part is a block of its own: its negative index cannot collide with a part.
        key = unit.passage_index, chunk.units[unit.unit_index].part or -unit.unit_index, unit.kind
        if key not in blocks:
            blocks[key] = _join_list(units, unit, chunk.enclosing_block(unit.unit_index))
        members[unit.position] = blocks[key]
    return members


def _join_list(evidence: UnitsByPassage, unit: ScoredUnit, block: range) -> list[ScoredUnit]:
    """Return the entries of `block`, with the ones that continue it in the chunks before and after."""
    units = evidence[unit.passage_index]
    entries = [units[index] for index in block]
    for before in reversed(evidence[: unit.passage_index]):
        if not (before and (last := _last_of_kind(before, unit.kind)) and _continues(last, entries[0])):
            break
        entries = [before[index] for index in last.passage.chunk.enclosing_block(last.unit_index)] + entries
    for after in evidence[unit.passage_index + 1 :]:
        last = next(entry for entry in reversed(entries) if entry.kind is unit.kind)
        if not (after and _continues(last, after[0])):
            break
        first = next(entry for entry in after if _is_own(entry))
        entries += [
            after[index] for index in first.passage.chunk.enclosing_block(first.unit_index) if _is_own(after[index])
        ]
    return [entry for entry in entries if _is_own(entry) or entry.passage_index == entries[0].passage_index]


async def fetch_list_parts(
    passages: Sequence[RetrievedChunk], chunk_id: str, library: ChunkReader
) -> list[RetrievedChunk]:
    """Fetch the chunks beside `passages` in which the list, table or code of the one with `chunk_id` begins or
    continues."""
    first = next(passage for passage in passages if passage.chunk.id == chunk_id)
    parts, beside_first = [first], await library.neighbours(first.chunk)
    for forward in (True, False):
        while len(parts) <= MAX_LIST_CHUNKS:
            chunk = parts[-1 if forward else 0].chunk
            before, after = beside_first if chunk is first.chunk else await library.neighbours(chunk)
            other = after if forward else before
            if other is None or not _is_cut_between(*((chunk, other) if forward else (other, chunk))):
                break
            retrieved = next((passage for passage in passages if passage.chunk.id == other.id), None)
            part = retrieved or replace(first, chunk=other, unit_scores=())
            parts.insert(len(parts) if forward else 0, part)
    return exclude_known(parts, passages)


def may_be_split(chunk: Chunk) -> bool:
    """Tell whether a list, table or code stands at the beginning or the end of the chunk."""
    kinds = [unit.kind for unit in chunk.units if unit.start >= chunk.overlap]
    return bool(kinds) and (kinds[-1] in _SPLITTABLE or (chunk.position > 0 and kinds[0] in _SPLITTABLE))


def _is_cut_between(before: Chunk, after: Chunk) -> bool:
    last = next((n for n in reversed(range(len(before.units))) if before.units[n].kind in _SPLITTABLE), None)
    return last is not None and before.continues_in(last, after)


def _last_of_kind(units: Sequence[ScoredUnit], kind: BlockKind) -> ScoredUnit | None:
    return next((unit for unit in reversed(units) if unit.kind is kind), None)


def _continues(last: ScoredUnit, after: ScoredUnit) -> bool:
    return last.passage.chunk.continues_in(last.unit_index, after.passage.chunk)


def _is_own(unit: ScoredUnit) -> bool:
    """Tell whether the unit is no repetition of the end of the chunk before."""
    return unit.passage.chunk.units[unit.unit_index].start >= unit.passage.chunk.overlap


# --- What was found -------------------------------------------------------------------------------

RETRIEVAL_WEIGHT = 2.0
"""Weight of the passage beside the question's terms and the vector, which count once each."""
CONTEXT_TERM_WEIGHT = 0.8
"""Weight of a term that stands in the sentence before (for a table row: in the header), the heading or the title:
without it a twentieth of the answers of doc2dial is lost."""
UNDER_HEADING_BONUS, UNDER_HEADING_REACH = 0.6, 3
"""Bonus that a heading that fits the question gives to the first three sentences under it, the nearest most: another
twentieth."""
TOPIC_WEIGHT = 0.5
"""Total weight of the terms that only the earlier question has which this one leans on."""
MAX_NAME_WORDS = 5
"""Maximum number of words of a cell, or of the beginning of an item, that names something."""
_DETAIL = re.compile(r"[,;:]\s|[(\[、（]")


@dataclass(frozen=True)
class Evidence:
    """The retrieved passages of a question, read once for every stage that follows."""

    question: AnalyzedQuestion
    passages: Sequence[RetrievedChunk]
    """The passages in the order of retrieval, best first."""
    units: UnitsByPassage
    term_weights: Mapping[str, float]
    """The weight of each term of the question, by its rarity in the passages; they sum to 1 where it leans on no
    topic."""
    list_members: Mapping[UnitPosition, Sequence[ScoredUnit]]
    """For each entry of a list or table and each block of code, every entry of the same block, with the units between
    them, in order."""

    @cached_property
    def best(self) -> ScoredUnit | None:
        """Unit with the best score of those that can stand in an answer."""
        return best_unit(self.units)

    @cached_property
    def entities(self) -> EntityComparison | None:
        """Comparison of the units with the best one; None where nothing can stand in an answer."""
        return EntityComparison(self.question, self.best) if self.best else None

    @cached_property
    def conflict(self) -> tuple[ScoredUnit, ...]:
        """Two units that answer the question and do not agree (`find_conflict`); () where there are none."""
        units = chain.from_iterable(self.units)
        return find_conflict(self.question, units, self.entities.is_other) if self.entities else ()

    def with_passages(self, further: Sequence[RetrievedChunk]) -> Evidence:
        """Return the evidence with `further` passages added, each once."""
        new = exclude_known(further, self.passages)
        return gather_evidence(self.question, [*self.passages, *new]) if new else self

    def without_texts(self, texts: Collection[str]) -> Evidence:
        """Return the evidence where none of `texts` can stand in an answer."""
        units = [
            [replace(unit, can_answer=unit.can_answer and unit.text not in texts) for unit in passage_units]
            for passage_units in self.units
        ]
        return replace(self, units=units, list_members=collect_list_members(units))

    def without_confirmations(self) -> Evidence:
        """Return the evidence without the boost of confirmed answers."""
        if not any(passage.confirmation_boost for passage in self.passages):
            return self
        unboosted = [
            replace(passage, score=passage.score - passage.confirmation_boost, confirmation_boost=0.0)
            for passage in self.passages
        ]
        return gather_evidence(
            self.question,
            sorted((passage for passage in unboosted if passage.score > 0), key=lambda passage: -passage.score),
        )


def gather_evidence(question: AnalyzedQuestion, passages: Sequence[RetrievedChunk]) -> Evidence:
    """Read `passages` for a question.

    The rank of passages says nothing where the question leans on a topic, because they were retrieved by that."""
    ordered = _order_by_document(passages)
    units = [unit_terms(passage) for passage in ordered]
    all_terms = [terms for passage_terms in units for terms in passage_terms]
    topic_weights = {
        term: TOPIC_WEIGHT * weight for term, weight in weigh_terms(question.topic_terms, all_terms).items()
    }
    weights = weigh_terms(question.terms, all_terms) | topic_weights
    best = max((passage.score for passage in passages), default=0.0) or 1.0
    relative = [1.0 if question.topic_terms else passage.score / best for passage in ordered]
    candidates = [
        UnitScorer(question, weights, passage, index, terms, relative[index]).score_units()
        for index, (passage, terms) in enumerate(zip(ordered, units, strict=True))
    ]
    return Evidence(question, passages, candidates, weights, collect_list_members(candidates))


def _order_by_document(passages: Sequence[RetrievedChunk]) -> list[RetrievedChunk]:
    """Return each passage with its neighbours around it, in the order of their document."""
    places = {(passage.chunk.document_id, passage.chunk.position): passage for passage in passages}
    ordered: list[RetrievedChunk] = []
    taken: set[str] = set()
    for passage in passages:
        document, position = passage.chunk.document_id, passage.chunk.position
        while (document, position - 1) in places and passage.chunk.id not in taken:
            position -= 1
        while (neighbour := places.get((document, position))) and neighbour.chunk.id not in taken:
            ordered.append(neighbour)
            taken.add(neighbour.chunk.id)
            position += 1
    return [*ordered, *(passage for passage in passages if passage.chunk.id not in taken)]


def weigh_terms(terms: Iterable[str], units: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return the weight of each term of a question, rarer ones more; they sum to 1."""
    raw = {term: math.log(1 + len(units) / (1 + sum(term in unit for unit in units))) for term in terms}
    total = sum(raw.values()) or 1.0
    return {term: weight / total for term, weight in raw.items()}


def unit_terms(passage: RetrievedChunk) -> list[frozenset[str]]:
    """Return the distinct terms of each unit of a passage."""
    return [distinct_terms(passage.chunk.unit_text(unit)) for unit in passage.chunk.units]


def _split_cell_names(cells: Iterable[str]) -> list[list[str]]:
    """Return the names in each cell of a table row: the parts between its commas and brackets; none if it is long."""
    return [_DETAIL.split(cell) if len(cell.split()) <= MAX_NAME_WORDS else [] for cell in cells]


def _item_names(item: str) -> list[str]:
    """Return the beginning of an item, up to a comma, colon or bracket; nothing if that is long."""
    name = _DETAIL.split(item, maxsplit=1)[0]
    return [name] if len(name.split()) <= MAX_NAME_WORDS else []


class UnitScorer:
    """A scorer of the units of one passage."""

    def __init__(
        self,
        question: AnalyzedQuestion,
        weights: dict[str, float],
        passage: RetrievedChunk,
        passage_index: int,
        units: list[frozenset[str]],
        relative_score: float,
    ) -> None:
        self._question = question
        self._term_weights = weights
        self._passage = passage
        self._passage_index = passage_index
        self._units = units
        self._relative_score = relative_score
        self._title = distinct_terms(passage.document.title)
        self._instructions = find_instruction_units(passage)
        figured = any(term.isdecimal() for term in question.terms)
        self._pairs = set(pairwise(map(stem, split_words(question.text)))) if figured else set[tuple[str, str]]()

    def score_units(self) -> list[ScoredUnit]:
        """Score each unit of the passage, in order."""
        chunk = self._passage.chunk
        heading, cosine, distance = distinct_terms(" ".join(chunk.heading)), 0.0, UNDER_HEADING_REACH
        scored = []
        for index, terms in enumerate(self._units):
            is_heading = chunk.is_heading_like(index)
            scored.append(self._score_unit(index, heading, cosine, distance, is_heading=is_heading))
            if is_heading:
                heading, cosine, distance = terms, self._cosine(index), 0
            elif chunk.units[index].kind is not BlockKind.ROW:
                distance += 1
        return scored

    def _score_unit(
        self, index: int, heading: frozenset[str], cosine: float, distance: int, *, is_heading: bool
    ) -> ScoredUnit:
        """Score one unit, `distance` sentences below a heading with these terms and this cosine."""
        chunk = self._passage.chunk
        text, kind, terms = chunk.text_at(index), chunk.units[index].kind, self._units[index]
        preceding = self._preceding_terms(index)
        own_coverage, name_coverage, own_cosine = (
            self._coverage(terms),
            self._name_coverage(kind, text, index),
            self._cosine(index),
        )
        context_coverage = CONTEXT_TERM_WEIGHT * sum(
            weight
            for term, weight in self._term_weights.items()
            if term not in terms and (term in preceding or term in heading or term in self._title)
        )
        heading_coverage = self._coverage(heading)
        nearness = max(0.0, 1 - distance / UNDER_HEADING_REACH)
        return ScoredUnit(
            passage=self._passage,
            passage_index=self._passage_index,
            unit_index=index,
            text=text,
            kind=kind,
            can_answer=(not is_heading or self._is_dated_heading(index, own_coverage))
            and index not in self._instructions
            and kind is not BlockKind.HEADER,
            term_layers=(terms, preceding, heading, self._title),
            own_coverage=own_coverage,
            coverage=own_coverage + context_coverage,
            heading_coverage=heading_coverage,
            name_coverage=name_coverage,
            cosine=own_cosine,
            score=own_coverage
            + context_coverage
            + name_coverage
            + own_cosine
            + RETRIEVAL_WEIGHT * self._relative_score
            + UNDER_HEADING_BONUS * nearness * (heading_coverage + cosine / 2),
        )

    def _is_dated_heading(self, index: int, own_coverage: float) -> bool:
        """Tell whether a heading is the answer: `3.2.0 (4 March 2026)` to the date of 3.2.0. The heading of a message
        says who wrote it, and when."""
        text = self._passage.chunk.text_at(index)
        heading = self._passage.chunk.units[index].kind is BlockKind.HEADING
        dated_heading = heading and not self._passage.document.channel_name
        return self._question.asks_date and dated_heading and own_coverage > 0 and bool(find_dates(text.lower()))

    def _preceding_terms(self, index: int) -> frozenset[str]:
        chunk = self._passage.chunk
        place = chunk.lead_in(index) if chunk.units[index].kind is BlockKind.ROW else index - 1
        return self._units[place] if place is not None and place >= 0 else frozenset()

    def _name_coverage(self, kind: BlockKind, text: str, index: int) -> float:
        """Return `ScoredUnit.name_coverage` of a unit."""
        if kind not in (BlockKind.ITEM, BlockKind.ROW):
            return 0.0
        names = _item_names(text) if kind is BlockKind.ITEM else self._cell_names(index)
        name_terms = (terms for terms in map(distinct_terms, names) if terms and terms <= self._nameable_terms)
        return max(map(self._coverage, name_terms), default=0.0)

    @cached_property
    def _nameable_terms(self) -> frozenset[str]:
        """The terms that a cell may name: those of the question; where they name no row, also names of the question it
        leans on."""
        own, chunk = frozenset(self._question.terms), self._passage.chunk
        if self._question.names <= own:
            return own
        rows = (index for index, unit in enumerate(chunk.units) if unit.kind is BlockKind.ROW)
        cells = (distinct_terms(name) for index in rows for name in self._cell_names(index))
        return own if any(cell and cell <= own for cell in cells) else own | self._question.names

    def _cell_names(self, index: int) -> list[str]:
        """Return the names in the cells of a row; a bare figure only where the question has it beside the name of its
        column: `floor 3` is not the row with three rooms."""
        chunk, header = self._passage.chunk, self._passage.chunk.header_of(index)
        cell_names = _split_cell_names(chunk.cells_at(index))
        columns = chunk.cells_at(header) if header is not None and self._pairs else []
        if len(columns) != len(cell_names):
            return [name for cell in cell_names for name in cell]
        return [
            name
            for column, cell in zip(columns, cell_names, strict=True)
            for name in cell
            if not name.isdecimal() or any({(term, name), (name, term)} & self._pairs for term in content_terms(column))
        ]

    def _coverage(self, terms: frozenset[str]) -> float:
        return sum([weight for term, weight in self._term_weights.items() if term in terms])

    def _cosine(self, index: int) -> float:
        scores = self._passage.unit_scores
        return max(scores[index], 0.0) if scores else 0.0


# --- Whether a list is what was asked for ---------------------------------------------------------

_AUXILIARY = rf"(?:{'|'.join(sorted(AUXILIARIES))})\b"
_ASKS_SEVERAL = re.compile(
    rf"^\W*(?:(?:what|which|who) (?:are|were)\b|(?:what|which) "
    rf"(?:(?!{_AUXILIARY})\w+ ){{0,2}}(?!{_AUXILIARY})\w+[^s\W]s\b)",
    re.IGNORECASE,
)
"""The opening of a question that asks for several things: `what are the steps`, `which optional parts does it have`."""


def is_requested_list(evidence: Evidence, unit: ScoredUnit) -> bool:
    """Tell whether the question asks for the list, procedure or table of which `unit` is an entry.

    Its headings, the title of its document and the rows that the question names hold most of the question, and its
    passage the rest; the word for an entry aside."""
    question, entries = evidence.question, evidence.list_members[unit.position]
    wanted = frozenset(question.terms) - frozenset(content_terms(unit.kind.value))
    heading_terms = frozenset(
        content_terms(f"{unit.passage.document.title} {unit.passage.chunk.headings_above(unit.unit_index)}")
    )
    heading_terms = wanted & heading_terms.union(*(row.term_layers[0] for row in find_named_rows(question, entries)))
    body_terms = (other.term_layers[0] for other in (*entries, *evidence.units[unit.passage_index]))
    return 2 * len(heading_terms) > len(wanted) and wanted <= heading_terms.union(*body_terms)


def has_matching_heading(evidence: Evidence, unit: ScoredUnit) -> bool:
    """Tell whether the question asks for several things, and all of it stands over the list of which `unit` is an
    entry: in the title, the headings and the lead-in."""
    question, opening = evidence.question, unit.passage.chunk.lead_in(unit.unit_index)
    lead = evidence.units[unit.passage_index][opening].text if opening is not None else ""
    heading_terms = frozenset(
        content_terms(f"{unit.passage.document.title} {unit.passage.chunk.headings_above(unit.unit_index)} {lead}")
    )
    asks_several = bool(_ASKS_SEVERAL.search(question.text)) and not question.asks_figure
    return asks_several and len(question.terms) > 1 and heading_terms.issuperset(question.terms)


def find_named_rows(question: AnalyzedQuestion, entries: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the rows that the question names, without those of which it names less than of others."""
    rows = [row for row in entries if row.kind is BlockKind.ROW and row.name_coverage]
    row_terms = [row.term_layers[0].intersection(question.terms) for row in rows]
    return [row for row, terms in zip(rows, row_terms, strict=True) if not any(terms < other for other in row_terms)]


def is_lead_in_needed(question: AnalyzedQuestion, opening: ScoredUnit, entry: ScoredUnit) -> bool:
    """Tell whether the opening of a list must be shown: not a heading that mostly repeats the question or the entry."""
    if not opening.passage.chunk.is_heading_like(opening.unit_index):
        return True
    terms = opening.term_layers[0]
    return 2 * len(terms.difference(question.terms, entry.term_layers[0])) > len(terms)
