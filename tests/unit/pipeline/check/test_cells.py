"""A row is checked cell by cell: an empty one moves no other under another header."""

from __future__ import annotations

import pytest

from adapters.files.outline import Outline
from pipeline.check.judge import judge
from pipeline.ingest.split import Splitter, WordCount
from pipeline.values import BlockKind, Document, Parsed, RetrievedChunk, Sentence, row_text
from pipeline.write.markup import Parser

DAYS = ("Day", "Early", "Late", "Night")
FRIDAY = ("Friday", "Dagny", "", "Emeka")
SHIFTS = Document(id="shifts", filename="shifts.md", title="Shifts")


def passage() -> RetrievedChunk:
    outline = Outline()
    outline.table([DAYS, FRIDAY, ("Saturday", "", "Farida", "")], header=1)
    (chunk,) = Splitter(WordCount()).split(Parsed(document=SHIFTS, blocks=outline.content().blocks))
    return RetrievedChunk(chunk=chunk, document=SHIFTS, score=1)


@pytest.mark.parametrize(
    ("row", "stands"),
    [
        (FRIDAY, True),
        (("Friday", "Dagny", "Emeka", ""), False),
        (("Friday", "", "Dagny", "Emeka"), False),
        (("Saturday", "", "Farida", ""), True),
        (("Saturday", "", "", "Farida"), False),
    ],
)
def test_a_cell_stands_only_under_its_own_header(row: tuple[str, ...], stands: bool) -> None:
    one = passage()
    said = Sentence(text=row_text(row), kind=BlockKind.ROW, chunk_ids=(one.chunk.id,), cells=row)
    assert judge(said, [one], header=DAYS).supported is stands


def test_a_table_of_a_model_keeps_its_empty_cells_and_bars() -> None:
    parser = Parser()
    table = "| Day | Early | Late |\n|---|---|---|\n| Friday |  | a \\| b [1] |\n|  | Dagny |  |\n\n"
    marked = [*parser.feed(table), *parser.close()]
    assert [one.cells for one in marked] == [("Day", "Early", "Late"), ("Friday", "", "a | b"), ("", "Dagny", "")]
