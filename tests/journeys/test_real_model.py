"""`make real-model` measures what people see: here of a loopback model, over the questions that an operator gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.real_model.__main__ import measure
from bench.real_model.ask import Record
from bench.real_model.figures import has_written, percentiles, unsupported_sentences, unsupported_words
from bench.real_model.questions import handbook, outside, own
from bot.config.settings import Settings
from pipeline.values import CitedSentence
from tests.doubles.llm.faults import Hang, Text
from tests.doubles.llm.grounded import quoting
from tests.doubles.llm.server import LlmServer

QUESTIONS = "How many vacation days do employees get?\tAnd contractors?\nHow many days may I carry over?\n"


async def measured(
    server: LlmServer, settings: Settings, documents: Path, folder: Path, **more: object
) -> tuple[dict[str, str], list[Record]]:
    questions = folder / "questions.txt"
    questions.write_text(QUESTIONS, encoding="utf-8")
    given = {
        **settings.model_dump(exclude={"openai_base_url", "model"}),
        "model": "openai:double",
        "OPENAI_BASE_URL": f"{server.url}/v1",
        **more,
    }
    chosen = Settings(_env_file=None, **given)  # type: ignore[arg-type]
    return await measure(chosen, [own(questions, documents)], f"{server.url}/v1")


async def test_every_question_is_asked_once_and_told_of(settings: Settings, documents: Path, tmp_path: Path) -> None:
    async with LlmServer(otherwise=quoting(passages=1)).running() as server:
        table, records = await measured(server, settings, documents, tmp_path)
    assert [record.question for record in records[:3]] == QUESTIONS.replace("\t", "\n").splitlines()
    assert table["questions"] == "2"
    assert table["the model wrote within its deadline"] == "2 of 2"
    assert table["second questions of a conversation: the model wrote"] == "1 of 1"
    assert table["sentences shown that the documents do not hold, by words"] == "0"
    assert (table["questions lost"], table["questions doubled"]) == ("0", "0")
    assert table["2 questions at once: the model wrote"] == "2 of 2"
    assert table["requests to the model"] == "3, 3 answered to the end"


async def test_a_model_that_says_nothing_is_told_from_one_whose_sentences_fall(
    settings: Settings, documents: Path, tmp_path: Path
) -> None:
    async with LlmServer(otherwise=lambda _: Text("Employees get 99 vacation days a year [1].")).running() as server:
        table, records = await measured(server, settings, documents, tmp_path, judge="none")
    assert all(has_written(record) for record in records)
    assert table["  its sentences were shown"] == "0"
    assert "  dropped: a number, date or name is not in the passages" in table
    async with LlmServer(otherwise=lambda _: Hang()).running() as server:
        table, records = await measured(
            server, settings, documents, tmp_path, first_sentence_seconds=0.3, planner_model=False
        )
    assert not any(has_written(record) for record in records)
    assert table["the model wrote within its deadline"] == "0 of 2"
    assert table["nothing written: it took too long"] == "2"


async def test_a_word_or_a_figure_that_the_cited_passage_lacks_is_found(
    settings: Settings, documents: Path, tmp_path: Path
) -> None:
    async with LlmServer(otherwise=quoting(passages=1)).running() as server:
        _, (record, *_) = await measured(server, settings, documents, tmp_path)
    assert record.answer
    said = record.answer.sentences[0]
    assert unsupported_words(said, record) == ""
    assert unsupported_words(CitedSentence(text=f"{said.text} Elephants agree.", numbers=said.numbers), record)
    assert unsupported_words(CitedSentence(text="They get 99 days.", numbers=said.numbers), record) == "99 days"
    assert unsupported_sentences([record]) == []


def test_the_handbook_opens_ten_conversations_and_another_set_is_there_without_public_data(tmp_path: Path) -> None:
    ours, others = handbook(30), outside(None, 30, tmp_path)
    assert len(ours.questions) == len(others.questions) == 30
    assert sum(bool(question.second) for question in ours.questions) == 10
    assert not {question.text for question in ours.questions} & {question.text for question in ours.together}


@pytest.mark.parametrize(("values", "said"), [([], "-"), ([1.0], "1.0 / 1.0"), ([*range(1, 101)], "50.5 / 95.0")])
def test_percentiles_are_values_that_were_measured(values: list[float], said: str) -> None:
    assert percentiles(values) == said
