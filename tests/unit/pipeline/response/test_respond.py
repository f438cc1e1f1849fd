"""What the walk as a whole promises, beyond its stages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import pytest

from pipeline.budget import TokenBudget
from pipeline.drafts import Judge, Model
from pipeline.ports import Writer
from pipeline.respond import Responder
from pipeline.values import (
    Answer,
    Audience,
    Brief,
    Finished,
    Format,
    Judgement,
    Limits,
    Options,
    Request,
    Retrieval,
    RetrievedChunk,
    Search,
    Sentence,
    Style,
    Support,
    Turn,
)
from pipeline.write.extract import ExtractiveWriter
from tests.doubles.llm.walk import EVERYBODY, NoHistory, Straight, Tally, passage

SAID = ("Full-time staff get 25 days of paid leave a year.", "Unused days of paid leave lapse in March.")
PASSAGES = [passage("c1", *SAID)]
QUESTION = "How many days of paid leave do full-time staff get a year?"


class Quoting:
    """A model that writes what the passage says, or `texts`, as soon as it is let."""

    def __init__(self, *texts: str) -> None:
        self._texts = texts or SAID

    async def write(
        self, brief: Brief, passages: Sequence[RetrievedChunk], history: Sequence[Turn] = ()
    ) -> AsyncIterator[Sentence | Finished]:
        for text in self._texts:
            await asyncio.sleep(0)
            yield Sentence(text=text, chunk_ids=("c1",))
        yield Finished()


class Wordless(Straight):
    """Searches slowly, and without its vectors."""

    async def retrieve(self, search: Search, audience: Audience) -> Retrieval:
        await asyncio.sleep(0.02)
        found = await super().retrieve(search, audience)
        return found.model_copy(update={"degraded": ("embedder",)})


@dataclass
class Doubting:
    """A judge that finds nothing, and counts what it was asked."""

    asked: list[str] = field(default_factory=list)

    async def review(
        self, sentence: Sentence, passages: Sequence[RetrievedChunk], *, question: str = "", header: str = ""
    ) -> tuple[Judgement, int]:
        self.asked.append(sentence.text)
        return Judgement(support=Support.REFUSED, score=0.5), 100


async def answered(
    request: Request,
    *,
    limits: Limits | None = None,
    judge: Judge | None = None,
    reviews: int = 8,
    model: Writer | None = None,
) -> tuple[Answer, list[str]]:
    """The answer, and what the operator was told."""
    told: list[str] = []
    wordless = Wordless(PASSAGES)
    budget = TokenBudget(Tally(), person=0, space=0, answer=1)
    responder = Responder(
        planner=wordless,
        retriever=wordless,
        extract=ExtractiveWriter(),
        model=Model(name="quoting", writer=model, budget=budget, judge=judge, reviews=reviews) if model else None,
        history=NoHistory(),
        options=Options(limits=limits or Limits()),
        report=lambda incident, error: told.append(str(error)),
        warn=lambda event, reason: told.append(f"{event}: {reason}"),
    )
    answer = [event async for event in responder.respond(request)][-1]
    assert isinstance(answer, Answer)
    return answer, told


def asking(**how: object) -> Request:
    return Request(text=QUESTION, audience=EVERYBODY, **how)


async def test_the_wait_for_the_first_sentence_counts_from_the_question() -> None:
    answer, told = await answered(asking(), limits=Limits(first_sentence_seconds=0.01), model=Quoting())
    assert answer.usage.writer == "extractive"
    assert "model_not_used: it took too long" in told


async def test_a_search_without_vectors_is_told_to_the_operator_and_noted_with_the_answer() -> None:
    answer, told = await answered(asking())
    assert told == ["search_degraded: embedder"]
    assert "search_degraded: embedder" in answer.usage.notes


@pytest.mark.parametrize(
    ("request_", "form"),
    [
        (asking(), Format.PROSE),
        (asking(format=Format.TABLE), Format.TABLE),
        (asking(style=Style.BULLET), Format.BULLETS),
    ],
    ids=["nothing", "a format", "a style"],
)
async def test_an_answer_names_the_form_that_was_asked_for(request_: Request, form: Format) -> None:
    answer, _ = await answered(request_)
    assert answer.format is form


async def test_a_judge_is_asked_about_no_more_sentences_than_tokens_are_set_aside_for() -> None:
    judge = Doubting()
    answer, _ = await answered(asking(), judge=judge, reviews=1, model=Quoting())
    assert judge.asked == [SAID[0]]
    assert [sentence.text for sentence in answer.sentences] == [SAID[1]]


async def test_a_few_letters_are_no_answer_of_a_model() -> None:
    answer, told = await answered(asking(), model=Quoting("Sure!"))
    assert "answer_too_short" in answer.safety_flags
    assert "model_not_used: its answer is too short" in told
    assert answer.usage.writer == "extractive"


async def test_a_short_fact_with_its_source_is_an_answer() -> None:
    answer, _ = await answered(asking(), model=Quoting("25 days."))
    assert answer.safety_flags == ()
    assert answer.body == "25 days. [1]"
