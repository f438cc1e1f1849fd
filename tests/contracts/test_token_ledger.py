"""Daily budgets: never passed, given back when less was used, and kept by the day."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.budget import TokenBudget
from pipeline.ports import TokenLedger
from storage.people.budget import SQLTokenLedger
from storage.sqlite.database import SQLiteDatabase
from tests.doubles.engines import Engine
from tests.doubles.llm.walk import Tally

TODAY = date(2026, 3, 1)


def everything_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir() if file.is_file())


class Day:
    def __init__(self) -> None:
        self.now = TODAY

    def __call__(self) -> date:
        return self.now


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
async def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[TokenLedger]:
    if request.param == "memory":
        yield Tally()
        return
    url = request.getfixturevalue("postgres").empty() if request.param == "postgresql" else ""
    async with Engine(tmp_path, url).database() as database:
        yield SQLTokenLedger(database)


async def test_a_person_is_stopped_at_the_limit_and_others_are_not(ledger: TokenLedger) -> None:
    budget = TokenBudget(ledger, per_person=250, per_space=0, per_answer=100, today=lambda: TODAY)
    assert [bool(await budget.reserve("ann", "s")) for _ in range(3)] == [True, True, False]
    assert await budget.reserve("bob", "s")


async def test_a_space_is_stopped_together(ledger: TokenLedger) -> None:
    budget = TokenBudget(ledger, per_person=1000, per_space=250, per_answer=100, today=lambda: TODAY)
    assert [bool(await budget.reserve(person, "s")) for person in ("ann", "bob", "cy")] == [True, True, False]
    assert await budget.reserve("cy", "another")


async def test_what_was_not_used_is_given_back(ledger: TokenLedger) -> None:
    budget = TokenBudget(ledger, per_person=100, per_space=100, per_answer=100, today=lambda: TODAY)
    reservation = await budget.reserve("ann", "s")
    assert reservation
    assert not await budget.reserve("ann", "s")
    await budget.settle(reservation, 0)
    assert await budget.reserve("ann", "s")


async def test_a_new_day_begins_with_nothing_used(engine: Engine) -> None:
    day = Day()
    async with engine.database() as database:
        budget = TokenBudget(SQLTokenLedger(database), per_person=100, per_space=0, per_answer=100, today=day)
        assert await budget.reserve("ann", "s")
        day.now += timedelta(days=1)
        assert await budget.reserve("ann", "s")
        assert await database.read(lambda c: c.execute("SELECT count(*) FROM token_use").fetchone()) == (1,)


async def test_no_name_is_kept(tmp_path: Path) -> None:
    database = await SQLiteDatabase.open(tmp_path / "citewell.db")
    budget = TokenBudget(SQLTokenLedger(database), per_person=100, per_space=100, per_answer=100, today=lambda: TODAY)
    assert await budget.reserve("slack:T1:U-ann", "slack:T1")
    await database.close()
    assert b"U-ann" not in everything_in(tmp_path)


async def test_no_limit_means_no_counting(ledger: TokenLedger) -> None:
    budget = TokenBudget(ledger, per_person=0, per_space=0, per_answer=100, today=lambda: TODAY)
    reservations = [await budget.reserve("ann", "s") for _ in range(5)]
    assert all(reservations)


async def test_questions_at_the_same_time_do_not_pass_the_limit_together(ledger: TokenLedger) -> None:
    budget = TokenBudget(ledger, per_person=500, per_space=0, per_answer=100, today=lambda: TODAY)
    granted = await asyncio.gather(*(budget.reserve("ann", "s") for _ in range(20)))
    assert sum(reservation is not None for reservation in granted) == 5


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 100)), max_size=40))
@settings(deadline=None)
async def test_no_limit_is_ever_passed(answers: list[tuple[str, int]]) -> None:
    tally = Tally()
    budget = TokenBudget(tally, per_person=300, per_space=500, per_answer=100, today=lambda: TODAY)
    for person, used in answers:
        if reservation := await budget.reserve(person, "s"):
            await budget.settle(reservation, used)
        assert all(tokens <= (300 if "person" in subject else 500) for subject, tokens in tally.used.items())
