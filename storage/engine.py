"""What stands behind the stores: a database, and what its engine does in its own way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pipeline.ports import Vectors
from pipeline.values import Audience, SearchHit
from storage.database import Connection, Database
from storage.schema.table import StoredTable

DERIVED_TABLES = frozenset({"mean_vector", "term", "words"})
"""Made from passages and their vectors, by each engine in its own way."""


class VectorSearch(Protocol):
    async def nearest(self, vector: Vectors, audience: Audience, limit: int) -> list[SearchHit]:
        """Passages of `audience` whose mean vector is nearest to the unit `vector`; score is cosine."""
        ...

    def start(self) -> None:
        """Keep what is beside the database up to date with it from now on."""
        ...

    async def sync(self) -> bool:
        """Do so now; False when nothing is kept beside the database."""
        ...

    async def close(self) -> None: ...


class BackupWriter(Protocol):
    async def __call__(self, target: Path | None) -> Path:
        """Copy the database; returns the copy's path. Raises Refused."""
        ...


class BackupErasure(Protocol):
    """Copies of the database that are kept in files, where a person is to be forgotten too."""

    def mark_pending(self, person: str) -> None:
        """Note, outside the database, that `person` is being forgotten: what is kept in it would be in its copies."""
        ...

    def erase(self, person: str) -> None:
        """Forget `person` in every copy, and that it was begun."""
        ...

    def pending_people(self) -> Iterable[str]:
        """Those whom a crash left half forgotten."""
        ...


class TableCopier(Protocol):
    """What moving needs beside SQL that both engines read. All inside the caller's transaction."""

    def insert_rows(self, db: Connection, table: StoredTable, rows: Sequence[Sequence[Any]]) -> None:
        """Insert rows as they are, without what a trigger would do besides."""
        ...

    def delete_rows(self, db: Connection, names: Sequence[str]) -> None:
        """Delete all rows of these tables, of which each stands before those that it refers to, and what is derived."""
        ...

    def last_ids(self, db: Connection) -> dict[str, int]:
        """The last number that each table gave a row, whether or not that is still there."""
        ...

    def continue_ids(self, db: Connection, last: Mapping[str, int]) -> None:
        """Give the next rows numbers after these, and after those that are there."""
        ...

    def stored_value(self, value: Any) -> Any:
        """What becomes of a value that is stored."""
        ...


@dataclass(frozen=True)
class Engine:
    name: str
    """With its version and where it is, for the operator."""
    database: Database
    vectors: VectorSearch
    backup_writer: BackupWriter
    table_copier: TableCopier
    backup_erasure: BackupErasure | None = None
    has_row_security: bool = False
    """The engine itself keeps workspaces apart."""
