"""Vectors from a compatible server: in order, of unit length, named after their model."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.models.embeddings import OpenAIEmbedder
from pipeline.errors import Unavailable
from pipeline.ports import Vectors
from tests.doubles.llm.faults import Status
from tests.doubles.llm.server import LlmServer


async def no_sleep(_: float) -> None: ...


async def embed(server: LlmServer, texts: list[str], dimensions: int = 3) -> Vectors:
    embedder = OpenAIEmbedder("embed", dimensions=dimensions, key="k", base_url=f"{server.url}/v1", sleep=no_sleep)
    try:
        return await embedder.embed(texts)
    finally:
        await embedder.close()


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
        assert (await embed(server, [])).shape == (0, 3)
    assert server.requests == []


async def test_the_dimensions_are_learnt_and_part_of_the_name() -> None:
    async with LlmServer().running() as server:
        opened = await OpenAIEmbedder.open("embed", key="k", base_url=f"{server.url}/v1")
        await opened.close()
    assert (opened.name, opened.dimensions) == ("openai:embed:3", 3)


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
    async with LlmServer([Status(500)]).running() as server:
        with pytest.raises(Unavailable):
            await embed(server, ["a"])
    assert len(server.requests) == 1


async def test_vectors_of_other_dimensions_are_refused() -> None:
    async with LlmServer().running() as server:
        with pytest.raises(Unavailable, match="dimensions"):
            await embed(server, ["a", "b"], dimensions=4)
