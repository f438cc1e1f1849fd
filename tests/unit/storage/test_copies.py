"""A forgotten person is erased in backups, whichever version made them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from storage.open import open_storage
from tests.doubles.engines import traces
from tests.doubles.samples import message


async def test_a_backup_from_before_the_audit_is_erased_too(tmp_path: Path) -> None:
    async with open_storage(tmp_path / "data") as storage:
        await storage.inbox.accept(message(author="UQUETZAL"))
        backup = await storage.back_up()
        with closing(sqlite3.connect(backup)) as db:
            db.execute("DROP TABLE audit")
            db.commit()
            db.execute("VACUUM")
        await storage.people.forget("slack:T1:UQUETZAL")
        assert await traces(storage, ["UQUETZAL"]) == []
