"""What a model's server can do to whoever asks it: send the prompt elsewhere, or send more than there is room for."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Awaitable, Callable

import pytest
from pydantic import BaseModel

from adapters.models.openai_embedder import OpenAIEmbedder
from pipeline.errors import Unavailable, UnusableResponse
from pipeline.ports import ChatMessage, LanguageModel
from tests.doubles.llm.faults import Raw, Status, Text
from tests.doubles.llm.models import models
from tests.doubles.llm.server import LlmServer
from tests.doubles.web import WebServer

MESSAGES = [ChatMessage(role="user", content="What colour is the sky?")]
_MB = 1_000_000


def _events() -> Raw:
    return Raw(gzip.compress(b'data: {"choices": [{"delta": {"content": "blue "}}]}\n\n' * 600_000), encoding="gzip")


def _zeros() -> Raw:
    return Raw(zlib.compress(bytes(30 * _MB)), encoding="deflate")


def _json() -> Raw:
    return Raw(gzip.compress(b'{"choices": [' + b"{}," * (10 * _MB) + b"{}]}"), "application/json", "gzip")


def _twice() -> Raw:
    return Raw(gzip.compress(gzip.compress(bytes(30 * _MB))), encoding="gzip, gzip")


class Colour(BaseModel):
    name: str


async def _stream(model: LanguageModel) -> None:
    async for _ in model.stream(MESSAGES, max_tokens=50):
        pass


async def _structured(model: LanguageModel) -> None:
    await model.structured(MESSAGES, Colour, max_tokens=50)


both = pytest.mark.parametrize("provider", ["openai", "anthropic"])
asked = pytest.mark.parametrize("ask", [_stream, _structured])
Ask = Callable[[LanguageModel], Awaitable[None]]


@both
@asked
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_prompt_is_not_sent_on_to_another_server(provider: str, ask: Ask, status: int) -> None:
    async with WebServer().running() as other:
        moved = Status(status, headers={"Location": f"{other.url}/v1/chat/completions"})
        async with models(provider, moved) as (model, _):
            with pytest.raises(Unavailable, match="redirects to another server") as failure:
                await ask(model)
    assert (other.asked, failure.value.permanent) == ([], True)


@both
async def test_a_redirect_on_the_same_server_is_followed(provider: str) -> None:
    path = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}[provider]
    async with models(provider, Status(307, headers={"Location": path}), Text("Blue [1].")) as (model, server):
        await _stream(model)
    assert len(server.requests) == 2


@both
@asked
@pytest.mark.parametrize("bomb", [_events, _zeros, _json, _twice])
async def test_a_bomb_ends_at_the_limit(provider: str, ask: Ask, bomb: Callable[[], Raw]) -> None:
    async with models(provider, bomb()) as (model, _):
        with pytest.raises((Unavailable, UnusableResponse)):
            await ask(model)


@both
@asked
async def test_a_reply_of_a_million_objects_within_the_limit_is_unusable_within_the_deadline(
    provider: str, ask: Ask
) -> None:
    objects = b"{}," * 1_000_000 + b"{}]}"
    for name in (b"choices", b"content", b"usage"):
        reply = Raw(gzip.compress(b'{"' + name + b'": [' + objects), "application/json", "gzip")
        async with models(provider, reply) as (model, _), asyncio.timeout(30):
            with pytest.raises((Unavailable, UnusableResponse)):
                await ask(model)


async def test_a_bomb_in_place_of_vectors_ends_at_the_limit() -> None:
    async with LlmServer([Raw(gzip.compress(bytes(30 * _MB)), "application/json", "gzip")] * 2).running() as server:
        embedder = OpenAIEmbedder("m", key="k", base_url=f"{server.url}/v1", sleep=lambda seconds: asyncio.sleep(0))
        with pytest.raises(Unavailable, match="not read to its end"):
            await embedder.embed(["blue", "grey"])
        await embedder.close()
