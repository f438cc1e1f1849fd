"""A reranker on a server: what it is asked, and everything that can be wrong with its reply."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence

import pytest

from adapters.models.rerank_server import DEFAULT_URLS, ServerReranker
from adapters.models.resilience import GuardedReranker
from pipeline.errors import Misconfigured, Unavailable
from tests.doubles.web import Reply, WebServer

PASSAGES = ["The pump is primed.", "The office opens at nine."]
QUESTION = "When does the office open?"
PATH = "/v1/rerank"


def results(*pairs: tuple[object, object]) -> Reply:
    reply = {"results": [{"index": index, "relevance_score": score} for index, score in pairs]}
    return Reply(json.dumps(reply).encode())


GOOD = results((1, 0.9), (0, 0.2))


async def scores(server: WebServer, *, key: str = "k", seconds: float = 30.0) -> Sequence[float]:
    reranker = ServerReranker("jina:reranker-m0", url=f"{server.url}{PATH}", key=key)
    try:
        return await GuardedReranker(reranker, "reranker", seconds=seconds).score(QUESTION, PASSAGES)
    finally:
        await reranker.close()


async def test_each_passage_gets_its_score_whatever_the_order_of_the_reply() -> None:
    async with WebServer({PATH: GOOD}).running() as server:
        assert await scores(server) == [0.2, 0.9]
    (asked,) = server.asked
    assert (asked.method, asked.headers["authorization"]) == ("POST", "Bearer k")
    assert json.loads(asked.body) == {"model": "reranker-m0", "query": QUESTION, "documents": PASSAGES}


async def test_a_server_of_ones_own_needs_no_key() -> None:
    async with WebServer({PATH: GOOD}).running() as server:
        await scores(server, key="")
    assert "authorization" not in server.asked[0].headers


@pytest.mark.parametrize("provider", ["cohere", "jina"])
def test_a_provider_needs_a_key(provider: str) -> None:
    with pytest.raises(Misconfigured, match="CITEWELL_RERANKER_KEY") as caught:
        ServerReranker(f"{provider}:model")
    assert "CITEWELL_RERANKER_URL" in caught.value.what_to_do
    assert DEFAULT_URLS[provider].startswith("https://api.")


@pytest.mark.parametrize(
    "reply",
    [
        results((0, 0.2)),
        results((0, 0.2), (1, 0.9), (2, 0.1)),
        results((0, 0.2), (0, 0.9)),
        results((0, 0.2), (7, 0.9)),
        results((0, float("nan")), (1, 0.9)),
        results((0, float("inf")), (1, 0.9)),
        results((0, None), (1, 0.9)),
        results((0, 10**400), (1, 0.9)),
        Reply(b"<!doctype html><title>502 Bad Gateway</title>"),
        Reply(b'{"results": {"0": 1}}'),
        Reply(b'{"error": "no"}'),
        Reply(b"[1, 2]"),
        Reply(b"[" * 100_000),
        Reply(b"\xff\xfe"),
        Reply(),
    ],
    ids=lambda reply: reply.body[:40].decode("latin1"),
)
async def test_a_reply_that_is_no_score_for_each_passage_is_not_used(reply: Reply) -> None:
    async with WebServer({PATH: reply}).running() as server:
        with pytest.raises(Unavailable):
            await scores(server)


@pytest.mark.parametrize(
    ("status", "remedy"), [(401, "CITEWELL_RERANKER_KEY"), (404, "CITEWELL_RERANKER_URL"), (500, ""), (429, "")]
)
async def test_a_refusal_is_told_with_what_mends_it(status: int, remedy: str) -> None:
    reply = Reply(b'{"message": "the key k is wrong"}', status=status, headers={"retry-after": "7"})
    async with WebServer({PATH: reply}).running() as server:
        with pytest.raises(Unavailable, match=f"status {status}") as caught:
            await scores(server)
    assert remedy in caught.value.what_to_do
    assert caught.value.permanent == bool(remedy)
    assert caught.value.retry_after == 7
    assert "the key" not in str(caught.value)


async def test_a_server_that_takes_too_long_is_left() -> None:
    slow = Reply(GOOD.body + b" " * 1_000_000, pause=5)
    async with WebServer({PATH: slow}).running() as server:
        with pytest.raises(Unavailable, match=r"did not answer within 0\.2 seconds"):
            await scores(server, seconds=0.2)


async def test_a_server_that_is_not_there_is_told() -> None:
    async with WebServer().running() as server:
        pass
    with pytest.raises(Unavailable, match="the connection failed") as caught:
        await scores(server)
    assert "CITEWELL_RERANKER_URL" in caught.value.what_to_do


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_question_and_passages_are_not_sent_on_to_another_server(status: int) -> None:
    async with WebServer({PATH: GOOD}).running() as other:
        moved = Reply(status=status, headers={"Location": f"{other.url}{PATH}"})
        async with WebServer({PATH: moved}).running() as server:
            with pytest.raises(Unavailable, match="redirects to another server"):
                await scores(server)
    assert other.asked == []


async def test_a_redirect_on_the_same_server_is_followed() -> None:
    moved = Reply(status=307, headers={"Location": "/v2/rerank"})
    async with WebServer({PATH: moved, "/v2/rerank": GOOD}).running() as server:
        assert await scores(server) == [0.2, 0.9]


@pytest.mark.parametrize(
    "reply",
    [Reply(bytes(30_000_000)), Reply(gzip.compress(bytes(30_000_000)), headers={"content-encoding": "gzip"})],
    ids=["plain", "bomb"],
)
async def test_a_reply_without_end_is_left_at_the_limit(reply: Reply) -> None:
    async with WebServer({PATH: reply}).running() as server:
        with pytest.raises(Unavailable, match="not read to its end"):
            await scores(server)


async def test_a_key_that_cannot_be_a_header_is_told() -> None:
    async with WebServer({PATH: GOOD}).running() as server:
        with pytest.raises(Unavailable):
            await scores(server, key="kłucz")
