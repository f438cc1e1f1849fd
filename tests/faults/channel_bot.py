"""A bot for the crash runs that reads channels: real adapter, reader and storage; questions are not answered."""

from __future__ import annotations

import asyncio
from pathlib import Path

import structlog

from adapters.slack.adapter import SlackAdapter
from adapters.slack.settings import SlackSettings
from bot.desks.desk import CitewellDesk
from bot.documents.indexing import Indexer
from bot.known import platforms
from bot.run.channels import ChannelReader
from bot.run.service import keep_listening
from pipeline.ingest.split import Splitter, WordCount
from pipeline.rules.access import Rules
from pipeline.values import Place, PlaceId
from storage.open import open_storage
from tests.doubles.reader import ReaderHere
from tests.doubles.slack.server import APP_TOKEN, BOT_TOKEN
from tests.faults.slack_bot import PACE


async def live(folder: str, api_url: str, channel: str) -> None:
    """Read until killed."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    settings = SlackSettings(bot_token=BOT_TOKEN, app_token=APP_TOKEN, api_url=api_url)
    adapter = SlackAdapter(settings, say=lambda line: None, pace=PACE)
    async with open_storage(Path(folder), exclusive=True) as storage:
        places = {PlaceId.parse(channel): Place(index=True)}
        desk = CitewellDesk(storage, rules=Rules(platforms=platforms()), places=places, unindexed={"slack": ""})
        indexer = Indexer(storage.library, None, Splitter(WordCount()), ReaderHere())
        reader = ChannelReader(storage.said, storage.outbox, desk.places, indexer, {"slack": adapter}, every=0.01)
        listening = keep_listening(adapter, storage.inbox, desk, lambda line: None)
        await asyncio.gather(reader.run(), listening)
