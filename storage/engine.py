"""What stands behind the stores: a database, and what its engine does in its own way."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pipeline.ports import Vectors
from pipeline.values import Audience, Hit
from storage.database import Database
from storage.person import Copies
from storage.tables import Tables


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
