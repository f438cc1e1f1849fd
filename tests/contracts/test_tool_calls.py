"""What every `LanguageModel` promises of tools: both adapters, bare and guarded, against the loopback server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anthropic
import openai
import pytest

from adapters.models.resilience import GuardedModel
from pipeline.errors import CitewellError, Unavailable, UnusableResponse
from pipeline.ports import ChatMessage, LanguageModel, StreamEnd, TextDelta, Tool, ToolCall
from tests.doubles.llm.faults import Act, Asking, Broken, Call, Ending, Status, Text
from tests.doubles.llm.models import models
from tests.doubles.llm.server import LlmServer

SEARCH = Tool(
    name="search",
    description="Search the documents.",
    parameters={"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"]},
)
QUESTION = [
    ChatMessage(role="system", content="Answer from the documents."),
    ChatMessage(role="user", content="How long is paid leave?"),
]
LEAVE = Call("search", '{"words": "bezahlter Urlaub, 漢字 🙂, \\"paid leave\\""}', "call_a")
SICK = Call("search", '{"words": "sick pay"}', "call_b")
LONG = json.dumps({"words": "x" * 4000})
Piece = TextDelta | ToolCall | StreamEnd


@pytest.fixture(params=["openai", "anthropic", "guarded openai", "guarded anthropic"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@asynccontextmanager
async def served(kind: str, *acts: Act) -> AsyncIterator[tuple[LanguageModel, LlmServer]]:
    guarded, _, provider = kind.rpartition(" ")
    async with models(provider, *acts) as (model, server):
        yield (GuardedModel(model, pause=0.0) if guarded else model), server


async def asked(
    model: LanguageModel, messages: list[ChatMessage] | None = None, tools: tuple[Tool, ...] = (SEARCH,)
) -> list[Piece]:
    return [piece async for piece in model.stream(messages or QUESTION, max_tokens=30, tools=tools)]


def calls(pieces: list[Piece]) -> list[ToolCall]:
    return [piece for piece in pieces if isinstance(piece, ToolCall)]


def text(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, TextDelta))


def ended(pieces: list[Piece]) -> str:
    end = pieces[-1]
    assert isinstance(end, StreamEnd)
    return end.reason


async def test_a_call_comes_whole_though_it_was_sent_in_pieces_and_then_the_end(kind: str) -> None:
    async with served(kind, Asking((LEAVE,))) as (model, _):
        call, end = await asked(model)
    assert call == ToolCall(id="call_a", name="search", arguments=LEAVE.arguments)
    assert end == StreamEnd(reason="tool_calls", input_tokens=120, output_tokens=30)


async def test_several_calls_come_in_their_order_behind_all_text(kind: str) -> None:
    act = Asking((LEAVE, SICK), text="Let me look. ", after="One moment.")
    async with served(kind, act) as (model, _):
        pieces = await asked(model)
    assert text(pieces) == "Let me look. One moment."
    assert [call.id for call in calls(pieces)] == ["call_a", "call_b"]
    assert pieces[-3:-1] == calls(pieces)
    assert ended(pieces) == "tool_calls"


async def test_calls_are_why_the_model_stopped_whatever_the_server_says(kind: str) -> None:
    async with served(kind, Asking((LEAVE,), reason="stop")) as (model, _):
        assert ended(await asked(model)) == "tool_calls"


async def test_a_model_that_is_given_tools_may_answer_at_once(kind: str) -> None:
    async with served(kind, Text("25 days [1].")) as (model, server):
        pieces = await asked(model)
    assert (text(pieces), calls(pieces), ended(pieces)) == ("25 days [1].", [], "stop")
    assert "search" in json.dumps(server.requests[0]["tools"])


async def test_without_tools_no_request_names_any_and_no_call_comes(kind: str) -> None:
    async with served(kind, Asking((LEAVE,), text="Let me look.")) as (model, server):
        pieces = await asked(model, tools=())
    assert "tools" not in server.requests[0]
    assert (text(pieces), calls(pieces), ended(pieces)) == ("Let me look.", [], "tool_calls")


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (Asking((LEAVE, SICK), cut=True), ""),
        (Asking((LEAVE,), cut=True), ""),
        (Asking((LEAVE,), reason="length"), "length"),
    ],
    ids=["cut in the second", "cut in the only one", "out of tokens"],
)
async def test_a_model_that_was_stopped_in_its_calls_asks_for_nothing(kind: str, act: Act, reason: str) -> None:
    async with served(kind, act) as (model, _):
        pieces = await asked(model)
    assert (calls(pieces), ended(pieces)) == ([], reason)


@pytest.mark.parametrize(
    "call", [Call("search", '{"words": "paid le'), Call("delete_everything"), Call("search", "[1]")], ids=repr
)
async def test_a_call_that_makes_no_sense_is_passed_on_as_it_was_written(kind: str, call: Call) -> None:
    async with served(kind, Asking((call,))) as (model, _):
        [asked_for] = calls(await asked(model))
    assert (asked_for.name, asked_for.arguments) == (call.name, call.arguments)


async def test_a_call_of_no_arguments_has_an_empty_object(kind: str) -> None:
    async with served(kind, Asking((Call("search", ""),))) as (model, _):
        assert [call.arguments for call in calls(await asked(model))] == ["{}"]


async def test_calls_without_ids_get_ids_of_their_own(kind: str) -> None:
    nameless = Asking((Call("search", id=""), Call("search", id="")))
    async with served(kind, nameless, nameless) as (model, _):
        ids = [call.id for _ in range(2) for call in calls(await asked(model))]
    assert len(set(ids)) == 4
    assert all(ids)


async def test_no_more_than_eight_calls_are_kept(kind: str) -> None:
    many = tuple(Call("search", f'{{"words": "{n}"}}', f"call_{n}") for n in range(20))
    async with served(kind, Asking(many)) as (model, _):
        assert [call.id for call in calls(await asked(model))] == [f"call_{n}" for n in range(8)]


async def test_no_more_than_ten_thousand_characters_of_arguments_are_kept(kind: str) -> None:
    many = tuple(Call("search", LONG, f"call_{n}") for n in range(4))
    async with served(kind, Asking(many)) as (model, _):
        kept = calls(await asked(model))
    assert [call.arguments for call in kept[:2]] == [LONG, LONG]
    assert sum(len(call.arguments) for call in kept) <= 10_000 + len("{}")


async def test_a_call_of_nothing_is_unusable(kind: str) -> None:
    async with served(kind, Asking((Call(""),))) as (model, _):
        with pytest.raises(UnusableResponse, match="without a name"):
            await asked(model)


REFUSALS = [
    Status(400, "registry.ollama.ai/library/gemma3:4b does not support tools", "api_error"),
    Status(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
    Status(500, "tools param requires --jinja flag"),
    Status(500, "Unsupported param: tools"),
    Status(400, "tools is not supported in this model.", "invalid_request_error", "tools"),
    Status(400, "Function calling is not enabled for models/gemma-3-27b-it"),
    Status(404, "No endpoints found that support tool use."),
    Status(405, "Tool calling is not supported for model: m"),
    Status(422, "tools: Extra inputs are not permitted"),
    Status(400, "Invalid schema for function 'search'", "invalid_request_error", "tools[0].function.parameters"),
]


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.message)
async def test_a_server_that_refuses_tools_is_asked_without_them_from_then_on(kind: str, refusal: Status) -> None:
    answer = Text("25 days [1].")
    async with served(kind, refusal, answer, answer) as (model, server):
        for _ in range(2):
            assert text(await asked(model)) == "25 days [1]."
    assert ["tools" in request for request in server.requests] == [True, False, False]


@pytest.mark.parametrize(
    "act",
    [
        Status(400, "the prompt is too long", "invalid_request_error"),
        Status(401, "this key may not use tools"),
        Status(500, "error parsing tool call: raw='{'"),
        Status(400, "Messages with role 'tool' must be a response", "invalid_request_error", "messages.[3].role"),
    ],
    ids=repr,
)
async def test_what_is_no_refusal_of_tools_leaves_them_as_they_are(act: Status) -> None:
    async with served("openai", act, Asking((LEAVE,))) as (model, server):
        with pytest.raises(CitewellError):
            await asked(model)
        assert calls(await asked(model))
    assert all("tools" in request for request in server.requests)


@pytest.mark.parametrize("said", ["", "Let me look.", "half a pair \ud83d"])
async def test_results_go_back_to_the_calls_that_they_are_of(kind: str, said: str) -> None:
    async with served(kind, Asking((LEAVE, SICK), text=said), Text("25 days [1].")) as (model, server):
        first = await asked(model)
        turn = ChatMessage(role="assistant", content=text(first), calls=tuple(calls(first)))
        results = [ChatMessage(role="tool", content=f"Found for {call.id}.", call_id=call.id) for call in turn.calls]
        assert text(await asked(model, [*QUESTION, turn, *results])) == "25 days [1]."
    sent = json.dumps(server.requests[1], ensure_ascii=False)
    assert sent.index("Found for call_a.") < sent.index("Found for call_b.")
    assert "bezahlter Urlaub" in sent


async def test_a_last_word_is_had_without_tools(kind: str) -> None:
    async with served(kind, Asking((LEAVE,)), Text("25 days [1].")) as (model, _):
        turn = ChatMessage(role="assistant", content="", calls=tuple(calls(await asked(model))))
        result = ChatMessage(role="tool", content="", call_id="call_a")
        assert text(await asked(model, [*QUESTION, turn, result], tools=())) == "25 days [1]."


@pytest.mark.parametrize("arguments", ['{"words": "paid le', "[1]", "", '{"n": NaN}', '{"w": "\\ud83d"}', "[" * 9000])
async def test_a_call_of_broken_arguments_goes_back_as_one_of_none(kind: str, arguments: str) -> None:
    turn = ChatMessage(role="assistant", content="", calls=(ToolCall(id="c", name="search", arguments=arguments),))
    result = ChatMessage(role="tool", content="That was no JSON.", call_id="c")
    async with served(kind, Text("25 days [1].")) as (model, server):
        assert text(await asked(model, [*QUESTION, turn, result])) == "25 days [1]."
    message = server.requests[0]["messages"][-2]
    sent = (
        message["tool_calls"][0]["function"]["arguments"] if "tool_calls" in message else message["content"][0]["input"]
    )
    assert sent in ({}, "{}")


@pytest.mark.parametrize(("act", "requests"), [(Broken(), 2), (Status(429), 2), (Ending("25", "length"), 1)], ids=repr)
async def test_a_guarded_model_is_asked_once_more_with_its_tools(act: Act, requests: int) -> None:
    async with served("guarded openai", act, Asking((LEAVE,))) as (model, server):
        await asked(model)
    assert ["tools" in request for request in server.requests] == [True] * requests


async def test_a_service_that_does_not_answer_is_unavailable_with_tools_too(kind: str) -> None:
    async with served(kind, Status(503), Status(503)) as (model, _):
        with pytest.raises(Unavailable):
            await asked(model)


async def test_the_vendors_own_clients_read_the_same_calls_from_the_server() -> None:
    act = Asking((LEAVE, SICK), text="Let me look. ", after="One moment.")
    chat, schema = [{"role": "user", "content": "?"}], dict(SEARCH.parameters)
    async with LlmServer([act, act]).running() as server:
        async with openai.AsyncOpenAI(api_key="k", base_url=f"{server.url}/v1") as client:
            offered = [{"type": "function", "function": {"name": "search", "parameters": schema}}]
            async with client.chat.completions.stream(model="m", messages=chat, tools=offered) as stream:  # type: ignore[arg-type]
                [choice] = (await stream.get_final_completion()).choices
        async with anthropic.AsyncAnthropic(api_key="k", base_url=server.url) as other:
            named = [{"name": "search", "input_schema": schema}]
            async with other.messages.stream(model="m", max_tokens=9, messages=chat, tools=named) as events:  # type: ignore[arg-type]
                message = await events.get_final_message()
    expected = [(call.id, json.loads(call.arguments)) for call in (LEAVE, SICK)]
    assert choice.finish_reason == "tool_calls"
    assert [(call.id, json.loads(call.function.arguments)) for call in choice.message.tool_calls or ()] == expected
    assert message.stop_reason == "tool_use"
    assert [(block.id, block.input) for block in message.content if block.type == "tool_use"] == expected
