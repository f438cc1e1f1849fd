"""What stands behind the stores: a database, and what its engine does in its own way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pipeline.ports import Vectors
from pipeline.values import Audience, Hit
from storage.database import Connection, Database
from storage.schema.table import StoredTable

DERIVED = frozenset({"mean_vector", "term", "words"})
"""Made from passages and their vectors, by each engine in its own way."""


class VectorSearch(Protocol):
    async def nearest(self, vector: Vectors, audience: Audience, limit: int) -> list[Hit]:
        """Passages of `audience` whose mean vector is nearest to the unit `vector`; score is cosine."""
        ...

    def start(self) -> None:
        """Keep what is beside the database up to date with it from now on."""
        ...

    async def sync(self) -> bool:
        """Do so now; False when nothing is kept beside the database."""
        ...

    async def close(self) -> None: ...


class BackUp(Protocol):
    async def __call__(self, target: Path | None) -> Path:
        """Copy the database; returns the copy's path. Raises Refused."""
        ...


class Copies(Protocol):
    """Copies of the database that are kept in files, where a person is to be forgotten too."""

    def begin(self, person: str) -> None:
        """Note, outside the database, that `person` is being forgotten: what is kept in it would be in its copies."""
        ...

    def erase(self, person: str) -> None:
        """Forget `person` in every copy, and that it was begun."""
        ...

    def begun(self) -> Iterable[str]:
        """Those whom a crash left half forgotten."""
        ...


class Tables(Protocol):
    """What moving needs beside SQL that both engines read. All inside the caller's transaction."""

    def fill(self, db: Connection, table: StoredTable, rows: Sequence[Sequence[Any]]) -> None:
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


@dataclass(frozen=True)
class Engine:
    name: str
    """With its version and where it is, for the operator."""
    database: Database
    vectors: VectorSearch
    back_up: BackUp
    tables: Tables
    copies: Copies | None = None
    walled: bool = False
    """The engine itself keeps workspaces apart."""
