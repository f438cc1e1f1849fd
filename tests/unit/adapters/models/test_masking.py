"""What a foreign model is shown of personal data and keys, and that what it writes comes back with the values."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from adapters.models import openai_embedder, rerank_server
from adapters.models.masking import PLACEHOLDER_NOTE, MaskedModel, PlaceholderMap, is_external_server
from adapters.models.openai_embedder import OpenAIEmbedder
from adapters.models.rerank_server import ServerReranker
from pipeline.ports import ChatMessage, StreamEnd, TextDelta, Tool, ToolCall
from pipeline.screen.sensitive_data import find_sensitive_data
from tests.doubles.llm.faults import Act, Asking, Call, Text
from tests.doubles.llm.models import models
from tests.doubles.llm.server import LlmServer
from tests.doubles.llm.walk import passage, walking
from tests.doubles.web import Reply, WebServer

MAIL, PHONE, IBAN, CARD = "anna@example.com", "+49 30 1234567", "DE89 3704 0044 0532 0130 00", "4111 1111 1111 1111"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
BLOCK = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n" * 3 + "-----END PRIVATE KEY-----"
VALUES = [MAIL, PHONE, IBAN, CARD, TOKEN, BLOCK]
TALK = [
    ChatMessage(role="system", content="Answer from the documents."),
    ChatMessage(role="user", content=f"Write to {MAIL} or call {PHONE}; {MAIL} is read daily."),
]
LOOK = Tool(name="look", description="Look.", parameters={"type": "object", "properties": {}})
texts = st.lists(st.sampled_from([*VALUES, "<mail-1>", "<key-2>", "<text-1>", "<", "-1>", " and ", "\n", "é"]))


class Who(BaseModel):
    name: str
    reached: list[str]


@pytest.fixture(params=["openai", "anthropic"])
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def shown(provider: str, *acts: Act, talk: Sequence[ChatMessage] = TALK) -> tuple[str, list[ToolCall], LlmServer]:
    """The text and the calls that came of a reply, and who was asked."""
    async with models(provider, *acts) as (model, server):
        stream = MaskedModel(model, find_sensitive_data).stream(talk, max_tokens=50, tools=(LOOK,))
        pieces = [piece async for piece in stream]
    assert isinstance(pieces[-1], StreamEnd)
    text = "".join(piece.text for piece in pieces if isinstance(piece, TextDelta))
    return text, [piece for piece in pieces if isinstance(piece, ToolCall)], server


@pytest.mark.parametrize("size", [1, 2, 5, 100])
async def test_a_foreign_model_sees_no_value_and_its_answer_has_it(provider: str, size: int) -> None:
    text, _, server = await shown(provider, Text("Call <phone-1> (<mail-1>), 1 < 2, <b-> <mail-7>, a <m", size=size))
    assert text == f"Call {PHONE} ({MAIL}), 1 < 2, <b-> <mail-7>, a <m"
    told = json.dumps(server.requests[0])
    assert "Write to <mail-1> or call <phone-1>; <mail-1> is read daily." in told
    assert (MAIL in told, PHONE in told) == (False, False)


async def test_a_model_is_told_of_placeholders_only_where_there_are_some(provider: str) -> None:
    _, _, server = await shown(provider, Text("Yes."))
    assert PLACEHOLDER_NOTE in json.dumps(server.requests[0], ensure_ascii=False)
    _, _, server = await shown(provider, Text("Yes."), talk=[TALK[0], ChatMessage(role="user", content="Is it open?")])
    assert "<mail-1>" not in json.dumps(server.requests[0])


async def test_a_search_of_the_model_looks_for_the_value_and_is_shown_to_it_without(provider: str) -> None:
    talk = [ChatMessage(role="system", content="x"), ChatMessage(role="user", content=f"Who is {MAIL}?\n{BLOCK}")]
    asking = Asking((Call("look", r'{"query": ["\u003cmail-1> <key-1>"]}', "call_a"),))
    _, (call,), _ = await shown(provider, asking, talk=talk)
    assert json.loads(call.arguments) == {"query": [f"{MAIL} {BLOCK}"]}
    talk += [
        ChatMessage(role="assistant", content="", calls=(call,)),
        ChatMessage(role="tool", content=f"{MAIL} is Anna.", call_id="call_a"),
    ]
    text, _, server = await shown(provider, Text("<mail-1> is Anna [1]."), talk=talk)
    assert text == f"{MAIL} is Anna [1]."
    assert MAIL not in json.dumps(server.requests[0])


async def test_what_a_model_fills_in_has_the_values(provider: str) -> None:
    async with models(provider, Text('{"name": "Anna <mail-2>", "reached": ["<mail-1>", "<phone-1>"]}')) as (model, _):
        who, _ = await MaskedModel(model, find_sensitive_data).structured(TALK, Who, max_tokens=50)
    assert who == Who(name="Anna <mail-2>", reached=[MAIL, PHONE])


@given(st.lists(st.one_of(texts.map("".join), texts.map(" ".join)), max_size=4))
def test_what_is_hidden_comes_back_whatever_stood_beside_it(said: list[str]) -> None:
    mask = PlaceholderMap(find_sensitive_data)
    assert [mask.reveal(mask.hide(text)) for text in said] == said


@given(texts.map(" ".join))
def test_no_value_is_left_in_what_is_shown(text: str) -> None:
    assert find_sensitive_data(PlaceholderMap(find_sensitive_data).hide(text)) == []


@given(texts.map("".join), texts.map("".join))
def test_a_conversation_that_goes_on_is_shown_the_same_beginning(first: str, second: str) -> None:
    once, again = PlaceholderMap(find_sensitive_data), PlaceholderMap(find_sensitive_data)
    again_first, _ = again.hide(first), again.hide(second)
    assert once.hide(first) == again_first


class Saying:
    """A model that says these pieces."""

    name = "saying"

    def __init__(self, pieces: Sequence[str]) -> None:
        self.pieces = pieces

    async def connect(self) -> None: ...

    async def close(self) -> None: ...

    async def structured(self, *_: object, **__: object) -> Any:
        raise NotImplementedError

    async def stream(self, *_: object, **__: object) -> AsyncGenerator[TextDelta | ToolCall | StreamEnd, None]:
        for piece in self.pieces:
            yield TextDelta(text=piece)
        yield StreamEnd(reason="stop")


@given(st.lists(st.sampled_from([*"<>-1m", "<mail-1>", "<mail-", "<phone-1>", "<key-1>", "", " é", "<mail-1"])))
def test_an_answer_is_the_same_however_its_text_is_cut(pieces: list[str]) -> None:
    async def read() -> str:
        stream = MaskedModel(Saying(pieces), find_sensitive_data).stream(TALK, max_tokens=9)
        return "".join([piece.text async for piece in stream if isinstance(piece, TextDelta)])

    mask = PlaceholderMap(find_sensitive_data)
    mask.hide_messages(TALK)
    assert asyncio.run(read()) == mask.reveal("".join(pieces))


async def test_a_number_that_was_asked_for_comes_right_with_its_citation() -> None:
    said = f"The support line is {PHONE}."
    async with (
        LlmServer([Text("The support line is <phone-1> [1].", size=3)]).running() as server,
        walking(server, [passage("c1", said, f"Complaints go to {MAIL}.")], masked=True) as walk,
    ):
        answer = await walk.answer("What is the phone number of the support line?")
    assert [sentence.text for sentence in answer.sentences] == [said]
    assert answer.citations[0].quote == said
    assert not any(value in json.dumps(request) for request in server.requests for value in (PHONE, MAIL))


async def test_a_judge_rests_on_the_words_of_the_passage_itself() -> None:
    verdict = {"claim": 1, "words": "reach the support line at <phone-1>", "verdict": "supported"}
    script = [Text("Support is at <phone-1> for everybody [1]."), Text(json.dumps({"verdicts": [verdict]}))]
    async with (
        LlmServer(script).running() as server,
        walking(
            server, [passage("c1", f"All staff reach the support line at {PHONE}.")], masked=True, judged=True
        ) as walk,
    ):
        answer = await walk.answer("Where is support?")
    assert [sentence.text for sentence in answer.sentences] == [f"Support is at {PHONE} for everybody."]
    assert len(server.requests) == 2
    assert PHONE not in json.dumps(server.requests)


@pytest.mark.parametrize(
    ("url", "theirs"),
    [
        (None, True),
        ("", True),
        ("https://api.example.com/v1", True),
        ("http://8.8.8.8:8000/v1", True),
        ("http://localhost:11434/v1", False),
        ("http://[::1]:8000", False),
        ("http://10.1.2.3:8000/v1", False),
        ("http://vllm:8000/v1", False),
        ("http://models.svc.cluster.local/v1", False),
    ],
)
def test_a_server_on_the_machine_or_in_a_private_network_is_not_foreign(url: str | None, theirs: bool) -> None:
    assert is_external_server(url) is theirs


async def test_a_foreign_embedder_is_shown_only_that_there_is_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_embedder, "is_external_server", lambda _: True)
    async with LlmServer().running() as server:
        embedder = OpenAIEmbedder("embed", key="k", base_url=f"{server.url}/v1", find=find_sensitive_data)
        await embedder.embed([f"Mail {MAIL}.", "Mail bob@example.com."])
        await embedder.close()
    assert server.requests[0]["input"] == ["Mail <mail-1>.", "Mail <mail-1>."]


async def test_a_foreign_reranker_can_still_tell_two_values_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rerank_server, "is_external_server", lambda _: True)
    reply = Reply(
        json.dumps({"results": [{"index": 0, "relevance_score": 1}, {"index": 1, "relevance_score": 0}]}).encode()
    )
    async with WebServer({"/rerank": reply}).running() as server:
        reranker = ServerReranker("jina:m", url=f"{server.url}/rerank", key="k", find=find_sensitive_data)
        await reranker.score(f"Who is {MAIL}?", [f"{MAIL} is Anna.", "bob@example.com is Bob."])
        await reranker.close()
    asked = json.loads(server.asked[0].body)
    assert (asked["query"], asked["documents"]) == ("Who is <mail-1>?", ["<mail-1> is Anna.", "<mail-2> is Bob."])
