"""A bot in the Slack double for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.contracts.slack_driver import SlackDriver


@pytest.fixture
async def slack(tmp_path: Path) -> AsyncIterator[SlackDriver]:
    """People in a workspace, and the bot over Socket Mode."""
    driver = await SlackDriver.open(tmp_path / "data")
    try:
        yield driver
    finally:
        await driver.close()
