"""Whether the rows that are shown are all that the documents have."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pipeline.read.evidence import Candidate
from pipeline.values import BlockKind


def more_rows(evidence: Sequence[Sequence[Candidate]], shown: Collection[str]) -> bool:
    """Whether other rows fit the question as those of `shown` do, or may: several are shown of a table that goes on
    outside the passages."""
    rows = [one for units in evidence for one in units if one.kind is BlockKind.ROW]
    said = [one for one in rows if one.text in shown]
    if not said:
        return False
    named = max(one.named for one in said)
    documents = {one.passage.document.id for one in said}
    crossed = any(one.crossed for one in said)
    fitting = {
        one.text
        for one in rows
        if one.named >= named > 0 and one.passage.document.id in documents and (one.crossed or not crossed)
    }
    return not fitting <= set(shown) or (len(said) > 1 and any(map(_part, said)))


def _part(row: Candidate) -> bool:
    """Whether the table of a row began in an earlier passage: its header is repeated."""
    chunk = row.passage.chunk
    return any(unit.kind is BlockKind.HEADER and unit.start < chunk.overlap for unit in chunk.units)
