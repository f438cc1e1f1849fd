"""A comparison as a table: for each side of it what the documents say of the same thing."""

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
"""Rows of the table, its header aside."""
SENTENCES_PER_SIDE, PARALLEL_BONUS, SIDE_SCORE_MARGIN = 5, 1.0, 0.6
"""Sentences of each side that are looked at, what it adds when those of a row share their words but the sides, and how
far below the best of its side a sentence may score."""
MIN_TOPIC_SHARE = 0.5
"""The share of what both sides are compared in that a sentence must have in or around it."""
_FIGURE = re.compile(r"(?<!\d)\d++(?:[.,:/-]\d++)+")


def write_comparison_table(brief: WritingBrief, passages: Sequence[RetrievedChunk]) -> list[DraftSentence]:
    """A table with a column for each side; [] when a side has nothing to say of what they are compared in, or both
    sides the same sentence.

    Where one sentence compares them, each side in clauses of its own, it is that sentence. Otherwise each cell is one
    sentence about its side, or one about all that stands beside what is said of another side; a row has what is said of
    the same thing, and names the chunk of each of its cells in order. Where the documents have a table with a row for
    each side, it is these rows under their own header."""
    sides = [_Side(brief, number, passages) for number in range(len(brief.sides))]
    if told := _told(sides):
        return [DraftSentence(text=told.text, kind=BlockKind.PROSE, chunk_ids=(told.chunk_id,), opens=True)]
    columns = [side.best(side.own() or side.general(sides)) for side in sides]
    rows = _rows(brief, columns) if all(columns) else []
    if not rows:
        return []
    if table := _quoted(rows[0]):
        return table
    cited = [tuple(one.chunk_id for one in row) for row in rows]
    return [
        _row([" ".join(side.split()) for side in brief.sides], tuple(dict.fromkeys(cited[0])), header=True),
        *(_row([_plain(one) for one in row], chunk_ids) for row, chunk_ids in zip(rows, cited, strict=True)),
    ]


def _row(cells: Sequence[str], chunk_ids: tuple[str, ...], *, header: bool = False) -> DraftSentence:
    kind = BlockKind.HEADER if header else BlockKind.ROW
    return DraftSentence(text=join_cells(cells), kind=kind, chunk_ids=chunk_ids, opens=header, cells=tuple(cells))


class _Side:
    """One side, and the sentences that may be about it."""

    def __init__(self, brief: WritingBrief, number: int, passages: Sequence[RetrievedChunk]) -> None:
        query = brief.queries[number] if number < len(brief.queries) else brief.sides[number]
        names = [_names(side) for side in brief.sides]
        self._number = number
        self._name = names[number].difference(*names[:number], *names[number + 1 :])
        self._others = [name - names[number] for place, name in enumerate(names) if place != number]
        queries = brief.queries[: len(brief.sides)]
        topic = set.intersection(*map(_names, queries)) if queries else set[str]()
        self._topic = topic.difference(*names)
        found = (
            one for units in gather_evidence(analyze_question(query), passages).units for one in units if one.can_answer
        )
        self._found = [one for one in found if not is_lead_in(one.text) and self._on_topic(one)]

    def own(self) -> list[ScoredUnit]:
        """What names the side, or stands under a heading that does and under none that names another."""
        return [one for one in self._found if self._name and self._name <= _names(_around(one)) and self._free(one)]

    def general(self, sides: Sequence[_Side]) -> list[ScoredUnit]:
        """What names no side: beside what is said of another one, otherwise in the passages found for this one."""
        plain = [one for one in self._found if not any(name and name <= _names(_around(one)) for name in self._others)]
        sections = {_section(one) for side in sides if side is not self for one in side.own()}
        beside = [one for one in plain if _section(one) in sections]
        return beside or [one for one in plain if one.passage.query_index == self._number]

    def best(self, candidates: Sequence[ScoredUnit]) -> list[ScoredUnit]:
        """The best of them, best first."""
        best = max((one.score for one in candidates), default=0.0)
        return sorted((one for one in candidates if one.score >= best - SIDE_SCORE_MARGIN), key=lambda one: -one.score)[
            :SENTENCES_PER_SIDE
        ]

    def told(self, one: ScoredUnit, other: _Side) -> bool:
        """Whether a sentence names both sides, in clauses of their own."""
        clauses = [_names(clause) for clause in VERDICT_CLAUSE_BREAK.split(one.text)]
        mine, theirs = (
            {n for n, found in enumerate(clauses) if name and name <= found} for name in (self._name, other._name)
        )
        return bool(mine and theirs) and mine.isdisjoint(theirs)

    def _on_topic(self, one: ScoredUnit) -> bool:
        return len(self._topic & _names(_around(one))) >= MIN_TOPIC_SHARE * len(self._topic)

    def _free(self, one: ScoredUnit) -> bool:
        """It does not stand under a heading that names another side and not this one."""
        above = _names(_above(one))
        return self._name <= above or not any(name and name <= above for name in self._others)


def _told(sides: Sequence[_Side]) -> ScoredUnit | None:
    """The best sentence about a side, where it compares that with all others."""
    for side in sides:
        best = next(iter(side.best(side.own())), None)
        if best and best.kind is BlockKind.PROSE and all(one.told(best, side) for one in sides if one is not side):
            return best
    return None


def _names(text: str) -> set[str]:
    """The terms of a text; a figure with parts is one: `3.2.0`."""
    return {*_FIGURE.findall(text), *content_terms(_FIGURE.sub(" ", text))}


def _above(one: ScoredUnit) -> str:
    """The headings above a sentence and what leads it in."""
    chunk = one.passage.chunk
    opening = chunk.lead_in(one.unit_index)
    lead = chunk.text_at(opening) if opening is not None else ""
    return f"{lead} {chunk.headings_above(one.unit_index)}"


def _around(one: ScoredUnit) -> str:
    return f"{one.text} {_above(one)} {one.passage.document.title}"


def _section(one: ScoredUnit) -> tuple[str, str]:
    return one.passage.document.id, one.passage.chunk.headings_above(one.unit_index)


def _rows(brief: WritingBrief, columns: Sequence[Sequence[ScoredUnit]]) -> list[tuple[ScoredUnit, ...]]:
    """Sentences side by side, the best and most alike first; no sentence twice."""
    sides = set(content_terms(" ".join(brief.sides)))

    def likeness(row: tuple[ScoredUnit, ...]) -> float:
        said = [set(content_terms(one.text)) - sides for one in row]
        return len(set.intersection(*said)) / (min(map(len, said)) or 1)

    rows: list[tuple[ScoredUnit, ...]] = []
    for row in sorted(
        product(*columns), key=lambda row: -sum(one.score for one in row) - PARALLEL_BONUS * likeness(row)
    ):
        texts = {one.text for one in row}
        if (
            len(texts) == len(row)
            and not texts & {one.text for other in rows for one in other}
            and len(rows) < MAX_TABLE_ROWS
        ):
            rows.append(row)
    return rows


def _quoted(row: Sequence[ScoredUnit]) -> list[DraftSentence]:
    """The header of a table and those of its rows that stand side by side; [] when they are not of one table."""
    chunk, header = row[0].passage.chunk, row[0].passage.chunk.lead_in(row[0].unit_index)
    alike = all(
        one.kind is BlockKind.ROW and one.chunk_id == chunk.id and one.passage.chunk.lead_in(one.unit_index) == header
        for one in row
    )
    if not alike or header is None:
        return []
    return [
        _row(chunk.cells_at(index), (chunk.id,), header=index == header)
        for index in (header, *(one.unit_index for one in row))
    ]


def _plain(one: ScoredUnit) -> str:
    text = one.passage.chunk.readable_row(one.unit_index) if one.kind is BlockKind.ROW else one.text
    return " ".join(text.split())
