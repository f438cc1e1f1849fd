"""What only the OpenAI adapter does: it learns what a compatible server refuses, and waits little for token counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from adapters.fetch.retry_after import retry_after
from adapters.models.openai import OpenAIModel
from pipeline.errors import Unusable
from pipeline.ports import ChatMessage, StreamEnd, TextDelta
from tests.doubles.llm.faults import Ending, Raw, Status, Text
from tests.doubles.llm.server import LlmServer

MESSAGES = [ChatMessage(role="user", content="?")]


async def ask(server: LlmServer, **options: float | str | None) -> list[TextDelta | StreamEnd]:
    model = OpenAIModel("m", key="k", base_url=f"{server.url}/v1", **options)  # type: ignore[arg-type]
    try:
        return [piece async for piece in model.stream(MESSAGES, max_tokens=50)]
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
        with pytest.raises(Unusable):
            await ask(server)
    assert len(server.requests) == 2


async def test_no_temperature_is_sent_where_none_is_set() -> None:
    async with LlmServer([Text("Blue [1].")]).running() as server:
        await ask(server, temperature=None)
    assert "temperature" not in server.requests[0]
    assert server.requests[0]["stream_options"] == {"include_usage": True}


async def test_a_finished_text_does_not_wait_long_for_its_token_counts() -> None:
    async with LlmServer([Ending("Blue [1].", "stop", hang=True)]).running() as server:
        *_, end = await ask(server, usage_grace=0.05)
    assert end == StreamEnd(reason="stop")


@pytest.mark.parametrize("event", [b"3", b"true", b'{"choices": 1}', b'{"choices": [{"delta": {"content": 3}}]}'])
async def test_an_event_of_unknown_shape_is_unusable(event: bytes) -> None:
    async with LlmServer([Raw(b"data: " + event + b"\n\n")]).running() as server:
        with pytest.raises(Unusable):
            await ask(server)


def test_retry_after_is_read_as_seconds_or_as_a_date() -> None:
    soon = datetime.now(UTC) + timedelta(seconds=60)
    assert retry_after("12.5") == 12.5
    assert retry_after("-3") == 0
    assert retry_after(None) is None
    assert [retry_after(said) for said in ("tomorrow", "nan", "inf")] == [None, None, None]
    assert 50 < (retry_after(format_datetime(soon, usegmt=True)) or 0) <= 60
