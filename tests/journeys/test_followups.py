"""Conversations as colleagues have them: what was just shown is asked on, and then something else altogether."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.citewell import Citewell, console_conversation
from bot.config.settings import Settings
from bot.wiring import open_citewell
from pipeline.values import Answer, AnswerOutcome

DOCUMENTS = {
    "prices.csv": """\
SKU,Product,Plan,Price per month (EUR),Setup fee (EUR)
PC-S,PortCall,Starter,49,0
PC-B,PortCall,Business,390,500
YM-B,YardMap,Business,210,250
""",
    "travel.md": """\
# Travel policy

## Hotels

The limit per night is 140 euros in general, 190 euros in Paris, London and Zurich, and 110 euros in Poland.
""",
    "runbook.md": """\
# On-call runbook

## Severity levels

| Severity | Meaning | First response | Update interval |
| --- | --- | --- | --- |
| SEV1 | Customers cannot schedule freight | 10 minutes | every 30 minutes |
| SEV2 | A major feature is broken, workaround exists | 30 minutes | every 2 hours |

## Restart the scheduler

To restart it:

1. Check that no import is running.
2. Restart the deployment.
""",
    "vpn.md": """\
# Set up the VPN

1. Install WireGuard from the App Store.
2. Import the profile.
3. Activate the tunnel.
""",
}


@pytest.fixture
async def company(settings: Settings, tmp_path: Path) -> AsyncIterator[Citewell]:
    folder = tmp_path / "company"
    folder.mkdir()
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text)
    async with open_citewell(settings) as opened:
        await opened.index([folder])
        yield opened


async def talk(citewell: Citewell, *questions: str) -> Answer:
    """The answer to the last of `questions`, asked one after the other in a thread."""
    for question in questions:
        answer = await citewell.answer(question, thread="t")
    return answer


async def test_another_column_of_the_row_just_shown_is_asked_of_the_same_product(company: Citewell) -> None:
    answer = await talk(company, "What is the price of PortCall Business?", "and the setup fee?")
    assert "500" in answer.body


async def test_a_sentence_that_was_shown_answers_for_the_other_place_it_names(company: Citewell) -> None:
    answer = await talk(company, "What is the hotel limit in Paris?", "and in London?")
    assert "190 euros in Paris, London and Zurich" in answer.body


async def test_a_complete_question_about_something_else_is_answered_as_if_asked_alone(company: Citewell) -> None:
    question = "How do I set up the VPN?"
    answer = await talk(company, "What does SEV1 mean?", "and SEV2?", "what is its update interval?", question)
    assert answer.outcome is AnswerOutcome.ANSWERED
    assert answer.body == (await company.answer(question)).body


async def test_the_thread_keeps_follow_ups_as_they_were_understood(company: Citewell) -> None:
    price = "What is the price of PortCall Business?"
    await talk(company, price, "and the setup fee?", "why is that?")
    kept = await company.storage.history.recall(console_conversation("t"), 10)
    fee = "What is the setup fee of PortCall Business?"
    assert [turn.topic for turn in kept.turns] == ["", fee, fee]
    assert [turn.standalone for turn in kept.turns] == ["", "", f"why is that ({fee.rstrip('?')})?"]


async def test_the_second_one_is_the_second_step_that_was_shown(company: Citewell) -> None:
    answer = await talk(company, "How do I set up the VPN?", "How do I do the second one?")
    assert "profile" in answer.body
    assert "Import the profile" not in answer.standalone, "what is kept of a question has no words of a document"
