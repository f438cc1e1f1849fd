"""Erases a person from the backups in the data folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote, unquote

import structlog

from pipeline.errors import Unavailable
from storage.documents.cleanup import delete_revision, mark_erased, recorded_deletions, redact_answers
from storage.people.personal_data import erase_person
from storage.schema import ddl
from storage.schema.tables import TABLES
from storage.sqlite.backup import clear_checksum, delete_partial_backups, write_checksum
from storage.sqlite.connection import SQLiteConnection, immediate_transaction
from storage.sqlite.disk import DAMAGED_CODES
from storage.sqlite.migrations import SQLITE_TYPES
from storage.sqlite.passages import FTS5Passages

_BEGUN = "forget-"
"""Begins the name of an empty file that exists while a person is being erased; the person's id follows."""
_UNREADABLE = (*DAMAGED_CODES, "SQLITE_ERROR")
"""SQLite's names of the errors of a file that is damaged, or no backup of ours."""

log = structlog.get_logger(__name__)


class SQLiteBackupErasure:
    """The `BackupErasure` of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def mark_pending(self, person: str) -> None:
        self._note(person).touch(mode=0o600)

    def erase(self, person: str) -> None:
        delete_partial_backups(self._folder)
        failed = [file for file in sorted(self._folder.glob("*.db")) if not self._erase_from(file, person)]
        if not failed:
            self._note(person).unlink(missing_ok=True)

    def _erase_from(self, file: Path, person: str) -> bool:
        """Erase `person` from one backup. Return False if a later try may succeed: the disk is full, or the backup is
        in use."""
        try:
            with closing(sqlite3.connect(file, isolation_level=None)) as raw:
                raw.execute("PRAGMA secure_delete = ON")
                with immediate_transaction(raw):
                    clear_checksum(raw)
                    _erase(SQLiteConnection(raw), person)
            write_checksum(file)
        except (sqlite3.Error, OSError, Unavailable, ValueError) as error:
            never = isinstance(error, ValueError) or getattr(error, "sqlite_errorname", "").startswith(_UNREADABLE)
            when = "it ages out" if never else "the next start of citewell run tries again"
            log.warning("backup_not_erased", backup=file.name, effect=when, reason=_reason(error))
            return never
        return True

    def pending_people(self) -> Iterable[str]:
        return [unquote(note.name.removeprefix(_BEGUN)) for note in self._folder.glob(f"{_BEGUN}*")]

    def _note(self, person: str) -> Path:
        return self._folder / f"{_BEGUN}{quote(person, safe='')}"


def _reason(error: Exception) -> str:
    """Return the reason for the log. A value that does not fit is not repeated: people may have written it."""
    return "it does not hold what a backup does" if isinstance(error, ValueError) else str(error)


def _erase(db: SQLiteConnection, person: str) -> None:
    """Erase `person` from an open backup. A table that an older backup lacks exists empty for this connection alone."""
    passages = FTS5Passages()
    existing = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table in TABLES:
        if table.name not in existing:
            db.execute(ddl.create_table_sql(table, SQLITE_TYPES).replace("CREATE TABLE", "CREATE TEMP TABLE"))
    erase_person(db, person)
    removed, revisions = recorded_deletions(db)
    for revision in revisions:
        while not delete_revision(db, passages, revision):
            pass
    if removed:
        while not redact_answers(db):
            pass
        passages.purge_now(db)
        mark_erased(db, removed)
