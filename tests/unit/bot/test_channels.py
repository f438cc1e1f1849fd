"""Threads that are due become documents, whatever becomes of one of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bot.documents.indexing import Indexer
from bot.registry import platforms
from bot.run.channel_indexing import ChannelHistoryReader, ChannelIndexer
from bot.services.answers import CitewellServices
from pipeline.errors import Unavailable
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from pipeline.ports import SupportsHistory
from pipeline.rules.access import AccessPolicy
from pipeline.values import Attachment, ChannelMessage, ChannelSyncState, HistoryPage, PlaceId, PlaceSettings, replace
from storage.open import open_storage
from tests.contracts.waiting import until
from tests.doubles.reader import ReaderHere

PLACE = PlaceId.parse("slack:T1:C1")
NOW = datetime.now(UTC)


class Away(SupportsHistory):
    """A platform that gives no file now."""

    async def download_file(self, message: ChannelMessage, file: Attachment) -> bytes:
        raise Unavailable("Slack", "is away")


def said(message: str, *files: Attachment) -> ChannelMessage:
    text = f"The code of box {message} is blue."
    return ChannelMessage(
        channel=PLACE, thread=message, message=message, author="slack:T1:U1", at=NOW, text=text, files=files
    )


async def test_a_thread_that_cannot_be_made_now_keeps_no_other_waiting_and_stays_due(tmp_path: Path) -> None:
    async with open_storage(tmp_path, exclusive=True) as storage:
        desk = CitewellServices(
            storage,
            rules=AccessPolicy(platforms=platforms()),
            places={PLACE: PlaceSettings(index=True)},
            unindexed={"slack": ""},
        )
        indexer = Indexer(storage.library, None, TokenSplitter(WordTokenizer()), ReaderHere())
        away: Any = {"slack": Away()}
        reader = ChannelIndexer(storage.channel_messages, storage.outbox, desk.places, indexer, away)
        look = ChannelSyncState(name="boxes", begun=NOW, complete=NOW)
        await storage.channel_messages.save(
            [said("1", Attachment(id="F1", name="plan.md")), said("2"), said("3")], PLACE, look
        )
        assert await reader.index_threads() == 2
        assert {one.id for one in await storage.library.list_documents()} == {f"{PLACE}:2", f"{PLACE}:3"}
        assert await storage.channel_messages.due_threads(9) == []  # not before a while has passed
        assert await storage.channel_messages.count(PLACE) == (3, 1)


class Pages(SupportsHistory):
    """A platform that tells of a message a day, as many as are asked for."""

    def __init__(self) -> None:
        self.told = 0

    async def load_history(self, place: PlaceId, position: str) -> HistoryPage:
        self.told += 1
        day = int(position or 0)
        at = NOW - timedelta(days=day)
        return HistoryPage(messages=(replace(said(str(day)), at=at),), next_cursor=str(day + 1), created_at=at)


async def test_what_is_older_than_it_is_kept_is_not_read_by_a_bot_that_was_away(tmp_path: Path) -> None:
    async with open_storage(tmp_path, exclusive=True) as storage:
        pages: Any = Pages()
        await ChannelHistoryReader(storage.channel_messages, {"slack": pages}, pause=1.0).catch_up(
            PLACE, PlaceSettings(index_days=3)
        )
        assert await storage.channel_messages.count(PLACE) == (3, 3)
        assert pages.told == 4


async def test_what_was_read_until_a_wrong_time_is_kept_and_read_anew(tmp_path: Path) -> None:
    """Also what was to become a document by that time."""
    async with open_storage(tmp_path, exclusive=True) as storage:
        sets, pages, ahead = PlaceSettings(index=True, index_days=3), Pages(), datetime.now(UTC) + timedelta(days=400)
        adapters: Any = {"slack": pages}
        await ChannelHistoryReader(storage.channel_messages, adapters, pause=1.0).read(
            PLACE, sets, ChannelSyncState(begun=ahead)
        )
        assert await storage.channel_messages.count(PLACE) == (3, 3)
        look = replace((await storage.channel_messages.reading_states())[PLACE], complete=ahead)
        await storage.channel_messages.save((), PLACE, look)
        late = "UPDATE said_due SET since = since + 400 * 86400 * 1000000000"
        await storage.database.write(lambda db: db.execute(late).rowcount)
        assert len(await storage.channel_messages.due_threads(9)) == 3
        desk = CitewellServices(
            storage, rules=AccessPolicy(platforms=platforms()), places={PLACE: sets}, unindexed={"slack": ""}
        )
        indexer = Indexer(storage.library, None, TokenSplitter(WordTokenizer()), ReaderHere())
        reader = ChannelIndexer(storage.channel_messages, storage.outbox, desk.places, indexer, adapters)
        told = pages.told
        await reader.update_channels()
        await until(lambda: pages.told == told + 4)
