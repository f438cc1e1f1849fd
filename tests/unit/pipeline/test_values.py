"""What values promise beyond their fields."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.values import Answer, Document, row_cells, row_text
from tests.doubles.filled import filled

WHICH = {"document_id", "chunk_id", "filename", "url", "date", "said_in"}
"""Fields of a citation that say which document it is."""
cells = st.text(alphabet="ab |∣", max_size=8).map(str.strip)


@given(st.lists(cells, min_size=1, max_size=5))
def test_a_row_gives_its_cells_back_whatever_stands_in_them(given: list[str]) -> None:
    found = row_cells(row_text(given))
    assert [cell.replace("|", "∣") for cell in found] == [cell.replace("|", "∣") for cell in given]


@pytest.mark.parametrize(
    ("metadata", "day"),
    [
        ({}, ""),
        ({"date": "2024-05-02", "updated": "2025-01-01T08:00:00Z"}, "2025-01-01"),
        ({"updated": "2025-01-01", "reviewed": "2026-03-01"}, "2026-03-01"),
        ({"updated": "2026-03-01", "reviewed": "2025-01-01"}, "2026-03-01"),
        ({"updated": "last spring", "date": "2024-05-02"}, "2024-05-02"),
        ({"review": "2026-03-01"}, ""),
    ],
)
def test_a_document_is_of_the_day_of_its_last_change_or_review(metadata: dict[str, str], day: str) -> None:
    assert Document(id="a", filename="a.md", title="A", metadata=metadata).dated == day


def test_of_a_source_that_is_gone_an_answer_says_which_it_was_and_nothing_more() -> None:
    left = filled(Answer, "said").without(lambda _: True, "Removed.")
    texts = set(re.findall(r"said ([a-z_ ]+)", left.model_dump_json()))
    of_the_question = {"id", "question", "standalone", "topic", "language", "incident", "ask"}
    of_the_work = {"usage writer", "usage notes", "usage milliseconds"}
    of_our_own = {"reasoning", "abstain_reason", "safety_flags", "confidence reasons name", "confidence reasons text"}
    which = {f"{part} {field}" for part in ("citations", "nearest") for field in WHICH}
    assert texts == of_the_question | of_the_work | of_our_own | which
    assert left.body == "Removed."
