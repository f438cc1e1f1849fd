"""A row is checked cell by cell: an empty one moves no other under another header."""

from __future__ import annotations

import pytest

from adapters.files.content import OutlineBuilder
from pipeline.check.word_check import judge_sentence
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from pipeline.values import BlockKind, Document, DraftSentence, ParsedDocument, RetrievedChunk, join_cells
from pipeline.write.draft_parser import DraftParser

DAYS = ("Day", "Early", "Late", "Night")
FRIDAY = ("Friday", "Dagny", "", "Emeka")
SHIFTS = Document(id="shifts", filename="shifts.md", title="Shifts")


def passage() -> RetrievedChunk:
    outline = OutlineBuilder()
    outline.add_table([DAYS, FRIDAY, ("Saturday", "", "Farida", "")], header=1)
    (chunk,) = TokenSplitter(WordTokenizer()).split(ParsedDocument(document=SHIFTS, blocks=outline.build().blocks))
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
    said = DraftSentence(text=join_cells(row), kind=BlockKind.ROW, chunk_ids=(one.chunk.id,), cells=row)
    assert judge_sentence(said, [one], header=DAYS).is_supported is stands


def test_a_table_of_a_model_keeps_its_empty_cells_and_bars() -> None:
    parser = DraftParser()
    table = "| Day | Early | Late |\n|---|---|---|\n| Friday |  | a \\| b [1] |\n|  | Dagny |  |\n\n"
    marked = [*parser.feed(table), *parser.close()]
    assert [one.cells for one in marked] == [("Day", "Early", "Late"), ("Friday", "", "a | b"), ("", "Dagny", "")]
