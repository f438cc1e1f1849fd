"""Checks a backup file: whether it is complete and Citewell's, and its contents. Nothing is written to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from pipeline.errors import Refused
from storage.sqlite.backup import is_intact
from storage.sqlite.connection import SQLiteConnection
from storage.sqlite.migrations import applied_migrations, migrate, pending_migrations

# --- Whether a database has the tables, columns and indexes that Citewell makes, and no others ----
# Nothing of the database is run for that: what it says of its tables is made anew in memory, without rows, and
# brought up to date there.

_OF_TABLES = "schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
_MADE = f"""
    SELECT sql FROM sqlite_master WHERE type = 'index' AND sql <> ''
        OR name IN (SELECT name FROM pragma_table_list WHERE type <> 'view' AND {_OF_TABLES})
    ORDER BY type DESC, rowid
"""  # noqa: S608 - our own words
_TABLES = f"SELECT name, type, wr FROM pragma_table_list WHERE {_OF_TABLES}"  # noqa: S608 - as above
_COLUMNS = "SELECT name, type, pk, hidden FROM pragma_table_xinfo($1)"
_INDEXES = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql <> ''"
_RUN = "SELECT name, sql FROM sqlite_master WHERE type IN ('trigger', 'view')"
_APPLIED = "SELECT migration_set, name FROM _sqlite_migrations"


def find_foreign_object(db: sqlite3.Connection) -> str:
    """Return the name of an object in `db` that is not as Citewell makes it; "" if there is none.

    Triggers and views of an earlier version are allowed: a restored copy gets those of this one. Raises sqlite3.Error.
    """
    with closing(_memory()) as new, closing(_memory()) as copy:
        migrate(SQLiteConnection(new))
        for (statement,) in db.execute(_MADE):
            copy.execute(statement)
        copy.executemany("INSERT INTO _sqlite_migrations (migration_set, name) VALUES (?, ?)", db.execute(_APPLIED))
        if pending_migrations(SQLiteConnection(db)):
            migrate(SQLiteConnection(copy))
            actual, expected = _describe(copy), _describe(new)
        else:
            actual, expected = _describe(copy) | dict(db.execute(_RUN)), _describe(new) | dict(new.execute(_RUN))
    return next((name for name in sorted(actual | expected) if actual.get(name) != expected.get(name)), "")


def _memory() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", isolation_level=None)


def _describe(db: sqlite3.Connection) -> dict[str, object]:
    """Return tables and indexes.

    Notations of defaults and of keys' NOT NULL differ between versions and are left out.
    """
    objects: dict[str, object] = dict(db.execute(_INDEXES).fetchall())
    for name, *kind in db.execute(_TABLES).fetchall():
        objects[name] = (*kind, db.execute(_COLUMNS, {"1": name}).fetchall())
    return objects


# --- Whether a file is a whole backup -------------------------------------------------------------

ANOTHER_BACKUP_HINT = "Take another backup: those that Citewell makes are in the folder `backups` of the data folder."


@dataclass(frozen=True)
class BackupContents:
    """Contents of a backup: live documents, their passages, answers, and questions that still waited."""

    documents: int
    passages: int
    answers: int
    waiting: int


def read_contents(file: Path) -> BackupContents:
    """Read all of `file`, and count.

    Raises Refused when it is missing, damaged, changed by somebody else, or no database of Citewell, and Misconfigured
    when a newer Citewell wrote it.
    """
    if not file.is_file():
        raise Refused(f"there is no file {file}", what_to_do=ANOTHER_BACKUP_HINT)
    if not file.stat().st_size:
        raise Refused(f"{file} is empty (0 bytes)", what_to_do=ANOTHER_BACKUP_HINT)
    try:
        with closing(sqlite3.connect(f"file:{quote(str(file.absolute()))}?mode=ro", uri=True)) as db:
            return _contents(db, file)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise Refused(f"{file} is damaged or no backup ({error})", what_to_do=ANOTHER_BACKUP_HINT) from error


def _contents(db: sqlite3.Connection, file: Path) -> BackupContents:
    connection = SQLiteConnection(db)
    if not applied_migrations(connection):
        raise Refused(f"{file} is no backup of Citewell", what_to_do=ANOTHER_BACKUP_HINT)
    pending_migrations(connection)
    if not is_intact(file):
        raise Refused(f"{file} is damaged (it is not what was written)", what_to_do=ANOTHER_BACKUP_HINT)
    if name := find_foreign_object(db):
        raise Refused(f"{file} was changed ({name!r} is not as Citewell makes it)", what_to_do=ANOTHER_BACKUP_HINT)
    (verdict,) = db.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise Refused(f"{file} is damaged ({verdict})", what_to_do=ANOTHER_BACKUP_HINT)
    db.execute("SELECT count(*) FROM term").fetchone()  # reads all of the lexical index, which the check leaves out
    passages, indexed = _count(db, "chunk"), _count(db, "words_docsize")
    if passages != indexed:
        raise Refused(
            f"{file} is damaged ({passages} passages, {indexed} of them indexed)", what_to_do=ANOTHER_BACKUP_HINT
        )
    return BackupContents(
        documents=_count(db, "revision WHERE state = 'live'"),
        passages=passages,
        answers=_count(db, "answer"),
        waiting=_count(db, "message WHERE state = 'open'"),
    )


def _count(db: sqlite3.Connection, source: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {source}").fetchone()[0])  # noqa: S608 - our own table names
