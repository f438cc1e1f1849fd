"""Vectors from a compatible server: in order, of unit length, named after their model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
import pytest

from adapters.models.openai_embedder import OpenAIEmbedder
from pipeline.errors import Unavailable
from pipeline.ports import Vectors
from tests.doubles.llm.faults import Status
from tests.doubles.llm.server import LlmServer


async def no_sleep(_: float) -> None: ...


@asynccontextmanager
async def embedder_of(server: LlmServer) -> AsyncIterator[OpenAIEmbedder]:
    embedder = OpenAIEmbedder("embed", key="k", base_url=f"{server.url}/v1", sleep=no_sleep)
    try:
        yield embedder
    finally:
        await embedder.close()


async def embed(server: LlmServer, texts: list[str]) -> Vectors:
    async with embedder_of(server) as embedder:
        return await embedder.embed(texts)


async def test_vectors_come_in_order_and_of_unit_length_whatever_the_servers_order() -> None:
    texts = [("e" * n) or "none" for n in range(150)]
    async with LlmServer().running() as server:
        vectors = await embed(server, texts)
    assert vectors.shape == (150, 3)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.allclose(vectors[5], np.array([5, 1, 5]) / np.linalg.norm([5, 1, 5]))
    assert [len(request["input"]) for request in server.requests] == [64, 64, 22]
    assert {request["encoding_format"] for request in server.requests} == {"float"}


async def test_nothing_is_asked_for_no_texts() -> None:
    async with LlmServer().running() as server:
        assert len(await embed(server, [])) == 0
    assert server.requests == []


async def test_the_dimensions_are_learnt_from_the_first_reply_and_part_of_the_name() -> None:
    async with LlmServer().running() as server, embedder_of(server) as embedder:
        assert server.requests == []
        await embedder.embed(["a"])
        assert (embedder.name, embedder.dimensions) == ("openai:embed:3", 3)


async def test_the_name_is_that_of_what_was_embedded_before_until_the_first_reply() -> None:
    async with LlmServer([Status(500)]).running() as server, embedder_of(server) as embedder:
        embedder.restore_dimensions(
            ["minilm-l6-int8", "openai:other:9", "openai:embed:large:7", "openai:embed:5", "openai:embed:3"]
        )
        assert (embedder.name, embedder.dimensions) == ("openai:embed:5", 5)
        with pytest.raises(Unavailable):
            await embedder.embed_question("a")
        assert embedder.name == "openai:embed:5"
        assert (await embedder.embed(["a"])).shape == (1, 3)
        assert embedder.name == "openai:embed:3"


async def test_a_batch_is_asked_for_once_more() -> None:
    async with LlmServer([Status(429, headers={"retry-after": "1"})]).running() as server:
        assert (await embed(server, ["a", "b"])).shape == (2, 3)


@pytest.mark.parametrize("act", [Status(401), Status(429, headers={"retry-after": "600"}), Status(400)], ids=repr)
async def test_an_error_that_stays_is_unavailable_after_one_request(act: Status) -> None:
    async with LlmServer([act, act]).running() as server:
        with pytest.raises(Unavailable):
            await embed(server, ["a", "b"])
    assert len(server.requests) == 1


async def test_a_question_is_asked_for_once_because_someone_waits() -> None:
    async with LlmServer([Status(500)]).running() as server, embedder_of(server) as embedder:
        with pytest.raises(Unavailable):
            await embedder.embed_question("a")
        assert len(server.requests) == 1
        assert (await embedder.embed_question("a")).shape == (3,)


async def test_a_single_passage_is_asked_for_once_more_like_any_batch() -> None:
    async with LlmServer([Status(500)]).running() as server:
        assert (await embed(server, ["a"])).shape == (1, 3)


async def test_vectors_of_other_dimensions_than_the_first_are_refused() -> None:
    async with LlmServer().running() as server, embedder_of(server) as embedder:
        await embedder.embed(["a"])
        server.dimensions = 4
        with pytest.raises(Unavailable, match="dimensions"):
            await embedder.embed(["a", "b"])
