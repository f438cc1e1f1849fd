"""Whatever is sent to MCP, and whatever goes wrong behind it, is answered in words and with nothing of ours."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from starlette.applications import Starlette

from adapters.http.servers import UvicornServers
from bot.citewell import Citewell
from bot.platforms import open_program_routes
from pipeline.errors import Unavailable
from tests.doubles.open_house import SECRET, opened
from tests.unit.adapters.api.test_failing import INNER, Broken
from tests.unit.adapters.mcp.test_mcp import ACCEPTS, INITIALIZE

OURS = (INNER, "Traceback", "adapters.", "storage.", "sqlite", SECRET)
MODERN = "2026-07-28"


class Team:
    def __init__(self, citewell: Citewell, http: httpx.AsyncClient, key: str) -> None:
        self.citewell = citewell
        self.http = http
        self.headers = {**ACCEPTS, "Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    async def session(self) -> dict[str, str]:
        begun = await self.http.post("/mcp", json=INITIALIZE, headers=self.headers)
        return {**self.headers, "Mcp-Session-Id": begun.headers["mcp-session-id"]}

    async def call(self, method: str, params: Any, headers: dict[str, str]) -> Any:
        """What comes back for one request, as JSON-RPC."""
        sent = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        answer = await self.http.post("/mcp", content=json.dumps(sent), headers=headers)
        assert not any(one in answer.text for one in OURS), answer.text
        events = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
        return json.loads(events[-1] if events else answer.text)


@pytest.fixture
async def team(tmp_path: Path) -> AsyncIterator[Team]:
    """Where access tokens cannot be read."""
    async with (
        opened(tmp_path) as (citewell, _),
        open_program_routes(citewell, url="", machine=None, tokens=Broken()) as routes,
        UvicornServers().serve("127.0.0.1:0", Starlette(routes=routes).routes, setting="CITEWELL_WEB") as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False, verify=False) as http,
    ):
        _, key = await citewell.storage.api_keys.add("editor", (), 6000)
        yield Team(citewell, http, key)


def is_error(answer: httpx.Response, status: int) -> None:
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json"), answer.text
    told = answer.json()
    assert (told["jsonrpc"], told["id"]) == ("2.0", None)
    assert told["error"]["message"]
    assert not any(one in answer.text for one in OURS)


async def test_a_token_that_cannot_be_read_is_told_with_a_number_and_nothing_else(team: Team) -> None:
    headers = {**ACCEPTS, "Authorization": "Bearer token"}
    is_error(await team.http.post("/mcp", json=INITIALIZE, headers=headers), 500)


async def test_who_is_not_let_in_is_told_why_as_clients_show_it(team: Team, tmp_path: Path) -> None:
    refused = await team.http.post("/mcp", json=INITIALIZE, headers=ACCEPTS)
    is_error(refused, 401)
    assert "citewell keys add" in refused.text
    _, slow = await team.citewell.storage.api_keys.add("slow", (), 1)
    headers = {**ACCEPTS, "Authorization": f"Bearer {slow}"}
    await team.http.post("/mcp", json=INITIALIZE, headers=headers)
    often = await team.http.post("/mcp", json=INITIALIZE, headers=headers)
    is_error(often, 429)
    assert int(often.headers["retry-after"]) > 0


@pytest.mark.parametrize("error", [ZeroDivisionError(INNER), Unavailable("storage", INNER)])
@pytest.mark.parametrize(
    ("broken", "method", "params"),
    [
        ("search", "tools/call", {"name": "search", "arguments": {"query": "x"}}),
        ("respond", "tools/call", {"name": "ask", "arguments": {"question": "x"}}),
        ("read_document", "tools/call", {"name": "read", "arguments": {"document": "x"}}),
        ("read_document", "resources/read", {"uri": "citewell://document/x"}),
    ],
)
async def test_what_goes_wrong_is_told_in_a_sentence_and_nothing_of_it(
    broken: str, method: str, params: Any, error: Exception, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*_: object, **__: object) -> None:
        raise error

    headers = await team.session()
    monkeypatch.setattr(type(team.citewell.reading), broken, wrong)
    told = await team.call(method, params, headers)
    said = told["error"]["message"] if "error" in told else told["result"]["content"][0]["text"]
    assert "error" in told or told["result"]["isError"]
    assert said.endswith(".")


async def test_documents_that_cannot_be_counted_are_told_so_before_a_session_begins(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*_: object) -> None:
        raise ZeroDivisionError(INNER)

    monkeypatch.setattr(type(team.citewell.reading), "list_documents", wrong)
    is_error(await team.http.post("/mcp", json=INITIALIZE, headers=team.headers), 500)


ODD = (
    b"",
    b"null",
    b"[]",
    b"[" * 50_000,
    json.dumps([INITIALIZE] * 3).encode(),
    b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
    b'{"jsonrpc":"2.0","id":"\\u0000","method":"tools/list","params":{"cursor":"\\ud800"}}',
    b'{"jsonrpc":"1.0","id":1,"method":"initialize"}',
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"\\u202e"}}',
    b'{"jsonrpc":"2.0","id":1,"result":{}}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}',
    b"\xff\xfe",
)


@pytest.mark.parametrize(
    "version", ["", "2025-06-18", "2024-11-05", MODERN, "1999-01-01", "x" * 4000, "\u00ff", "2025-06-18, 2025-06-18"]
)
async def test_no_body_and_no_version_of_the_protocol_makes_it_fail(version: str, team: Team) -> None:
    more = {"Mcp-Protocol-Version": version.encode("latin-1")} if version else {}
    session = await team.session()
    for headers in (team.headers, session, {**team.headers, "Mcp-Session-Id": "'\"<{"}):
        for body in ODD:
            answer = await team.http.post("/mcp", content=body, headers={**headers, **more})
            assert answer.status_code < 500, (body[:60], answer.text)
            assert not any(one in answer.text for one in OURS), answer.text
    assert "tools" in (await team.call("tools/list", {}, session))["result"]


@pytest.mark.parametrize("cursor", ["9" * 8, "9" * 9, "-1", "٣", "1e3", "\x00", "\ud800", "x" * 50_000, ""])
async def test_a_cursor_that_is_none_of_ours_leads_nowhere(cursor: str, team: Team) -> None:
    told = await team.call("resources/list", {"cursor": cursor}, await team.session())
    assert "error" in told or told["result"]["resources"] == []


@pytest.mark.parametrize(
    "uri",
    [
        "citewell://document/%00",
        "citewell://document/%ED%A0%80",
        "citewell://document/" + "a" * 50_000,
        "file:///etc/passwd",
        "\ud800",
        "",
    ],
)
async def test_a_resource_that_is_none_of_ours_is_not_there(uri: str, team: Team) -> None:
    assert "error" in await team.call("resources/read", {"uri": uri}, await team.session())


@pytest.mark.parametrize(
    "question", ["a\x00b", "\x00", "\ud800", "\u202e\u200b", "a\u0301" * 1900, "x" * 4001, '" OR NEAR( * ^ :']
)
async def test_an_odd_question_is_answered_or_refused_in_words(question: str, team: Team) -> None:
    headers = await team.session()
    for name, arguments in (
        ("ask", {"question": question}),
        ("search", {"query": question}),
        ("read", {"document": question}),
    ):
        told = await team.call("tools/call", {"name": name, "arguments": arguments}, headers)
        assert "internal" not in json.dumps(told).lower()


async def test_a_call_without_a_session_of_the_newest_protocol_is_its_callers_alone(team: Team) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    headers = {**team.headers, "Mcp-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "search"}
    params = {"name": "search", "arguments": {"query": "salary band"}, "_meta": meta}
    told = await team.call("tools/call", params, headers)
    assert not told["result"].get("isError")
    without = {name: value for name, value in headers.items() if name != "Authorization"}
    sent = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    assert (await team.http.post("/mcp", json=sent, headers=without)).status_code == 401
