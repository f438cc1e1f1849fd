"""What is said among people, and when an answer is worth breaking in with."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from pipeline.auto_answers import parse_mute_command, suppress_unhelpful
from pipeline.ports import answer_stream
from pipeline.values import (
    Answer,
    AnswerEvent,
    AnswerOutcome,
    AnswerRequest,
    AnswerStage,
    Audience,
    AutoAnswerPolicy,
    Confidence,
    ConfidenceLevel,
    PlaceId,
    ProgressEvent,
    SpellingCorrection,
    Usage,
    replace,
)
from tests.contracts.answers import broken, cited, not_found

NOBODYS = Audience(collections=frozenset())
ASKED = "how many days of annual leave do part-timers get"


@pytest.mark.parametrize(
    ("text", "away"),
    [
        ("Stop!", True),
        ("start", False),
        ("stop the worker", None),
        ("", None),
        ("¡Para!", True),
        ("再開", False),
    ],
)
def test_one_word_alone_sends_the_bot_away_or_calls_it_back(text: str, away: bool | None) -> None:
    assert parse_mute_command(text) is away


async def said(text: str, answer: Answer) -> Answer:
    @answer_stream
    async def events() -> AsyncGenerator[AnswerEvent, None]:
        yield ProgressEvent(stage=AnswerStage.SEARCHING)
        yield answer

    stream = suppress_unhelpful(AnswerRequest(text=text, audience=NOBODYS), events())
    assert [event async for event in stream] == []
    return await stream.answer()


@pytest.mark.parametrize("text", ["show all", "Show all.", "<@U1> alles zeigen"])
async def test_who_wants_all_of_a_list_that_was_cut_gets_it(text: str) -> None:
    answer = replace(cited("Step 60."), confidence=Confidence(level=ConfidenceLevel.LOW, score=0.3, reasons=()))
    assert await said(text, answer) == answer


async def test_an_answer_that_is_sure_and_about_what_is_named_is_said_alone() -> None:
    answer = cited("Part-timers get 15 days of annual leave.")
    assert await said(ASKED, answer) == answer


@pytest.mark.parametrize(
    "answer",
    [
        cited("Part-timers get 15 days of annual leave.", confidence=Confidence(level=ConfidenceLevel.LOW, score=0.59)),
        cited("Desks are booked for a week.", citations=[replace(cited("x").citations[0], quote="Desks.")]),
        not_found(),
        broken(),
    ],
)
async def test_an_answer_that_is_unsure_or_about_something_else_is_kept_back(answer: Answer) -> None:
    assert (await said("how are desks shared on full moon nights", answer)).outcome is AnswerOutcome.SILENT


@pytest.mark.parametrize(
    ("asked", "worth"),
    [
        ("how many of them", False),
        ("do part-timers get leave", True),
        ("do part-timers get annual leave and desks", True),
        ("do part-timers get leave, a desk and lunch", False),
    ],
)
async def test_an_unsure_answer_is_said_where_most_of_what_is_named_is_cited(asked: str, worth: bool) -> None:
    answer = cited("Part-timers get 15 days of annual leave.", confidence=LOW)
    assert ((await said(asked, answer)) == answer) is worth


async def test_words_count_as_they_were_understood() -> None:
    answer = cited("Part-timers get 15 days of annual leave.")
    slip = replace(answer, corrections=(SpellingCorrection(word="leaf", meant="leave"),))
    assert (await said("is leaf paid", answer)).outcome is AnswerOutcome.SILENT
    assert await said("is leaf paid", slip) == slip


LOW = Confidence(level=ConfidenceLevel.LOW, score=0.3)
MEDIUM = Confidence(level=ConfidenceLevel.MEDIUM, score=0.6)


@pytest.mark.parametrize(
    ("answer", "rated", "told"),
    [
        (cited("25 days.", confidence=MEDIUM), (), True),
        (cited("25 days."), ("chunk-2",), True),
        (cited("25 days.", confidence=LOW), (), False),
        (cited("25 days.", outcome=AnswerOutcome.PARTIAL), (), False),
        (cited("25 days."), ("chunk-1", "chunk-2"), False),
        (not_found(), (), False),
        (broken(), (), False),
    ],
)
async def test_whoever_waits_is_told_a_whole_and_sure_answer_that_rests_on_something_new(
    answer: Answer, rated: tuple[str, ...], told: bool
) -> None:
    @answer_stream
    async def events() -> AsyncGenerator[AnswerEvent, None]:
        yield ProgressEvent(stage=AnswerStage.SEARCHING)
        yield answer

    request = AnswerRequest(text="leave", audience=NOBODYS, is_unprompted=True, known_chunk_ids=frozenset(rated))
    only = await suppress_unhelpful(request, events()).answer()
    assert (only == answer) is told
    assert told or only.outcome is AnswerOutcome.SILENT


@pytest.mark.parametrize(
    ("answer", "hindered"),
    [
        (not_found(), False),
        (broken(), True),
        (replace(not_found(), usage=Usage(hindered=True)), True),
    ],
    ids=["the documents lack it", "it came to grief", "something did not work"],
)
async def test_that_nothing_is_told_tells_whether_that_may_be_for_a_technical_reason(
    answer: Answer, hindered: bool
) -> None:
    @answer_stream
    async def events() -> AsyncGenerator[AnswerEvent, None]:
        yield answer

    request = AnswerRequest(text="leave", audience=NOBODYS, is_unprompted=True, known_chunk_ids=frozenset())
    only = await suppress_unhelpful(request, events()).answer()
    assert (only.outcome, only.usage.hindered) == (AnswerOutcome.SILENT, hindered)


async def test_what_only_comes_close_is_for_whoever_said_that_alone_where_it_has_most_of_what_they_name() -> None:
    near = not_found(ASKED)
    told = f"{near.nearest[0].title} {near.nearest[0].quote}"
    assert "annual leave" in told
    assert (await said("how many days of annual leave", near)).alone
    assert (await said("how many desks are shared on full moon nights", near)).outcome is AnswerOutcome.SILENT
    assert not (await said("how many days of annual leave", cited("There are 30 days of annual leave."))).alone


async def test_what_asks_nothing_gets_nothing_alone_either() -> None:
    assert (await said("I had 30 days of annual leave", not_found())).outcome is AnswerOutcome.SILENT


async def test_what_begins_a_conversation_gets_nothing_alone() -> None:
    @answer_stream
    async def events() -> AsyncGenerator[AnswerEvent, None]:
        yield not_found(ASKED)

    place = PlaceId(platform="slack", space="T1", channel="C1")
    auto = AutoAnswerPolicy(place=place, minimum_level=ConfidenceLevel.MEDIUM, per_hour=20)
    request = AnswerRequest(text="how many days of annual leave", audience=NOBODYS, auto=auto)
    only = await suppress_unhelpful(request, events()).answer()
    assert only.outcome is AnswerOutcome.SILENT
