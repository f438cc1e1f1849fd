"""What a `Writer` promises, held by the one that asks a model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import pytest

from adapters.models.openai import OpenAIModel
from pipeline.check.word_check import judge_sentence
from pipeline.ports import Writer
from pipeline.values import (
    AdditionalPassages,
    AnswerFormat,
    AnswerStyle,
    DraftEnd,
    DraftSentence,
    Intent,
    Usage,
    WritingBrief,
    replace,
)
from pipeline.write.model_writer import ModelWriter
from pipeline.write.prompt_fitting import PromptFitter
from pipeline.write.prompts import PromptOptions
from tests.doubles.llm.faults import Act, Hollow, Reset, Status, Text
from tests.doubles.llm.server import LlmServer
from tests.doubles.llm.walk import passage

PASSAGES = [
    passage("c1", "Full-time staff get 25 days of paid leave a year.", "Unused days may be carried into March."),
    passage("c2", "Contractors get no paid leave from the company.", title="Contracts"),
    passage("c3", "Paid leave is requested in the people portal.", "Requests are answered within 2 days."),
]
BRIEF = WritingBrief(question="How many days of paid leave do full-time staff get a year?")
DRAFT = (
    "Full-time staff get 25 days of paid leave a year [1]. Unused days may be carried into March [1].\n\n"
    "- Contractors get no paid leave from the company [2].\n- Requests are answered within 2 days [3].\n"
)
RESTS_ON = [("c1",), ("c1",), ("c2",), ("c3",)]


@asynccontextmanager
async def opened(act: Act | None = None) -> AsyncIterator[Writer]:
    async with LlmServer(otherwise=lambda _: act or Text(DRAFT)).running() as server:
        model = OpenAIModel("m", key="k", base_url=f"{server.url}/v1")
        yield ModelWriter(PromptFitter(model, PromptOptions()))
        await model.close()


async def draft(writer: Writer, brief: WritingBrief = BRIEF) -> list[DraftSentence | AdditionalPassages | DraftEnd]:
    given, *drafted = [piece async for piece in writer.write(brief, PASSAGES, []) if not isinstance(piece, Usage)]
    assert isinstance(given, AdditionalPassages)
    assert all(passage in PASSAGES for passage in given.passages)
    return drafted


async def test_the_passages_come_first_then_the_sentences_and_one_complete_end_last() -> None:
    async with opened() as writer:
        *sentences, end = await draft(writer)
    assert sentences
    assert all(isinstance(piece, DraftSentence) for piece in sentences)
    assert isinstance(end, DraftEnd)
    assert end.is_complete


async def test_sentences_rest_on_the_passages_that_were_given() -> None:
    async with opened() as writer:
        drafted = [piece for piece in await draft(writer) if isinstance(piece, DraftSentence)]
    assert [sentence.chunk_ids for sentence in drafted] == RESTS_ON
    assert all(judge_sentence(sentence, PASSAGES).is_supported for sentence in drafted)


@pytest.mark.parametrize("form", list(AnswerFormat))
@pytest.mark.parametrize("style", list(AnswerStyle))
async def test_every_format_and_style_gives_a_draft(form: AnswerFormat, style: AnswerStyle) -> None:
    async with opened() as writer:
        *sentences, end = await draft(writer, replace(BRIEF, format=form, style=style))
    assert [sentence.chunk_ids for sentence in sentences if isinstance(sentence, DraftSentence)] == RESTS_ON
    assert isinstance(end, DraftEnd)


@pytest.mark.parametrize("intent", list(Intent))
async def test_every_intent_gives_a_draft(intent: Intent) -> None:
    brief = replace(BRIEF, intent=intent, sides=("staff", "contractors"), queries=("a", "b"))
    async with opened() as writer:
        assert [piece.chunk_ids for piece in await draft(writer, brief) if isinstance(piece, DraftSentence)] == RESTS_ON


@pytest.mark.parametrize("longest", [10, 30, 60])
async def test_a_draft_of_several_sentences_is_at_most_twice_as_long_as_was_asked_for(longest: int) -> None:
    async with opened() as writer:
        pieces = await draft(writer, replace(BRIEF, max_length=longest))
    sentences = [piece for piece in pieces if isinstance(piece, DraftSentence)]
    assert len(sentences) == 1 or sum(len(sentence.text) for sentence in sentences) <= 2 * longest


async def test_no_text_is_a_list_marker_a_fence_or_a_citation_mark() -> None:
    async with opened() as writer:
        drafted = [piece for piece in await draft(writer) if isinstance(piece, DraftSentence)]
    for sentence in drafted:
        assert not sentence.text.startswith(("- ", "* ", "|", "```"))
        assert "[1]" not in sentence.text


async def test_the_same_brief_gives_the_same_draft_while_others_are_written() -> None:
    async with opened() as writer:
        drafts = await asyncio.gather(*(draft(writer) for _ in range(8)))
    assert all(other == drafts[0] for other in drafts)


async def test_a_draft_can_be_left_at_any_sentence() -> None:
    async with opened() as writer, aclosing(writer.write(BRIEF, PASSAGES, [])) as pieces:
        assert isinstance(await anext(pieces), AdditionalPassages)
        assert await anext(piece async for piece in pieces if isinstance(piece, DraftSentence))


REFUSED = [DraftSentence(text="Contractors get 12 days.", chunk_ids=("c2",)), DraftSentence(text="The moon pays.")]
AGAIN = Text(json.dumps({"sentences": [{"number": 0, "text": "Contractors get no paid leave from the company [2]."}]}))


async def test_a_sentence_that_does_not_stand_is_written_again_under_its_number_or_left_out() -> None:
    async with opened(AGAIN) as writer:
        again, tokens = await writer.rewrite(BRIEF, PASSAGES, [], REFUSED, {0: "12 is not there", 1: "not there"})
    assert list(again) == [0]
    assert judge_sentence(again[0], PASSAGES).is_supported
    assert tokens > 0


@pytest.mark.parametrize("act", [Status(500), Reset(), Hollow("choices"), Text("no JSON")], ids=repr)
async def test_a_writer_that_cannot_write_again_leaves_out_all(act: Act) -> None:
    async with opened(act) as writer:
        again, _ = await writer.rewrite(BRIEF, PASSAGES, [], REFUSED, {0: "12 is not there"})
    assert again == {}
