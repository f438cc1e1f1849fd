"""The statements that create the declared tables, in the types of an engine."""

from __future__ import annotations

from collections.abc import Mapping

from storage.schema.table import Column, ColumnType, StoredTable, TableIndex

TypeNames = Mapping[ColumnType, str]
"""An engine's names of the types; a serial number is the key, too."""
SERIAL_TYPES = frozenset({ColumnType.SMALLSERIAL, ColumnType.SERIAL, ColumnType.LASTING})


def create_table_sql(table: StoredTable, types: TypeNames, options: str = "") -> str:
    """Return the statement that creates a table if it is missing."""
    parts = [column_sql(column, types) for column in table.columns]
    if table.columns[0].kind not in SERIAL_TYPES:
        parts.append(f"PRIMARY KEY ({', '.join(table.key_names)})")
    if table.unique:
        parts.append(f"UNIQUE ({table.unique})")
    return f"CREATE TABLE IF NOT EXISTS {table.name} ({', '.join(parts)}) {options}".rstrip()


def column_sql(column: Column, types: TypeNames) -> str:
    """Return a column's definition for CREATE TABLE and ADD COLUMN."""
    null = "" if column.kind in SERIAL_TYPES or column.constraints.startswith("NULL") else "NOT NULL"
    return " ".join(filter(None, (column.name, types[column.kind], null, column.constraints)))


def create_index_sql(index: TableIndex, table: StoredTable) -> str:
    """Return the statement that creates an index if it is missing."""
    return f"CREATE {'UNIQUE ' if index.unique else ''}INDEX IF NOT EXISTS {index.name} ON {table.name} {index.target}"
