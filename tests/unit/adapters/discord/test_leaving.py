"""What keeps a connection that is lost from being made anew."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from adapters.discord import adapter as discord_adapter
from adapters.discord.adapter import DiscordAdapter
from adapters.discord.settings import DiscordSettings
from pipeline.errors import Unavailable
from pipeline.values import PersonId


async def test_whoever_waits_for_servers_on_a_lost_connection_does_not_hold_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, lost = asyncio.Event(), asyncio.Event()

    async def never(_: object) -> None:
        asked.set()
        await asyncio.Event().wait()

    def connect(*given: Any) -> SimpleNamespace:
        given[-1].set()
        return SimpleNamespace(client=AsyncExitStack(), chat=SimpleNamespace(readers=never))

    async def run(*_: object) -> None:
        await lost.wait()
        raise Unavailable("Discord", "the connection was closed")

    monkeypatch.setattr(discord_adapter, "build_connection", connect)
    monkeypatch.setattr(discord_adapter, "run_client", run)
    adapter = DiscordAdapter(DiscordSettings(token="x"), folder=tmp_path, echo=lambda _: None)
    listening = asyncio.create_task(adapter.listen(None, None))  # type: ignore[arg-type]
    looking = asyncio.create_task(adapter.get_readers(PersonId(platform="discord", user="3")))
    await asked.wait()
    lost.set()
    async with asyncio.timeout(2):
        with pytest.raises(Unavailable, match="closed"):
            await listening
    looking.cancel()
