"""What every `LanguageModel` promises, held by both adapters against the loopback server with the real SDKs."""

from __future__ import annotations

import asyncio

import httpx2
import pytest
from pydantic import BaseModel, ConfigDict

from pipeline.errors import CitewellError, Unavailable, UnusableResponse
from pipeline.ports import ChatMessage, LanguageModel, StreamEnd, TextDelta
from tests.doubles.llm.faults import (
    Act,
    Broken,
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
from tests.doubles.llm.models import KEY, models

MESSAGES = [
    ChatMessage(role="system", content="Answer in one word."),
    ChatMessage(role="user", content="What colour is the sky?"),
]


class Colour(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    shades: list[str]


@pytest.fixture(params=["openai", "anthropic"])
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def streamed(model: LanguageModel, max_tokens: int = 50) -> list[TextDelta | StreamEnd]:
    return [piece async for piece in model.stream(MESSAGES, max_tokens=max_tokens)]


async def filled_in(model: LanguageModel) -> Colour:
    colour, _ = await model.structured(MESSAGES, Colour, max_tokens=50)
    return colour


def text(pieces: list[TextDelta | StreamEnd]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, TextDelta))


async def test_text_comes_in_pieces_and_then_the_end_with_what_it_cost(provider: str) -> None:
    async with models(provider, Text("Blue, mostly [1].", size=3)) as (model, server):
        *deltas, end = await streamed(model)
    assert len(deltas) > 3
    assert text(deltas) == "Blue, mostly [1]."
    assert end == StreamEnd(reason="stop", input_tokens=120, output_tokens=30)
    assert server.keys == [KEY]


async def test_a_connection_is_used_again(provider: str) -> None:
    async with models(provider, Text("Blue [1]."), Text("Grey [1].")) as (model, server):
        await streamed(model)
        await streamed(model)
    first, second = server.connections
    assert first == second


async def test_every_character_of_the_text_arrives(provider: str) -> None:
    strange = "naïve 漢字 🙂\u2028\u0085\x0b\tend [1]."
    async with models(provider, Text(strange, size=1)) as (model, _):
        assert text(await streamed(model)) == strange


async def test_a_piece_is_given_on_before_the_next_one_was_sent(provider: str) -> None:
    async with models(provider, Stall("Blue")) as (model, _):
        stream = model.stream(MESSAGES, max_tokens=50)
        assert await asyncio.wait_for(anext(aiter(stream)), 5) == TextDelta(text="Blue")
        await stream.aclose()  # type: ignore[attr-defined]


@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_an_end_that_is_no_stop_is_told(provider: str, reason: str) -> None:
    async with models(provider, Ending("Blue", reason)) as (model, _):
        end = (await streamed(model, max_tokens=30))[-1]
    assert end == StreamEnd(reason=reason, input_tokens=120, output_tokens=30)


async def test_a_reply_that_ends_before_its_limit_of_tokens_was_ended_by_the_window(provider: str) -> None:
    async with models(provider, Ending("Blue", "length")) as (model, _):
        end = (await streamed(model, max_tokens=50))[-1]
    assert end == StreamEnd(reason="window", input_tokens=120, output_tokens=30)


async def test_a_refusal_is_told_as_filtered(provider: str) -> None:
    async with models(provider, Ending("", "refusal")) as (model, _):
        [end] = await streamed(model)
    assert isinstance(end, StreamEnd)
    assert end.reason == "content_filter"


@pytest.mark.parametrize("act", [Cut("Blue"), Hollow("choices")], ids=["cut", "no finish reason"])
async def test_a_stream_without_a_finish_reason_never_counts_as_stopped(provider: str, act: Act) -> None:
    async with models(provider, act) as (model, _):
        end = (await streamed(model))[-1]
    assert isinstance(end, StreamEnd)
    assert end.reason == ""


@pytest.mark.parametrize(
    ("act", "permanent", "retry_after"),
    [
        (Status(429, headers={"retry-after": "7"}), False, 7.0),
        (Status(429, headers={"retry-after": "300"}), False, 300.0),
        (Status(429), False, None),
        (Status(500), False, None),
        (Status(503), False, None),
        (Status(529, kind="overloaded_error"), False, None),
        (Status(401, kind="invalid_api_key"), True, None),
        (Status(403), True, None),
        (Status(404, kind="model_not_found"), True, None),
        (Page(200), False, None),
        (Page(502), False, None),
        (Reset(), False, None),
        (Hollow("events"), False, None),
        (Broken("Bl"), False, None),
        (Cut("Bl", reset=True), False, None),
        (Cut("Bl", closed=True), False, None),
    ],
    ids=repr,
)
async def test_a_service_that_does_not_answer_is_unavailable(
    provider: str, act: Act, permanent: bool, retry_after: float | None
) -> None:
    async with models(provider, act) as (model, server):
        with pytest.raises(Unavailable) as caught:
            await streamed(model)
    assert (caught.value.permanent, caught.value.retry_after) == (permanent, retry_after)
    assert len(server.requests) == 1


@pytest.mark.parametrize("act", [Status(400), Status(413)], ids=repr)
async def test_a_request_that_is_refused_is_unusable_and_made_once(provider: str, act: Act) -> None:
    async with models(provider, act) as (model, server):
        with pytest.raises(UnusableResponse):
            await streamed(model)
    assert len(server.requests) == 1


@pytest.mark.parametrize("act", [Raw(b"event: message_start\ndata: {oops\n\n"), Raw(b"\xff\xfe\x00")], ids=repr)
async def test_garbage_is_an_error_of_ours(provider: str, act: Act) -> None:
    async with models(provider, act) as (model, _):
        with pytest.raises(CitewellError):
            await streamed(model)


async def test_a_defect_of_the_vendors_library_is_a_model_that_does_not_answer(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with models(provider, Text("Blue [1].")) as (model, _):
        await model.connect()
        monkeypatch.setattr(httpx2, "Headers", None)
        with pytest.raises(Unavailable, match="its client failed"):
            await streamed(model)
        with pytest.raises(Unavailable, match="its client failed"):
            await filled_in(model)


async def test_a_wrong_key_is_named_by_its_setting_and_never_shown(provider: str) -> None:
    async with models(provider) as (model, server):
        server.key = "another"
        with pytest.raises(Unavailable) as caught:
            await streamed(model)
    assert provider.upper() in caught.value.what_to_do
    assert KEY not in f"{caught.value} {caught.value.what_to_do}"


async def test_a_hanging_service_is_left_by_cancelling(provider: str) -> None:
    async with models(provider, Hang(), Text("Blue [1].")) as (model, server):
        call = asyncio.create_task(streamed(model))
        await server.arrived.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert text(await streamed(model)) == "Blue [1]."


async def test_an_object_is_filled_in_and_its_cost_told(provider: str) -> None:
    async with models(provider, Text('{"name": "blue", "shades": ["sky"]}')) as (model, server):
        colour, usage = await model.structured(MESSAGES, Colour, max_tokens=50)
    assert colour == Colour(name="blue", shades=["sky"])
    assert (usage.writer, usage.input_tokens, usage.output_tokens) == (f"{provider}:m", 120, 30)
    assert "additionalProperties" in str(server.requests[0])


@pytest.mark.parametrize(
    "reply", ['```json\n{"name": "blue", "shades": []}\n```', 'Sure! {"name": "blue", "shades": []} Anything else?']
)
async def test_an_object_among_other_words_is_found(provider: str, reply: str) -> None:
    async with models(provider, Text(reply)) as (model, _):
        assert (await filled_in(model)).name == "blue"


@pytest.mark.parametrize(
    "act",
    [
        Text("no object here"),
        Text('{"name": "blue"}'),
        Text('{"name": "blue", "shades": [], "more": 1}'),
        Text('{"name": '),
        Ending('{"name": "blue", "shades": []}', "length"),
        Ending("", "refusal"),
        Hollow("choices"),
        Hollow("content"),
    ],
    ids=repr,
)
async def test_a_reply_that_does_not_fit_is_unusable(provider: str, act: Act) -> None:
    async with models(provider, act) as (model, _):
        with pytest.raises(UnusableResponse):
            await filled_in(model)


@pytest.mark.parametrize("act", [Status(429), Status(500), Page(200), Page(503), Reset()], ids=repr)
async def test_a_service_that_does_not_answer_fills_in_nothing(provider: str, act: Act) -> None:
    async with models(provider, act) as (model, server):
        with pytest.raises(Unavailable):
            await filled_in(model)
    assert len(server.requests) == 1


async def test_a_server_without_structured_outputs_is_asked_for_plain_json(provider: str) -> None:
    parameter = {"openai": "response_format", "anthropic": "output_config"}[provider]
    refusal = Status(400, f"{parameter}: json_schema is not supported here", "invalid_request_error")
    plain = Text('{"name": "blue", "shades": []}')
    async with models(provider, refusal, plain, plain) as (model, server):
        for _ in range(2):
            assert (await filled_in(model)).name == "blue"
    assert [parameter in request for request in server.requests] == [True, False, False]


async def test_calls_at_the_same_time_share_one_client(provider: str) -> None:
    async with models(provider) as (model, server):
        server.otherwise = lambda _: Text("Blue [1].", first_pause=0.05)
        replies = await asyncio.gather(*(streamed(model) for _ in range(20)))
    assert {text(reply) for reply in replies} == {"Blue [1]."}
    assert server.most_open > 5
