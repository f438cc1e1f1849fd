"""What a program is told over the API, and what it is not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from starlette.applications import Starlette

from adapters.http.hosts import LocalOperator
from bot.citewell import Citewell
from pipeline.errors import Refused
from tests.doubles.open_house import SECRET, opened

VACATION = {"question": "How many vacation days do employees get?"}
BAND = {"question": "What is the salary band of engineers?"}
House = tuple[Citewell, httpx.AsyncClient]


def client(app: Starlette, host: str = "127.0.0.1") -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=f"http://{host}:8080", trust_env=False)


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with opened(tmp_path) as (citewell, app), client(app) as caller:
        yield citewell, caller


async def key(citewell: Citewell, *collections: str, per_minute: int = 6000) -> Mapping[str, str]:
    _, secret = await citewell.storage.api_keys.add(f"program {collections}", collections, per_minute)
    return {"Authorization": f"Bearer {secret}"}


async def test_an_answer_comes_with_what_each_sentence_rests_on(house: House) -> None:
    citewell, caller = house
    told = (await caller.post("/api/v1/ask", json=VACATION, headers=await key(citewell))).json()
    answer = told["answer"]
    assert answer["outcome"] == "answered"
    assert "25 vacation days" in answer["body"]
    assert answer["sentences"][0]["numbers"] == [answer["citations"][0]["number"]]
    assert "claims" not in answer


async def test_it_comes_sentence_by_sentence_where_events_are_asked_for(house: House) -> None:
    citewell, caller = house
    headers = {**await key(citewell), "Accept": "text/event-stream"}
    told = (await caller.post("/api/v1/ask", json=VACATION, headers=headers)).text
    names = [line.removeprefix("event: ") for line in told.splitlines() if line.startswith("event: ")]
    assert list(dict.fromkeys(names)) == ["progress", "sentence", "answer"]
    assert names.count("answer") == 1
    assert json.loads(told.rpartition("data: ")[2])["answer"]["outcome"] == "answered"


async def test_a_conversation_goes_on_and_is_its_callers_alone(house: House) -> None:
    citewell, caller = house
    mine, other = await key(citewell), await key(citewell, "open")
    first = (await caller.post("/api/v1/ask", json=VACATION, headers=mine)).json()
    further = {"question": "And for rooms?", "conversation": first["conversation"]}
    for headers, recalled in ((mine, 2), (other, 1)):
        await caller.post("/api/v1/ask", json=further, headers=headers)
        ((_, turn), *_) = (await citewell.storage.history.turns_by_author(await person(citewell, headers), 9))[-1:]
        conversation = (await citewell.storage.history.turns_by_author(turn.author, 9))[-1][0]
        assert len((await citewell.storage.history.recall(conversation, 9)).turns) == recalled


async def person(citewell: Citewell, headers: Mapping[str, str]) -> str:
    found = await citewell.storage.api_keys.find_key(headers["Authorization"].removeprefix("Bearer "))
    assert found
    return found.person


async def test_what_a_key_may_not_find_is_as_if_it_were_not_there(house: House) -> None:
    citewell, caller = house
    secret = next(one.id for one in await citewell.storage.library.list_documents() if one.collection == "secret")
    for grant, sees in (((), False), (("open",), False), (("secret",), True)):
        headers = await key(citewell, *grant)
        told = [
            (await caller.post("/api/v1/ask", json=BAND, headers=headers)).text,
            (await caller.post("/api/v1/search", json={"text": "salary band"}, headers=headers)).text,
            (await caller.get(f"/api/v1/passages?document={secret}", headers=headers)).text,
        ]
        assert [SECRET in one for one in told] == [sees] * 3
        listed = (await caller.get("/api/v1/documents", headers=headers)).text
        assert ("Salaries" in listed) is sees
        hidden = await caller.get(f"/api/v1/passages?document={secret}", headers=headers)
        unknown = await caller.get("/api/v1/passages?document=nothing", headers=headers)
        assert sees or (hidden.status_code, hidden.text) == (unknown.status_code, unknown.text) == (404, unknown.text)


async def test_a_revoked_key_opens_nothing_and_its_name_is_free(house: House) -> None:
    citewell, caller = house
    headers = await key(citewell)
    assert (await caller.get("/api/v1/health", headers=headers)).status_code == 200
    with pytest.raises(Refused, match="there is a key"):
        await key(citewell)
    assert await citewell.storage.api_keys.revoke("program ()")
    refused = await caller.get("/api/v1/health", headers=headers)
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    await key(citewell)
    assert [bool(one.revoked) for one in await citewell.storage.api_keys.all()] == [True, False]


async def test_at_the_machine_the_secret_of_this_start_is_the_operators_key_there_alone(tmp_path: Path) -> None:
    machine = LocalOperator()
    mine = {"Authorization": f"Bearer {machine.secret}"}
    async with opened(tmp_path, machine) as (_, app):
        async with client(app) as caller:
            assert SECRET in (await caller.post("/api/v1/search", json={"text": "salary band"}, headers=mine)).text
            assert (await caller.get("/api/v1/health")).status_code == 401
            for headers in ({"Origin": "http://evil.example"}, {"X-Forwarded-For": "10.0.0.1"}, {"Host": "a b"}):
                assert (await caller.get("/api/v1/health", headers={**mine, **headers})).status_code == 401
        async with client(app, "rebound.example") as led:
            assert (await led.get("/api/v1/health", headers=mine)).status_code == 401
    async with opened(tmp_path) as (_, app), client(app) as caller:
        assert (await caller.get("/api/v1/health", headers=mine)).status_code == 401


async def test_a_call_of_a_stranger_is_turned_away_unread(house: House) -> None:
    _, caller = house
    for body in (b"{", b"[" * 60_000, b'{"question": 1}'):
        refused = await caller.post("/api/v1/ask", content=body, headers={"Content-Type": "application/json"})
        assert refused.status_code == 401


async def test_the_same_request_is_answered_once_and_another_of_its_name_refused(house: House) -> None:
    citewell, caller = house
    headers = {**await key(citewell), "Idempotency-Key": "one"}
    calls = [caller.post("/api/v1/ask", json=VACATION, headers=headers) for _ in range(2)]
    statuses = sorted(answer.status_code for answer in await asyncio.gather(*calls))
    assert statuses in ([200, 200], [200, 409])
    first, again = [(await caller.post("/api/v1/ask", json=VACATION, headers=headers)).text for _ in range(2)]
    assert first == again
    assert (await caller.post("/api/v1/ask", json=BAND, headers=headers)).status_code == 422
    other = {**await key(citewell, "open"), "Idempotency-Key": "one"}
    assert (await caller.post("/api/v1/ask", json=VACATION, headers=other)).text != first


async def test_who_calls_too_often_is_told_when_to_come_back(house: House) -> None:
    citewell, caller = house
    headers = await key(citewell, per_minute=1)
    answers = [await caller.get("/api/v1/health", headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 429]
    assert 0 < int(answers[1].headers["retry-after"]) <= 60
    assert answers[1].headers["content-type"] == "application/problem+json"


async def test_feedback_is_kept_with_the_callers_own_answer_and_with_no_other(house: House) -> None:
    citewell, caller = house
    headers = await key(citewell)
    answer = (await caller.post("/api/v1/ask", json=VACATION, headers=headers)).json()["answer"]["id"]
    given = {"vote": "unhelpful", "reason": "outdated", "comment": "It is 26 now"}
    path = f"/api/v1/answers/{answer}/feedback"
    assert (await caller.post(path, json=given, headers=headers)).json() == {"answer": answer}
    assert "It is 26 now" in await citewell.services.export_person(await person(citewell, headers))
    assert (await caller.post(path, json=given, headers=await key(citewell, "open"))).status_code == 404


async def test_what_is_wrong_with_a_request_is_said(house: House) -> None:
    citewell, caller = house
    wrong = {"question": " ", "stile": "x"}
    told: Any = (await caller.post("/api/v1/ask", json=wrong, headers=await key(citewell))).json()
    assert told["status"] == 422
    assert "question" in told["detail"]
    assert "stile" in told["detail"]


async def test_its_page_asks_no_other_host_and_shows_every_call(house: House) -> None:
    _, caller = house
    page = await caller.get("/api/")
    assert "POST /api/v1/ask" in page.text
    assert "://" not in page.text.partition("Shapes")[0]
    assert "unsafe" not in page.headers["content-security-policy"]
