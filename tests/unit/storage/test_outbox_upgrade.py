"""What an earlier version had yet to post is posted by this one, once, on each engine."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from bot.desks.desk import CitewellDesk
from bot.run.courier import Courier
from pipeline.values import ConversationId, Handoff, PlaceId
from storage.open import open_storage
from tests.doubles.engines import Engine
from tests.doubles.postgres import Server
from tests.unit.bot.test_courier import Server as Platform

FIXTURES = Path(__file__).parents[2] / "fixtures"
HANDOFF = Handoff(
    id="h9",
    answer_id="a9",
    asker="discord:5",
    question="What?",
    target=PlaceId(platform="discord", space="12", channel="9"),
    origin=ConversationId(platform="discord", space="12", channel="7"),
)
WAITING = f"""
    DELETE FROM notice; DELETE FROM digest; DELETE FROM handoff;
    INSERT INTO handoff (id, answer, asker, body, at)
        VALUES ('h9', 'a9', 'discord:5', '{HANDOFF.model_dump_json()}', 1);
    INSERT INTO notice (handoff, about, state, reference) VALUES ('h9', 'asked', 'done', '3');
    INSERT INTO notice (handoff, about, state, posting_since) VALUES ('h9', 'resolved', 'open', 5);
    INSERT INTO notice (handoff, about, state, not_before) VALUES ('h9', 'undelivered', 'open', 7);
    INSERT INTO digest (week, recipient, state, attempt) VALUES ('2026-W47', 'discord:12:9', 'dead', 4);
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def older(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """A database of the version before, with two notices that wait: one may be there already."""
    if request.param == "sqlite":
        file = tmp_path / "citewell.db"
        file.write_bytes(gzip.decompress((FIXTURES / "data-of-c0fc1ac.db.gz").read_bytes()))
        with closing(sqlite3.connect(file)) as raw:
            raw.executescript(WAITING)
        yield Engine(tmp_path, "")
        return
    server: Server = request.getfixturevalue("postgres")
    with server.database("template1") as url:
        with psycopg.connect(url) as raw:
            raw.execute(gzip.decompress((FIXTURES / "postgres-of-c0fc1ac.sql.gz").read_bytes()))
            raw.execute(f"SET row_security TO on; SET citewell.workspace TO '*'; {WAITING}")
        yield Engine(tmp_path, url)


async def test_a_notice_that_waited_is_looked_for_and_posted_once_and_what_is_over_stays_so(older: Engine) -> None:
    discord = Platform("12", there={"resolved:h9"})
    for _ in range(2):
        async with open_storage(older.folder, database=older.url) as storage:
            adapters = {"discord": discord}
            await Courier(storage.outbox, CitewellDesk(storage), adapters).post_due()  # type: ignore[arg-type]
            assert await storage.outbox.open() == 0
            assert not await storage.outbox.begin_digest("2026-W47", "discord:12:9")
    assert discord.posted == ["undelivered:h9"]
