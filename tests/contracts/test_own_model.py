"""A language model on the team's own machine: slow, one question at a time, with a small window and a cache."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from bot.config.settings import Settings
from bot.models import open_model
from pipeline.respond import Responder
from pipeline.values import (
    Answer,
    AnswerLimits,
    AnswerOptions,
    AnswerRequest,
    AnswerStage,
    Chunk,
    ConversationId,
    Document,
    ProgressEvent,
    RetrievedChunk,
)
from pipeline.write.draft_failures import DRAFT_WITHOUT_SOURCE, MODEL_TOO_SLOW
from tests.contracts.waiting import until
from tests.doubles.llm.faults import Act, Text
from tests.doubles.llm.grounded import quoting
from tests.doubles.llm.own_server import OwnServer
from tests.doubles.llm.own_wires import Machine
from tests.doubles.llm.walk import EVERYBODY, NoHistory, Straight, Tally, passage

FACTS = [f"In building {n} the badge opens door number {n} until {n % 12 + 1} in the evening." for n in range(60)]
PASSAGES = [passage(f"c{n}", *FACTS[5 * n : 5 * n + 5]) for n in range(12)]
SLOW = Machine(reads=1500, writes=4000)
"""It reads a prompt of the usual length in three times the time that it has."""


class Shelf:
    """Reads the passages again."""

    async def get_chunks(self, chunk_ids: Sequence[str]) -> list[tuple[Chunk, Document]]:
        known = {found.chunk.id: (found.chunk, found.document) for found in PASSAGES}
        return [known[chunk_id] for chunk_id in chunk_ids if chunk_id in known]

    async def neighbours(self, chunk: Chunk) -> tuple[None, None]:
        return None, None

    async def get_units(self, *_: object) -> Mapping[str, object]:
        return {}


@dataclass
class Team:
    """People who ask a bot with a model of its own."""

    responder: Responder
    server: OwnServer
    warnings: list[str] = field(default_factory=list)
    places: list[tuple[str, int]] = field(default_factory=list)

    async def ask(self, question: str, thread: str = "1") -> Answer:
        conversation = ConversationId(platform="console", space="", channel="c", thread=thread)
        request = AnswerRequest(text=question, audience=EVERYBODY, conversation=conversation)
        async with self.responder.respond(request) as stream:
            async for event in stream:
                if isinstance(event, ProgressEvent) and event.stage is AnswerStage.WAITING:
                    self.places.append((question, event.ahead))
            return await stream.answer()


@asynccontextmanager
async def team(
    machine: Machine,
    says: Callable[[dict[str, Any]], Act] | None = None,
    *,
    found: Mapping[str, Sequence[RetrievedChunk]] | None = None,
    **settings: object,
) -> AsyncIterator[Team]:
    """A bot as the settings make it, over what is `found` for a question, by default all passages."""
    async with OwnServer(machine=machine, otherwise=says or quoting()).running() as server:
        provider = "ollama" if machine.program == "ollama" else "openai"
        given = {"first_sentence_seconds": 4, "total_seconds": 30, "judge": "none", **settings}
        chosen = Settings(_env_file=None, model=f"{provider}:m", openai_base_url=f"{server.url}/v1", **given)  # type: ignore[arg-type, call-arg]
        search = Straight(PASSAGES, found)
        storage: Any = SimpleNamespace(token_ledger=Tally())
        async with open_model(chosen, search, storage) as model:
            assert model is not None
            assert model.turns is not None
            ready = model.turns.prepare()
            assert ready is not None
            await ready
            asking = Team(None, server)  # type: ignore[arg-type]
            asking.responder = Responder(
                planner=search,
                retriever=search,
                model=model,
                history=NoHistory(),
                options=AnswerOptions(
                    limits=AnswerLimits(
                        first_sentence_seconds=chosen.first_sentence_seconds, total_seconds=chosen.total_seconds
                    )
                ),
                report=lambda _, error: pytest.fail(repr(error)),
                warn=lambda _, reason: asking.warnings.append(reason),
                library=Shelf(),  # type: ignore[arg-type]
            )
            yield asking


@pytest.fixture(params=["llama.cpp", "ollama"])
def program(request: pytest.FixtureRequest) -> Any:
    return request.param


async def test_a_slow_model_gets_a_prompt_that_it_can_read_in_time(program: Any) -> None:
    async with team(Machine(reads=1500, writes=4000, program=program)) as asking:
        answer = await asking.ask("When does the badge open door number 3?")
    assert answer.usage.writer != "extractive", asking.warnings
    assert 500 < answer.usage.context_tokens < 6000
    assert asking.server.jobs[-1].prompt < 6000


async def test_a_fast_model_gets_all_that_a_prompt_may_hold(program: Any) -> None:
    async with team(
        Machine(reads=10**7, writes=10**6, window=32_768, program=program), first_sentence_seconds=30
    ) as asking:
        answer = await asking.ask("When does the badge open door number 3?")
    assert answer.usage.context_tokens == 12_000


@pytest.mark.parametrize("window", [1024, 2048])
async def test_no_prompt_is_over_the_window(program: Any, window: int) -> None:
    async with team(Machine(window=window, program=program)) as asking:
        for number in range(6):
            answer = await asking.ask(f"When does the badge open door number {number}?", thread=str(number))
            assert answer.usage.writer != "extractive"
            assert answer.usage.notes == ()
    assert all(job.prompt + job.written < window for job in asking.server.jobs)
    assert all(job.cached or number < 2 for number, job in enumerate(asking.server.jobs))


async def test_questions_share_the_beginning_of_their_prompts_whoever_asks_what() -> None:
    async with team(SLOW) as asking:
        await asking.ask("When does the badge open door number 3?", thread="ann")
        await asking.ask("List all doors, and compare them.", thread="bob")
        systems = {body["messages"][0]["content"] for body in asking.server.requests}
    assert len(systems) == 1
    assert asking.server.jobs[-1].cached * 4 > len(systems.pop())


async def test_most_of_a_second_question_is_in_the_servers_cache_though_other_passages_are_found() -> None:
    first, second = "When does the badge open door number 3?", "And until when door number 57?"
    found = {first: PASSAGES[:6], second: [PASSAGES[11], PASSAGES[2]]}
    async with team(Machine(reads=1000, writes=4000), found=found) as asking:
        await asking.ask(first)
        answer = await asking.ask(second)
    assert answer.usage.cached_tokens >= 0.6 * answer.usage.input_tokens
    assert FACTS[57] in asking.server.requests[-1]["messages"][-1]["content"]


async def test_what_may_not_be_read_any_more_is_in_no_second_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = "When does the badge open door number 3?", "And until when door number 57?"
    found = {first: PASSAGES[:6], second: [PASSAGES[11]]}
    async with team(Machine(reads=1000, writes=4000), found=found) as asking:
        await asking.ask(first)

        async def gone(*_: object) -> list[object]:
            return []

        monkeypatch.setattr(asking.responder.library, "get_chunks", gone)
        await asking.ask(second)
    prompt = asking.server.requests[-1]["messages"][-1]["content"]
    assert FACTS[57] in prompt
    assert not any(fact in prompt for fact in FACTS[:30])


async def test_one_question_at_a_time_and_the_others_hear_their_place() -> None:
    async with team(Machine(reads=20_000), first_sentence_seconds=20, total_seconds=40) as asking:
        await asking.ask("When does the badge open door number 1?", thread="0")
        asking.server.working.clear()
        asked = [
            asyncio.create_task(asking.ask(f"When does the badge open door number {n}?", thread=str(n)))
            for n in range(3)
        ]
        await until(lambda: {ahead for _, ahead in asking.places} == {1, 2})
        await until(lambda: asking.server.open == 1)
        asking.server.working.set()
        answers = await asyncio.gather(*asked)
    assert all(answer.usage.writer != "extractive" for answer in answers)
    assert [ahead for _, ahead in asking.places].count(1) == 2


async def test_a_model_that_names_no_source_is_not_waited_for_to_the_end() -> None:
    babble = "I am glad that you ask me about this very good thing today. " * 80
    async with team(SLOW, lambda _: Text(babble)) as asking:
        answer = await asking.ask("When does the badge open door number 3?")
    assert asking.warnings == [DRAFT_WITHOUT_SOURCE]
    assert answer.usage.writer == "extractive"
    assert asking.server.jobs[-1].written < 600


async def test_a_model_that_copies_without_a_source_number_is_shown() -> None:
    copied = " ".join(FACTS[3:5]) + " The rest is told by nobody, as far as anybody knows about it." * 20
    async with team(SLOW, lambda _: Text(copied)) as asking:
        answer = await asking.ask("When does the badge open door number 3?")
    assert [sentence.text for sentence in answer.sentences] == FACTS[3:5]


async def test_a_model_too_slow_for_one_passage_is_not_asked_and_that_is_said_once(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    async with team(Machine(reads=300, writes=2000), first_sentence_seconds=0.5) as asking:
        for _ in range(100):  # until it was measured
            answer = await asking.ask("When does the badge open door number 3?")
            if f"model_failed: {MODEL_TOO_SLOW}" in answer.usage.notes:
                break
        else:
            pytest.fail(str(answer.usage.notes))
        asked = len(asking.server.requests)
        again = await asking.ask("When does the badge open door number 4?")
    assert again.usage.notes == (f"model_failed: {MODEL_TOO_SLOW}",)
    assert again.preface.startswith("The language model is too slow")
    assert len(asking.server.requests) == asked
    assert capsys.readouterr().out.count("model_not_asked") + caplog.text.count("model_not_asked") <= 1


@pytest.mark.parametrize("where", ["field", "tags", "open tags"])
async def test_reasoning_is_never_shown(program: Any, where: Any) -> None:
    secret = "The asker wants door number three, so the fourth line of the first passage must be it. "
    machine = Machine(reads=50_000, reasoning=secret * 5, reasoning_in=where, program=program)
    async with team(machine) as asking:
        answer = await asking.ask("When does the badge open door number 3?")
    assert "asker wants" not in answer.body
    assert answer.usage.writer != "extractive"
