"""Sessions of editors: nobody's keep anybody else out, and one is its caller's alone."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import httpx2 as httpx
import pytest

from adapters.http.servers import UvicornServers
from adapters.mcp.routes import (
    MAX_SESSIONS,
    MAX_SESSIONS_PER_CALLER,
    SESSION_HEADER_RAW,
    McpSession,
    McpSessionPool,
    TooManySessions,
)
from bot.citewell import Citewell
from pipeline.ports import answer_stream
from pipeline.values import AnswerEvent, AnswerRequest, AnswerStage, ProgressEvent
from tests.doubles.open_house import opened
from tests.unit.adapters.mcp.test_mcp import ACCEPTS, INITIALIZE

LISTING = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


class Team:
    def __init__(self, citewell: Citewell, http: httpx.AsyncClient) -> None:
        self.citewell = citewell
        self.http = http

    async def key(self, name: str) -> Mapping[str, str]:
        _, secret = await self.citewell.storage.api_keys.add(name, (), 6000)
        return {**ACCEPTS, "Authorization": f"Bearer {secret}"}

    async def begin(self, headers: Mapping[str, str]) -> httpx.Response:
        return await self.http.post("/mcp", json=INITIALIZE, headers=headers)

    async def session(self, headers: Mapping[str, str]) -> str:
        begun = await self.begin(headers)
        assert begun.status_code == 200, begun.text
        return str(begun.headers["mcp-session-id"])

    async def status(self, headers: Mapping[str, str], session: str, method: str = "POST") -> int:
        sent = {"json": LISTING} if method == "POST" else {}
        answer = await self.http.request(method, "/mcp", headers={**headers, "Mcp-Session-Id": session}, **sent)
        return answer.status_code


@pytest.fixture
async def team(tmp_path: Path) -> AsyncIterator[Team]:
    async with (
        opened(tmp_path) as (citewell, app),
        UvicornServers().serve("127.0.0.1:0", app.routes, setting="CITEWELL_WEB") as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False, verify=False) as http,
    ):
        yield Team(citewell, http)


async def test_one_caller_cannot_take_all_sessions(team: Team) -> None:
    greedy, other = await team.key("greedy"), await team.key("other")
    begun = [await team.session(greedy) for _ in range(MAX_SESSIONS + 20)]
    theirs = await team.session(other)
    assert await team.status(other, theirs) == 200
    assert await team.status(greedy, begun[-1]) == 200
    assert await team.status(greedy, begun[-MAX_SESSIONS_PER_CALLER]) == 200
    assert (
        await team.status(greedy, begun[0]) == await team.status(greedy, begun[-MAX_SESSIONS_PER_CALLER - 1]) == 404
    ), "to begin anew"


async def test_a_session_that_is_at_work_is_not_ended_for_another(team: Team) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    @answer_stream
    async def held(_: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        yield ProgressEvent(stage=AnswerStage.SEARCHING)
        begun.set()
        await go_on.wait()
        raise RuntimeError

    team.citewell.reading._respond = held  # type: ignore[assignment] # in the place of the walk
    headers = await team.key("editor")
    working = await team.session(headers)
    call = {
        "jsonrpc": "2.0",
        "id": 3,
        "method": "tools/call",
        "params": {"name": "ask", "arguments": {"question": "x"}},
    }
    asked = asyncio.create_task(team.http.post("/mcp", json=call, headers={**headers, "Mcp-Session-Id": working}))
    await begun.wait()
    for _ in range(MAX_SESSIONS_PER_CALLER + 5):
        await team.session(headers)
    assert await team.status(headers, working) == 200
    go_on.set()
    assert (await asked).status_code == 200


async def test_requests_that_begin_no_session_take_no_place(team: Team) -> None:
    headers = await team.key("editor")
    first = await team.session(headers)
    for sent in (LISTING, {"jsonrpc": "2.0", "method": "notifications/initialized"}, [INITIALIZE], "x"):
        for _ in range(MAX_SESSIONS_PER_CALLER):
            assert (await team.http.post("/mcp", json=sent, headers=headers)).status_code == 400
    assert await team.status(headers, first) == 200


async def test_a_session_is_ended_by_its_own_caller_alone(team: Team) -> None:
    mine, other = await team.key("mine"), await team.key("other")
    session = await team.session(mine)
    for method in ("POST", "DELETE"):
        assert await team.status(other, session, method) == await team.status(other, "0" * 32, method) == 404
    assert await team.status(mine, session) == 200
    assert await team.status(mine, session, "DELETE") == 200
    assert await team.status(mine, session) == 404


async def test_there_is_no_stream_to_keep_a_connection_with(team: Team) -> None:
    headers = await team.key("editor")
    session = await team.session(headers)
    for more in ({}, {"Mcp-Session-Id": session}, {"Mcp-Session-Id": session, "Last-Event-ID": "1"}):
        told = await team.http.get("/mcp", headers={**headers, **more})
        assert (told.status_code, told.headers["allow"]) == (405, "POST, DELETE")
        assert told.json()["error"]["message"]
    assert (await team.http.get("/mcp")).status_code == 401
    assert await team.status(headers, session) == 200


def test_whose_session_ends_is_fair_whatever_is_asked() -> None:
    async def holds(dice: random.Random) -> None:
        ended: list[tuple[str, str]] = []
        known: dict[str, str] = {}

        async def end(session: str, caller: str) -> None:
            assert known.pop(session) == caller
            ended.append((session, caller))

        sessions = McpSessionPool(end, max_sessions=8, max_per_caller=4)
        async with AsyncExitStack() as at_work:
            for number in range(120):
                caller = dice.choice("aaaaabc")
                before = Counter(known.values())
                own = [one for one, other in known.items() if other == caller]
                if own and dice.random() < 0.3:
                    method, status = dice.choice((("POST", 200), ("DELETE", 200), ("POST", 404)))
                    async with sessions.acquire(caller, own[0]) as session:
                        session.update_from_response(method, status, ())
                    if (method, status) != ("POST", 200):
                        del known[own[0]]
                    continue
                entered = sessions.acquire(caller, "")
                try:
                    begun = await entered.__aenter__()
                except TooManySessions:
                    continue
                begun.update_from_response("POST", 200, [(SESSION_HEADER_RAW, f"s{number}".encode())])
                known[f"s{number}"] = caller
                if dice.random() < 0.1:
                    at_work.push_async_exit(entered)
                else:
                    await entered.__aexit__(None, None, None)
                assert len(known) <= 8
                assert max(Counter(known.values()).values()) <= 4
                for _, other in ended:
                    assert other == caller or before[other] > before[caller]
                ended.clear()

    for seed in range(50):
        asyncio.run(holds(random.Random(seed)))


async def test_an_end_that_fails_takes_no_place() -> None:
    async def end(session: str, caller: str) -> None:
        raise ConnectionError

    sessions, begun = McpSessionPool(end, max_sessions=2, max_per_caller=2), 0
    for number in range(12):
        with suppress(ConnectionError):
            async with sessions.acquire("a", "") as session:
                session.update_from_response("POST", 200, [(SESSION_HEADER_RAW, str(number).encode())])
                begun += 1
    assert begun == 7, "each second one after the first two"


async def test_a_caller_with_fewer_sessions_is_let_in_and_one_with_more_waits() -> None:
    async def end(session: str, caller: str) -> None: ...

    sessions = McpSessionPool(end, max_sessions=3, max_per_caller=2)
    async with AsyncExitStack() as stack:
        for caller in "aab":
            session: McpSession = await stack.enter_async_context(sessions.acquire(caller, ""))
            session.update_from_response("POST", 200, [(SESSION_HEADER_RAW, f"{caller}{id(session)}".encode())])
        for caller in "abc":
            with pytest.raises(TooManySessions):
                await stack.enter_async_context(sessions.acquire(caller, ""))
    async with sessions.acquire("c", ""):
        pass
