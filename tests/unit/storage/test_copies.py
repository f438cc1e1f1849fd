"""A forgotten person is erased in backups, whichever version made them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from pipeline.values import ChannelMessage, Citation, PlaceId, replace
from storage.open import Storage, open_storage
from tests.doubles.engines import traces
from tests.doubles.samples import answer, chunks, document, message

CANARY = "quetzalcoatlus"
PERSON = "slack:T1:UQUETZAL"
ADDED = [("wish", ""), ("web_session", ""), ("rating", "role"), ("message", "stopped")]
"""Tables and columns that an earlier version might lack."""


async def said_and_quoted(storage: Storage) -> None:
    """What somebody said in a channel is what somebody else was answered."""
    channel, now = PlaceId.parse("slack:T1:C2"), datetime.now(UTC)
    said = ChannelMessage(
        channel=channel, thread="1.0", message="1.0", author=PERSON, at=now, text=f"A {CANARY}, they say."
    )
    await storage.channel_messages.save([said])
    thread = document("slack:T1:C2:1.0", source=str(channel))
    await storage.library.replace_document(thread, chunks(thread.id, [said.text]), None, "")
    quoted = Citation(
        number=1, document_id=thread.id, chunk_id=f"{thread.id}#0", title=CANARY, filename="x", quote=said.text
    )
    given = replace(answer("a1", said.text), citations=(quoted,), standalone="What?")
    asked = message("2.0", author="U2")
    await storage.inbox.accept(asked)
    await storage.inbox.lease()
    await storage.inbox.save_answer(asked.key, given)
    await storage.inbox.mark_posting(asked.key)


def without(backup: Path, table: str, column: str) -> None:
    """Let a backup be older than that."""
    with closing(sqlite3.connect(backup, isolation_level=None)) as db:
        made = db.execute(
            "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view', 'index') AND sql > ''"
        )
        for kind, name in made.fetchall():
            db.execute(f"DROP {kind} {name}")
        db.execute(f"ALTER TABLE {table} DROP COLUMN {column}" if column else f"DROP TABLE {table}")
        db.execute("VACUUM")


@pytest.mark.parametrize(("table", "column"), ADDED)
async def test_a_backup_from_before_a_table_or_column_is_erased_too(tmp_path: Path, table: str, column: str) -> None:
    async with open_storage(tmp_path / "data") as storage:
        await said_and_quoted(storage)
        without(await storage.back_up(), table, column)
        with capture_logs() as logged:
            await storage.personal_data.forget(PERSON)
        assert logged == []
        assert await traces(storage, [CANARY, "UQUETZAL"]) == []


@pytest.mark.parametrize("what", [b"no database " * 500, b""])
async def test_what_is_no_backup_keeps_nobody_from_being_forgotten(tmp_path: Path, what: bytes) -> None:
    async with open_storage(tmp_path / "data") as storage:
        await said_and_quoted(storage)
        (tmp_path / "data" / "backups" / "other.db").write_bytes(what)
        await storage.personal_data.forget(PERSON)
        assert await traces(storage, [CANARY, "UQUETZAL"]) == []
