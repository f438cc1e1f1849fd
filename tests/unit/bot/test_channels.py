"""Threads that are due become documents, whatever becomes of one of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bot.desks.desk import CitewellDesk
from bot.documents.indexing import Indexer
from bot.known import platforms
from bot.run.channels import ChannelHistory, ChannelReader
from pipeline.errors import Unavailable
from pipeline.ingest.split import Splitter, WordCount
from pipeline.ports import AmongPeople
from pipeline.rules.access import Rules
from pipeline.values import Attachment, ChannelLook, Place, PlaceId, Said, Stretch, replace
from storage.open import open_storage
from tests.contracts.waiting import until
from tests.doubles.reader import ReaderHere

PLACE = PlaceId.parse("slack:T1:C1")
NOW = datetime.now(UTC)


class Away(AmongPeople):
    """A platform that gives no file now."""

    async def file(self, said: Said, file: Attachment) -> bytes:
        raise Unavailable("Slack", "is away")


def said(message: str, *files: Attachment) -> Said:
    text = f"The code of box {message} is blue."
    return Said(channel=PLACE, thread=message, message=message, author="slack:T1:U1", at=NOW, text=text, files=files)


async def test_a_thread_that_cannot_be_made_now_keeps_no_other_waiting_and_stays_due(tmp_path: Path) -> None:
    async with open_storage(tmp_path, exclusive=True) as storage:
        desk = CitewellDesk(
            storage,
            rules=Rules(platforms=platforms()),
            places={PLACE: Place(index=True)},
            unindexed={"slack": ""},
        )
        indexer = Indexer(storage.library, None, Splitter(WordCount()), ReaderHere())
        away: Any = {"slack": Away()}
        reader = ChannelReader(storage.said, storage.outbox, desk.places, indexer, away)
        look = ChannelLook(name="boxes", begun=NOW, complete=NOW)
        await storage.said.take([said("1", Attachment(id="F1", name="plan.md")), said("2"), said("3")], PLACE, look)
        assert await reader.make() == 2
        assert {one.id for one in await storage.library.documents()} == {f"{PLACE}:2", f"{PLACE}:3"}
        assert await storage.said.due(9) == []  # not before a while has passed
        assert await storage.said.count(PLACE) == (3, 1)


class Pages(AmongPeople):
    """A platform that tells of a message a day, as many as are asked for."""

    def __init__(self) -> None:
        self.told = 0

    async def history(self, place: PlaceId, position: str) -> Stretch:
        self.told += 1
        day = int(position or 0)
        at = NOW - timedelta(days=day)
        return Stretch(said=(replace(said(str(day)), at=at),), position=str(day + 1), since=at)


async def test_what_is_older_than_it_is_kept_is_not_read_by_a_bot_that_was_away(tmp_path: Path) -> None:
    async with open_storage(tmp_path, exclusive=True) as storage:
        pages: Any = Pages()
        await ChannelHistory(storage.said, {"slack": pages}, pause=1.0).catch_up(PLACE, Place(index_days=3))
        assert await storage.said.count(PLACE) == (3, 3)
        assert pages.told == 4


async def test_what_was_read_until_a_wrong_time_is_kept_and_read_anew(tmp_path: Path) -> None:
    """Also what was to become a document by that time."""
    async with open_storage(tmp_path, exclusive=True) as storage:
        sets, pages, ahead = Place(index=True, index_days=3), Pages(), datetime.now(UTC) + timedelta(days=400)
        adapters: Any = {"slack": pages}
        await ChannelHistory(storage.said, adapters, pause=1.0).read(PLACE, sets, ChannelLook(begun=ahead))
        assert await storage.said.count(PLACE) == (3, 3)
        look = replace((await storage.said.looks())[PLACE], complete=ahead)
        await storage.said.take((), PLACE, look)
        late = "UPDATE said_due SET since = since + 400 * 86400 * 1000000000"
        await storage.database.write(lambda db: db.execute(late).rowcount)
        assert len(await storage.said.due(9)) == 3
        desk = CitewellDesk(storage, rules=Rules(platforms=platforms()), places={PLACE: sets}, unindexed={"slack": ""})
        indexer = Indexer(storage.library, None, Splitter(WordCount()), ReaderHere())
        reader = ChannelReader(storage.said, storage.outbox, desk.places, indexer, adapters)
        told = pages.told
        await reader.look()
        await until(lambda: pages.told == told + 4)
