"""The claim check can only lower what the first check allowed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.models.openai import OpenAIModel
from pipeline.check.judge import MOST_TOKENS, ModelJudge
from pipeline.tokens import estimate
from pipeline.values import Judgement, Sentence
from tests.doubles.llm.faults import Act, Hang, Hollow, Page, Reset, Status, Text
from tests.doubles.llm.server import LlmServer
from tests.doubles.llm.walk import passage

PASSAGES = [
    passage("c1", "Full-time staff get 25 days of paid leave a year."),
    passage("c2", "Contractors get no paid leave from the company."),
]
CLAIM = Sentence(text="Contractors get 25 days of paid leave from the company.", chunk_ids=("c1", "c2"))
ALLOWED = Judgement(supported=True, score=0.8, chunk_ids=("c1",), quote="get 25 days of paid leave")
REFUSED = Judgement(supported=False, score=0.2, reason="it names no passage")
YES, NO = Text('{"missing": "", "supported": true}'), Text('{"missing": "contractors", "supported": false}')


@asynccontextmanager
async def judging(*acts: Act, deadline: float = 5.0) -> AsyncIterator[tuple[ModelJudge, LlmServer, list[str]]]:
    async with LlmServer(acts).running() as server:
        model = OpenAIModel("m", key="k", base_url=f"{server.url}/v1")
        await model.connect()
        reasons: list[str] = []
        yield ModelJudge(model, deadline=deadline, report=reasons.append, mark=lambda: "feedc0de"), server, reasons
        await model.close()


async def test_a_claim_that_the_model_finds_stays_as_it_was_judged() -> None:
    async with judging(YES) as (judge, _, _):
        assert await judge.review(CLAIM, ALLOWED, PASSAGES) == (ALLOWED, 150)


async def test_a_claim_that_the_model_does_not_find_is_unsupported() -> None:
    async with judging(NO) as (judge, _, _):
        judgement, tokens = await judge.review(CLAIM, ALLOWED, PASSAGES)
    assert not judgement.supported
    assert judgement.score < ALLOWED.score
    assert judgement.reason
    assert tokens == 150


async def test_what_the_first_check_refused_is_not_asked_about() -> None:
    async with judging(YES) as (judge, server, _):
        assert await judge.review(CLAIM, REFUSED, PASSAGES) == (REFUSED, 0)
    assert server.requests == []


async def test_only_the_cited_passages_that_support_it_are_shown_and_fenced() -> None:
    async with judging(YES) as (judge, server, _):
        await judge.review(CLAIM, ALLOWED, PASSAGES)
    told = server.requests[0]["messages"][1]["content"]
    assert told.startswith("<source-feedc0de>\nFull-time staff")
    assert "Contractors get no paid leave" not in told


@pytest.mark.parametrize(
    ("act", "counted"),
    [
        (Status(500), 0),
        (Status(401), 0),
        (Page(), 0),
        (Reset(), 0),
        (Hollow("choices"), MOST_TOKENS),
        (Text("maybe"), MOST_TOKENS),
    ],
    ids=repr,
)
async def test_without_an_opinion_the_first_judgement_stands_and_the_operator_is_told(act: Act, counted: int) -> None:
    async with judging(act) as (judge, _, reasons):
        assert await judge.review(CLAIM, ALLOWED, PASSAGES) == (ALLOWED, counted)
    assert len(reasons) == 1


async def test_a_review_costs_no_more_than_is_set_aside_for_it() -> None:
    long = [passage(f"c{number}", "Full-time staff get paid leave. " * 400) for number in range(6)]
    cited = ALLOWED.model_copy(update={"chunk_ids": tuple(one.chunk.id for one in long)})
    async with judging(YES) as (judge, server, _):
        await judge.review(CLAIM.model_copy(update={"text": "Staff get leave. " * 400}), cited, long)
    told = server.requests[0]
    assert estimate("".join(one["content"] for one in told["messages"])) + told["max_tokens"] <= MOST_TOKENS


async def test_a_slow_opinion_is_not_waited_for() -> None:
    async with judging(Hang(), deadline=0.1) as (judge, _, reasons):
        async with asyncio.timeout(5):
            assert await judge.review(CLAIM, ALLOWED, PASSAGES) == (ALLOWED, MOST_TOKENS)
    assert reasons == ["the claim check took too long"]


@given(st.text(max_size=80) | st.just('{"missing": "", "supported": true}'), st.booleans())
@settings(max_examples=30, deadline=None)
async def test_no_reply_whatever_raises_a_judgement(reply: str, allowed: bool) -> None:
    before = ALLOWED if allowed else REFUSED
    async with judging(Text(reply)) as (judge, _, _):
        after, _ = await judge.review(CLAIM, before, PASSAGES)
    assert after.score <= before.score
    assert before.supported or not after.supported
