"""Cells from the reader to what is embedded and shown: each under its header, whatever stands in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.files.content import OutlineBuilder
from pipeline.ingest.embedding_inputs import embedding_texts
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from pipeline.values import BlockKind, Chunk, Document, ParsedDocument, Unit

DOCUMENT = Document(id="shifts", filename="shifts.md", title="Shifts")
DAYS = ("Day", "Early", "Late", "Night")
cell = st.text(alphabet="ab |∣:,", max_size=8).map(lambda text: " ".join(text.split()))


def split(*rows: tuple[str, ...], header: int = 1, tokens: int = 500) -> tuple[Chunk, ...]:
    outline = OutlineBuilder()
    outline.add_table(rows, header=header)
    return TokenSplitter(WordTokenizer(), tokens=tokens).split(
        ParsedDocument(document=DOCUMENT, blocks=outline.build().blocks)
    )


@pytest.mark.parametrize(
    ("row", "named"),
    [
        (("Friday", "Dagny", "", "Emeka"), "Day: Friday, Early: Dagny, Night: Emeka"),
        (("", "Dagny", "", ""), "Early: Dagny"),
        (("", "", "", "Emeka"), "Night: Emeka"),
        (("Friday",), "Day: Friday"),
        (("Friday", "Dagny | Emeka"), "Day: Friday, Early: Dagny | Emeka"),
    ],
)
def test_every_cell_is_embedded_and_read_under_its_header(row: tuple[str, ...], named: str) -> None:
    (chunk,) = split(DAYS, row)
    assert chunk.cells_at(0) == DAYS
    assert chunk.cells_at(1) == (*row, *[""] * (4 - len(row)))
    assert chunk.labeled_row(1) == named
    assert embedding_texts(chunk, "Shifts")[1] == named


@given(st.lists(st.tuples(cell, cell, cell).filter(any), min_size=1, max_size=6))
def test_rows_give_their_cells_back_whatever_stands_in_them(rows: list[tuple[str, ...]]) -> None:
    found = [chunk.cells_at(n) for chunk in split(("a", "b", "c"), *rows) for n in range(1, len(chunk.units))]
    assert found == rows


def test_a_chunk_s_cells_survive_being_kept() -> None:
    (chunk,) = split(DAYS, ("", "Dagny", "", "Emeka"))
    again = Chunk.model_validate_json(chunk.model_dump_json())
    assert again == chunk
    assert again.cells_at(1) == ("", "Dagny", "", "Emeka")


def test_a_row_that_is_too_long_is_cut_between_its_cells_which_stay_in_their_columns() -> None:
    row = ("Friday", " ".join(["early"] * 30), "", " ".join(["night"] * 30))
    parts = [
        (chunk, n) for chunk in split(DAYS, row, tokens=50) for n, one in enumerate(chunk.units) if one.kind == "row"
    ]
    told: dict[int, str] = {}
    for chunk, place in parts:
        for column, text in enumerate(chunk.cells_at(place)):
            told[column] = f"{told.get(column, '')} {text}".strip()
    assert len(parts) > 2
    assert tuple(told[column] for column in range(4)) == row


def test_of_a_chunk_that_was_kept_before_the_cells_were_only_rows_as_long_as_their_header_are_named() -> None:
    text = "Day | Early | Late\nFriday | Dagny | Emeka\nSunday | Dagny"
    ends = [(0, 18), (19, 41), (42, 56)]
    units = [Unit(start=start, end=end, kind=BlockKind.ROW, part=1, parent=0) for start, end in ends[1:]]
    header = Unit(start=0, end=18, kind=BlockKind.HEADER, part=1)
    chunk = Chunk(id="c", document_id="d", text=text, units=(header, *units))
    assert chunk.cells_at(1) == ("Friday", "Dagny", "Emeka")
    assert chunk.labeled_row(1) == "Day: Friday, Early: Dagny, Late: Emeka"
    assert (chunk.labeled_row(2), chunk.readable_row(2)) == ("", "Sunday / Dagny")


def test_inline_code_stands_where_it_stood_in_every_piece() -> None:
    outline = OutlineBuilder()
    outline.add(BlockKind.PROSE, "The init is `x`. Remove __init__ now. Then src/*.", code=["__init__", "src/*"])
    outline.add_table([["File", "Why"], ["a_b", "old"]], header=1, code=[(), ["a_b"]])
    (chunk,) = TokenSplitter(WordTokenizer()).split(ParsedDocument(document=DOCUMENT, blocks=outline.build().blocks))
    assert [chunk.text[start:end] for start, end in chunk.code] == ["__init__", "src/*", "a_b"]
    assert [chunk.code_spans(n) for n in range(5)] == [(), ((7, 15),), ((5, 10),), (), ((0, 3),)]
