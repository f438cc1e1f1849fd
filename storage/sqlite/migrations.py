"""The schema in SQLite: the declarations of `storage.schema`, and parts that only SQLite has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.values import require_every
from storage.migrations import missing_migrations, run_migrations
from storage.schema import ddl
from storage.schema.documents import LIVE_VIEW
from storage.schema.table import ColumnType, StoredTable
from storage.schema.tables import TABLES, TRIGGERS, Trigger
from storage.sqlite.connection import SQLiteConnection

if TYPE_CHECKING:
    from sqlite_utils import Database as Tables

SQLITE_TYPES = {
    ColumnType.WORD: "TEXT",
    ColumnType.TEXT: "TEXT",
    ColumnType.JSON: "TEXT",
    ColumnType.INT: "INTEGER",
    ColumnType.BIGINT: "INTEGER",
    ColumnType.REAL: "REAL",
    ColumnType.FLAG: "INTEGER",
    ColumnType.BYTES: "BLOB",
    ColumnType.SMALLSERIAL: "INTEGER PRIMARY KEY",
    ColumnType.SERIAL: "INTEGER PRIMARY KEY",
    ColumnType.LASTING: "INTEGER PRIMARY KEY AUTOINCREMENT",
}
require_every(ColumnType, SQLITE_TYPES)
_NO_NUMBERS = frozenset({ColumnType.WORD, ColumnType.BYTES})
"""Types of keys that are no numbers: rows are stored in the keys' order."""
_OWN = (
    "CREATE TABLE IF NOT EXISTS mean_vector (number INTEGER PRIMARY KEY, vector BLOB NOT NULL)",
    "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (collection, title, text, tokenize = 'porter unicode61')",
    "CREATE VIRTUAL TABLE IF NOT EXISTS term USING fts5vocab (words, row)",
    "CREATE UNIQUE INDEX IF NOT EXISTS wish_question ON wish (person, question)",
    LIVE_VIEW,
)
_RUN = "SELECT type, replace(name, '\"', '\"\"') FROM sqlite_master WHERE type IN ('trigger', 'view')"
_SET = "citewell"
"""Our migrations in the table of sqlite-utils."""
_APPLIED = f"SELECT name FROM _sqlite_migrations WHERE migration_set = '{_SET}' ORDER BY rowid"  # noqa: S608 - ours


def applied_migrations(db: SQLiteConnection) -> list[str]:
    """Return the names of the database's migrations, in order; none for a file that is no database of ours."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '_sqlite_migrations'").fetchone():
        return []
    return [name for (name,) in db.execute(_APPLIED).fetchall()]


def pending_migrations(db: SQLiteConnection) -> list[str]:
    """Return the names of the migrations it lacks. Raises Misconfigured when it has one that this program does not
    know."""
    what_to_do = "Install that version again, or restore a backup from the folder's `backups`."
    return missing_migrations(applied_migrations(db), "CITEWELL_DATA", what_to_do)


def migrate(db: SQLiteConnection) -> None:
    """Create or migrate the schema, inside the caller's transaction.

    None of its old triggers and views is run, and those that are not declared are dropped.
    """
    from sqlite_utils import Database as Tables
    from sqlite_utils import Migrations

    tables = Tables(db.raw)
    names = pending_migrations(db)
    for kind, name in db.execute(_RUN).fetchall():
        db.execute(f'DROP {kind} "{name}"')
    for table in TABLES:
        _create_missing(db, table, tables)
    for statement in _OWN:
        db.execute(statement)
    Migrations(_SET).ensure_migrations_table(tables)
    run_migrations(names, db)
    for trigger in TRIGGERS:
        db.execute(_trigger_sql(trigger))
    db.executemany(
        f"INSERT INTO _sqlite_migrations (migration_set, name) VALUES ('{_SET}', $1)",  # noqa: S608 - ours
        ((name,) for name in names),
    )


def _trigger_sql(trigger: Trigger) -> str:
    when = f"WHEN {trigger.condition} " if trigger.condition else ""
    return f"CREATE TRIGGER {trigger.name} AFTER {trigger.event} {when}BEGIN {trigger.statements} END"


def _create_missing(db: SQLiteConnection, table: StoredTable, tables: Tables) -> None:
    db.execute(
        ddl.create_table_sql(table, SQLITE_TYPES, "WITHOUT ROWID" if table.columns[0].kind in _NO_NUMBERS else "")
    )
    existing = tables.table(table.name).columns_dict
    for column in table.columns:
        if column.name not in existing:
            db.execute(f"ALTER TABLE {table.name} ADD COLUMN {ddl.column_sql(column, SQLITE_TYPES)}")
    for index in table.indexes:
        db.execute(ddl.create_index_sql(index, table))
