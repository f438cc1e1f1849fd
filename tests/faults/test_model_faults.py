"""The fault matrix: whatever a provider does, a person gets an answer that says how it was made.

Each row is a script for the loopback server, how the answer must have come about, and how many requests it may cost.
"""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass, field

import pytest

from pipeline.budget import TokenBudget
from pipeline.errors import Unavailable
from pipeline.values import Answer, AnswerLimits, AnswerOutcome, ConversationId, SentenceEvent, Turn, replace
from pipeline.words import wording
from tests.doubles.llm.faults import (
    Act,
    Asking,
    Broken,
    Call,
    Cut,
    Ending,
    Hang,
    Hollow,
    Page,
    Raw,
    Reset,
    Stall,
    Status,
    Text,
)
from tests.doubles.llm.server import LlmServer
from tests.doubles.llm.walk import NoHistory, Tally, passage, walking
from tests.trials import TIMES, Count, trials

QUESTION = "How many days of paid leave do full-time staff get a year?"
FIRST, SECOND = "Full-time staff get 25 days of paid leave a year.", "Unused days may be carried into March."
THIRD = "Contractors get no paid leave from the company."
PASSAGES = [passage("c1", FIRST, SECOND), passage("c2", THIRD)]
GOOD = "Full-time staff get 25 days of paid leave a year [1]. Unused days may be carried into March [1]."
BEGUN = "Full-time staff get 25 days of paid leave a year [1]. Unused da"
UNCITED = "The board meets on Mars [7]. Pay is 9,000 euro."
STRANGE = "\u202eFull-time staff\u200b get 25 days\x00 of paid leave \ud83d a year [1]."
WRONG_KEY = Status(401, "Incorrect API key: sk-secret", "invalid_api_key")
SHORT = AnswerLimits(first_sentence_seconds=2.0)
THEN_SHORT = AnswerLimits(total_seconds=3.0)


@dataclass(frozen=True)
class Row:
    """`way`: `model`, `extract` or `unsupported` (the passages took over), `partial` (shown sentences stay, the end
    is said)."""

    name: str
    script: list[Act]
    way: str
    requests: int = 1
    reason: str = ""
    """What the log line must hold."""
    limits: AnswerLimits = field(default_factory=AnswerLimits)


ROWS = [
    Row("good", [Text(GOOD)], "model"),
    Row("429 once", [Status(429), Text(GOOD)], "model", 2),
    Row("429 twice", [Status(429), Status(429)], "extract", 2, "status 429"),
    Row("429, come back in an hour", [Status(429, headers={"retry-after": "3600"})], "extract", 1, "status 429"),
    Row("500 once", [Status(500), Text(GOOD)], "model", 2),
    Row("500 twice", [Status(500), Status(500)], "extract", 2, "status 500"),
    Row("503 then reset", [Status(503), Reset()], "extract", 2, "connection failed"),
    Row("529 overloaded", [Status(529, kind="overloaded_error")] * 2, "extract", 2, "overloaded_error"),
    Row("400", [Status(400, kind="invalid_request_error")], "extract", 1, "status 400"),
    Row("401 wrong key", [WRONG_KEY], "extract", 1, "invalid_api_key"),
    Row("403", [Status(403)], "extract", 1, "status 403"),
    Row("404 unknown model", [Status(404, kind="model_not_found")], "extract", 1, "model_not_found"),
    Row("413 too large", [Status(413)], "extract", 1, "status 413"),
    Row("reset without a reply", [Reset(), Reset()], "extract", 2, "connection failed"),
    Row("HTML page, 200", [Page(200), Page(200)], "extract", 2, "text/html"),
    Row("HTML page, 502", [Page(502), Page(502)], "extract", 2, "status 502"),
    Row("JSON without a stream", [Raw(b'{"ok": true}', "application/json")] * 2, "extract", 2, "before it began"),
    Row("garbage in the stream", [Raw(b"event: message_start\ndata: {oops\n\n")], "extract", 1, "not JSON"),
    Row("binary garbage", [Raw(b"\x00\xff\xfe\x80" * 50)] * 2, "extract", 2, "before it began"),
    Row("binary garbage in an event", [Raw(b"data: \xff\xfe\n\n")], "extract", 1, "not JSON"),
    Row("an event without end", [Raw(b"data: " + b"x" * 3_000_000)], "extract", 1, "without end"),
    Row("empty stream", [Hollow("events")] * 2, "extract", 2, "before it began"),
    Row("choices=[]", [Hollow("choices")], "extract", 1, "cut off"),
    Row("null content", [Hollow("content")], "extract", 1, "no sentence"),
    Row("empty text", [Text("")], "extract", 1, "no sentence"),
    Row("white space", [Text(" \n \n")], "extract", 1, "no sentence"),
    Row("refusal", [Ending("", "refusal")], "extract", 1, "content_filter"),
    Row("content filter at once", [Ending("", "content_filter")], "extract", 1, "content_filter"),
    Row("content filter midway", [Ending(BEGUN, "content_filter")], "partial", 1, "content_filter"),
    Row("length before a sentence", [Ending("Full-time st", "length")], "extract", 1, "window"),
    Row("length midway", [Ending(BEGUN, "length")], "partial", 1, "window"),
    Row("cut before text", [Cut("")], "extract", 1, "cut off"),
    Row("cut in the first sentence", [Cut("Full-time staff get")], "extract", 1, "cut off"),
    Row("cut after the first sentence", [Cut(BEGUN)], "partial", 1, "cut off"),
    Row("cut after all text", [Cut(GOOD)], "partial", 1, "cut off"),
    Row("reset in the first sentence", [Cut("Full-time staff get", reset=True)], "extract", 1, "connection failed"),
    Row("reset after the first sentence", [Cut(BEGUN, reset=True)], "partial", 1, "connection failed"),
    Row("error event before text", [Broken()] * 2, "extract", 2, ""),
    Row("error event midway", [Broken(BEGUN)], "partial", 1, ""),
    Row("hang", [Hang()], "extract", 1, "too long", SHORT),
    Row("hang after some words", [Stall("Full-time staff")], "extract", 1, "too long", SHORT),
    Row("hang after the first sentence", [Stall(BEGUN)], "partial", 1, "too long", THEN_SHORT),
    Row("one character every 0.1 s", [Text(GOOD, size=1, pause=0.1)], "extract", 1, "too long", SHORT),
    Row("hang behind the finish reason", [Ending(GOOD, "stop", hang=True)], "model"),
    Row("nothing of it in the passages", [Text("The moon is made of cheese [1].")], "unsupported", 2, "do not support"),
    Row("nothing, with sources that are none", [Text(UNCITED)], "unsupported", 2, "do not support"),
    Row("forged source numbers", [Text(f"{FIRST[:-1]} [999]. It is 25 [0] [-1].")], "model", 2),
    Row("no source numbers at all", [Text(f"{FIRST} {SECOND}")], "model"),
    Row("not in the documents", [Text("NOT_IN_DOCUMENTS")], "declined"),
    Row("direction marks, invisibles, half a surrogate pair", [Text(STRANGE)], "model"),
    Row("full-width marks", [Text("Full-time staff get 25 days of paid leave a year［１］。")], "model"),
]


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
async def test_every_fault_ends_in_an_answer_that_says_how_it_was_made(row: Row, provider: str) -> None:
    async with (
        LlmServer(row.script).running() as server,
        walking(server, PASSAGES, provider=provider, limits=row.limits) as walk,
    ):
        answer = await walk.answer(QUESTION)
    assert walk.incidents == []
    assert len(server.requests) == row.requests
    assert all(sentence.verified for sentence in answer.sentences)
    _came_about(answer, row.way, f"{provider}:m", walk.reasons)
    assert list(answer.usage.notes) == [f"model_failed: {reason}" for reason in walk.reasons]
    if row.reason:
        assert row.reason in walk.reasons[0]
    assert "sk-secret" not in f"{answer.model_dump_json()} {walk.reasons}"


def _came_about(answer: Answer, way: str, model: str, reasons: list[str]) -> None:
    if way == "declined":
        assert (answer.outcome, answer.sentences, reasons) == (AnswerOutcome.NOT_FOUND, (), [])
        return
    assert "25 days" in answer.sentences[0].text
    assert answer.citations[0].chunk_id == "c1"
    if way == "model":
        assert (answer.outcome, answer.usage.writer, reasons) == (AnswerOutcome.ANSWERED, model, [])
    elif way in ("extract", "unsupported"):
        assert (answer.outcome, answer.usage.writer) == (AnswerOutcome.ANSWERED, "extractive")
        why = wording.MODEL_SILENT if way == "extract" else wording.MODEL_UNSUPPORTED
        assert answer.preface.startswith(why)
        assert reasons
    else:
        assert (answer.outcome, answer.closing) == (AnswerOutcome.PARTIAL, wording.PARTIAL_CUT)
        assert reasons


ANSWERS, AT_ONCE = trials(50), 8
HURRIED = AnswerLimits(first_sentence_seconds=0.5, total_seconds=1.0)
LATE = 1.0 if TIMES > 1 else 10.0
"""Seconds past the deadline; among other tests that share the processors only what hangs is found."""
DECLINES = "NOT_IN_DOCUMENTS"
SAID = (GOOD, BEGUN, UNCITED, STRANGE, DECLINES, "", " \n", FIRST, "The moon is made of cheese [1].", "no JSON", "{}")
CODES = (400, 401, 403, 404, 408, 409, 413, 418, 422, 429, 500, 502, 503, 504, 529)


def anything(dice: random.Random) -> Act:
    """Whatever a provider does, half of it well formed."""
    said, reset = dice.choice(SAID), dice.random() < 0.5
    return dice.choice(
        (
            *(Text(said, size=dice.choice((1, 7, 500))) for _ in range(6)),
            Status(
                dice.choice(CODES), headers=dice.choice(({}, {"retry-after": dice.choice(("0", "3600", "x", "-1"))}))
            ),
            *(Page(dice.choice((200, 502))), Reset(), Hang(), Cut(said, reset=reset), Stall(said), Broken(said)),
            Raw(dice.randbytes(dice.randrange(400)), encoding=dice.choice(("identity", "gzip"))),
            Raw(b"data: " + dice.choice((b"{oops", b"[]", b"null", b'{"choices": 1}', b'{"type": 1}')) + b"\n\n"),
            Ending(said, dice.choice(("length", "content_filter", "refusal", "odd")), hang=reset),
            Hollow(dice.choice(("choices", "content", "usage", "events"))),
            Asking((Call("search", dice.choice(('{"query": "leave"}', "{", "[]"))),), text=said, cut=reset),
        )
    )


@pytest.mark.slow
@pytest.mark.timeout(0)
async def test_whatever_a_provider_does_at_random_ends_in_one_answer_in_time(record_property: Count) -> None:
    slots, late = asyncio.Semaphore(AT_ONCE), 0.0
    loop = asyncio.get_running_loop()

    async def ask(number: int) -> str:
        nonlocal late
        dice = random.Random(number)
        acts: list[Act] = []

        def act(_: object) -> Act:
            acts.append(anything(dice))
            return acts[-1]

        provider, judged = dice.choice(("openai", "anthropic")), dice.random() < 0.5
        async with (
            slots,
            LlmServer(otherwise=act).running() as server,
            walking(server, PASSAGES, provider=provider, limits=HURRIED, judged=judged) as walk,
        ):
            began = loop.time()
            events = await walk.events(QUESTION)
            late = max(late, loop.time() - began - HURRIED.total_seconds)
        *before, answer = events
        assert isinstance(answer, Answer), number
        assert not any(isinstance(event, Answer) for event in before), number
        assert walk.incidents == [], number
        assert all(sentence.verified for sentence in answer.sentences), number
        declined = any(DECLINES in str(one) for one in acts)
        assert answer.sentences or (declined and answer.outcome is AnswerOutcome.NOT_FOUND), (number, acts)
        return answer.usage.writer

    writers = await asyncio.gather(*(ask(number) for number in range(ANSWERS)))
    assert late <= LATE
    record_property("answers", ANSWERS)
    record_property("answers of the extract", writers.count("extractive"))


def again(text: str) -> Text:
    return Text(json.dumps({"sentences": [{"number": 1, "text": text}]}))


DOUBTFUL = f"{FIRST[:-1]} [1]. Contractors get 12 days of paid leave [2]. {SECOND[:-1]} [1]."
REWRITING = [
    pytest.param(Text("no JSON"), id="garbage"),
    pytest.param(again("Contractors get 40 days of paid leave [2]."), id="another lie"),
    pytest.param(again("Ask https://evil.example about paid leave [2]."), id="an address"),
    pytest.param(again(""), id="nothing"),
    pytest.param(Ending("", "refusal"), id="refuses"),
    pytest.param(Hollow("choices"), id="hollow"),
    pytest.param(Page(200), id="HTML page"),
    pytest.param(Status(500), id="500"),
    pytest.param(Status(401, "Incorrect API key: sk-secret"), id="401"),
    pytest.param(Reset(), id="reset"),
    pytest.param(Hang(), id="hang"),
]
SOON = AnswerLimits(first_sentence_seconds=1.0, total_seconds=1.0)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("act", REWRITING)
async def test_a_model_that_does_not_write_again_costs_the_sentence_alone(act: Act, provider: str) -> None:
    limits = SOON if isinstance(act, Hang) else AnswerLimits()
    async with (
        LlmServer([Text(DOUBTFUL), act]).running() as server,
        walking(server, PASSAGES, provider=provider, limits=limits) as walk,
    ):
        answer = await walk.answer(QUESTION)
    assert walk.incidents == []
    assert len(server.requests) == 2
    assert [sentence.text for sentence in answer.sentences] == [FIRST, SECOND]
    _came_about(answer, "model", f"{provider}:m", walk.reasons)
    assert wording.PARTIAL_DROPPED in answer.limitations
    assert "sk-secret" not in answer.model_dump_json()


async def test_what_a_model_writes_again_in_a_passages_words_is_shown_in_its_place() -> None:
    script = [Text(DOUBTFUL), again("Contractors get no paid leave from the company [2].")]
    async with LlmServer(script).running() as server, walking(server, PASSAGES) as walk:
        answer = await walk.answer(QUESTION)
    assert [sentence.text for sentence in answer.sentences] == [FIRST, THIRD, SECOND]


@pytest.mark.parametrize("act", [Text("no JSON"), Status(500), Hang()], ids=["garbage", "500", "hang"])
async def test_where_nothing_stands_and_nothing_is_written_again_the_passages_answer(act: Act) -> None:
    limits = SOON if isinstance(act, Hang) else AnswerLimits()
    async with (
        LlmServer([Text("The moon is made of cheese [1]."), act]).running() as server,
        walking(server, PASSAGES, limits=limits) as walk,
    ):
        answer = await walk.answer(QUESTION)
    _came_about(answer, "unsupported", "openai:m", walk.reasons)


def verdict(words: str, said: str = "supported") -> Text:
    return Text(json.dumps({"verdicts": [{"claim": 1, "words": words, "verdict": said}]}))


REWORDED = "Each year, someone who works full-time can take 25 days off with pay."
ALSO = "Days that were not taken can be used in March."
OWN_WORDS = Text(f"{REWORDED[:-1]} [1]. {ALSO[:-1]} [1]. {THIRD[:-1]} [2].")
YES, YES_ALSO = verdict("staff get 25 days of paid leave"), verdict("Unused days may be carried into March")
NO = verdict("", "not there")
WORDED_AGAIN = again("What is left over can be kept until March [1].")
JUDGING = [
    pytest.param(Text("no JSON"), id="garbage"),
    pytest.param(verdict("carried into the moon"), id="made up"),
    pytest.param(Status(500), id="500"),
    pytest.param(Reset(), id="reset"),
    pytest.param(Ending("", "refusal"), id="refuses"),
    pytest.param(Hang(), id="hang"),
]


async def test_sentences_in_other_words_are_shown_once_they_are_read() -> None:
    async with (
        LlmServer([OWN_WORDS, YES, YES_ALSO]).running() as server,
        walking(server, PASSAGES, judged=True) as walk,
    ):
        answer = await walk.answer(QUESTION)
    assert [sentence.text for sentence in answer.sentences] == [REWORDED, ALSO, THIRD]
    assert answer.usage.notes == ()


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("before", [[OWN_WORDS, YES], [OWN_WORDS, YES, NO, WORDED_AGAIN]], ids=["second", "third"])
@pytest.mark.parametrize("act", JUDGING)
async def test_a_judge_that_fails_later_costs_what_it_was_to_read_alone(
    act: Act, before: list[Act], provider: str
) -> None:
    limits = SOON if isinstance(act, Hang) else AnswerLimits()
    async with (
        LlmServer([*before, act, Status(500)]).running() as server,
        walking(server, PASSAGES, provider=provider, limits=limits, judged=True) as walk,
    ):
        answer = await walk.answer(QUESTION)
    assert walk.incidents == []
    assert [sentence.text for sentence in answer.sentences] == [REWORDED, THIRD]
    assert (answer.usage.writer, walk.reasons) == (f"{provider}:m", [])
    unread = any(note.startswith("judge_failed") for note in answer.usage.notes)
    assert answer.closing == (wording.PARTIAL_UNCHECKED if unread else "")


@pytest.mark.parametrize(
    ("script", "limits", "counted"),
    [
        ([Hang()], SHORT, 0),
        ([Status(500), Status(500)], AnswerLimits(), 0),
        ([WRONG_KEY], AnswerLimits(), 0),
        ([Text(GOOD)], AnswerLimits(), 150),
        ([Text(DOUBTFUL), again("")], AnswerLimits(), 300),
        ([Text(DOUBTFUL), Status(500)], AnswerLimits(), 150),
        ([Text(DOUBTFUL), Hang()], SOON, 300),
    ],
    ids=["hang", "down", "wrong key", "good", "written again", "not written again", "hang when asked again"],
)
async def test_an_answer_costs_what_its_model_gave_and_nothing_that_was_set_aside(
    script: list[Act], limits: AnswerLimits, counted: int
) -> None:
    tally = Tally()
    budget = TokenBudget(tally, per_person=1000, per_space=0, per_answer=100)
    async with (
        LlmServer(script).running() as server,
        walking(server, PASSAGES, limits=limits, budget=budget) as walk,
    ):
        await walk.answer(QUESTION)
    assert list(tally.used.values()) == [counted]


@pytest.mark.parametrize(
    "act",
    [Cut("Full-time staff"), Cut("Full-time staff", reset=True), Stall("Full-time staff")],
    ids=["ended", "reset", "stalled"],
)
async def test_a_stream_that_was_cut_before_a_sentence_costs_its_prompt(act: Act) -> None:
    tally = Tally()
    budget = TokenBudget(tally, per_person=10_000, per_space=0, per_answer=5_000)
    async with (
        LlmServer(otherwise=lambda _: act).running() as server,
        walking(server, PASSAGES, budget=budget, limits=SOON) as walk,
    ):
        await walk.answer(QUESTION)
    (counted,) = tally.used.values()
    assert 100 < counted < 5_000


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_where_the_passages_do_not_answer_a_dead_model_does_not_make_them_an_answer(provider: str) -> None:
    close = passage("c1", "The canteen opens at noon for full-time staff.", score=0.4)
    close = replace(close, unit_scores=(0.5,))
    async with LlmServer([WRONG_KEY]).running() as server, walking(server, [close], provider=provider) as walk:
        answer = await walk.answer(QUESTION)
    assert walk.reasons
    assert (answer.outcome, answer.sentences) == (AnswerOutcome.NOT_FOUND, ())
    assert answer.usage.writer == "extractive"


async def test_a_model_is_asked_whenever_any_passage_came_back() -> None:
    far = replace(passage("c1", FIRST, score=0.2), unit_scores=(0.05,))
    async with LlmServer([Text(f"{FIRST[:-1]} [1].")]).running() as server, walking(server, [far]) as walk:
        answer = await walk.answer(QUESTION)
    assert len(server.requests) == 1
    assert answer.sentences


@pytest.mark.parametrize(
    ("draft", "way"), [(GOOD, "extract"), (f"{GOOD} Contractors get no paid leave from the company [2].", "model")]
)
async def test_nothing_of_a_draft_is_shown_before_it_cites_what_it_must(draft: str, way: str) -> None:
    limits = AnswerLimits(minimum_citations=2, minimum_sources=2)
    async with LlmServer([Text(draft)]).running() as server, walking(server, PASSAGES, limits=limits) as walk:
        events = await walk.events(QUESTION)
    answer = events[-1]
    assert isinstance(answer, Answer)
    if way == "model":
        assert [event.sentence for event in events if isinstance(event, SentenceEvent)] == list(answer.sentences)
        assert answer.usage.writer == "openai:m"
    else:
        assert answer.usage.writer == "extractive"
        assert walk.reasons == ["it cites too little"]


async def test_a_store_that_fails_behind_the_last_sentence_takes_no_answer_back() -> None:
    class Full(NoHistory):
        async def record(self, conversation: ConversationId, turn: Turn) -> None:
            raise Unavailable("storage", "the disk is full")

    async with LlmServer([Text(GOOD)]).running() as server, walking(server, PASSAGES, history=Full()) as walk:
        answer = await walk.answer(QUESTION)
    assert answer.outcome is AnswerOutcome.ANSWERED
    assert len(walk.incidents) == 1
