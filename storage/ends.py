"""The two ends of a move: `sqlite:FOLDER`, or the address of a PostgreSQL database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from pipeline.errors import Refused
from storage.engine import Engine
from storage.sqlite.open import open_sqlite

FOLDER = "sqlite:"


class End(NamedTuple):
    name: str
    """What it is called; without a password."""
    engine: Engine


def name_of(place: str) -> str:
    """Always the same for a place. Raises Refused and Misconfigured, without a password, for what is none."""
    if place.startswith(FOLDER) and place != FOLDER:
        return f"{FOLDER}{_folder(place)}"
    if place.startswith(("postgresql://", "postgres://")):
        from storage.postgres.open import public_name

        return public_name(place)
    raise Refused("that is no place to move from or to", what_to_do="Write it as sqlite:FOLDER or postgresql://…")


@asynccontextmanager
async def open_end(place: str, *, embedder: Callable[[], str], make: bool) -> AsyncIterator[End]:
    """Hold it, so that no `citewell run` uses it. `make`: a folder is made if it is missing.

    Raises what `open_storage` does, and Refused."""
    name = name_of(place)
    if place.startswith(FOLDER):
        folder = _folder(place)
        opening = open_sqlite(folder, embedder=embedder, chroma_url=None, exclusive=True, make=make)
    else:
        from storage.postgres.open import open_postgres
        from storage.postgres.session import Use

        opening = open_postgres(place, embedder=embedder, use=Use.ALONE)
    async with opening as engine:
        yield End(name, engine)


def _folder(place: str) -> Path:
    return Path(place.removeprefix(FOLDER)).expanduser().resolve()
