"""Forgetting a person in the backups of the data folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote, unquote

import structlog

from storage.documents.sweep import delete_revision, due, erased
from storage.people.forget import erase_person
from storage.sqlite.backup import drop_partial
from storage.sqlite.connection import SQLiteConnection, immediate
from storage.sqlite.passages import FTS5Passages

_BEGUN = "forget-"
"""An empty file whose name begins so and goes on with a person's id is there while they are forgotten."""

log = structlog.get_logger(__name__)


class Backups:
    """The `Copies` in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def begin(self, person: str) -> None:
        self._note(person).touch(mode=0o600)

    def erase(self, person: str) -> None:
        drop_partial(self._folder)
        for file in sorted(self._folder.glob("*.db")):
            try:
                with closing(sqlite3.connect(file, isolation_level=None)) as raw:
                    raw.execute("PRAGMA secure_delete = ON")
                    with immediate(raw):
                        _erase(SQLiteConnection(raw), person)
            except sqlite3.Error as error:
                log.warning("backup_not_erased_in", backup=file.name, it="ages out", reason=str(error))
        self._note(person).unlink(missing_ok=True)

    def begun(self) -> Iterable[str]:
        return [unquote(note.name.removeprefix(_BEGUN)) for note in self._folder.glob(f"{_BEGUN}*")]

    def _note(self, person: str) -> Path:
        return self._folder / f"{_BEGUN}{quote(person, safe='')}"


def _erase(db: SQLiteConnection, person: str) -> None:
    """A backup may be older than some tables."""
    passages = FTS5Passages()
    erase_person(db, person, {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")})
    removed, hidden = due(db)
    for revision in hidden:
        while not delete_revision(db, passages, revision):
            pass
    if removed:
        passages.erase_here(db)
        erased(db, removed)
