"""All tables that hold something which cannot be made again, each behind those that it refers to,
and passages behind what their index is made from."""

from __future__ import annotations

from storage.schema import answers, documents, messages, operation

TABLES = (*documents.TABLES, *messages.TABLES, *answers.TABLES, *operation.TABLES)
_NAMED = {table.name: table for table in TABLES}


def keep(name: str) -> str:
    """The statement that puts a whole row into a table, in the place of one with the same key."""
    table = _NAMED[name]
    values = ", ".join(f"${number}" for number in range(1, len(table.names) + 1))
    rest = ", ".join(f"{column} = excluded.{column}" for column in table.names if column not in table.keys)
    return f"INSERT INTO {name} VALUES ({values}) ON CONFLICT ({', '.join(table.keys)}) DO UPDATE SET {rest}"  # noqa: S608
