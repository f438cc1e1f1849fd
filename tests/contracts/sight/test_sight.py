"""Nobody is given a word of what they may not see, whatever was done before: random people, rules and surfaces; then
what that found, one by one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipeline.values import Answer, ConversationId, IncomingMessage, MessageTrigger, replace
from storage.messages.history import insert_answer
from tests.contracts.answers import cited
from tests.contracts.sight.memory import Memory
from tests.contracts.sight.model import Opened
from tests.contracts.sight.people import ADA, ANN, BEA, CHANNELS, people, redrawn
from tests.contracts.sight.steps import Steps
from tests.contracts.sight.world import World, opened
from tests.doubles.engines import Engine, traces
from tests.doubles.page import parsed, prose
from tests.trials import Count, trials

HOUSES, STARTS, STEPS = trials(1), 3, 200
"""A house begins with nothing; at each start it has other rules."""
CANARY = "zqabdabdak"
BOARD = CHANNELS[1]


async def test_nobody_is_given_a_word_of_what_they_may_not_see(
    engine: Engine, tmp_path: Path, request: pytest.FixtureRequest, record_property: Count
) -> None:
    given: Counter[str] = Counter()
    for house in range(HOUSES):
        dice, model, memory = random.Random(house), people(), Memory()
        url = request.getfixturevalue("postgres").empty() if engine.url else ""
        where = Engine(tmp_path / f"house{house}", url)
        for start in range(STARTS):
            redrawn(model, dice)
            async with opened(where, model, dice) as world:
                steps = Steps(world, memory)
                for number in range(STEPS):
                    try:
                        await steps.step()
                    except BaseException as error:
                        error.add_note(f"house {house}, start {start}, step {number}")
                        raise
        given += memory.surfaces
    for surface in ("answers", "exports", "API documents", "API ask", "MCP search", "links"):
        assert given[surface], f"nothing was shown: {given}"
    record_property("steps", HOUSES * STARTS * STEPS)
    record_property("words rightly given", given.total())


# --- What it found -----------------------------------------------------------------------------------


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """ANN alone may see what the board has."""
    model = people()
    model.rules = {"board": Opened(frozenset({ANN})), "default": Opened()}
    async with opened(Engine(tmp_path / "data", ""), model, random.Random(0)) as found:
        blocks = prose(f"The kite is kept in {CANARY}.")
        await found.citewell.indexer.add_document(parsed("d1", blocks, collection="board", title=f"The {CANARY}"))
        await found.citewell.indexer.add_document(
            parsed("d2", prose("The lamp is kept in the hall."), collection="default")
        )
        yield found


async def asked(world: World, text: str, number: int = 1) -> Answer:
    """By ANN, alone."""
    where = ConversationId(platform="slack", space="T1", channel="DANN", thread="1")
    message = IncomingMessage(
        place=f"slack:T1:DANN:{number}",
        conversation=where,
        asker=ANN,
        text=text,
        sent_at=datetime.now(UTC),
        manner=MessageTrigger.DIRECT,
    )
    inbox = world.citewell.storage.inbox
    await inbox.accept(message)
    work = await inbox.lease()
    assert work
    await world.delivery.deliver(work)
    return world.slack.answers[-1]


@pytest.mark.parametrize("talk", ["hello", "What can you do?"])
async def test_titles_in_a_greeting_are_shown_again_to_nobody_who_may_not_see_them(world: World, talk: str) -> None:
    answer = await asked(world, talk)
    assert CANARY in answer.body
    desk = world.citewell.services
    assert await desk.find_answer(answer.id, world.slack.alone(ANN))
    assert await desk.find_answer(answer.id, world.slack.everyone(BOARD)) is None


async def test_a_greeting_holds_no_title_of_a_removed_document(world: World) -> None:
    await asked(world, "hello")
    await world.citewell.storage.library.remove_documents(["d1"])
    assert await traces(world.citewell.storage, [CANARY]) == []


SLIP = f"Where is the kite of {CANARY[:5]}{CANARY[6:]}?"


async def test_a_word_that_a_slip_was_taken_for_is_told_to_nobody_else(world: World) -> None:
    answer = await asked(world, SLIP)
    assert answer.corrections[0].meant == CANARY
    assert CANARY not in answer.standalone
    seen = await world.citewell.services.get_insights(world.actor(ADA), world.slack.alone(ADA), 7)
    assert seen.counts.asked == 1
    assert CANARY not in seen.model_dump_json()


async def test_a_removed_documents_word_is_in_no_note_and_no_reason_of_an_answer(world: World) -> None:
    await world.citewell.indexer.add_document(
        parsed("d3", prose("The kite is kept in the shed."), collection="default")
    )
    await asked(world, SLIP)
    await asked(world, "Where is the kite kept?", 2)
    await world.citewell.storage.library.remove_documents(["d1"])
    assert await traces(world.citewell.storage, [CANARY]) == []


async def test_what_an_answer_said_is_recalled_as_long_as_its_readers_may_see_it(world: World) -> None:
    await asked(world, "Where is the kite kept?")
    library = world.citewell.storage.library
    where = ConversationId(platform="slack", space="T1", channel="DANN", thread="1")
    (turn,) = (await world.citewell.storage.history.recall(where, 6)).turns
    assert CANARY in turn.answer
    seen = world.citewell.responder._hide_unreadable
    for readers, told in ((ANN, True), (ADA, False)):
        (recalled,) = await seen([turn], await world.citewell.services.audience(world.slack.alone(readers)))
        assert (CANARY in recalled.text) is told
    assert await library.count() == 2


async def test_a_program_that_asks_again_is_given_nothing_that_was_removed_or_closed_since(world: World) -> None:
    _, secret = await world.citewell.storage.api_keys.add("program", ("board", "default"), 60)
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": "one"}

    async def again() -> str:
        found = await world.client.post("/api/v1/ask", json={"question": "Where is the kite kept?"}, headers=headers)
        return found.text

    first = await again()
    assert CANARY in first
    assert await again() == first
    document = await world.citewell.storage.library.excerpt("d1", 0, 1)
    assert document
    closed = replace(document.document, collection="staff")
    await world.citewell.storage.library.replace_document(closed, document.chunks, None, "")
    assert CANARY not in await again()
    await world.citewell.storage.library.remove_documents(["d1"])
    assert await traces(world.citewell.storage, [CANARY]) == []


async def test_an_admin_takes_back_nothing_that_they_may_not_see(world: World) -> None:
    more = {"collection": "board", "source": "chat:slack:T1", "title": CANARY, "metadata": {"author": ANN}}
    await world.citewell.indexer.add_document(parsed("d4", prose("Secret."), **more))
    desk = world.citewell.services.knowledge
    assert await desk.remove(world.actor(ADA), world.slack.alone(ADA), "d4") is None
    assert await desk.remove(world.actor(ANN), world.slack.alone(ANN), "d4") == CANARY


async def test_what_a_model_left_out_is_shown_to_admins_of_that_workspace_alone(world: World) -> None:
    found = cited("Thirty.", answer_id="a1", question=f"Who has {CANARY}?")
    answer = replace(found, citations=(), ungrounded_claims=("A claim.",))

    def keep(db: object) -> None:
        insert_answer(db, answer, BEA, 1.0)  # type: ignore[arg-type]
        db.execute("INSERT INTO question VALUES ($1, $2, $3)", ("k", "a1", "slack:T2:CALL:1"))  # type: ignore[attr-defined]

    await world.citewell.storage.database.write(keep)
    for admin, told in ((BEA, True), (ADA, False)):
        page = await world.client.get("/admin/left", headers={"x-person": admin})
        assert (CANARY in page.text) is told
