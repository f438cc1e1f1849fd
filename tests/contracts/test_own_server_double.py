"""The double of a team's own model server is as slow, as serial and as forgetful as it says."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import aiohttp
import pytest

from tests.contracts.waiting import until
from tests.doubles.llm.faults import Text
from tests.doubles.llm.own_server import Machine, OwnServer, split_tokens

LONG = "Paid leave is 25 days a year. " * 40


def body(content: str = LONG, **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": content}], **more}


async def ask(server: OwnServer, request: dict[str, Any], path: str = "/v1/chat/completions") -> tuple[int, Any]:
    async with aiohttp.ClientSession() as session, session.post(server.url + path, json=request) as response:
        return response.status, await response.json()


async def told(server: OwnServer, path: str) -> Any:
    async with aiohttp.ClientSession() as session, session.get(server.url + path) as response:
        return await response.json()


def serving(text: str = "25 days [1].", **machine: Any) -> OwnServer:
    return OwnServer(machine=Machine(**machine), otherwise=lambda _: Text(text))


async def test_the_same_beginning_is_read_once() -> None:
    async with serving().running() as server:
        _, first = await ask(server, body(LONG + "How long?"))
        _, second = await ask(server, body(LONG + "Who says so?"))
    assert first["timings"]["prompt_n"] == first["usage"]["prompt_tokens"]
    assert second["timings"]["cache_n"] > 200
    assert second["timings"]["prompt_n"] < 20
    assert second["usage"]["prompt_tokens_details"]["cached_tokens"] == second["timings"]["cache_n"]


async def test_requests_are_served_one_after_the_other() -> None:
    async with serving().running() as server:
        server.working.clear()
        asked = [asyncio.create_task(ask(server, body(f"{n} {LONG}"))) for n in range(3)]
        await until(lambda: server.waiting == 2)
        assert [slot["is_processing"] for slot in await told(server, "/slots")] == [True]
        server.working.set()
        replies = await asyncio.gather(*asked)
    assert [reply["choices"][0]["message"]["content"] for _, reply in replies] == ["25 days [1]."] * 3
    assert [job.is_done for job in server.jobs] == [True] * 3


async def test_a_request_given_up_is_read_to_the_end_of_its_batch() -> None:
    async with serving(batch=100).running() as server:
        server.working.clear()
        given_up = asyncio.create_task(ask(server, body()))
        await until(lambda: server.jobs)
        given_up.cancel()
        with suppress(asyncio.CancelledError):
            await given_up
        await until(lambda: server.jobs[0].is_given_up)
        server.working.set()
        await ask(server, body("And now?"))
    first, second = server.jobs
    assert (first.read, first.written, first.is_done) == (100, 0, False)
    assert second.is_done


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages"])
async def test_a_prompt_beyond_the_window_is_refused(path: str) -> None:
    async with serving(window=100).running() as server:
        status, reply = await ask(server, body(max_tokens=9), path)
    assert (status, reply["error"]["type"]) == (400, "exceed_context_size_error")


async def test_a_reply_that_runs_into_the_window_ends_like_one_that_is_too_long() -> None:
    async with serving("word " * 50, window=60).running() as server:
        _, reply = await ask(server, body("How long?", max_tokens=50))
    assert reply["choices"][0]["finish_reason"] == "length"
    assert reply["usage"]["completion_tokens"] < 50
    assert reply["usage"]["total_tokens"] == 60


async def test_ollama_drops_the_beginning_of_a_prompt_and_tells_nobody() -> None:
    seen: list[str] = []

    def answer(request: dict[str, Any]) -> Text:
        seen.append(request["messages"][0]["content"])
        return Text("Yes.")

    async with OwnServer(machine=Machine(window=100, program="ollama"), otherwise=answer).running() as server:
        _, reply = await ask(server, body(LONG + "How long?"))
        status, _ = await ask(server, body("?", tools=[{"type": "function"}]))
        running = await told(server, "/api/ps")
    assert "timings" not in reply
    assert len(split_tokens(seen[0])) <= 100
    assert "How long?" in seen[0]
    assert running["models"][0]["context_length"] == 100
    assert status == 400


async def test_a_template_without_tools_ignores_them() -> None:
    async with serving().running() as server:
        _, without = await ask(server, body())
        _, offered = await ask(server, body(tools=[{"type": "function", "function": {"name": "search"}}]))
    assert without["usage"]["prompt_tokens"] == offered["usage"]["prompt_tokens"]


async def test_reasoning_comes_before_the_text_and_can_be_turned_off() -> None:
    async with serving(reasoning="Let me see. " * 9).running() as server:
        _, thought = await ask(server, body())
        _, less = await ask(server, body(reasoning_effort="low"))
        _, none = await ask(server, body(chat_template_kwargs={"enable_thinking": False}))
    lengths = [len(reply["choices"][0]["message"].get("reasoning_content", "")) for reply in (thought, less, none)]
    assert lengths == [108, 54, 0]
