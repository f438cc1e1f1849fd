"""What a probe is told of a running bot, over a real port, on each platform."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from adapters.http.servers import UvicornServers
from adapters.slack.transport import socket_mode
from bot.run.operations.health import OPERATIONS_SETTING, HealthMonitor, routes
from pipeline.values import replace
from tests.contracts.discord_driver import QUICK, DiscordDriver
from tests.contracts.rig import searching_until
from tests.contracts.slack_driver import SlackDriver, SlackHTTPDriver
from tests.contracts.waiting import eventually
from tests.doubles.discord.faults import Fault
from tests.doubles.ports import free_port

Silence = Callable[[SlackDriver | DiscordDriver], None]


async def told(port: int, path: str) -> tuple[int, str]:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}{path}") as response,
    ):
        return response.status, await response.text()


@asynccontextmanager
async def probed(driver: SlackDriver | DiscordDriver) -> AsyncIterator[int]:
    """The port of a bot whose health is looked at in a hurry."""
    rig = driver.rig
    health = HealthMonitor(
        rig.worker,
        {rig.adapter.name: rig.adapter},
        rig.storage.library,
        stuck_seconds=2.5,
        silent_seconds=0.5,
        poll_seconds=0.02,
    )

    async def alive() -> list[str]:
        return health.liveness_problems()

    async def page() -> bytes:
        return b""

    port = free_port()
    watching = asyncio.create_task(health.watch())
    async with UvicornServers().serve(
        f"127.0.0.1:{port}", routes(alive, health.readiness_problems, page), setting=OPERATIONS_SETTING
    ):
        yield port
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)


def says(port: int, path: str, status: int, word: str) -> Callable[[], Awaitable[bool]]:
    async def now() -> bool:
        found, text = await told(port, path)
        return found == status and word in text

    return now


def slack_goes_silent(driver: SlackDriver | DiscordDriver) -> None:
    assert isinstance(driver, SlackDriver)

    async def broken(method: str, _: object, when: str) -> str | None:
        return "drop" if method in ("apps.connections.open", "socket") and when == "before" else None

    driver.slack.answer_pings, driver.slack.hook = False, broken


def discord_goes_silent(driver: SlackDriver | DiscordDriver) -> None:
    assert isinstance(driver, DiscordDriver)
    driver.discord.gateway.silent = True
    driver.discord.faults.order("GET", "/gateway", Fault(drop=True), times=-1)


class HurriedDiscord(DiscordDriver):
    pace = replace(QUICK, silence_timeout=1.0)


@pytest.fixture(params=[SlackDriver, SlackHTTPDriver, DiscordDriver])
async def driver(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SlackDriver | DiscordDriver]:
    opened: SlackDriver | DiscordDriver = await request.param.open(tmp_path / "data")
    yield opened
    await opened.close()


async def test_a_worker_that_hangs_is_not_healthy_until_it_moves_again(driver: SlackDriver | DiscordDriver) -> None:
    free = asyncio.Event()
    driver.rig.script = searching_until(free)
    async with probed(driver) as port:
        await eventually(says(port, "/healthz", 200, "ok"))
        await driver.mention("ann", "How much leave do I get?")
        await eventually(says(port, "/healthz", 503, "worker: nothing has moved for"))
        free.set()
        await eventually(says(port, "/healthz", 200, "ok"))
        await driver.rig.settled()


@pytest.mark.parametrize(("kind", "silence"), [(SlackDriver, slack_goes_silent), (HurriedDiscord, discord_goes_silent)])
async def test_a_platform_that_went_silent_is_neither_ready_nor_after_a_while_healthy(
    kind: type[SlackDriver] | type[DiscordDriver], silence: Silence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_mode, "PING_SECONDS", 0.2)
    driver = await kind.open(tmp_path / "data")
    name = driver.rig.adapter.name
    async with probed(driver) as port:
        await eventually(driver.rig.adapter.is_connected)
        assert (await told(port, "/healthz"))[0] == 200
        silence(driver)
        await eventually(says(port, "/readyz", 503, f"{name}: not connected"))
        await eventually(says(port, "/healthz", 503, f"{name}: not connected for"))
    await driver.close()


async def test_a_bot_is_ready_once_something_is_indexed(driver: SlackDriver | DiscordDriver) -> None:
    async with probed(driver) as port:
        await eventually(says(port, "/readyz", 503, "index: nothing is indexed"))
        await driver.mention("ann", "How much leave do I get?")
        await driver.rig.settled()
        await eventually(says(port, "/readyz", 200, "ok"))


async def test_a_bot_that_stopped_listening_is_not_connected(driver: SlackDriver | DiscordDriver) -> None:
    adapter = driver.rig.adapter
    await eventually(adapter.is_connected)
    listening = driver.rig._tasks[-1]
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    assert not await adapter.is_connected()


@pytest.mark.parametrize("forget", [False, True], ids=["resumed", "anew"])
async def test_discord_is_connected_again_after_its_session_was_resumed_or_opened_anew(
    forget: bool, tmp_path: Path
) -> None:
    driver = await DiscordDriver.open(tmp_path / "data")
    adapter = driver.rig.adapter
    await eventually(adapter.is_connected)
    await driver.discord.gateway.drop(forget=forget)
    await driver.discord.gateway.connected()
    await eventually(adapter.is_connected)
    said = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    assert len(driver.replies(said)) == 1
    await driver.close()
