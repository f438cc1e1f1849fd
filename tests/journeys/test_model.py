"""Ask a question, read the answer: the whole pipeline over real documents, written by the loopback model."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.wiring import open_citewell
from pipeline.rules.access import OPERATOR
from pipeline.values import AnswerOutcome, ConfidenceLevel, SentenceEvent
from pipeline.words import wording
from tests.doubles.llm.faults import Hang, Status, Text
from tests.doubles.llm.grounded import quoting
from tests.doubles.llm.server import LlmServer

QUESTION = "How many vacation days do employees get?"
UNSURE = "How many vacation days do employees get? And who approves them?"


@asynccontextmanager
async def written_by(server: LlmServer, settings: Settings, documents: Path, **more: object) -> AsyncIterator[Citewell]:
    given = {
        **settings.model_dump(exclude={"openai_base_url", "model"}),
        "model": "openai:double",
        "OPENAI_BASE_URL": f"{server.url}/v1",
        **more,
    }
    async with open_citewell(Settings(_env_file=None, **given)) as citewell:  # type: ignore[arg-type]
        await citewell.index([documents])
        yield citewell


async def test_a_model_writes_and_its_tokens_are_counted(settings: Settings, documents: Path) -> None:
    async with (
        LlmServer(otherwise=quoting(passages=1)).running() as server,
        written_by(server, settings, documents) as citewell,
    ):
        answer = await citewell.answer(QUESTION)
    assert answer.outcome is AnswerOutcome.ANSWERED
    assert answer.usage.writer == "openai:double"
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (120, 30)
    assert "25 vacation days" in answer.body
    assert answer.citations[0].filename == "leave.md"


async def test_the_first_sentence_is_shown_while_the_model_still_writes(settings: Settings, documents: Path) -> None:
    text = "Employees get 25 vacation days a year [1]. Contractors get no paid vacation days [1]."
    async with (
        LlmServer([Text(text, size=4, pause=0.02)]).running() as server,
        written_by(server, settings, documents) as citewell,
    ):
        events = [event async for event in await citewell.stream(QUESTION)]
    assert [type(event) for event in events[-2:]] == [SentenceEvent, SentenceEvent]


@pytest.mark.parametrize("act", [Status(401, "sk-wrong"), Status(500), Hang()], ids=["wrong key", "down", "hanging"])
async def test_a_dead_model_costs_no_answer(settings: Settings, documents: Path, act: Status | Hang) -> None:
    async with (
        LlmServer(otherwise=lambda _: act).running() as server,
        written_by(server, settings, documents, first_sentence_seconds=0.5, planner_model=False) as citewell,
    ):
        answer = await citewell.answer(QUESTION)
    assert answer.outcome is AnswerOutcome.ANSWERED
    assert answer.usage.writer == "extractive"
    assert answer.preface.startswith("The language model did not answer.")
    assert "25 vacation days" in answer.body
    assert "sk-wrong" not in answer.model_dump_json()


@pytest.mark.parametrize("question", [QUESTION, UNSURE], ids=["plain", "a model would help to plan"])
async def test_a_spent_budget_leaves_the_passages(settings: Settings, documents: Path, question: str) -> None:
    async with (
        LlmServer(otherwise=quoting()).running() as server,
        written_by(server, settings, documents, daily_tokens_person=10) as citewell,
    ):
        answer = await citewell.answer(question)
    assert answer.usage.writer == "extractive"
    assert "25 vacation days" in answer.body
    assert server.requests == []


async def test_the_tokens_of_a_plan_count_as_those_of_the_answer_do(settings: Settings, documents: Path) -> None:
    plan = {"question": UNSURE, "parts": [], "about": [], "intent": "factual"}
    draft = Text("Employees get 25 vacation days a year [1].")
    async with (
        LlmServer([Text(json.dumps(plan)), draft]).running() as server,
        written_by(server, settings, documents, daily_tokens_person=100_000) as citewell,
    ):
        answer = await citewell.answer(UNSURE)
        ledger, day = citewell.storage.token_ledger, datetime.now(UTC).date()
        spent = answer.usage.input_tokens + answer.usage.output_tokens
        assert await ledger.reserve({f"person {OPERATOR}": spent}, 0, day)
        assert not await ledger.reserve({f"person {OPERATOR}": spent - 1}, 0, day)
    assert len(server.requests) == 2
    assert spent == 300


async def test_what_the_model_cannot_find_is_not_answered(settings: Settings, documents: Path) -> None:
    async with (
        LlmServer([Text("NOT_IN_DOCUMENTS")]).running() as server,
        written_by(server, settings, documents) as citewell,
    ):
        answer = await citewell.answer(QUESTION)
    assert answer.outcome is AnswerOutcome.NOT_FOUND
    assert answer.sentences == ()


async def test_nothing_found_asks_no_model(settings: Settings, documents: Path) -> None:
    async with LlmServer().running() as server, written_by(server, settings, documents) as citewell:
        answer = await citewell.answer("Who founded the observatory on Mount Wilson?")
    assert answer.outcome is AnswerOutcome.NOT_FOUND
    assert server.requests == []


OWN_WORDS = "Everybody who works here has 25 days off for vacation"
NO = Text('{"verdicts": [{"claim": 1, "words": "", "verdict": "not there"}]}')


async def test_what_neither_stands_nor_is_written_again_is_answered_by_the_passages(
    settings: Settings, documents: Path
) -> None:
    async with (
        LlmServer([Text(f"{OWN_WORDS} [1]."), NO, Text('{"sentences": []}')]).running() as server,
        written_by(server, settings, documents) as citewell,
    ):
        answer = await citewell.answer(QUESTION)
    assert len(server.requests) == 3
    assert answer.usage.writer == "extractive"
    assert answer.preface.startswith(wording.MODEL_UNSUPPORTED)


async def test_what_does_not_stand_is_shown_as_it_is_written_again(settings: Settings, documents: Path) -> None:
    again = {"sentences": [{"number": 0, "text": "Employees get 25 vacation days a year [1]."}]}
    async with (
        LlmServer([Text(f"{OWN_WORDS} [1]."), NO, Text(json.dumps(again))]).running() as server,
        written_by(server, settings, documents) as citewell,
    ):
        answer = await citewell.answer(QUESTION)
    assert answer.usage.writer == "openai:double"
    assert [sentence.text for sentence in answer.sentences] == ["Employees get 25 vacation days a year."]
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (120 + 150 + 150, 30)


@pytest.mark.parametrize(
    ("judge", "level"),
    [("auto", ConfidenceLevel.MEDIUM), ("openai:other", ConfidenceLevel.HIGH)],
    ids=["its writer", "another model"],
)
async def test_an_answer_in_other_words_says_who_read_it_and_is_sure_only_where_another_model_did(
    settings: Settings, documents: Path, judge: str, level: ConfidenceLevel
) -> None:
    yes = {"claim": 1, "words": "Employees get 25 vacation days", "verdict": "supported"}
    async with (
        LlmServer([Text("Each employee has 25 vacation days a year [1]."), Text(json.dumps(yes))]).running() as server,
        written_by(server, settings, documents, judge=judge) as citewell,
    ):
        answer = await citewell.answer(QUESTION)
    assert answer.confidence.level is level
    [read] = [reason.text for reason in answer.confidence.reasons if reason.name == "read"]
    assert read.endswith("openai:double." if judge == "auto" else "openai:other.")
