"""Computation that lets everything else go on between its steps."""

from __future__ import annotations

import asyncio

from pipeline.pacing import LoopPacer


async def passes(counted: list[int]) -> None:
    """Count the passes of the event loop."""
    while True:
        counted[0] += 1
        await asyncio.sleep(0)


async def test_one_step_runs_in_each_pass_of_the_loop_in_the_order_of_the_calls() -> None:
    pacer, number, ran = LoopPacer(), [0], list[tuple[int, str]]()

    async def compute(name: str) -> None:
        for _ in range(3):
            await pacer.turn()
            ran.append((number[0], name))

    counting = asyncio.create_task(passes(number))
    await asyncio.gather(*(compute(name) for name in "abcd"))
    counting.cancel()
    assert len({at for at, _ in ran}) == len(ran) == 12
    assert "".join(name for _, name in ran) == "aabcdabcdbcd"


async def test_a_step_alone_does_not_wait() -> None:
    pacer, ran = LoopPacer(), list[str]()

    async def compute() -> None:
        await pacer.turn()
        ran.append("step")

    async def beside() -> None:
        ran.append("beside")

    await asyncio.gather(compute(), beside())
    assert ran == ["step", "beside"]


async def test_who_is_cancelled_while_waiting_holds_up_nobody() -> None:
    pacer, ran = LoopPacer(), list[str]()

    async def compute(name: str) -> None:
        await pacer.turn()
        ran.append(name)

    tasks = [asyncio.create_task(compute(name)) for name in "abc"]
    await asyncio.sleep(0)
    tasks[1].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert ran == ["a", "c"]
