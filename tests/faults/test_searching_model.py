"""A model that searches again while it answers: what it finds is shown and checked like anything else, and whatever it
asks for, a person gets an answer."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from pipeline.errors import CitewellError, Unavailable
from pipeline.values import Answer, AnswerOutcome, RetrievedChunk, SentenceEvent
from tests.doubles.llm.faults import Act, Asking, Call, Cut, Status, Text
from tests.doubles.llm.server import LlmServer
from tests.doubles.llm.walk import passage, walking

QUESTION = "How many days of paid leave do full-time staff get, and who approves them?"
LEAVE, APPROVAL = "Full-time staff get 25 days of paid leave a year.", "Team leads approve paid leave in the portal."
PASSAGES = [passage("c1", LEAVE)]
QUERY = "who approves paid leave"
SEARCH = Call("search", json.dumps({"query": QUERY}))
APPROVED = f"{APPROVAL[:-1]} [2]."
FOUND = {QUERY: [passage("c2", APPROVAL, title="Approval")]}
BOTH, ONE = [LEAVE, APPROVAL], [LEAVE]


@pytest.fixture(params=["openai", "anthropic", "ollama"])
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def answered(
    provider: str, *script: Act, elsewhere: dict[str, Sequence[RetrievedChunk] | CitewellError] | None = None
) -> tuple[Answer, list[str], LlmServer]:
    async with (
        LlmServer(script).running() as server,
        walking(server, PASSAGES, provider=provider, elsewhere=FOUND if elsewhere is None else elsewhere) as walk,
    ):
        events = await walk.events(QUESTION)
    assert walk.incidents == []
    answer = events[-1]
    assert isinstance(answer, Answer)
    assert tuple(event.sentence for event in events if isinstance(event, SentenceEvent)) == answer.sentences
    assert all(sentence.verified for sentence in answer.sentences)
    return answer, walk.reasons, server


def said(answer: Answer) -> list[str]:
    return [sentence.text for sentence in answer.sentences]


async def test_what_a_model_says_before_it_searches_and_cites_nothing_is_no_part_of_its_answer(provider: str) -> None:
    then = f"{LEAVE[:-1]} [1]. {APPROVED}"
    answer, _, server = await answered(provider, Asking((SEARCH,), text="Let me look for who approves it."), Text(then))
    assert (said(answer), len(server.requests)) == (BOTH, 2)
    assert answer.ungrounded_claims == ()


@pytest.mark.parametrize("first", ["", f"{LEAVE[:-1]} [1].\n"], ids=["at once", "behind a sentence"])
async def test_what_a_model_finds_by_searching_again_is_shown_with_its_source(provider: str, first: str) -> None:
    then = APPROVED if first else f"{LEAVE[:-1]} [1]. {APPROVED}"
    answer, reasons, server = await answered(provider, Asking((SEARCH,), text=first), Text(then))
    assert (said(answer), reasons) == (BOTH, [])
    assert [citation.chunk_id for citation in answer.citations] == ["c1", "c2"]
    assert (answer.outcome, answer.usage.writer) == (AnswerOutcome.ANSWERED, f"{provider}:m")
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (240, 60)
    assert APPROVAL in json.dumps(server.requests[1])


async def test_what_a_model_searched_for_and_says_otherwise_is_not_shown(provider: str) -> None:
    lie = "Team leads approve 40 days of paid leave [2]."
    answer, _, _ = await answered(provider, Asking((SEARCH,)), Text(f"{LEAVE[:-1]} [1]. {lie}"), Status(500))
    assert said(answer) == ONE


@pytest.mark.parametrize(
    "asking",
    [
        Asking((Call("delete_everything"),)),
        Asking((Call("search", '{"query": "who appr'),)),
        Asking((Call("search", '{"words": "leave"}'),)),
        Asking((Call("search", '{"query": "the weather"}'),)),
        Asking((Call("search", '{"query": "down"}'),)),
    ],
    ids=["unknown tool", "broken arguments", "other arguments", "nothing new", "a search that fails"],
)
async def test_a_model_whose_search_finds_nothing_is_told_so_and_answers_from_what_it_has(
    provider: str, asking: Asking
) -> None:
    elsewhere = {"down": Unavailable("storage", "the disk is full")}
    answer, reasons, server = await answered(provider, asking, Text(f"{LEAVE[:-1]} [1]."), elsewhere=elsewhere)
    assert (said(answer), reasons) == (ONE, [])
    assert answer.usage.writer == f"{provider}:m"
    assert len(server.requests) == 2


async def test_a_model_that_never_stops_searching_is_asked_four_times(provider: str) -> None:
    answer, reasons, server = await answered(provider, *[Asking((SEARCH,))] * 9)
    assert answer.usage.writer == "extractive"
    assert LEAVE in said(answer)
    assert len(server.requests) == 4
    assert reasons == ["tool_calls"]


@pytest.mark.parametrize(
    "act", [Cut(f"{APPROVED[:-1]}. And the of"), Status(500)], ids=["cut after a sentence", "down"]
)
async def test_what_was_said_before_a_search_stays_when_the_model_fails_behind_it(provider: str, act: Act) -> None:
    first = Asking((SEARCH,), text=f"{LEAVE[:-1]} [1].\n")
    answer, reasons, _ = await answered(provider, first, act, act)
    assert said(answer) == (BOTH if isinstance(act, Cut) else ONE)
    assert answer.outcome is AnswerOutcome.PARTIAL
    assert len(reasons) == 1


async def test_a_server_without_tools_is_asked_without_them(provider: str) -> None:
    refusal = Status(400, "m does not support tools", "api_error")
    answer, reasons, server = await answered(provider, refusal, Text(f"{LEAVE[:-1]} [1]."))
    assert (said(answer), reasons) == (ONE, [])
    assert ["tools" in request for request in server.requests] == [True, False]
