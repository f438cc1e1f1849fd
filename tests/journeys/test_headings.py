"""Questions that are answered by where something stands: under the heading of a version, of a date."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.wiring import open_citewell
from pipeline.values import AnswerOutcome

RELEASES = """# Release notes

## 3.2.0 (2026-03-04)

- Exports run in the background.
- The search field keeps its filters.

## 3.1.0 (2025-12-11)

- New login page.
- Invoices can be paid by card.
"""
ROADMAP = """# Roadmap

Release 3.0.2 comes in August.
"""
MEETINGS = """# Weekly meeting notes

## 12 May 2026

We decided to move the launch to June.

## 19 May 2026

The budget for travel was approved.
"""


@pytest.fixture
async def notes(settings: Settings, tmp_path: Path) -> AsyncIterator[Citewell]:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "releases.md").write_text(RELEASES)
    (folder / "roadmap.md").write_text(ROADMAP)
    (folder / "meetings.md").write_text(MEETINGS)
    async with open_citewell(settings) as opened:
        await opened.index([folder])
        yield opened


@pytest.mark.parametrize("question", ["What changed in 3.1.0?", "What's new in 3.1.0?", "What was added in 3.1.0?"])
async def test_what_a_version_brought_is_what_stands_under_it(notes: Citewell, question: str) -> None:
    answer = await notes.answer(question)
    told = [sentence.text for sentence in answer.sentences]
    assert told == ["3.1.0 (2025-12-11)", "New login page.", "Invoices can be paid by card."]


async def test_when_a_version_came_is_told_by_its_heading_and_not_by_another_one_of_the_same_figures(
    notes: Citewell,
) -> None:
    answer = await notes.answer("When was 3.2.0 released?")
    assert [sentence.text for sentence in answer.sentences] == ["3.2.0 (2026-03-04)"]


@pytest.mark.parametrize("question", ["What was decided on 12 May?", "What happened on 12 May?"])
async def test_what_happened_on_a_day_is_what_stands_under_it(notes: Citewell, question: str) -> None:
    assert (await notes.answer(question)).body == "We decided to move the launch to June. [1]"


@pytest.mark.parametrize("question", ["What changed in 4.0.0?", "When was 4.0.0 released?", "What happened on 26 May?"])
async def test_a_version_or_a_day_without_a_heading_is_not_answered_from_another(
    notes: Citewell, question: str
) -> None:
    assert (await notes.answer(question)).outcome is AnswerOutcome.NOT_FOUND
