"""Two programs with keys to different collections, over HTTP: each is given all of its own, and nothing of the other's.

On PostgreSQL as a role that row-level security holds for."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from pydantic import SecretStr
from starlette.applications import Starlette

from adapters.http.servers import UvicornServers
from bot.citewell import Citewell
from bot.config.tables import CollectionSettings
from bot.platforms import open_program_routes
from bot.wiring import open_citewell
from storage.postgres.database import PostgresDatabase
from storage.postgres.row_security import ROW_SECURITY_ACTIVE
from tests.doubles.engines import Engine
from tests.doubles.page import parsed, prose
from tests.doubles.settings import extractive

WORDS = {"north": "zqnorthword", "south": "zqsouthword"}
"""What the one document of each collection says, and no other; its title has it too."""
QUESTION = {"north": "Where is the kite kept?", "south": "Where is the lamp kept?"}
THINGS = {"north": "kite", "south": "lamp"}


class House:
    def __init__(self, citewell: Citewell, address: str, keys: Mapping[str, str], anyone: str) -> None:
        self.citewell = citewell
        self.address = address
        self.keys = keys
        self.anyone = anyone

    def http(self, key: str, **headers: str) -> httpx.AsyncClient:
        headers["Authorization"] = f"Bearer {key}"
        return httpx.AsyncClient(base_url=self.address, headers=headers, timeout=60, trust_env=False, verify=False)


@pytest.fixture
async def house(engine: Engine, tmp_path: Path) -> AsyncIterator[House]:
    rules = {name: CollectionSettings(only=(f"slack:T{number}",)) for number, name in enumerate(WORDS)}
    settings = extractive(
        engine.folder,
        embedder="none",
        database=SecretStr(engine.url) if engine.url else None,
        collections=rules,
    )
    async with AsyncExitStack() as stack:
        citewell = await stack.enter_async_context(open_citewell(settings, exclusive=True))
        database = citewell.storage.database
        if isinstance(database, PostgresDatabase):
            assert await database.read(lambda db: db.execute(ROW_SECURITY_ACTIVE).fetchone()) == (True,)
        for name, word in WORDS.items():
            blocks = prose(f"The {THINGS[name]} is kept in the {word}.")
            await citewell.indexer.add_document(parsed(f"d-{name}", blocks, collection=name, title=f"About {word}"))
        keys = {name: (await citewell.storage.api_keys.add(name, (name,), 6000))[1] for name in WORDS}
        _, anyone = await citewell.storage.api_keys.add("anyone", (), 6000)
        routes = await stack.enter_async_context(open_program_routes(citewell, url="", machine=None, tokens=None))
        serving = UvicornServers().serve("127.0.0.1:0", Starlette(routes=routes).routes, setting="CITEWELL_WEB")
        port = await stack.enter_async_context(serving)
        yield House(citewell, f"http://127.0.0.1:{port}", keys, anyone)


async def over_the_api(house: House, key: str, told: dict[str, str]) -> None:
    """All that a key is given, by call; its answers under their ids too."""
    async with house.http(key) as http, house.http(key, Accept="text/event-stream") as streaming:
        for name, question in QUESTION.items():
            sent: dict[str, Any] = {"question": question}
            for once in ({}, {"Idempotency-Key": f"once-{name}"}, {"Idempotency-Key": f"once-{name}"}):
                answer = await http.post("/api/v1/ask", json=sent, headers=once)
                assert answer.status_code == 200, answer.text
                told[f"ask {name} {bool(once)} {len(told)}"] = answer.text
                told[f"stream {name} {len(told)}"] = (await streaming.post("/api/v1/ask", json=sent, headers=once)).text
            further = {"question": "And where is it?", "conversation": answer.json()["conversation"]}
            told[f"further {name}"] = (await http.post("/api/v1/ask", json=further)).text
            rated = f"/api/v1/answers/{answer.json()['answer']['id']}/feedback"
            told[f"feedback {name}"] = (await http.post(rated, json={"vote": "helpful", "comment": "Yes"})).text
            told[f"search {name}"] = (await http.post("/api/v1/search", json={"text": question})).text
            told[f"passages {name}"] = (await http.get(f"/api/v1/passages?document=d-{name}")).text
        for call in ("documents", "sources", "health"):
            told[call] = (await http.get(f"/api/v1/{call}")).text


async def over_mcp(house: House, key: str, told: dict[str, str]) -> None:
    async with (
        house.http(key) as http,
        Client(streamable_http_client(f"{house.address}/mcp", http_client=http)) as editor,
    ):
        told["instructions"] = editor.instructions or ""
        listed = await editor.list_resources()
        told["resources"] = listed.model_dump_json()
        for name, question in QUESTION.items():
            for tool, arguments in (
                ("ask", {"question": question}),
                ("search", {"query": question}),
                ("read", {"document": f"d-{name}"}),
            ):
                told[f"MCP {tool} {name}"] = (await editor.call_tool(tool, arguments)).model_dump_json()
        for resource in listed.resources:
            told[f"MCP resource {resource.uri}"] = (await editor.read_resource(resource.uri)).model_dump_json()


async def test_each_is_given_its_own_and_nothing_of_the_others(house: House) -> None:
    for name, key in house.keys.items():
        told: dict[str, str] = {}
        await over_the_api(house, key, told)
        await over_mcp(house, key, told)
        (other,) = set(WORDS) - {name}
        assert not [call for call, text in told.items() if WORDS[other] in text or f'"{other}"' in text]
        own = [call for call, text in told.items() if WORDS[name] in text]
        for call in (f"search {name}", f"passages {name}", "documents", f"MCP ask {name}", f"MCP read {name}"):
            assert call in own
        assert any(call.startswith(f"stream {name}") for call in own)
        assert json.loads(told[f"feedback {name}"])["answer"]
        assert '"failed"' not in "".join(told.values())


async def test_a_key_without_collections_is_given_nothing_of_either(house: House) -> None:
    told: dict[str, str] = {}
    await over_the_api(house, house.anyone, told)
    await over_mcp(house, house.anyone, told)
    assert not [call for call, text in told.items() if any(word in text for word in WORDS.values())]
    assert json.loads(told["health"]) == {"documents": 0}


async def test_an_answer_and_a_conversation_are_their_keys_alone(house: House) -> None:
    async with house.http(house.keys["north"]) as mine, house.http(house.keys["south"]) as theirs:
        told = (await mine.post("/api/v1/ask", json={"question": QUESTION["north"]})).json()
        rated = f"/api/v1/answers/{told['answer']['id']}/feedback"
        assert (await theirs.post(rated, json={"vote": "unhelpful"})).status_code == 404
        further = {"question": "And where is it kept?", "conversation": told["conversation"]}
        assert WORDS["north"] not in (await theirs.post("/api/v1/ask", json=further)).text
        assert WORDS["north"] in (await mine.post("/api/v1/ask", json=further)).text
