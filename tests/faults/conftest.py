"""People on Discord for each test that asks for them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.contracts.discord_driver import DiscordDriver


@pytest.fixture
async def driver(tmp_path: Path) -> AsyncIterator[DiscordDriver]:
    opened = await DiscordDriver.open(tmp_path / "data")
    yield opened
    await opened.close()
