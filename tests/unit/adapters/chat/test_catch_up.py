"""Reading what was missed: from when on, what is tried again, and when it counts as read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable

import pytest

from adapters.chat import catch_up
from adapters.chat.catch_up import MAX_AGE_SECONDS, CatchUp, MissedRange
from pipeline.errors import CitewellError, Refused, Unavailable

LAG = 60.0
NOW = 10.0 * MAX_AGE_SECONDS


class Marks:
    """Of an inbox only what is noted of a space."""

    def __init__(self, noted: str | None = None) -> None:
        self.noted = noted

    async def last_message_id(self, space: str) -> str | None:
        return self.noted

    async def mark_caught_up(self, space: str, until: str) -> None:
        self.noted = until


class Rooms:
    """Three rooms with a message each, in a gap that fails as it is told."""

    def __init__(self) -> None:
        self.since: list[MissedRange] = []
        self.taken: list[str] = []
        self.faults: dict[str, list[CitewellError]] = {}

    def begin(self, since: MissedRange) -> Rooms:
        self.since.append(since)
        return self

    async def places(self) -> AsyncIterator[str]:
        for room in ("a", "b", "c"):
            yield room

    async def messages(self, place: str) -> AsyncGenerator[str, None]:
        for fault in self.faults.get(place, []):
            self.faults[place].remove(fault)
            raise fault
        yield f"said in {place}"

    async def accept(self, place: str, message: str) -> None:
        self.taken.append(message)


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MIN_RETRY_SECONDS", "MAX_RETRY_SECONDS", "CHECKPOINT_SECONDS"):
        monkeypatch.setattr(catch_up, name, 0.001)


def reader(
    rooms: Rooms, marks: Marks, untaken: set[str] | None = None, clock: Callable[[], float] = lambda: NOW
) -> CatchUp[str, str]:
    return CatchUp("chat:1", marks, rooms.begin, lag=LAG, clock=clock, failed_channels=untaken)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("noted", "at", "first"),
    [
        (f"{NOW - 100:.6f}", NOW - 100, False),
        (f"{NOW - 3 * MAX_AGE_SECONDS:.6f}", NOW - MAX_AGE_SECONDS, False),
        (f"{NOW + 100:.6f}", NOW - MAX_AGE_SECONDS, False),
        (None, NOW - LAG, True),
    ],
)
async def test_it_is_read_from_the_mark_on_or_from_a_day_ago(noted: str | None, at: float, *, first: bool) -> None:
    rooms = Rooms()
    await reader(rooms, Marks(noted)).read_missed()
    assert rooms.since == [MissedRange(at, NOW - MAX_AGE_SECONDS, first)]
    assert rooms.taken == ["said in a", "said in b", "said in c"]


async def test_what_is_missed_right_after_a_first_start_is_read_at_the_next_one() -> None:
    rooms, marks = Rooms(), Marks()
    await reader(rooms, marks).read_missed()
    await reader(rooms, marks, clock=lambda: NOW + 500).read_missed()
    assert [(missed.start, missed.is_first_start) for missed in rooms.since] == [(NOW - LAG, True), (NOW - LAG, False)]


async def test_what_fails_keeps_nothing_else_waiting_and_is_read_once_in_the_end() -> None:
    rooms = Rooms()
    rooms.faults["a"] = [Unavailable("Chat", "down"), Unavailable("Chat", "down", retry_after=0.01)]
    await reader(rooms, Marks(f"{NOW:.6f}")).read_missed()
    assert rooms.taken == ["said in b", "said in c", "said in a"]
    assert len(rooms.since) == 1


async def test_what_may_not_be_read_is_not_tried_again() -> None:
    rooms = Rooms()
    rooms.faults["b"] = [Refused("not a member"), Refused("not a member")]
    await reader(rooms, Marks(f"{NOW:.6f}")).read_missed()
    assert rooms.taken == ["said in a", "said in c"]
    assert len(rooms.faults["b"]) == 1


async def test_what_could_not_be_taken_in_stays_due_until_it_is_read() -> None:
    rooms, untaken = Rooms(), {"a"}
    reading = reader(rooms, Marks(f"{NOW:.6f}"), untaken)
    rooms.faults["c"] = [Unavailable("Chat", "down", retry_after=3600.0)]
    cut_off = asyncio.create_task(reading.read_missed())
    while len(rooms.taken) < 2:  # noqa: ASYNC110 - the double does not tell
        await asyncio.sleep(0)
    cut_off.cancel()
    untaken.add("b")
    await reading.read_missed()
    await reading.read_missed()
    assert [since.failed_channels for since in rooms.since] == [{"a"}, {"a", "b"}, frozenset()]
    assert not untaken


async def test_nothing_is_marked_before_everything_is_read() -> None:
    first = f"{NOW - 500:.6f}"
    rooms, marks, moments = Rooms(), Marks(first), iter(range(1_000_000))
    rooms.faults["c"] = [Unavailable("Chat", "down") for _ in range(3)]
    early: list[object] = []
    take = rooms.accept

    async def taking(place: str, message: str) -> None:
        early.append(marks.noted)
        await take(place, message)

    async def reachable() -> bool:
        return True

    rooms.accept = taking  # type: ignore[method-assign]
    keeping = asyncio.create_task(reader(rooms, marks, clock=lambda: NOW + next(moments) / 1000).run(reachable))
    while marks.noted == first:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.001)
    keeping.cancel()
    assert early == [first, first, first]
    assert marks.noted
    assert float(marks.noted) < NOW
