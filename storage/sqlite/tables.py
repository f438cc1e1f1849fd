"""The `Tables` of SQLite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from storage.database import Connection
from storage.tables import DERIVED, Table

_TABLES = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT GLOB '*sqlite_*'"
_COLUMNS = "SELECT name, pk FROM pragma_table_info($1) ORDER BY cid"
_NEEDS = 'SELECT "table" FROM pragma_foreign_key_list($1)'
_TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = $1"
_NUMBERED = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'"


class SQLiteTables:
    def remembered(self, db: Connection) -> list[Table]:
        names = [name for (name,) in db.execute(_TABLES).fetchall() if name not in DERIVED]
        return [_table(db, name) for name in sorted(names)]

    def fill(self, db: Connection, table: Table, rows: Sequence[Sequence[Any]]) -> None:
        triggers = db.execute(_TRIGGERS, (table.name,)).fetchall()
        for name, _ in triggers:
            db.execute(f"DROP TRIGGER {name}")
        columns = ", ".join(f'"{column}"' for column in table.columns)
        places = ", ".join(f"${number}" for number in range(1, len(table.columns) + 1))
        db.executemany(f"INSERT INTO {table.name} ({columns}) VALUES ({places})", rows)  # noqa: S608 - our own names
        for _, statement in triggers:
            db.execute(statement)

    def clear(self, db: Connection, names: Sequence[str]) -> None:
        for name in (*names, "words", "mean_vector"):
            db.execute(f"DELETE FROM {name}")  # noqa: S608 - our own names

    def numbered(self, db: Connection) -> dict[str, int]:
        return dict(db.execute("SELECT name, seq FROM sqlite_sequence").fetchall())

    def number_on(self, db: Connection, last: Mapping[str, int]) -> None:
        there = self.numbered(db)
        for (name,) in db.execute(_NUMBERED).fetchall():
            db.execute("DELETE FROM sqlite_sequence WHERE name = $1", (name,))
            number = max(last.get(name, 0), there.get(name, 0))
            db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", (name, number))

    def stored(self, value: Any) -> Any:
        return value


def _table(db: Connection, name: str) -> Table:
    columns = db.execute(_COLUMNS, (name,)).fetchall()
    key = sorted((place, column) for column, place in columns if place)
    return Table(
        name,
        tuple(column for column, _ in columns),
        tuple(column for _, column in key),
        frozenset(needed for (needed,) in db.execute(_NEEDS, (name,))),
    )
