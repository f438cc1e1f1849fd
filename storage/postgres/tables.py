"""The `Tables` of PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from storage.database import Connection
from storage.engine import DERIVED
from storage.postgres.connection import PostgresConnection, without_nul
from storage.schema.table import StoredTable

_OURS = "relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> 'migration'"
_NUMBERED = f"""
    SELECT relname::text, attname::text, pg_get_serial_sequence(relname, attname) AS sequence
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE attidentity <> '' AND {_OURS}
"""  # noqa: S608 - as above


class PostgresTables:
    def fill(self, db: Connection, table: StoredTable, rows: Sequence[Sequence[Any]]) -> None:
        assert isinstance(db, PostgresConnection)
        db.execute(f"ALTER TABLE {table.name} DISABLE TRIGGER USER")
        db.copy(table.name, table.names, rows)
        db.execute(f"ALTER TABLE {table.name} ENABLE TRIGGER USER")

    def clear(self, db: Connection, names: Sequence[str]) -> None:
        db.execute(f"TRUNCATE {', '.join((*names, *sorted(DERIVED)))}")

    def numbered(self, db: Connection) -> dict[str, int]:
        query = (
            f"SELECT relname, coalesce(pg_sequence_last_value(sequence::regclass), 0) FROM ({_NUMBERED}) AS numbered"  # noqa: S608
        )
        return dict(db.execute(query).fetchall())

    def number_on(self, db: Connection, last: Mapping[str, int]) -> None:
        for table, column, sequence in db.execute(_NUMBERED).fetchall():
            (there,) = db.execute(f"SELECT coalesce(max({column}), 0) FROM {table}").fetchone()  # noqa: S608
            if number := max(there, last.get(table, 0)):
                db.execute("SELECT setval($1::regclass, $2)", (sequence, number))

    def stored(self, value: Any) -> Any:
        return without_nul(value) if isinstance(value, str) else value
