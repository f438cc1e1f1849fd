"""A gateway that says what makes no sense, or ends what it began: the bot lives, and answers what it should once."""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web
from discord.gateway import KeepAliveHandler
from structlog.testing import capture_logs

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.transport import identify
from adapters.discord.transport.client import MAX_DISCONNECTS
from bot.run import service
from pipeline.errors import Unavailable
from pipeline.ports import BotServices, Inbox
from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.waiting import until
from tests.doubles.discord.gateway import DISPATCH, HELLO, INVALID_SESSION, RECONNECT
from tests.doubles.discord.world import Payload
from tests.faults.misshapen import misshapen
from tests.trials import Count, trials

FRAMES = trials(60)
TOGETHER = 6
"""Frames between two questions."""
GARBAGE: tuple[str | bytes, ...] = (
    *("", "{", "null", "[]", "1", '"x"', "{}", "\x00", "[" * 10_000, '{"op": 0}', '{"op": "0", "d": []}'),
    *(b"", b"\x00" * 64, b"\x78\x9c\x00\x00\xff\xff", b"\x78\x9c" + b"\xff" * 64 + b"\x00\x00\xff\xff"),
)


@pytest.fixture(autouse=True)
async def no_heart_beats_on() -> AsyncIterator[None]:
    """discord.py has a thread for each session that it said hello to."""
    yield
    await until(lambda: not any(isinstance(one, KeepAliveHandler) for one in threading.enumerate()), seconds=10)


def again(op: int, data: object = None) -> Any:
    async def send(socket: web.WebSocketResponse) -> None:
        await socket.send_json({"op": op, "d": data})

    return send


async def close(socket: web.WebSocketResponse) -> None:
    await socket.close(code=4000)


@pytest.mark.parametrize(
    "end",
    [again(RECONNECT), again(INVALID_SESSION, data=False), again(INVALID_SESSION, data=True), close],
    ids=["reconnect", "no session any more", "no session now", "closed"],
)
async def test_a_gateway_that_ends_each_session_at_once_is_left_alone_for_a_while(tmp_path: Path, end: Any) -> None:
    driver = await DiscordDriver.open(tmp_path / "data")
    gateway, listening = driver.discord.gateway, driver.rig._tasks[-1]

    async def ended(socket: web.WebSocketResponse) -> None:
        if not socket.closed:
            await end(socket)

    gateway.at_once = ended
    await gateway.ask_to_reconnect()
    await until(listening.done)
    assert isinstance(listening.exception(), Unavailable)
    assert gateway.identifies + gateway.resumes <= MAX_DISCONNECTS + 2
    await driver.close()


@pytest.fixture
def always_listening(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in `citewell run`, where listening begins anew after an error, but without waiting for it, nor counting."""
    listen = DiscordAdapter.listen

    async def kept(self: DiscordAdapter, inbox: Inbox, desk: BotServices) -> None:
        one: Any = SimpleNamespace(name="discord", listen=partial(listen, self))
        await service.keep_listening(one, inbox, desk, lambda _: None)

    monkeypatch.setattr(DiscordAdapter, "listen", kept)
    monkeypatch.setattr(service, "FIRST_WAIT", 0.01)
    monkeypatch.setattr(service, "LONGEST_WAIT", 0.01)
    monkeypatch.setattr(identify.IdentifyBudget, "seconds_until_allowed", lambda _: 0.0)
    monkeypatch.setattr(identify.IdentifyBudget, "check", lambda _: ())


def frame(dice: random.Random, told: list[Payload], driver: DiscordDriver) -> str | bytes:
    if dice.random() < 0.2:
        return dice.choice(GARBAGE)
    one = dice.choice(told)
    data = {**one["d"], "id": driver.world.snowflake()} if one["t"].startswith("MESSAGE_CREATE") else one["d"]
    match dice.randrange(6):
        case 0:
            return json.dumps({**one, "s": dice.choice((0, -1, 10**30, "x", None, one["s"]))})
        case 1:
            return json.dumps(
                {"op": dice.choice((-1, 8, 99, "x", None, HELLO, 1, 11)), "d": dice.choice((None, {}, 1))}
            )
        case 2:
            return json.dumps(
                {"op": DISPATCH, "t": dice.choice(("NOTHING_WE_KNOW", 1, "READY", "RESUMED")), "d": {}, "s": 1}
            )
    return json.dumps({**one, "d": misshapen(data, dice)})


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.usefixtures("always_listening")
async def test_after_frames_that_make_no_sense_the_next_question_is_answered_once(
    tmp_path: Path, record_property: Count
) -> None:
    with capture_logs():
        driver = await DiscordDriver.open(tmp_path / "data")
        gateway = driver.discord.gateway
        said = await driver.mention("ann", "How much leave do I get?")
        await driver.rig.settled()
        await driver.passages(said, "ann")
        await driver.edit(said, "How much leave is there?")
        await driver.react(said)
        await driver.discord.command(driver.people["ann"], driver.channel, "help")
        await driver.delete(await driver.mention("bob", "Nothing."))
        told = [event for session in gateway.sessions.values() for event in session.sent]
        asked = []
        for number in range(0, FRAMES, TOGETHER):
            for one in range(number, number + TOGETHER):
                garbage = frame(random.Random(one), told, driver)
                for socket in [session.socket for session in gateway.sessions.values() if session.socket]:
                    if not socket.closed:
                        await (socket.send_str(garbage) if isinstance(garbage, str) else socket.send_bytes(garbage))
                await asyncio.sleep(0)
            ann = driver.people["ann"]
            message = await driver.discord.say(ann, driver.channel, f"@Citewell Is anybody still there, {number}?")
            asked.append(message["id"])
            await until(lambda message=message: driver.discord.answers.get(message["id"]), 30)  # type: ignore[misc]
        await driver.rig.settled()
        assert {len(driver.discord.answers[one]) for one in asked} == {1}
        record_property("frames", FRAMES)
        record_property("sessions", gateway.identifies)
        await driver.close()
