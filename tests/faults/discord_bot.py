"""A bot for the crash runs on Discord: real adapter, worker and storage; only the answers are made up."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import structlog

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.memory import Memory
from adapters.discord.settings import DiscordPace, DiscordSettings
from adapters.discord.transport.identify import IdentifyBudget
from bot.desks.desk import CitewellDesk
from bot.run.worker import Worker
from storage.open import open_storage
from tests.contracts.answers import cited, hold
from tests.faults.slack_bot import Thinking, _request

PACE = DiscordPace(first=0.005, edit=0.01, ready=0.02, lag=3.0, mark=0.05)
GRACE = 1.2
"""Longer than a request may take and its effect may stay unseen."""


class Unlimited(IdentifyBudget):
    """Hundreds of starts in minutes are meant here."""

    def wait(self) -> float:
        return 0.0


def noted(folder: Path) -> bool:
    """Whether a bot with that folder has written down up to when it knows everything."""
    with closing(sqlite3.connect(folder / "citewell.db")) as database:
        return bool(database.execute("SELECT 1 FROM seen WHERE channel = 'discord:dm'").fetchone())


async def live(folder: str, api_url: str, threads: str) -> None:
    """Answer until killed."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    adapter = DiscordAdapter(
        DiscordSettings(token="token", api_url=api_url, threads=threads == "threads"),
        folder=Path(folder),
        say=lambda _: None,
        pace=PACE,
        identify_budget=Unlimited(Memory(Path(folder)), budget=1_000_000),
    )
    async with open_storage(Path(folder), exclusive=True) as storage:
        await hold(storage, cited())
        desk = CitewellDesk(storage)
        adapters = {"discord": adapter}
        worker = Worker(
            storage.inbox,
            Thinking(),
            adapters,
            _request,
            desk.chosen,
            shown=lambda answer_id, _: storage.history.answer(answer_id),
            concurrency=8,
            grace_seconds=GRACE,
        )
        storage.inbox.on_accept(worker.ring)
        await asyncio.gather(worker.run(), adapter.listen(storage.inbox, desk))
