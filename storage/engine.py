"""An engine behind the stores: a database, and its own ways of searching, copying and backing up."""

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
"""Tables made from passages and their vectors, by each engine in its own way."""


class VectorSearch(Protocol):
    async def nearest(self, vector: Vectors, audience: Audience, limit: int) -> list[SearchHit]:
        """Return passages of `audience` whose mean vector is nearest to the unit `vector`; the score is the cosine."""
        ...

    def start(self) -> None:
        """Keep the index beside the database up to date from now on."""
        ...

    async def sync(self) -> bool:
        """Bring the index beside the database up to date now. Return False if there is none."""
        ...

    async def close(self) -> None: ...


class BackupWriter(Protocol):
    async def __call__(self, target: Path | None) -> Path:
        """Copy the database to `target`. Return the copy's path. Raises Refused."""
        ...


class BackupErasure(Protocol):
    """Erases people from backups, which are files beside the database."""

    def mark_pending(self, person: str) -> None:
        """Note, outside the database, that `person` is being erased: a note inside would be in its backups."""
        ...

    def erase(self, person: str) -> None:
        """Erase `person` from every backup, and then delete the note."""
        ...

    def pending_people(self) -> Iterable[str]:
        """Return the people whose erasure a crash cut short."""
        ...


class TableCopier(Protocol):
    """Engine-specific parts of a copy, beside SQL that both engines read. All inside the caller's transaction."""

    def insert_rows(self, db: Connection, table: StoredTable, rows: Sequence[Sequence[Any]]) -> None:
        """Insert rows as they are, without running triggers."""
        ...

    def delete_rows(self, db: Connection, names: Sequence[str]) -> None:
        """Delete all rows of these tables and of derived ones. Each table stands before those it refers to."""
        ...

    def last_ids(self, db: Connection) -> dict[str, int]:
        """Return the last number that each table gave a row, whether or not that row still exists."""
        ...

    def continue_ids(self, db: Connection, last: Mapping[str, int]) -> None:
        """Make the next rows' numbers follow these, and those of existing rows."""
        ...

    def stored_value(self, value: Any) -> Any:
        """Return a value as the engine stores it."""
        ...


@dataclass(frozen=True)
class Engine:
    name: str
    """The engine's name, its version and its place, for the operator."""
    database: Database
    vectors: VectorSearch
    backup_writer: BackupWriter
    table_copier: TableCopier
    backup_erasure: BackupErasure | None = None
    has_row_security: bool = False
    """True where the engine itself keeps workspaces apart."""
