"""Which of Chroma's stores is wanted, and how it is opened."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

from storage.chroma import ChromaStore
from storage.database import Database
from storage.probe import sound

_log = logging.getLogger(__name__)


class Stores:
    """Stores in `folder`, or on the server at `url`: the database names the wanted one.

    Each holds vectors of one model: `embedder` names the one in use now. Chroma is called in `threads`."""

    def __init__(
        self,
        database: Database,
        folder: Path,
        threads: Executor,
        *,
        embedder: Callable[[], str],
        url: str | None = None,
    ) -> None:
        self._database = database
        self._folder = folder
        self._threads = threads
        self._embedder = embedder
        self._url = url

    async def wanted(self) -> str:
        """The name of the wanted store, which may be another embedder's; "" when there is none."""
        return await self._database.read(_wanted)

    async def choose(self, *, fresh: bool) -> str:
        """The wanted store if it is for this embedder's vectors, otherwise, or if it shall be `fresh`, a new one."""
        wanted = await self.wanted()
        return self._new_name() if fresh or not wanted.startswith(self._kind()) else wanted

    async def want_new(self, also: Callable[[sqlite3.Connection], None] | None = None) -> None:
        """From now on a store that is not there yet is wanted; `also` is done in the same transaction."""

        def work(db: sqlite3.Connection) -> None:
            _want(db, self._new_name())
            if also:
                also(db)

        await self._database.write(work)

    async def open(self, name: str, size: int) -> ChromaStore:
        """Open a store of about `size` vectors, an empty one when it is broken or not there; it is the wanted one then.

        Raises Unavailable."""
        store = await self._open(name, size)
        await self._database.write(lambda db: _want(db, name))
        return store

    async def _open(self, name: str, size: int) -> ChromaStore:
        loop = asyncio.get_running_loop()
        if self._url:
            prefix = f"citewell-{await self._database.write(_install)}-"
            return await loop.run_in_executor(self._threads, ChromaStore.on_server, self._url, prefix, name)
        folder = self._folder / name
        if not await sound(folder, size):
            _log.warning("The vector index in %s is broken: it is built anew", folder)
            await loop.run_in_executor(self._threads, lambda: shutil.rmtree(folder, ignore_errors=True))
        return await loop.run_in_executor(self._threads, ChromaStore.in_folder, folder)

    def _new_name(self) -> str:
        return f"{self._kind()}-{secrets.token_hex(4)}"

    def _kind(self) -> str:
        return hashlib.sha256(self._embedder().encode()).hexdigest()[:8]


def _wanted(db: sqlite3.Connection) -> str:
    row = db.execute("SELECT value FROM setting WHERE name = 'chroma'").fetchone()
    return str(row[0]) if row else ""


def _want(db: sqlite3.Connection, name: str) -> None:
    db.execute("INSERT OR REPLACE INTO setting VALUES ('chroma', ?)", (name,))


def _install(db: sqlite3.Connection) -> str:
    """What tells this data folder from others on the same server."""
    db.execute("INSERT OR IGNORE INTO setting VALUES ('install', ?)", (secrets.token_hex(8),))
    return str(db.execute("SELECT value FROM setting WHERE name = 'install'").fetchone()[0])
