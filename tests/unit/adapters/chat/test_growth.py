"""What is shown while an answer is written."""

from __future__ import annotations

import asyncio

import pytest

from adapters.chat.post.growth import Pace, Throttle
from tests.contracts.waiting import until


class Wall:
    """Remembers what was painted; the next stroke waits for `free`."""

    def __init__(self) -> None:
        self.pages: list[str] = []
        self.free = asyncio.Event()
        self.begun = asyncio.Event()
        self.busy = False

    async def show(self, page: str) -> None:
        assert not self.busy
        self.busy = True
        self.begun.set()
        await self.free.wait()
        self.pages.append(page)
        self.busy = False


async def test_only_the_newest_state_is_shown() -> None:
    wall = Wall()
    async with Throttle(wall.show, Pace(0.0, 0.0)) as painter:
        painter.newest("0")
        await wall.begun.wait()
        for number in range(1, 100):
            painter.newest(str(number))
        wall.free.set()
        await until(lambda: wall.pages[-1:] == ["99"])
    assert wall.pages == ["0", "99"]


async def test_a_quick_answer_paints_nothing() -> None:
    wall = Wall()
    async with Throttle(wall.show, Pace(60.0, 60.0)) as painter:
        painter.newest("0")
    assert wall.pages == []


async def test_leaving_waits_for_the_stroke_under_way() -> None:
    wall = Wall()
    async with Throttle(wall.show, Pace(0.0, 60.0)) as painter:
        painter.newest("0")
        await wall.begun.wait()
        asyncio.get_running_loop().call_soon(wall.free.set)
    assert wall.pages == ["0"]


async def test_what_goes_wrong_is_known_when_the_painter_is_left() -> None:
    async def fail(page: str) -> None:
        raise ValueError(page)

    async def paint() -> None:
        async with Throttle(fail, Pace(0.0, 0.0)) as painter:
            painter.newest("0")
            for _ in range(20):
                await asyncio.sleep(0)

    with pytest.raises(ValueError, match="0"):
        await paint()
