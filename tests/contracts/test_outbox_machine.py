"""Post once, find after a crash: any order of crashes and failures, over the inbox and the outbox of each engine."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from bot.run.posting import Poster, PostInProgress
from pipeline.errors import Refused, Unavailable
from storage.messages.inbox import SQLInbox
from storage.messages.outbox import SQLOutbox
from storage.messages.posting import MAX_ATTEMPTS
from storage.open import Storage
from tests.doubles.engines import Engine
from tests.doubles.postgres import Server
from tests.doubles.samples import message

T = TypeVar("T")
STEPS = settings(stateful_step_count=30, deadline=None)
SPACE = "slack:T1"


class Killed(BaseException):
    """The process is gone at this very point."""


class Moment(StrEnum):
    """Where it is gone, or what the platform does."""

    NEVER = "never"
    BEFORE_THE_INTENT = "before the intent"
    BEFORE_THE_POST = "before the post"
    AFTER_THE_POST = "after the post"
    BEFORE_THE_END = "before the end"
    OUT_OF_REACH = "out of reach"
    RESPONSE_LOST = "response lost"
    REFUSED = "refused"


class Platform:
    """Shows what is posted; where something is completed, it is edited."""

    def __init__(self) -> None:
        self.shown: Counter[str] = Counter()
        self.moment = Moment.NEVER

    def now(self, *moments: Moment) -> bool:
        return self.moment in moments

    async def post(self, way: PostInProgress[Any]) -> None:
        if self.now(Moment.BEFORE_THE_INTENT):
            raise Killed
        if not way.item.reference:
            await way.record_intent()
            self._post(way.item.key)
            await way.record_posted("its name")
        if self.now(Moment.BEFORE_THE_END):
            raise Killed

    def _post(self, key: str) -> None:
        if self.now(Moment.BEFORE_THE_POST):
            raise Killed
        if self.now(Moment.REFUSED):
            raise Refused("it may not be posted")
        if self.now(Moment.OUT_OF_REACH):
            raise Unavailable("Slack", "did not come back", retry_after=0.0)
        self.shown[key] += 1
        if self.now(Moment.AFTER_THE_POST):
            raise Killed
        if self.now(Moment.RESPONSE_LOST):
            raise Unavailable("Slack", "did not come back", retry_after=0.0)

    async def find_posted(self, outgoing: Any) -> str | None:
        return "its name" if self.shown[outgoing.key] else None


class Posts(RuleBasedStateMachine):
    """One process after the other on the same database; each may be killed at any moment of its posting."""

    def __init__(self, opened: Callable[[], AbstractAsyncContextManager[Storage]]) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.now = 1000.0
        storage = self.wait(self.stack.enter_async_context(opened()))
        self.inbox = SQLInbox(storage.database, late_seconds=1e12, clock=lambda: self.now)
        self.outbox = SQLOutbox(storage.database, clock=lambda: self.now)
        self.platform: Any = Platform()
        self.put: set[str] = set()
        self.against: Counter[str] = Counter()

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    @rule(number=st.sampled_from(["1.0", "2.0", "3.0"]))
    def ask(self, number: str) -> None:
        one = message(number, thread=number)
        self.wait(self.inbox.accept(one))
        self.put.add(one.key)

    @rule(week=st.sampled_from(["2026-W46", "2026-W47"]))
    def begin(self, week: str) -> None:
        if not self.put & {"digest:2026-W46", "digest:2026-W47"}:
            self.wait(self.outbox.queue_digest(week, "slack:T1:C2"))
            self.put.add(f"digest:{week}")

    @rule(moment=st.sampled_from(list(Moment)))
    def answer(self, moment: Moment) -> None:
        if work := self.wait(self.inbox.lease()):
            self.bring(self.inbox, work, moment)
            self.wait(self.inbox.reclaim_all())
        self.now += 60.0

    @rule(moment=st.sampled_from(list(Moment)))
    def post(self, moment: Moment) -> None:
        if post := self.wait(self.outbox.take_next()):
            self.bring(self.outbox, post, moment)
        self.now += 60.0

    def bring(self, outbox: SQLInbox | SQLOutbox, item: Any, moment: Moment) -> None:
        async def show(way: PostInProgress[Any]) -> None:
            await self.platform.post(way)
            await outbox.mark_done(way.item.key)

        async def apologise(way: PostInProgress[Any]) -> str:
            return ""

        self.platform.moment = moment
        poster: Poster[Any] = Poster(
            outbox, {"slack": self.platform}, show, apologise, grace_seconds=0.0, retry_seconds=1.0
        )
        against = moment is Moment.REFUSED
        try:
            self.wait(poster.deliver(item))
        except Killed:
            against = outbox is self.inbox  # what ends the process is not tried for ever
        self.against[item.key] += against

    @invariant()
    def nothing_is_posted_twice(self) -> None:
        assert all(count == 1 for count in self.platform.shown.values() if count)

    def teardown(self) -> None:
        for _ in range(20):
            self.answer(Moment.NEVER)
            self.post(Moment.NEVER)
        given_up = {key for key, count in self.against.items() if count >= MAX_ATTEMPTS}
        assert {key for key, count in self.platform.shown.items() if count} >= self.put - given_up
        assert self.wait(self.outbox.count_open()) + self.wait(self.inbox.count_by_state()).get("open", 0) == 0
        self.wait(self.stack.aclose())
        self.runner.close()


@asynccontextmanager
async def of_its_own() -> AsyncIterator[Storage]:
    with TemporaryDirectory() as folder:
        async with Engine(Path(folder), "").storage() as storage:
            yield storage


def test_any_order_of_crashes_on_sqlite() -> None:
    run_state_machine_as_test(partial(Posts, of_its_own), settings=settings(STEPS, max_examples=25))


def test_any_order_of_crashes_on_postgresql(postgres: Server, tmp_path: Path) -> None:
    def emptied() -> AbstractAsyncContextManager[Storage]:
        return Engine(tmp_path, postgres.empty()).storage()

    run_state_machine_as_test(partial(Posts, emptied), settings=settings(STEPS, max_examples=10))
