"""Nothing that a document says works in what programs and editors are given, and nothing in it hides."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from adapters.http.servers import UvicornServers
from bot.citewell import Citewell
from pipeline.words.text import strip_invisible
from tests.doubles.open_house import opened
from tests.doubles.page import parsed, prose
from tests.unit.pipeline.test_plain import alive

QUESTION = "Where is the kite kept?"
PLANTED = (
    "The kite is kept at [the desk](https://evil.example/desk) in ![the](https://evil.example/p.png) hall.",
    "The kite is kept by <a href='javascript:alert(1)'>Ann</a>, says\u202e https://evil.example/kite\u200b.",
    "[1]: javascript:alert(1)",
)
TITLE = "The [kite](javascript:alert(1))\u202e <img src=x>"
HIDING = "\u202e\u200b\x00"
IDS = frozenset({"id", "document_id", "chunk_id", "document", "conversation"})
QUOTES = frozenset(
    {"quote", "snippet", "passage", "title", "place", "heading", "filename", "passages", "text", "table"}
)
"""What stands there: plain characters, in which nothing hides."""


class House:
    def __init__(self, citewell: Citewell, address: str, key: str) -> None:
        self.citewell = citewell
        self.address = address
        self.headers = {"Authorization": f"Bearer {key}"}

    def http(self, **headers: str) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=self.address, headers={**self.headers, **headers}, timeout=30, trust_env=False
        )

    @asynccontextmanager
    async def editor(self) -> AsyncIterator[Client]:
        async with (
            self.http() as http,
            Client(streamable_http_client(f"{self.address}/mcp", http_client=http)) as client,
        ):
            yield client


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with (
        opened(tmp_path) as (citewell, app),
        UvicornServers().serve("127.0.0.1:0", app.routes, setting="CITEWELL_WEB") as port,
    ):
        about = {"collection": "open", "title": TITLE, "filename": "kite\u202e.md", "url": "javascript:alert(1)"}
        await citewell.indexer.add_document(parsed("d1", prose(*PLANTED), **about))
        _, key = await citewell.storage.api_keys.add("program", (), 6000)
        yield House(citewell, f"http://127.0.0.1:{port}", key)


def texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every text of JSON, with the name that it stands under."""
    match value:
        case str():
            yield name, value
        case list():
            for one in value:
                yield from texts(one, name)
        case dict():
            for key, one in value.items():
                yield from texts(one, key)


def harmless(given: Any) -> None:
    """No text hides anything, no link leads to where nobody may be led, and what is said in our words works nowhere."""
    for name, text in texts(given):
        if name in IDS:
            continue
        assert strip_invisible(text) == text, name
        if name in ("url", "link"):
            assert text == "" or text.startswith(("http://", "https://")), name
        elif name not in QUOTES:
            assert list(alive(text)) == [], (name, text)


@pytest.mark.parametrize("citations", ["numbered", "inline", "footnote", "endnote"])
async def test_an_answer_over_the_api_is_plain_text(citations: str, house: House) -> None:
    asked = {"question": QUESTION, "citations": citations}
    async with house.http() as http, house.http(Accept="text/event-stream") as streaming:
        answer = (await http.post("/api/v1/ask", json=asked)).json()["answer"]
        stream = (await streaming.post("/api/v1/ask", json=asked)).text
    assert "kite is kept" in answer["body"]
    harmless(answer)
    assert list(alive(answer["body"])) == []
    assert all(list(alive(one["text"])) == [] for one in answer["sentences"])
    events = [line.removeprefix("data: ") for line in stream.splitlines() if line.startswith("data: ")]
    assert len(events) > 3
    for event in events:
        harmless(json.loads(event))


async def test_passages_and_names_over_the_api_hide_nothing_and_lead_nowhere(house: House) -> None:
    async with house.http() as http:
        for path in ("documents", "sources", "passages?document=d1"):
            told = (await http.get(f"/api/v1/{path}")).json()
            harmless(told)
        found = (await http.post("/api/v1/search", json={"text": "kite"})).json()
    harmless(found)
    assert "[the desk](https://evil.example/desk)" in found["passages"][0]["text"], "it is what stands there"


async def test_an_editor_is_given_plain_text_by_every_way(house: House) -> None:
    said: list[str] = []

    async def progress(far: float, total: float | None, what: str | None) -> None:
        said.append(what or "")

    async with house.editor() as editor:
        answer = await editor.call_tool("ask", {"question": QUESTION}, progress_callback=progress)
        found = await editor.call_tool("search", {"query": "kite"})
        read = await editor.call_tool("read", {"document": "d1"})
        listed = await editor.list_resources()
        held = await editor.read_resource("citewell://document/d1")
        harmless([editor.instructions or ""])
    harmless(answer.structured_content)
    assert list(alive(answer.structured_content["text"])) == []
    assert said
    assert all(list(alive(one)) == [] and strip_invisible(one) == one for one in said)
    for given in (found, read):
        harmless(given.structured_content)
        harmless(json.loads(given.content[0].text))  # type: ignore[union-attr] # text
    harmless([one.name for one in listed.resources])
    assert not any(mark in held.contents[0].text for mark in HIDING)  # type: ignore[union-attr] # text
