"""What goes on with a question before anything of its answer is there."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.rig import held_until
from tests.contracts.waiting import until


async def test_what_is_said_in_a_thread_while_its_first_answer_is_written_goes_on_with_it(tmp_path: Path) -> None:
    driver = await DiscordDriver.open(tmp_path / "data")
    thread = driver.world.thread(driver.channel, "Leave")
    await driver.restart()
    free = asyncio.Event()
    driver.rig.script = held_until(free)
    await driver._say("ann", thread, "@Citewell How much leave do I get?")
    await until(lambda: driver.rig.requests)
    await driver._say("ann", thread, "And part-timers?")
    assert not driver.discord.replies(thread)
    free.set()
    await driver.rig.settled()
    assert [request.text for request in driver.rig.requests] == ["How much leave do I get?", "And part-timers?"]
    await driver.close()
