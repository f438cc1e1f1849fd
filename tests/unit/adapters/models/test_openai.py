"""What only the OpenAI adapter does: it learns what a compatible server refuses, and waits little for token counts."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from adapters.fetch.responses import parse_retry_after
from adapters.models.openai import OpenAIModel
from pipeline.errors import UnusableResponse
from pipeline.ports import ChatMessage, StreamEnd, TextDelta, Tool, ToolCall
from tests.doubles.llm.faults import Asking, Call, Ending, Raw, Status, Text
from tests.doubles.llm.server import LlmServer

MESSAGES = [ChatMessage(role="user", content="?")]
SEARCH = Tool(name="search", description="Search.", parameters={"type": "object", "properties": {}})
Piece = TextDelta | ToolCall | StreamEnd


async def ask(
    server: LlmServer,
    messages: list[ChatMessage] = MESSAGES,
    tools: tuple[Tool, ...] = (),
    **options: float | str | None,
) -> list[Piece]:
    model = OpenAIModel("m", key="k", base_url=f"{server.url}/v1", **options)  # type: ignore[arg-type]
    try:
        return [piece async for piece in model.stream(messages, max_tokens=50, tools=tools)]
    finally:
        await model.close()


def refused(name: str) -> Status:
    return Status(400, f"Unsupported parameter: '{name}' is not supported with this model.", "invalid_request", name)


@pytest.mark.parametrize("name", ["temperature", "stream_options", "reasoning_effort"])
async def test_an_optional_parameter_that_is_refused_is_left_out(name: str) -> None:
    async with LlmServer([refused(name), Text("Blue [1].")]).running() as server:
        assert isinstance((await ask(server, effort="low"))[-1], StreamEnd)
    assert [name in request for request in server.requests] == [True, False]


async def test_each_of_several_refused_parameters_costs_one_request() -> None:
    plain = Status(400, "Unrecognized request argument supplied: reasoning_effort", "invalid_request_error")
    async with LlmServer([refused("temperature"), plain, Text("Blue [1].")]).running() as server:
        await ask(server, effort="low")
    assert len(server.requests) == 3


async def test_the_limit_is_given_under_the_name_that_the_server_takes() -> None:
    wrong = Status(400, "Unsupported: 'max_tokens'. Use 'max_completion_tokens' instead.", "invalid", "max_tokens")
    async with LlmServer([wrong, Text("Blue [1].")]).running() as server:
        await ask(server)
    assert [request.get("max_completion_tokens") for request in server.requests] == [None, 50]


async def test_a_server_that_takes_no_limit_gets_no_request_without_one() -> None:
    acts = [refused("max_tokens"), refused("max_completion_tokens"), Text("Blue [1].")]
    async with LlmServer(acts).running() as server:
        with pytest.raises(UnusableResponse):
            await ask(server)
    assert len(server.requests) == 2


async def test_no_temperature_is_sent_where_none_is_set() -> None:
    async with LlmServer([Text("Blue [1].")]).running() as server:
        await ask(server, temperature=None)
    assert "temperature" not in server.requests[0]
    assert server.requests[0]["stream_options"] == {"include_usage": True}


async def test_a_request_without_tools_is_the_chat_and_what_was_set() -> None:
    async with LlmServer().running() as server:
        await ask(server, [ChatMessage(role="system", content="Be brief."), *MESSAGES])
    assert server.requests == [
        {
            "model": "m",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "?"}],
            "max_tokens": 50,
            "temperature": 0.2,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
    ]


async def test_calls_and_their_results_are_messages_of_their_own_kinds() -> None:
    turns = [
        ChatMessage(role="assistant", content="", calls=(ToolCall(id="a", name="search", arguments='{"w":  1}'),)),
        ChatMessage(role="tool", content="one", call_id="a"),
    ]
    async with LlmServer().running() as server:
        await ask(server, [*MESSAGES, *turns], (SEARCH,))
    [request] = server.requests
    function = {"name": "search", "description": "Search.", "parameters": {"type": "object", "properties": {}}}
    assert request["tools"] == [{"type": "function", "function": function}]
    call = {"id": "a", "type": "function", "function": {"name": "search", "arguments": '{"w":  1}'}}
    assert request["messages"][1:] == [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "one"},
    ]


async def test_what_a_server_says_beside_a_call_goes_back_with_it() -> None:
    signed = {"google": {"thought_signature": "c2lnbmVk"}}
    call = {"id": "a", "function": {"name": "search", "arguments": "{}"}, "extra_content": signed}
    chunk = {"choices": [{"delta": {"role": "assistant", "tool_calls": [call]}, "finish_reason": "stop"}]}
    act = Raw(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode())
    async with LlmServer([act, Text("Blue [1].")]).running() as server:
        asked = [piece for piece in await ask(server, tools=(SEARCH,)) if isinstance(piece, ToolCall)]
        turn = ChatMessage(role="assistant", content="", calls=tuple(asked))
        await ask(server, [*MESSAGES, turn, ChatMessage(role="tool", content="", call_id="a")], (SEARCH,))
    assert server.requests[1]["messages"][1]["tool_calls"][0]["extra_content"] == signed


async def test_reasoning_in_front_of_a_call_is_left_out() -> None:
    act = Asking((Call("search"),), text="<think>I should look.</think>Looking.")
    async with LlmServer([act]).running() as server:
        *texts, call, _ = await ask(server, tools=(SEARCH,))
    assert "".join(piece.text for piece in texts if isinstance(piece, TextDelta)) == "Looking."
    assert isinstance(call, ToolCall)


BESIDE = "Function tools with reasoning_effort are not supported for m in /v1/chat/completions."


async def test_a_model_that_takes_either_tools_or_an_effort_keeps_its_effort() -> None:
    refusal = Status(400, BESIDE, "invalid_request_error", "reasoning_effort")
    async with LlmServer([refusal, Text("Blue [1].")]).running() as server:
        await ask(server, tools=(SEARCH,), effort="low")
    assert [("tools" in request, "reasoning_effort" in request) for request in server.requests] == [
        (True, True),
        (False, True),
    ]


@pytest.mark.parametrize(
    "body",
    [
        {"error": "The model does not support tool use or function calling", "code": "invalid argument"},
        [{"error": {"code": 400, "message": "Function calling is not enabled for models/m"}}],
        {"detail": [{"type": "extra_forbidden", "loc": ["body", "tools"], "msg": "Extra inputs are not permitted"}]},
    ],
    ids=["xAI", "Gemini", "FastAPI"],
)
async def test_a_refusal_is_understood_in_whatever_shape_it_comes(body: object) -> None:
    async with LlmServer(
        [Raw(json.dumps(body).encode(), "application/json", code=400), Text("Blue")]
    ).running() as server:
        await ask(server, tools=(SEARCH,))
    assert ["tools" in request for request in server.requests] == [True, False]


async def test_a_call_that_a_model_could_not_write_leaves_it_its_tools() -> None:
    failed = Status(400, "tool call validation failed: attempted to call tool 'x'", "tool_use_failed")
    async with LlmServer([failed]).running() as server:
        with pytest.raises(UnusableResponse):
            await ask(server, tools=(SEARCH,))
    assert len(server.requests) == 1


async def test_a_finished_text_does_not_wait_long_for_its_token_counts() -> None:
    async with LlmServer([Ending("Blue [1].", "stop", hang=True)]).running() as server:
        *_, end = await ask(server, usage_grace=0.05)
    assert end == StreamEnd(reason="stop")


@pytest.mark.parametrize("event", [b"3", b"true", b'{"choices": 1}', b'{"choices": [{"delta": {"content": 3}}]}'])
async def test_an_event_of_unknown_shape_is_unusable(event: bytes) -> None:
    async with LlmServer([Raw(b"data: " + event + b"\n\n")]).running() as server:
        with pytest.raises(UnusableResponse):
            await ask(server)


def test_retry_after_is_read_as_seconds_or_as_a_date() -> None:
    soon = datetime.now(UTC) + timedelta(seconds=60)
    assert parse_retry_after("12.5") == 12.5
    assert parse_retry_after("-3") == 0
    assert parse_retry_after(None) is None
    assert [parse_retry_after(said) for said in ("tomorrow", "nan", "inf")] == [None, None, None]
    assert 50 < (parse_retry_after(format_datetime(soon, usegmt=True)) or 0) <= 60
