"""The second reader in a whole Citewell: what it changes, and that nothing is lost where it is late or left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.wiring import open_citewell
from pipeline.errors import CitewellError
from pipeline.values import Answer, SearchPlan
from tests.doubles.settings import extractive

VACATION = "How many vacation days do employees get?"
LEFT_OUT = "reader_left_out: "


async def answered(folder: Path, question: str = VACATION, **settings: object) -> Answer:
    async with open_citewell(extractive(folder, **settings)) as citewell:
        return await citewell.answer(question)


async def test_what_is_found_is_read_and_answered(indexed_data: Path) -> None:
    answer = await answered(indexed_data, reader="minilm", reader_seconds=60)
    assert "25 vacation days" in answer.body
    assert answer.usage.notes == ()
    async with open_citewell(extractive(indexed_data, reader="minilm", reader_seconds=60)) as citewell:
        found = await citewell.retriever.retrieve(SearchPlan(question=VACATION), await citewell.all_collections())
        assert found.scorer_skipped == ""
        assert found.passages[0].relevance > 0.5


async def test_where_it_is_late_the_answer_is_as_without_it_and_says_so(indexed_data: Path) -> None:
    late = await answered(indexed_data, reader="minilm", reader_seconds=1e-6)
    without = await answered(indexed_data, reader="none")
    assert (late.body, late.confidence, late.outcome) == (without.body, without.confidence, without.outcome)
    assert [note for note in late.usage.notes if note.startswith(LEFT_OUT)]
    assert without.usage.notes == ()


async def test_a_german_question_is_not_read(indexed_data: Path) -> None:
    question = "Wie viele Urlaubstage haben die Mitarbeiter?"
    late = await answered(indexed_data, question, reader="minilm", reader_seconds=1e-6)
    assert late.usage.notes == ()


@pytest.mark.parametrize(("setting", "value"), [("reader", "bert"), ("reader_seconds", 0)])
def test_settings_that_say_nothing_are_refused(tmp_path: Path, setting: str, value: object) -> None:
    with pytest.raises((CitewellError, ValueError), match=setting):
        extractive(tmp_path, **{setting: value})
