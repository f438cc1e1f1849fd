"""The model-backed writer: sentences from a stream, and an honest end."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing

import pytest

from pipeline.errors import CitewellError, Unavailable, UnusableResponse
from pipeline.ports import ChatMessage, StreamEnd, T, TextDelta, Tool, ToolCall
from pipeline.values import (
    AdditionalPassages,
    BlockKind,
    Chunk,
    Document,
    DraftEnd,
    DraftSentence,
    RetrievedChunk,
    Usage,
    WritingBrief,
    replace,
)
from pipeline.values.model_capacity import UNKNOWN_CAPACITY
from pipeline.write.draft_failures import NOT_IN_DOCUMENTS
from pipeline.write.model_writer import ModelWriter
from pipeline.write.prompt_fitting import PromptFitter
from pipeline.write.prompts import PromptOptions

BRIEF = WritingBrief(question="How much leave do contractors get, and who pays?")
PASSAGES = [
    RetrievedChunk(
        chunk=Chunk(id=f"c{n}", document_id="d", text=text, units=()),
        document=Document(id="d", filename="d.md", title="Leave"),
        score=0.9,
    )
    for n, text in enumerate(["Staff get 25 days.", "Contractors get none."], start=1)
]


class ScriptedModel:
    """Streams what it is given, fills in `again`, and remembers what it was asked and whether it was closed."""

    capacity = UNKNOWN_CAPACITY

    name = "scripted:m"

    def __init__(self, *pieces: str | StreamEnd, again: str | CitewellError = "") -> None:
        self.pieces = pieces
        self.again = again
        self.closed = False
        self.asked: list[Sequence[ChatMessage]] = []
        self.offered: list[Sequence[Tool]] = []

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | ToolCall | StreamEnd, None]:
        self.asked.append(messages)
        self.offered.append(tools)
        try:
            for piece in self.pieces:
                yield TextDelta(text=piece) if isinstance(piece, str) else piece
        finally:
            self.closed = True

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        self.asked.append(messages)
        if isinstance(self.again, CitewellError):
            raise self.again
        return into.model_validate_json(self.again), Usage(input_tokens=200, output_tokens=40)

    async def connect(self) -> None: ...

    async def close(self) -> None: ...


DAYS = ("2024-05-02", "2026-03-01")
STOP = StreamEnd(reason="stop", input_tokens=90, output_tokens=12)


async def written(
    *pieces: str | StreamEnd, brief: WritingBrief = BRIEF
) -> list[DraftSentence | AdditionalPassages | DraftEnd]:
    writer = ModelWriter(PromptFitter(ScriptedModel(*pieces), PromptOptions(), make_nonce=lambda _: "feedc0de"))
    given, *drafted = [piece async for piece in writer.write(brief, PASSAGES, []) if not isinstance(piece, Usage)]
    assert given == AdditionalPassages(passages=tuple(PASSAGES))
    return drafted


async def test_numbers_become_chunk_ids_and_unknown_ones_nothing() -> None:
    *sentences, end = await written(
        "Staff get 25 days [1]. Contractors get none [2][7]. The moon pays [9]. So there.", STOP
    )
    assert [(s.text, s.chunk_ids) for s in sentences if isinstance(s, DraftSentence)] == [
        ("Staff get 25 days.", ("c1",)),
        ("Contractors get none.", ("c2",)),
        ("The moon pays.", ()),
        ("So there.", ()),
    ]
    assert isinstance(end, DraftEnd)
    assert end.is_complete


async def test_the_day_in_front_of_a_sentence_is_its_documents_or_stays_where_it_is() -> None:
    dated = [replace(one, document=_of(one, day)) for one, day in zip(PASSAGES, DAYS, strict=True)]
    writer = ModelWriter(
        PromptFitter(
            ScriptedModel(f"As of {DAYS[1]}: Staff get 25 days [2]. As of {DAYS[1]}: Staff get 20 days [1].", STOP),
            PromptOptions(),
        )
    )
    said = [one async for one in writer.write(BRIEF, dated, []) if isinstance(one, DraftSentence)]
    assert [(one.as_of, one.text) for one in said] == [
        (DAYS[1], "Staff get 25 days."),
        ("", f"As of {DAYS[1]}: Staff get 20 days."),
    ]


def _of(passage: RetrievedChunk, day: str) -> Document:
    return replace(passage.document, metadata={"updated": day})


async def test_usage_is_the_providers_and_estimated_where_it_gives_none() -> None:
    [_, counted] = await written("Staff get 25 days [1].", STOP)
    [_, estimated] = await written("Staff get 25 days [1].", StreamEnd(reason="stop"))
    assert isinstance(counted, DraftEnd)
    assert isinstance(estimated, DraftEnd)
    assert (counted.usage.writer, counted.usage.input_tokens, counted.usage.output_tokens) == ("scripted:m", 90, 12)
    assert estimated.usage.input_tokens > 100
    assert estimated.usage.output_tokens > 4


async def test_the_usage_so_far_is_told_from_the_first_piece_on_and_grows_with_the_text() -> None:
    model = ScriptedModel("Staff get 25 days [1]. ", "Contractors get none [2].", STOP)
    pieces = [piece async for piece in ModelWriter(PromptFitter(model, PromptOptions())).write(BRIEF, PASSAGES, [])]
    first, second, last = [piece for piece in pieces if isinstance(piece, Usage)]
    assert first.input_tokens == second.input_tokens > 100
    assert 0 < first.output_tokens < second.output_tokens
    assert (last.input_tokens, last.output_tokens) == (90, 12)


@pytest.mark.parametrize("reason", ["length", "content_filter", ""])
async def test_a_stream_that_did_not_stop_by_itself_is_not_complete_and_loses_its_last_words(reason: str) -> None:
    first, end = await written("Staff get 25 days [1]. Contractors get no", StreamEnd(reason=reason))
    assert isinstance(first, DraftSentence)
    assert isinstance(end, DraftEnd)
    assert (first.text, end.is_complete, end.reason) == ("Staff get 25 days.", False, reason or "cut off")


async def test_a_stream_without_an_end_is_cut_off() -> None:
    [end] = await written("Contractors get no")
    assert isinstance(end, DraftEnd)
    assert (end.is_complete, end.reason) == (False, "cut off")


async def test_no_answer_in_the_documents_is_a_complete_end_with_its_reason() -> None:
    [end] = await written("NOT_IN_DOCUMENTS", STOP)
    assert isinstance(end, DraftEnd)
    assert (end.is_complete, end.reason) == (True, NOT_IN_DOCUMENTS)


async def test_the_missing_part_is_kept_when_it_is_said_in_the_questions_words() -> None:
    [_, end] = await written("Contractors get none [2].\nNOT_IN_DOCUMENTS: who pays", STOP)
    [_, forged] = await written("Contractors get none [2].\nNOT_IN_DOCUMENTS: who pays, see evil.example", STOP)
    assert isinstance(end, DraftEnd)
    assert isinstance(forged, DraftEnd)
    assert end.missing == ("who pays",)
    assert forged.missing == ()


@pytest.mark.parametrize("nothing", ["", " \n\n ", "[1]", "---", "<<<>>>"])
async def test_a_reply_without_a_sentence_is_unusable(nothing: str) -> None:
    with pytest.raises(UnusableResponse):
        await written(nothing, STOP)


async def test_a_sentence_that_repeats_the_prompts_mark_is_left_out() -> None:
    *sentences, _ = await written("The mark is feedc0de [1]. Staff get 25 days [1].", STOP)
    assert [s.text for s in sentences if isinstance(s, DraftSentence)] == ["Staff get 25 days."]


@pytest.mark.parametrize(
    "trick", ["see https://evil.example/?q=25", "[here](https://evil.example)", "ask <!channel>", "or bob@evil.example"]
)
async def test_a_sentence_with_an_address_that_no_passage_has_is_left_out(trick: str) -> None:
    *sentences, _ = await written(f"Staff get 25 days, {trick} [1]. Contractors get none [2].", STOP)
    assert [s.text for s in sentences if isinstance(s, DraftSentence)] == ["Contractors get none."]


async def test_the_draft_ends_at_the_sentence_with_which_it_would_be_twice_as_long_as_was_asked_for() -> None:
    brief = replace(BRIEF, max_length=18)
    first, end = await written("Staff get 25 days [1]. Contractors get none [2].", STOP, brief=brief)
    assert isinstance(first, DraftSentence)
    assert isinstance(end, DraftEnd)
    assert (first.text, end.is_complete, end.reason) == ("Staff get 25 days.", True, "max_length")


async def test_a_reader_that_stops_reading_closes_the_models_stream() -> None:
    model = ScriptedModel("Staff get 25 days [1]. ", "Contractors get none [2].", STOP)
    stream = ModelWriter(PromptFitter(model, PromptOptions())).write(BRIEF, PASSAGES, [])
    async with aclosing(stream):  # type: ignore[type-var]
        await anext(stream)
        await anext(stream)
    assert model.closed


async def test_the_mark_is_the_same_for_the_same_prompt_alone_and_nobody_outside_can_tell_it() -> None:
    marks: list[str] = []
    for _ in range(2):
        model = ScriptedModel("Staff get 25 days [1].", STOP)
        writer = ModelWriter(PromptFitter(model, PromptOptions()))
        for question in ("Who pays?", "Who pays?", "Who asks?"):
            _ = [piece async for piece in writer.write(WritingBrief(question=question), PASSAGES, [])]
        marks += [messages[1].content.split("\n")[0] for messages in model.asked]
    assert marks[0] == marks[1]
    assert marks[3] == marks[4]
    assert len({marks[0], marks[2], marks[3], marks[5]}) == 4


async def nothing_else(text: str) -> Sequence[RetrievedChunk]:
    return []


@pytest.mark.parametrize("tokens", [12_000, 2000])
async def test_a_search_is_offered_and_the_passages_have_room_beside_it(tokens: int) -> None:
    model = ScriptedModel("Staff get 25 days [1].", STOP)
    writer = ModelWriter(PromptFitter(model, PromptOptions(context_tokens=tokens)))
    given, first, *_ = [piece async for piece in writer.write(BRIEF, PASSAGES, [], nothing_else)]
    assert given == AdditionalPassages(passages=tuple(PASSAGES))
    assert isinstance(first, DraftSentence)
    assert first.chunk_ids == ("c1",)
    assert [tool.name for tool in model.offered[0]] == ["search"]


DRAFT = [
    DraftSentence(text="Staff get 25 days.", chunk_ids=("c1",)),
    DraftSentence(text="Contractors get 12 days.", kind=BlockKind.ITEM, chunk_ids=("c1",), opens=True),
    DraftSentence(text="Interns get none either.", chunk_ids=("c2",)),
]
REFUSED = {1: "12 is not in the passages", 2: "the passages do not say it"}


def again(*sentences: tuple[int, str]) -> str:
    return json.dumps({"sentences": [{"number": number, "text": text} for number, text in sentences]})


async def rewritten(reply: str | CitewellError) -> tuple[Mapping[int, DraftSentence], int, ScriptedModel]:
    model = ScriptedModel(again=reply)
    writer = ModelWriter(PromptFitter(model, PromptOptions(), make_nonce=lambda _: "feedc0de"))
    return *await writer.rewrite(BRIEF, PASSAGES, [], DRAFT, REFUSED), model


async def test_a_sentence_that_is_written_again_stands_for_the_one_that_was_refused() -> None:
    found, tokens, _ = await rewritten(again((1, "Contractors get none [2]."), (2, "")))
    item = DraftSentence(text="Contractors get none.", kind=BlockKind.ITEM, chunk_ids=("c2",), opens=True)
    assert (found, tokens) == ({1: item}, 240)


async def test_a_model_that_writes_again_reads_its_draft_and_why_each_sentence_does_not_stand() -> None:
    _, _, model = await rewritten(again())
    system, user, said, asked = model.asked[0]
    assert [message.role for message in (system, user, said, asked)] == ["system", "user", "assistant", "user"]
    assert "<passage-feedc0de 2>" in user.content
    assert DRAFT[0].text in said.content
    for number, reason in REFUSED.items():
        assert f"<claim-feedc0de> {number}: {reason}\n{DRAFT[number].text}\n</claim-feedc0de>" in asked.content
    assert DRAFT[0].text not in asked.content


@pytest.mark.parametrize(
    "reply",
    [
        again((0, "Contractors get none [2].")),
        again((7, "Contractors get none [2].")),
        again((1, "Contractors get none [2], see https://evil.example.")),
        again((1, "The mark is feedc0de [1].")),
        again((1, " [2] ")),
    ],
    ids=["of one that stands", "of none", "an address", "the mark", "nothing"],
)
async def test_what_is_written_again_for_nothing_or_with_what_may_not_be_said_is_left_out(reply: str) -> None:
    found, tokens, _ = await rewritten(reply)
    assert (found, tokens) == ({}, 240)


async def test_a_model_that_does_not_write_again_costs_what_it_may_have_used() -> None:
    found, tokens, _ = await rewritten(Unavailable("scripted:m", "down"))
    assert (found, tokens) == ({}, 0)
    found, tokens, _ = await rewritten(UnusableResponse("scripted:m: no JSON"))
    assert found == {}
    assert tokens > 300
