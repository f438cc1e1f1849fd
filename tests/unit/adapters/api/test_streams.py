"""Answers that come as events: once for each idempotency key, to an end that is told, for whoever may see them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from adapters.http.servers import UvicornServers
from bot.citewell import Citewell
from bot.services.reading import MAX_ANSWERS_PER_CALLER
from pipeline.errors import Unavailable
from pipeline.ports import AnswerStream, answer_stream
from pipeline.values import Answer, AnswerEvent, AnswerRequest, AnswerStage, ProgressEvent
from tests.contracts.waiting import eventually, until
from tests.doubles.open_house import opened

VACATION = {"question": "How many vacation days do employees get?"}
EVENTS = "text/event-stream"


class House:
    def __init__(self, citewell: Citewell, caller: httpx.AsyncClient) -> None:
        self.citewell = citewell
        self.caller = caller
        self.asked = 0
        self._walk = citewell.reading._respond
        self.walked(self._walk)

    def walked(self, walk: Callable[[AnswerRequest], AnswerStream]) -> None:
        """Let `walk` answer, and count what it is asked."""

        def respond(request: AnswerRequest) -> AnswerStream:
            self.asked += 1
            return walk(request)

        self.citewell.reading._respond = respond

    def held(self) -> tuple[asyncio.Event, asyncio.Event]:
        """Answers begin, and go on when the second is set."""
        begun, go_on = asyncio.Event(), asyncio.Event()

        @answer_stream
        async def walk(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
            yield ProgressEvent(stage=AnswerStage.SEARCHING)
            begun.set()
            await go_on.wait()
            yield await self._walk(request).answer()

        self.walked(walk)
        return begun, go_on

    def failing(self, error: BaseException) -> None:
        @answer_stream
        async def walk(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
            yield ProgressEvent(stage=AnswerStage.SEARCHING)
            raise error

        self.walked(walk)

    async def key(self, once: str = "", name: str = "program") -> dict[str, str]:
        _, secret = await self.citewell.storage.api_keys.add(name, (), 6000)
        return {"Authorization": f"Bearer {secret}", **({"Idempotency-Key": once} if once else {})}

    async def ask(
        self, headers: Mapping[str, str], asked: Mapping[str, Any] = VACATION, *, events: bool = True
    ) -> httpx.Response:
        accept = {"Accept": EVENTS} if events else {}
        return await self.caller.post("/api/v1/ask", json=dict(asked), headers={**headers, **accept})

    @asynccontextmanager
    async def begun(self, headers: Mapping[str, str]) -> AsyncIterator[AsyncIterator[str]]:
        """The lines of a stream, which is hung up on when the block ends."""
        call = self.caller.stream("POST", "/api/v1/ask", json=VACATION, headers={**headers, "Accept": EVENTS})
        async with call as answer:
            assert answer.status_code == 200
            yield answer.aiter_lines()


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with (
        opened(tmp_path) as (citewell, app),
        UvicornServers().serve("127.0.0.1:0", app.routes, setting="CITEWELL_WEB") as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30, trust_env=False, verify=False) as caller,
    ):
        yield House(citewell, caller)


def told(stream: str) -> list[tuple[str, Any]]:
    """The names and data of events."""
    found = [event.splitlines() for event in stream.strip().split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in found]


async def test_the_same_key_gives_the_same_answer_once_as_events_and_at_once(house: House) -> None:
    headers = await house.key("one")
    first, again = [told((await house.ask(headers)).text) for _ in range(2)]
    whole = (await house.ask(headers, events=False)).json()
    assert house.asked == 1
    assert first[-1] == again[-1] == ("answer", whole)
    assert [one for one in again if one[0] == "sentence"] == [one for one in first if one[0] == "sentence"]
    assert {name for name, _ in again} == {"sentence", "answer"}


async def test_what_was_answered_at_once_is_told_as_events_too(house: House) -> None:
    headers = await house.key("one")
    whole = (await house.ask(headers, events=False)).json()
    assert told((await house.ask(headers)).text)[-1] == ("answer", whole)
    assert house.asked == 1


async def test_another_question_with_that_key_is_refused_before_a_stream_begins(house: House) -> None:
    headers = await house.key("one")
    await house.ask(headers)
    refused = await house.ask(headers, {"question": "Where is Oak?"})
    assert refused.status_code == 422
    assert refused.headers["content-type"] == "application/problem+json"
    assert house.asked == 1


async def test_while_one_is_under_way_the_same_is_told_to_wait(house: House) -> None:
    begun, go_on = house.held()
    headers = await house.key("one")
    first = asyncio.create_task(house.ask(headers))
    await begun.wait()
    for events in (True, False):
        busy = await house.ask(headers, events=events)
        assert (busy.status_code, busy.headers["retry-after"]) == (409, "1")
    go_on.set()
    assert told((await first).text)[-1][0] == "answer"
    assert house.asked == 1


async def test_whoever_hangs_up_finds_the_answer_under_their_key(house: House) -> None:
    begun, go_on = house.held()
    headers = await house.key("one")
    async with house.begun(headers) as lines:
        assert await anext(lines) == "event: progress"
        await begun.wait()
    go_on.set()

    async def answered() -> bool:
        return (await house.ask(headers)).status_code != 409

    await eventually(answered, 20)
    again = await house.ask(headers)
    assert told(again.text)[-1][1]["answer"]["outcome"] == "answered"
    assert house.asked == 1


async def test_without_a_key_nothing_is_answered_for_whoever_hung_up(house: House) -> None:
    ended = asyncio.Event()

    @answer_stream
    async def endless(_: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        try:
            yield ProgressEvent(stage=AnswerStage.SEARCHING)
            await asyncio.Event().wait()
        finally:
            ended.set()

    house.walked(endless)
    async with house.begun(await house.key()) as lines:
        assert await anext(lines) == "event: progress"
    async with asyncio.timeout(10):
        await ended.wait()


async def test_a_question_that_waits_for_the_model_tells_its_place_in_the_queue(house: House) -> None:
    @answer_stream
    async def waiting(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        for ahead in (2, 1, 0):
            yield ProgressEvent(stage=AnswerStage.WAITING, ahead=ahead)
        yield await house._walk(request).answer()

    house.walked(waiting)
    answer = await house.ask(await house.key())
    places = [data["ahead"] for name, data in told(answer.text) if name == "progress" and data["stage"] == "waiting"]
    assert places == [2, 1, 0]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Unavailable("storage", "secret.internal:5432 refused"), 503),
        (TimeoutError("secret.internal"), 504),
        (RuntimeError("secret.internal"), 500),
    ],
)
@pytest.mark.parametrize("once", ["", "one"])
async def test_a_stream_that_fails_ends_with_an_event_that_says_so(
    error: Exception, status: int, once: str, house: House
) -> None:
    house.failing(error)
    headers = await house.key(once)
    answer = await house.ask(headers)
    name, problem = told(answer.text)[-1]
    assert (answer.status_code, name, problem["status"]) == (200, "error", status)
    assert problem["title"]
    assert problem["detail"]
    assert "secret.internal" not in answer.text
    at_once = await house.ask(headers, events=False)
    assert (at_once.status_code, at_once.headers["content-type"]) == (status, "application/problem+json")
    assert "secret.internal" not in at_once.text
    assert house.asked == 2, "what failed may be asked again with its key"


async def test_a_key_that_is_revoked_is_told_nothing_more_of_an_answer_under_way(house: House) -> None:
    begun, go_on = house.held()
    headers = await house.key()
    asked = asyncio.create_task(house.ask(headers))
    await begun.wait()
    await house.citewell.storage.api_keys.revoke("program")
    go_on.set()
    *before, (name, problem) = told((await asked).text)
    assert [one for one, _ in before] == ["progress"]
    assert (name, problem["status"]) == ("error", 401)


async def test_an_answer_that_rests_on_what_was_closed_meanwhile_is_not_told(house: House) -> None:
    library = house.citewell.storage.library
    begun, go_on = asyncio.Event(), asyncio.Event()
    walk = house.citewell.responder.respond

    async def held(answer: Answer) -> Answer:
        begun.set()
        await go_on.wait()
        return answer

    house.walked(lambda request: walk(request).map_answer(held))
    asked = asyncio.create_task(house.ask(await house.key()))
    await begun.wait()
    document = next(one for one in await library.list_documents() if one.collection == "open")
    await library.remove_documents([document.id])
    go_on.set()
    name, problem = told((await asked).text)[-1]
    assert (name, problem["status"]) == ("error", 503)


async def test_one_caller_has_so_many_streams_at_once_and_others_are_answered_beside(house: House) -> None:
    _, go_on = house.held()
    greedy, other = await house.key(name="greedy"), await house.key(name="other")
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(
        base_url=house.caller.base_url, limits=limits, timeout=60, trust_env=False
    ) as house.caller:
        asked = [asyncio.create_task(house.ask(greedy)) for _ in range(MAX_ANSWERS_PER_CALLER + 10)]
        refused = 0
        for answer in asyncio.as_completed(asked):
            name, problem = told((await answer).text)[-1]
            if not go_on.is_set():
                assert (name, problem["status"]) == ("error", 409)
                refused += 1
            if refused == 10 and not go_on.is_set():
                assert (await house.ask(greedy, events=False)).status_code == 409
                theirs = asyncio.create_task(house.ask(other))
                await until(lambda: house.asked == MAX_ANSWERS_PER_CALLER + 1)
                go_on.set()
                assert told((await theirs).text)[-1][0] == "answer"
        assert (await house.ask(greedy, events=False)).status_code == 200


async def test_answers_under_way_end_with_the_program_and_their_keys_are_free(tmp_path: Path) -> None:
    async with opened(tmp_path) as (citewell, app):
        house = House(citewell, httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://x"))
        begun, _ = house.held()
        headers = await house.key("one")
        asked = asyncio.create_task(house.ask(headers))
        await begun.wait()
    assert told((await asked).text)[-1][0] != "answer"
    async with opened(tmp_path) as (citewell, app):
        caller = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://x")
        answer = await House(citewell, caller).ask(headers)
    assert told(answer.text)[-1][0] == "answer"
