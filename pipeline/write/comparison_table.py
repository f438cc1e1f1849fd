"""Comparison tables: for each side, the statements of the documents about the same thing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from pipeline.evidence.gather import gather_evidence
from pipeline.evidence.question_analysis import analyze_question
from pipeline.evidence.scored_units import ScoredUnit
from pipeline.evidence.yes_no import VERDICT_CLAUSE_BREAK
from pipeline.values import BlockKind, DraftSentence, RetrievedChunk, WritingBrief, join_cells
from pipeline.words.text import content_terms, is_lead_in

MAX_TABLE_ROWS = 2
"""Maximum number of rows of the table, without its header."""
SENTENCES_PER_SIDE, PARALLEL_BONUS, SIDE_SCORE_MARGIN = 5, 1.0, 0.6
"""Number of candidates of each side, the bonus of a row whose sentences share their words but the sides, and the
largest gap to the best score of its side."""
MIN_TOPIC_SHARE = 0.5
"""Share of the terms of the comparison's topic that a sentence must have in or around it."""
_FIGURE = re.compile(r"(?<!\d)\d++(?:[.,:/-]\d++)+")


def write_comparison_table(brief: WritingBrief, passages: Sequence[RetrievedChunk]) -> list[DraftSentence]:
    """Return a table with a column for each side; [] when a side has nothing to say of the topic, or both sides the
    same sentence.

    Where one sentence compares the sides, each in clauses of its own, it is that sentence. Otherwise each cell is one
    sentence about its side, or a general one that stands beside a sentence about another side; a row is about one
    thing, and names the chunk of each of its cells in order. Where the documents have a table with a row for each side,
    it is these rows under their own header."""
    sides = [_Side(brief, number, passages) for number in range(len(brief.sides))]
    if comparing := _find_comparing_sentence(sides):
        return [DraftSentence(text=comparing.text, kind=BlockKind.PROSE, chunk_ids=(comparing.chunk_id,), opens=True)]
    columns = [side.best(side.own() or side.general(sides)) for side in sides]
    rows = _pair_rows(brief, columns) if all(columns) else []
    if not rows:
        return []
    if table := _quote_table_rows(rows[0]):
        return table
    cited = [tuple(unit.chunk_id for unit in row) for row in rows]
    return [
        _table_row([" ".join(side.split()) for side in brief.sides], tuple(dict.fromkeys(cited[0])), header=True),
        *(
            _table_row([_cell_text(unit) for unit in row], chunk_ids)
            for row, chunk_ids in zip(rows, cited, strict=True)
        ),
    ]


def _table_row(cells: Sequence[str], chunk_ids: tuple[str, ...], *, header: bool = False) -> DraftSentence:
    kind = BlockKind.HEADER if header else BlockKind.ROW
    return DraftSentence(text=join_cells(cells), kind=kind, chunk_ids=chunk_ids, opens=header, cells=tuple(cells))


class _Side:
    """One side of a comparison, and the sentences that may be about it."""

    def __init__(self, brief: WritingBrief, number: int, passages: Sequence[RetrievedChunk]) -> None:
        query = brief.queries[number] if number < len(brief.queries) else brief.sides[number]
        names = [_name_terms(side) for side in brief.sides]
        self._number = number
        self._name = names[number].difference(*names[:number], *names[number + 1 :])
        self._other_names = [name - names[number] for index, name in enumerate(names) if index != number]
        queries = brief.queries[: len(brief.sides)]
        topic = set.intersection(*map(_name_terms, queries)) if queries else set[str]()
        self._topic = topic.difference(*names)
        units = (
            unit
            for units in gather_evidence(analyze_question(query), passages).units
            for unit in units
            if unit.can_answer
        )
        self._units = [unit for unit in units if not is_lead_in(unit.text) and self._on_topic(unit)]

    def own(self) -> list[ScoredUnit]:
        """Return the sentences that name the side, or stand under a heading that does and under none that names
        another."""
        return [
            unit
            for unit in self._units
            if self._name and self._name <= _name_terms(_context_text(unit)) and self._is_unclaimed(unit)
        ]

    def general(self, sides: Sequence[_Side]) -> list[ScoredUnit]:
        """Return the sentences that name no side: beside those of another side, otherwise in the passages retrieved for
        this one."""
        unnamed = [
            unit
            for unit in self._units
            if not any(name and name <= _name_terms(_context_text(unit)) for name in self._other_names)
        ]
        sections = {_section_key(unit) for side in sides if side is not self for unit in side.own()}
        beside = [unit for unit in unnamed if _section_key(unit) in sections]
        return beside or [unit for unit in unnamed if unit.passage.query_index == self._number]

    def best(self, candidates: Sequence[ScoredUnit]) -> list[ScoredUnit]:
        """Return the candidates near the best score, best first."""
        top_score = max((unit.score for unit in candidates), default=0.0)
        return sorted(
            (unit for unit in candidates if unit.score >= top_score - SIDE_SCORE_MARGIN), key=lambda unit: -unit.score
        )[:SENTENCES_PER_SIDE]

    def names_both(self, unit: ScoredUnit, other: _Side) -> bool:
        """Tell whether a sentence names both sides, in clauses of their own."""
        clauses = [_name_terms(clause) for clause in VERDICT_CLAUSE_BREAK.split(unit.text)]
        own_clauses, other_clauses = (
            {n for n, names in enumerate(clauses) if name and name <= names} for name in (self._name, other._name)
        )
        return bool(own_clauses and other_clauses) and own_clauses.isdisjoint(other_clauses)

    def _on_topic(self, unit: ScoredUnit) -> bool:
        return len(self._topic & _name_terms(_context_text(unit))) >= MIN_TOPIC_SHARE * len(self._topic)

    def _is_unclaimed(self, unit: ScoredUnit) -> bool:
        """Tell whether the sentence stands under no heading that names another side and not this one."""
        heading_names = _name_terms(_headings_above(unit))
        return self._name <= heading_names or not any(name and name <= heading_names for name in self._other_names)


def _find_comparing_sentence(sides: Sequence[_Side]) -> ScoredUnit | None:
    """Return the best sentence about a side that compares it with all others, if there is one."""
    for side in sides:
        best = next(iter(side.best(side.own())), None)
        if (
            best
            and best.kind is BlockKind.PROSE
            and all(other.names_both(best, side) for other in sides if other is not side)
        ):
            return best
    return None


def _name_terms(text: str) -> set[str]:
    """Return the terms of a text; a figure with parts is one: `3.2.0`."""
    return {*_FIGURE.findall(text), *content_terms(_FIGURE.sub(" ", text))}


def _headings_above(unit: ScoredUnit) -> str:
    """Return the headings above a sentence and its lead-in."""
    chunk = unit.passage.chunk
    opening = chunk.lead_in(unit.unit_index)
    lead = chunk.text_at(opening) if opening is not None else ""
    return f"{lead} {chunk.headings_above(unit.unit_index)}"


def _context_text(unit: ScoredUnit) -> str:
    return f"{unit.text} {_headings_above(unit)} {unit.passage.document.title}"


def _section_key(unit: ScoredUnit) -> tuple[str, str]:
    return unit.passage.document.id, unit.passage.chunk.headings_above(unit.unit_index)


def _pair_rows(brief: WritingBrief, columns: Sequence[Sequence[ScoredUnit]]) -> list[tuple[ScoredUnit, ...]]:
    """Return rows of sentences side by side, the best and most alike first; no sentence twice."""
    sides = set(content_terms(" ".join(brief.sides)))

    def likeness(row: tuple[ScoredUnit, ...]) -> float:
        term_sets = [set(content_terms(unit.text)) - sides for unit in row]
        return len(set.intersection(*term_sets)) / (min(map(len, term_sets)) or 1)

    rows: list[tuple[ScoredUnit, ...]] = []
    for row in sorted(
        product(*columns), key=lambda row: -sum(unit.score for unit in row) - PARALLEL_BONUS * likeness(row)
    ):
        texts = {unit.text for unit in row}
        if (
            len(texts) == len(row)
            and not texts & {unit.text for other in rows for unit in other}
            and len(rows) < MAX_TABLE_ROWS
        ):
            rows.append(row)
    return rows


def _quote_table_rows(row: Sequence[ScoredUnit]) -> list[DraftSentence]:
    """Return the header of a table and those of its rows that stand side by side; [] when they are not of one table."""
    chunk, header = row[0].passage.chunk, row[0].passage.chunk.lead_in(row[0].unit_index)
    same_table = all(
        unit.kind is BlockKind.ROW
        and unit.chunk_id == chunk.id
        and unit.passage.chunk.lead_in(unit.unit_index) == header
        for unit in row
    )
    if not same_table or header is None:
        return []
    return [
        _table_row(chunk.cells_at(index), (chunk.id,), header=index == header)
        for index in (header, *(unit.unit_index for unit in row))
    ]


def _cell_text(unit: ScoredUnit) -> str:
    text = unit.passage.chunk.readable_row(unit.unit_index) if unit.kind is BlockKind.ROW else unit.text
    return " ".join(text.split())
