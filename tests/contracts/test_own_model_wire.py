"""What every `LanguageModel` promises of a server of one's own: slow, with a window, a cache and reasoning."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Annotated

import pytest
from pydantic import BaseModel, Field

from adapters.models.factory import make_model
from pipeline.errors import PromptTooLong, Unavailable, UnusableResponse
from pipeline.ports import ChatMessage, LanguageModel, StreamEnd, TextDelta
from tests.contracts.waiting import until
from tests.doubles.llm.faults import Act, Ending, Hang, Raw, Stall, Status, Text
from tests.doubles.llm.models import models
from tests.doubles.llm.own_server import Machine, OwnServer

QUESTION = [ChatMessage(role="user", content="How long is paid leave? " * 60)]
MESSAGES = [
    '{"error": {"code": 400, "type": "exceed_context_size_error", "n_ctx": 512, "n_prompt_tokens": 931}}',
    '{"error": {"message": "This model\'s maximum context length is 512 tokens. However, you requested 931 tokens."}}',
    '{"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 931 tokens > 512"}}',
    '{"error": "request (931 tokens) exceeds the available context size (512 tokens)"}',
]


class Colour(BaseModel):
    name: Annotated[str, Field(max_length=40)]


@pytest.fixture(params=["openai", "anthropic"])
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@asynccontextmanager
async def served(
    provider: str, text: str = "25 days [1].", machine: Machine | None = None
) -> AsyncIterator[tuple[LanguageModel, OwnServer]]:
    async with OwnServer(machine=machine, otherwise=lambda _: Text(text)).running() as server:
        model = make_model(
            f"{provider}:m",
            openai_key="k",
            anthropic_key="k",
            openai_base_url=f"{server.url}/v1",
            anthropic_base_url=server.url,
        )
        try:
            yield model, server
        finally:
            await model.close()


async def asked(model: LanguageModel, max_tokens: int = 50) -> tuple[str, StreamEnd]:
    *deltas, end = [piece async for piece in model.stream(QUESTION, max_tokens=max_tokens)]
    assert isinstance(end, StreamEnd)
    return "".join(piece.text for piece in deltas if isinstance(piece, TextDelta)), end


async def test_the_tokens_that_were_cached_are_told(provider: str) -> None:
    async with served(provider) as (model, _):
        await asked(model)
        _, end = await asked(model)
    assert end.cached_tokens is not None
    assert 0.8 * end.input_tokens < end.cached_tokens <= end.input_tokens


async def test_the_cached_tokens_of_a_filled_in_object_are_told(provider: str) -> None:
    async with served(provider, '{"name": "blue"}') as (model, _):
        await asked(model)
        _, usage = await model.structured(QUESTION, Colour, max_tokens=50)
    assert usage.cached_tokens > 0.8 * usage.input_tokens


async def test_llama_cpp_tells_its_seconds() -> None:
    async with served("openai", machine=Machine(reads=1000.0)) as (model, server):
        _, end = await asked(model)
    assert end.read_seconds == server.jobs[0].read / 1000
    assert end.write_seconds is not None


async def test_ollama_tells_neither_cache_nor_seconds() -> None:
    async with served("ollama", machine=Machine(program="ollama")) as (model, _):
        text, end = await asked(model)
    assert text == "25 days [1]."
    assert (end.cached_tokens, end.read_seconds, end.write_seconds) == (None, None, None)


async def test_a_prompt_beyond_the_window_is_told_with_its_size(provider: str) -> None:
    async with served(provider, machine=Machine(window=300)) as (model, server):
        with pytest.raises(PromptTooLong) as refused:
            await asked(model)
        with pytest.raises(PromptTooLong):
            await model.structured(QUESTION, Colour, max_tokens=9)
    assert len(server.requests) == 2
    assert refused.value.window == 300
    assert (refused.value.prompt_tokens or 0) > 300


@pytest.mark.parametrize("status", [400, 500, 200])
@pytest.mark.parametrize("body", MESSAGES)
async def test_a_refusal_for_the_window_is_known_in_any_shape(provider: str, body: str, status: int) -> None:
    """Also as the first event of a stream."""
    refusal = (
        Raw(f"data: {body}\n\n".encode()) if status == 200 else Raw(body.encode(), "application/json", code=status)
    )
    async with models(provider, refusal) as (model, server):
        with pytest.raises(PromptTooLong) as caught:
            await asked(model)
    assert (caught.value.window, caught.value.prompt_tokens) == (512, 931)
    assert len(server.requests) == 1


async def test_a_reply_that_runs_into_the_window_is_told_from_one_at_its_limit(provider: str) -> None:
    async with served(provider, "word " * 600, Machine(window=600)) as (model, _):
        _, short = await asked(model, max_tokens=20)
        _, long = await asked(model, max_tokens=590)
    assert (short.reason, long.reason) == ("length", "window")


async def test_an_object_that_was_cut_is_told_from_one_that_does_not_fit(provider: str) -> None:
    async with models(provider, Ending('{"name": "bl', "length"), Text('{"no": 1}')) as (model, _):
        with pytest.raises(UnusableResponse, match="ran out of tokens"):
            await model.structured(QUESTION, Colour, max_tokens=30)
        with pytest.raises(UnusableResponse, match="does not fit"):
            await model.structured(QUESTION, Colour, max_tokens=30)


REASONING = "First I look at the leave policy. It says so [1]. "


@pytest.mark.parametrize("where", ["field", "tags"])
async def test_reasoning_is_counted_and_no_part_of_the_text(provider: str, where: str) -> None:
    machine = Machine(reasoning=REASONING, reasoning_in=where)  # type: ignore[arg-type]
    async with served(provider, machine=machine) as (model, _):
        text, end = await asked(model)
    assert text == "25 days [1]."
    assert 5 < end.reasoning_tokens < 30


async def test_reasoning_without_an_end_leaves_no_text(provider: str) -> None:
    async with served(provider, machine=Machine(reasoning=REASONING * 20)) as (model, _):
        text, end = await asked(model)
    assert (text, end.reason) == ("", "length")
    assert end.reasoning_tokens > 20


async def test_reasoning_before_an_object_is_left_out(provider: str) -> None:
    machine = Machine(reasoning='I think {"name": 3}. ', reasoning_in="open tags")
    async with served(provider, '{"name": "blue"}', machine) as (model, _):
        colour, _ = await model.structured(QUESTION, Colour, max_tokens=90)
    assert colour.name == "blue"


@pytest.mark.parametrize(("times", "effort"), [(1, "low"), (20, "none")])
async def test_a_server_of_ones_own_is_asked_for_less_reasoning_once_some_was_seen(times: int, effort: str) -> None:
    async with served("openai", machine=Machine(reasoning=REASONING * times)) as (model, server):
        first, second = await asked(model), await asked(model)
    assert second[1].reasoning_tokens < first[1].reasoning_tokens
    assert [request.get("reasoning_effort") for request in server.requests] == [None, effort]
    assert second[0] == "25 days [1]."


@pytest.mark.parametrize(
    "refusal",
    [
        Status(400, '"m" does not support thinking'),
        Status(400, "Unknown name: reasoning_effort"),
        Status(422, "no", param="reasoning_effort"),
    ],
    ids=repr,
)
async def test_a_server_that_takes_no_effort_is_asked_without_it(refusal: Status) -> None:
    machine = Machine(reasoning=REASONING)
    async with served("ollama", machine=machine) as (model, server):
        await asked(model)
        server.script = [refusal]
        assert (await asked(model))[0] == "25 days [1]."
        await asked(model)
    assert ["reasoning_effort" in request for request in server.requests] == [False, True, False, False]


async def test_reasoning_whose_beginning_is_missing_is_left_out_from_the_second_reply_on() -> None:
    machine = Machine(reasoning=REASONING, reasoning_in="open tags")
    async with served("openai", machine=machine) as (model, server):
        await asked(model)
        text, _ = await asked(model)
    assert text == "25 days [1]."
    assert "</think>" not in text
    assert len(server.requests) == 2


async def test_a_server_of_ones_own_gets_the_bounds_of_a_schema(provider: str) -> None:
    async with models(provider, Text('{"name": "blue"}')) as (model, server):
        await model.structured(QUESTION, Colour, max_tokens=30)
    assert ("maxLength" in json.dumps(server.requests[0])) is (provider == "openai")


@pytest.mark.parametrize("act", [Hang(), Stall("Blue")], ids=repr)
@pytest.mark.parametrize("structured", [False, True])
async def test_a_request_given_up_is_closed_at_once_so_that_the_server_notices(
    provider: str, act: Act, structured: bool
) -> None:
    async with models(provider, Hang() if structured else act) as (model, server):
        reply = model.structured(QUESTION, Colour, max_tokens=30) if structured else asked(model)
        asking = asyncio.create_task(reply)  # type: ignore[arg-type]
        await until(lambda: server.open)
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asking
        await until(lambda: not server.open, seconds=5)


async def test_a_stream_that_is_closed_is_closed_for_the_server_too(provider: str) -> None:
    async with models(provider, Stall("Blue")) as (model, server):
        stream = model.stream(QUESTION, max_tokens=30)
        await anext(stream)
        await stream.aclose()
        await until(lambda: not server.open, seconds=5)


@pytest.mark.parametrize(
    "refusals",
    [
        ["Unsupported parameter: 'max_tokens'"],
        ["Use 'max_completion_tokens' instead of 'max_tokens'."],
        ["'max_tokens' is not supported, 'max_completion_tokens' is."],
        ["Unknown name: temperature", "Unsupported parameter: 'max_tokens'"],
    ],
)
async def test_the_limit_is_given_by_its_other_name_where_one_is_refused(refusals: list[str]) -> None:
    acts = [*(Status(400, message) for message in refusals), Text("25 days [1].")]
    async with models("openai", *acts) as (model, server):
        assert (await asked(model))[0] == "25 days [1]."
    limits = [{"max_tokens", "max_completion_tokens"} & set(request) for request in server.requests]
    assert (limits[0], limits[-1]) == ({"max_tokens"}, {"max_completion_tokens"})


async def test_an_error_that_is_a_plain_text_is_told_with_its_cure(provider: str) -> None:
    unknown = Raw(b'{"error": "model \'m\' not found"}', "application/json", code=404)
    refused = Raw(b'["no"]', "application/json", code=400)
    async with models(provider, unknown, refused) as (model, _):
        with pytest.raises(Unavailable, match="404") as caught:
            await asked(model)
        assert "ollama pull" in caught.value.what_to_do
        with pytest.raises(UnusableResponse, match="400") as unusable:
            await asked(model)
        assert "CITEWELL_MODEL" in unusable.value.what_to_do


async def test_a_server_at_a_public_address_gets_neither_the_bounds_of_a_schema_nor_a_switch_of_reasoning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("adapters.models.factory.is_external_server", lambda _: True)
    async with served("openai", '{"name": "blue"}', Machine(reasoning=REASONING)) as (model, server):
        await asked(model)
        await model.structured(QUESTION, Colour, max_tokens=90)
        await asked(model)
    assert "maxLength" not in json.dumps(server.requests[1])
    assert all({"reasoning_effort", "chat_template_kwargs"}.isdisjoint(request) for request in server.requests)
    assert all("max_tokens" in request for request in server.requests)


async def test_the_first_reply_without_reasoning_streams_where_the_template_had_opened_it() -> None:
    machine = Machine(reasoning=REASONING * 10, reasoning_in="open tags", writes=500)
    async with served("openai", "25 days [1]. More [2].", machine) as (model, server):
        await asked(model, max_tokens=300)
        await asked(model, max_tokens=90)
        pieces = [piece async for piece in model.stream(QUESTION, max_tokens=90)]
    assert server.requests[2]["reasoning_effort"] == "none"
    assert isinstance(pieces[0], TextDelta)
    assert len([piece for piece in pieces if isinstance(piece, TextDelta)]) > 1
