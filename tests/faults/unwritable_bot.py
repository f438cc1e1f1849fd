"""The bot of the crash runs where Slack gives up within a second, and marks are as much more frequent.

SQLite's log keeps no room from one checkpoint to the next: once a disk is full, no message can be stored there."""

from __future__ import annotations

import os
import sys

from adapters.chat import catch_up
from adapters.slack.events import catch_up as slack_catch_up
from adapters.slack.transport import session
from bot.log import configure_logging
from bot.run import service
from storage.sqlite import database as sqlite
from tests.faults import slack_bot

FASTER = 400.0


async def live(folder: str, api_url: str, log: str, database: str = "") -> None:
    """Answer until killed. `log` is the file for what a service logs."""
    os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), sys.stderr.fileno())
    configure_logging("info", service=True)
    session.LAST_RETRY_SECONDS /= FASTER
    for name in ("OUTAGE_SECONDS", "CHECKPOINT_SECONDS", "MIN_RETRY_SECONDS"):
        setattr(catch_up, name, getattr(catch_up, name) / FASTER)
    service.FIRST_WAIT = slack_catch_up.CATCH_UP_PAUSE_SECONDS = 0.01
    sqlite.WAL_BYTES = 0
    await slack_bot.answer(folder, api_url, database, retry_seconds=0.02)
