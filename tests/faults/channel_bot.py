"""A bot for the crash runs that reads channels: real adapter, reader and storage; questions are not answered."""

from __future__ import annotations

import asyncio
from pathlib import Path

import structlog

from adapters.slack.adapter import SlackAdapter
from adapters.slack.settings import SlackSettings
from bot.documents.indexing import Indexer
from bot.registry import platforms
from bot.run.channel_indexing import ChannelIndexer
from bot.run.service import keep_listening
from bot.services.answers import CitewellServices
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from pipeline.rules.access import AccessPolicy
from pipeline.values import PlaceId, PlaceSettings
from storage.open import open_storage
from tests.doubles.reader import ReaderHere
from tests.doubles.slack.server import APP_TOKEN, BOT_TOKEN
from tests.faults.slack_bot import PACE


async def live(folder: str, api_url: str, channel: str) -> None:
    """Read until killed."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    settings = SlackSettings(bot_token=BOT_TOKEN, app_token=APP_TOKEN, api_url=api_url)
    adapter = SlackAdapter(settings, echo=lambda line: None, timings=PACE)
    async with open_storage(Path(folder), exclusive=True) as storage:
        places = {PlaceId.parse(channel): PlaceSettings(index=True)}
        desk = CitewellServices(
            storage, rules=AccessPolicy(platforms=platforms()), places=places, unindexed={"slack": ""}
        )
        indexer = Indexer(storage.library, None, TokenSplitter(WordTokenizer()), ReaderHere())
        reader = ChannelIndexer(
            storage.channel_messages, storage.outbox, desk.places, indexer, {"slack": adapter}, every=0.01
        )
        listening = keep_listening(adapter, storage.inbox, desk, lambda line: None)
        await asyncio.gather(reader.run(), listening)
