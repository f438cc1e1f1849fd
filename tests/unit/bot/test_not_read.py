"""What could not be read is named where an operator looks."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.admin.source_list import list_source_states
from bot.commands.documents import _row
from bot.commands.indexing import print_summary
from bot.doctor.sources import _check_parser_version, _check_unread
from bot.wiring import open_citewell
from pipeline.ingest.ingest import IngestSummary
from pipeline.values import PARSER_VERSION, Document, replace
from tests.doubles.settings import extractive

HOUSE = Document(
    id="house",
    filename="house.pdf",
    title="House",
    source="/docs",
    unread=("page 2: no text, only a picture",),
    reading=PARSER_VERSION,
)


def test_index_names_file_and_part(capsys: pytest.CaptureFixture[str]) -> None:
    parts = tuple(f"page {number}: no text, only a picture" for number in range(2, 9))
    print_summary(IngestSummary(added=2, unread=(("house.pdf", HOUSE.unread), ("scan.pdf", parts))))
    told = " ".join(capsys.readouterr().err.split())
    assert "not read: house.pdf: page 2: no text, only a picture" in told
    assert "scan.pdf: page 2: no text, only a picture; page 3" in told
    assert "page 6: no text, only a picture; …" in told


def test_the_list_of_documents_names_the_part() -> None:
    assert _row(HOUSE)[3] == "house.pdf (not read: page 2: no text, only a picture)"


def test_doctor_counts_documents_that_are_not_read_whole_and_those_of_an_earlier_version() -> None:
    whole = replace(HOUSE, unread=())
    found = _check_unread([whole, HOUSE])
    assert found
    assert "1 document is not read whole, such as house.pdf: page 2: no text, only a picture" in str(found)
    assert _check_unread([whole]) is None
    before = _check_parser_version([whole, replace(HOUSE, reading="")])
    assert before
    assert "1 document was read by an earlier version" in str(before)
    assert "citewell index /docs" in str(before)
    assert _check_parser_version([whole]) is None


async def test_index_says_it_again_and_so_do_the_sources(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text('{"a": ')
    async with open_citewell(extractive(tmp_path / "data", embedder="none")) as citewell:
        first, again = [await citewell.index([tmp_path / "notes.json"]) for _ in range(2)]
        (row,) = await list_source_states(citewell, [])
    assert first.unread[0][0] == "notes.json"
    assert (again.unread, again.unchanged) == (first.unread, 1)
    assert row.unread == first.unread
    assert row.last == "never; 1 document not read whole"
