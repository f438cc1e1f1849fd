"""The tables of a schema as the engine itself lists them, so that a new one is moved without being named anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from storage.database import Connection

DERIVED = frozenset({"mean_vector", "term", "words"})
"""Made from passages and their vectors, by each engine in its own way."""


class Table(NamedTuple):
    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    needs: frozenset[str]
    """The tables that its rows refer to."""


class Tables(Protocol):
    """What moving needs beside SQL that both engines read. All inside the caller's transaction."""

    def remembered(self, db: Connection) -> list[Table]:
        """All that hold something which cannot be made again."""
        ...

    def fill(self, db: Connection, table: Table, rows: Sequence[Sequence[Any]]) -> None:
        """Insert rows as they are, without what a trigger would do besides."""
        ...

    def clear(self, db: Connection, names: Sequence[str]) -> None:
        """Delete all rows of these tables, of which each stands before those that it refers to, and what is derived."""
        ...

    def numbered(self, db: Connection) -> dict[str, int]:
        """The last number that each table gave a row, whether or not that is still there."""
        ...

    def number_on(self, db: Connection, last: Mapping[str, int]) -> None:
        """Give the next rows numbers after these, and after those that are there."""
        ...

    def stored(self, value: Any) -> Any:
        """What becomes of a value that is stored."""
        ...
