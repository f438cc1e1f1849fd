"""A bot for the crash runs on Discord: real adapter, worker and storage; only the answers are made up."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import structlog

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.settings import DiscordSettings, DiscordTimings
from adapters.discord.state import DiscordState
from adapters.discord.transport.identify import IdentifyBudget
from bot.run.worker import Worker
from bot.services.answers import CitewellServices
from storage.open import open_storage
from tests.contracts.answers import cited, hold
from tests.faults.slack_bot import Thinking, _request

PACE = DiscordTimings(
    placeholder_delay=0.005, edit_interval=0.01, guilds_timeout=0.02, lag=3.0, checkpoint_interval=0.05
)
GRACE = 1.2
"""Longer than a request may take and its effect may stay unseen."""


class Unlimited(IdentifyBudget):
    """Hundreds of starts in minutes are meant here."""

    def seconds_until_allowed(self) -> float:
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
        echo=lambda _: None,
        timings=PACE,
        identify_budget=Unlimited(DiscordState(Path(folder)), budget=1_000_000),
    )
    async with open_storage(Path(folder), exclusive=True) as storage:
        await hold(storage, cited())
        desk = CitewellServices(storage)
        adapters = {"discord": adapter}
        worker = Worker(
            storage.inbox,
            Thinking(),
            adapters,
            _request,
            desk.choose_options,
            shown=lambda answer_id, _: storage.history.answer(answer_id),
            concurrency=8,
            grace_seconds=GRACE,
        )
        storage.inbox.on_accept(worker.notify)
        await asyncio.gather(worker.run(), adapter.listen(storage.inbox, desk))
