"""A bot in the Slack double for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from tests.contracts.slack_driver import SlackDriver


@pytest.fixture(autouse=True)
def log() -> Iterator[list[EventDict]]:
    """What the bot logs, kept as it is: to draw a traceback takes seconds."""
    with capture_logs() as logged:
        yield logged


@pytest.fixture
async def slack(tmp_path: Path) -> AsyncIterator[SlackDriver]:
    """People in a workspace, and the bot over Socket Mode."""
    driver = await SlackDriver.open(tmp_path / "data")
    try:
        yield driver
    finally:
        await driver.close()
