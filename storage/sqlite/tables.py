"""The `Tables` of SQLite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from storage.database import Connection
from storage.schema.table import StoredTable

_TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = $1"
_NUMBERED = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'"


class SQLiteTables:
    def fill(self, db: Connection, table: StoredTable, rows: Sequence[Sequence[Any]]) -> None:
        triggers = db.execute(_TRIGGERS, (table.name,)).fetchall()
        for name, _ in triggers:
            db.execute(f"DROP TRIGGER {name}")
        columns = ", ".join(f'"{column}"' for column in table.names)
        places = ", ".join(f"${number}" for number in range(1, len(table.names) + 1))
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
