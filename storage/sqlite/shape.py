"""Whether a database has the tables, columns and indexes that Citewell makes, and nothing that somebody planted in it.

Nothing of the database is run for that: what it says of its tables is made anew in memory, without rows, and brought
up to date there."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from storage.sqlite.connection import SQLiteConnection
from storage.sqlite.migrations import migrate, outdated

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


def strange(db: sqlite3.Connection) -> str:
    """The name of something in `db` that is not as Citewell makes it; "" where there is none. Triggers and views of an
    earlier version are let pass: a copy that is restored gets those of this one. Raises sqlite3.Error."""
    with closing(_memory()) as new, closing(_memory()) as copy:
        migrate(SQLiteConnection(new))
        for (statement,) in db.execute(_MADE):
            copy.execute(statement)
        copy.executemany("INSERT INTO _sqlite_migrations (migration_set, name) VALUES (?, ?)", db.execute(_APPLIED))
        if outdated(SQLiteConnection(db)):
            migrate(SQLiteConnection(copy))
            there, ours = _kept(copy), _kept(new)
        else:
            there, ours = _kept(copy) | dict(db.execute(_RUN)), _kept(new) | dict(new.execute(_RUN))
    return next((name for name in sorted(there | ours) if there.get(name) != ours.get(name)), "")


def _memory() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", isolation_level=None)


def _kept(db: sqlite3.Connection) -> dict[str, object]:
    """Tables and indexes. How a default is written, and that a key is not NULL, was said otherwise earlier."""
    kept: dict[str, object] = dict(db.execute(_INDEXES).fetchall())
    for name, *kind in db.execute(_TABLES).fetchall():
        kept[name] = (*kind, db.execute(_COLUMNS, {"1": name}).fetchall())
    return kept
