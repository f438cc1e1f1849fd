"""What only the Anthropic adapter does: how it writes a request, and what it counts."""

from __future__ import annotations

import json

import pytest

from adapters.models.anthropic import AnthropicModel
from pipeline.errors import UnusableResponse
from pipeline.ports import ChatMessage, StreamEnd, TextDelta, Tool, ToolCall
from pipeline.values import Usage
from tests.doubles.llm.faults import Raw
from tests.doubles.llm.server import LlmServer

SYSTEM, USER = ChatMessage(role="system", content="Be brief."), ChatMessage(role="user", content="?")
SEARCH = Tool(name="search", description="Search.", parameters={"type": "object", "properties": {}})
CACHED = {"cache_control": {"type": "ephemeral"}}


async def ask(
    server: LlmServer, *messages: ChatMessage, tools: tuple[Tool, ...] = ()
) -> list[TextDelta | ToolCall | StreamEnd]:
    model = AnthropicModel("m", key="k", base_url=server.url)
    try:
        return [piece async for piece in model.stream(messages, max_tokens=50, tools=tools)]
    finally:
        await model.close()


def events(*said: dict[str, object]) -> Raw:
    return Raw("".join(f"data: {json.dumps(event)}\n\n" for event in said).encode())


async def test_a_request_without_tools_is_the_prompt_kept_in_the_cache_and_the_chat() -> None:
    async with LlmServer().running() as server:
        await ask(server, SYSTEM, USER)
    assert server.requests == [
        {
            "model": "m",
            "max_tokens": 50,
            "system": [{"type": "text", "text": "Be brief.", **CACHED}],
            "messages": [{"role": "user", "content": "?"}],
            "stream": True,
        }
    ]


@pytest.mark.parametrize("messages", [(USER,), (ChatMessage(role="system", content=" \n"), USER)])
async def test_an_empty_prompt_is_not_marked_for_the_cache_which_refuses_it(messages: tuple[ChatMessage, ...]) -> None:
    async with LlmServer().running() as server:
        await ask(server, *messages)
    assert "cache_control" not in json.dumps(server.requests)


async def test_calls_and_their_results_are_blocks_and_all_results_of_a_turn_one_message() -> None:
    turns = (
        ChatMessage(
            role="assistant",
            content="Let me look.",
            calls=(
                ToolCall(id="a", name="search", arguments='{"w": 1}'),
                ToolCall(id="b", name="search", arguments='{"w"'),
            ),
        ),
        ChatMessage(role="tool", content="one", call_id="a"),
        ChatMessage(role="tool", content="two", call_id="b"),
        ChatMessage(role="assistant", content="", calls=(ToolCall(id="c", name="search", arguments="{}"),)),
        ChatMessage(role="tool", content="three", call_id="c"),
    )
    async with LlmServer().running() as server:
        await ask(server, SYSTEM, USER, *turns, tools=(SEARCH,))
    [request] = server.requests
    assert request["tools"] == [
        {"name": "search", "description": "Search.", "input_schema": {"type": "object", "properties": {}}}
    ]
    assert request["messages"] == [
        {"role": "user", "content": "?"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": "a", "name": "search", "input": {"w": 1}},
                {"type": "tool_use", "id": "b", "name": "search", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "one"},
                {"type": "tool_result", "tool_use_id": "b", "content": "two"},
            ],
        },
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "search", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "three"}]},
    ]


async def test_tokens_read_from_the_cache_or_put_into_it_were_read_too() -> None:
    used = {"input_tokens": 20, "cache_creation_input_tokens": 1000, "cache_read_input_tokens": 300}
    act = events(
        {"type": "message_start", "message": {"usage": {**used, "output_tokens": 1}}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
    )
    async with LlmServer([act]).running() as server:
        [end] = await ask(server, USER)
    assert end == StreamEnd(reason="stop", input_tokens=1320, output_tokens=9, cached_tokens=300)


async def test_the_cache_counts_where_an_object_is_filled_in_too() -> None:
    content = [{"type": "text", "text": '{"input_tokens": 3}'}]
    used = {"input_tokens": 20, "cache_creation_input_tokens": None, "cache_read_input_tokens": 5, "output_tokens": 2}
    reply = {"content": content, "stop_reason": "end_turn", "usage": used}
    async with LlmServer([Raw(json.dumps(reply).encode(), "application/json")]).running() as server:
        model = AnthropicModel("m", key="k", base_url=server.url)
        _, usage = await model.structured([USER], Usage, max_tokens=9)
        await model.close()
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (25, 2, 5)


START = {"type": "content_block_start", "index": 0}
PIECE = {"type": "content_block_delta", "index": 0}


@pytest.mark.parametrize(
    "event",
    [
        {**START},
        {**START, "content_block": 3},
        {**START, "content_block": {"type": "tool_use", "id": 3, "name": "search"}},
        {**START, "content_block": {"type": "tool_use", "id": "a", "name": 3}},
        {"type": "content_block_start", "content_block": {"type": "tool_use", "id": "a", "name": "search"}},
        {**PIECE, "delta": {"type": "input_json_delta"}},
        {**PIECE, "delta": {"type": "input_json_delta", "partial_json": 3}},
        {"type": "message_start", "message": {"usage": 3}},
    ],
    ids=repr,
)
async def test_an_event_of_unknown_shape_is_unusable(event: dict[str, object]) -> None:
    async with LlmServer([events(event)]).running() as server:
        with pytest.raises(UnusableResponse, match="unknown shape"):
            await ask(server, USER, tools=(SEARCH,))
