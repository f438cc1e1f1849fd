"""Which platforms keep which promise: a test of a `driver` runs on all that have the ways it `walks`; of another the
driver says why not.

The second way into a platform takes part where the two can differ (`ways_in`): from what comes in to the reply that is
posted, crashes included. What is said there and how it is drawn is the work of the same modules.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from storage.database import Database
from tests.contracts.console_driver import ChatDriver, ConsoleDriver
from tests.contracts.discord_driver import DiscordDriver, DiscordThreadsDriver
from tests.contracts.driver import Driver
from tests.contracts.slack_driver import SlackDriver, SlackHTTPDriver
from tests.contracts.web_driver import WebDriver
from tests.doubles.clock import Clock
from tests.doubles.engines import Engine
from tests.loopback.people import LoopbackDriver

PLATFORMS = {
    "slack": SlackDriver,
    "discord": DiscordDriver,
    "loopback": LoopbackDriver,
    "console": ConsoleDriver,
    "web": WebDriver,
}
SECOND_WAYS = {"slack-http": SlackHTTPDriver, "discord-threads": DiscordThreadsDriver, "console-chat": ChatDriver}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "platform" in metafunc.fixturenames:
        metafunc.parametrize("platform", list(_platforms(metafunc.definition)))


def _platforms(test: pytest.Item) -> Iterator[object]:
    ways = {way for mark in test.iter_markers("walks") for way in mark.args}
    for name, kind in (PLATFORMS | (SECOND_WAYS if test.get_closest_marker("ways_in") else {})).items():
        if not ways & kind.absent.keys():
            yield pytest.param(kind, id=name)


@pytest.fixture
async def driver(platform: type[Driver], tmp_path: Path) -> AsyncIterator[Driver]:
    """The adapter of one platform, connected, with people around it."""
    opened = await platform.open(tmp_path / "data")
    try:
        yield opened
    finally:
        await opened.close()


@pytest.fixture
async def database(engine: Engine) -> AsyncIterator[Database]:
    async with engine.database() as opened:
        yield opened


@pytest.fixture
def clock() -> Clock:
    return Clock()
