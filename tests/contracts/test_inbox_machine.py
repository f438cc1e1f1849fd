"""Any order of deliveries, edits, deletions, crashes and steps ends with at most one reply to each question."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from pipeline.errors import QuestionWithdrawn
from storage.database import Database
from storage.messages.inbox import SQLInbox
from tests.doubles.engines import Engine
from tests.doubles.postgres import Server
from tests.doubles.samples import answer, message

T = TypeVar("T")
numbers = st.sampled_from(["1.0", "2.0", "3.0", "4.0"])
STEPS = settings(stateful_step_count=25, deadline=None)
THREADS = {"1.0": "a", "2.0": "a", "3.0": "b", "4.0": "c"}

KEPT = "SELECT scope, messages FROM waiting ORDER BY scope"
TRUE = """
    SELECT scope, count(*) FROM (
        SELECT space AS scope, state FROM message UNION ALL SELECT space || ' ' || author, state FROM message)
    WHERE state = 'open' GROUP BY scope ORDER BY scope
"""


class Deliveries(RuleBasedStateMachine):
    """A model of one worker that may be killed at any step."""

    def __init__(self, database: Callable[[], AbstractAsyncContextManager[Database]]) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.now = 1000.0
        self.database = self.wait(self.stack.enter_async_context(database()))
        self.inbox = SQLInbox(
            self.database, attempts=10_000, lease_seconds=50, late_seconds=1e12, clock=lambda: self.now
        )
        self.working: set[str] = set()
        self.text: dict[str, str] = {}
        self.deleted: set[str] = set()
        self.visible: set[str] = set()
        self.answered: set[str] = set()
        self.changed: set[str] = set()
        """Since it was leased."""
        self.closed: set[str] = set()

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def key(self, number: str) -> str:
        return message(number).key

    @rule(number=numbers)
    def deliver(self, number: str) -> None:
        new = self.wait(self.inbox.accept(message(number, thread=THREADS[number], text="first")))
        assert new == (number not in self.text and number not in self.deleted)
        if new:
            self.text[number] = "first"

    @rule(number=numbers, text=st.sampled_from(["second", "third"]))
    def edit(self, number: str, text: str) -> None:
        changed = self.wait(self.inbox.amend(self.key(number), text))
        told = self.visible & self.answered
        assert changed == (number in self.text and number not in told | self.deleted | self.closed)
        if changed and self.text[number] != text:
            self.answered.discard(number)
            self.changed |= {number} & self.working
            self.text[number] = text

    @rule(number=numbers)
    def delete(self, number: str) -> None:
        gone = self.wait(self.inbox.cancel(self.key(number)))
        assert gone == (number in self.text and number not in self.deleted | self.closed)
        if gone or number not in self.text:
            self.deleted.add(number)

    @rule()
    def lease(self) -> None:
        work = self.wait(self.inbox.lease())
        if not work:
            return
        number = work.message.key.rpartition(":")[2]
        assert number not in self.working | self.deleted | self.closed
        assert work.message.text == self.text[number]
        assert not {other for other in self.working if THREADS[other] == THREADS[number]} - self.deleted
        assert (work.posting_since is not None) == (number in self.visible)
        assert (work.answer is not None) == (number in self.answered)
        self.working.add(number)
        self.changed.discard(number)

    @rule(number=numbers)
    def begin(self, number: str) -> None:
        self.step(number, self.inbox.mark_posting, self.visible)

    @rule(number=numbers)
    def answer(self, number: str) -> None:
        self.step(number, lambda key: self.inbox.save_answer(key, answer(number)), self.answered)

    @rule(number=numbers)
    def begin_with_the_answer(self, number: str) -> None:
        if number in self.visible | self.answered:
            return
        self.step(number, lambda key: self.inbox.mark_posting(key, answer(number)), self.visible)
        if number in self.visible:
            self.answered.add(number)

    def step(self, number: str, step: Callable[[str], Coroutine[Any, Any, None]], reached: set[str]) -> None:
        """One step of the delivery; the lease is given back when the question is no longer what it was."""
        if number not in self.working:
            return
        try:
            self.wait(step(self.key(number)))
        except QuestionWithdrawn as withdrawn:
            stale = self.deleted if not withdrawn.changed else self.changed - self.deleted
            assert number in stale
            self.wait(self.inbox.release(self.key(number), counts=False))
            self.working.discard(number)
            return
        assert number not in self.changed | self.deleted
        reached.add(number)

    @rule(number=numbers, at_once=st.booleans())
    def finish(self, number: str, at_once: bool) -> None:
        if number in self.working & self.visible & self.answered:
            self.wait(self.inbox.mark_posted(self.key(number), "r", done=at_once))
            if not at_once:
                self.wait(self.inbox.mark_done(self.key(number)))
            self.working.discard(number)
            if number not in self.deleted:
                self.closed.add(number)

    @rule()
    def crash(self) -> None:
        self.now += 51
        self.working.clear()

    @invariant()
    def every_question_is_accounted_for(self) -> None:
        counts = self.wait(self.inbox.count_by_state())
        assert sum(counts.values()) == len(self.text)
        assert counts.get("done", 0) == len(self.closed)

    @invariant()
    def who_waits_is_counted(self) -> None:
        kept = self.wait(self.database.read(lambda db: db.execute(KEPT).fetchall()))
        assert kept == self.wait(self.database.read(lambda db: db.execute(TRUE).fetchall()))

    def teardown(self) -> None:
        self.wait(self.stack.aclose())
        self.runner.close()


@asynccontextmanager
async def of_its_own() -> AsyncIterator[Database]:
    with TemporaryDirectory() as folder:
        async with Engine(Path(folder), "").database() as database:
            yield database


def test_any_order_of_steps_on_sqlite() -> None:
    run_state_machine_as_test(partial(Deliveries, of_its_own), settings=settings(STEPS, max_examples=25))


def test_any_order_of_steps_on_postgresql(postgres: Server) -> None:
    def emptied() -> AbstractAsyncContextManager[Database]:
        return Engine(Path(), postgres.empty()).database()

    run_state_machine_as_test(partial(Deliveries, emptied), settings=settings(STEPS, max_examples=10))
