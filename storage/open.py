"""Opens everything that is remembered, in one line:

async with open_storage(folder, embedder="minilm") as storage:
    await storage.inbox.accept(message)
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from storage.asked import SQLiteAsked
from storage.audit import SQLiteAudit
from storage.backup import destination, drop_old
from storage.budget import SqliteTokenLedger
from storage.database import Database
from storage.digests import SQLiteDigests
from storage.feedback import SQLiteFeedback
from storage.folder import DATABASE, Lock, in_use, prepare
from storage.handoffs import SQLiteHandoffs
from storage.history import SQLiteHistory
from storage.inbox import SQLiteInbox
from storage.index import SearchIndex
from storage.library import SQLiteLibrary
from storage.person import People
from storage.places import SQLitePlaces
from storage.vector_index import VectorIndex
from storage.wishes import SQLiteWishes

KEEP_BACKUPS = 14
KEEP_BACKUP_DAYS = 30.0


@dataclass(frozen=True)
class Storage:
    """What is remembered. Open until the block of `open_storage` ends."""

    folder: Path
    database: Database
    library: SQLiteLibrary
    index: SearchIndex
    inbox: SQLiteInbox
    history: SQLiteHistory
    feedback: SQLiteFeedback
    audit: SQLiteAudit
    asked: SQLiteAsked
    places: SQLitePlaces
    handoffs: SQLiteHandoffs
    digests: SQLiteDigests
    wishes: SQLiteWishes
    people: People
    ledger: SqliteTokenLedger
    vectors: VectorIndex

    async def back_up(self, target: Path | None = None) -> Path:
        """Copy the database to `target`, or into `backups`, where old copies are then dropped; returns the copy's path.

        Raises Refused for a `target` that is something else than a backup."""
        await self.library.sweep()
        file = destination(target or self.folder / "backups", self.folder / DATABASE)
        await self.database.back_up(file)
        if target is None:
            drop_old(file.parent, keep=KEEP_BACKUPS, days=KEEP_BACKUP_DAYS)
        return file


@asynccontextmanager
async def open_storage(
    folder: Path,
    *,
    embedder: str | Callable[[], str] = "",
    chroma_url: str | None = None,
    exclusive: bool = False,
    make: bool = True,
    capacity: int = 20_000,
    per_author: int = 200,
) -> AsyncIterator[Storage]:
    """`embedder` names the model in use, "" for none, or tells its name where that may change. With `chroma_url` its
    vectors are searched on a Chroma server.

    `exclusive`: this process answers from the inbox, alone, and fills Chroma; all others search exactly. `make`: the
    folder is made if it is missing.

    Raises Misconfigured when the folder is missing or cannot be used, a newer program wrote it, or another process has
    it exclusively; Unavailable when the database cannot be opened."""
    async with AsyncExitStack() as stack:
        prepare(folder, make=make)
        if exclusive:
            lock = Lock(folder / "run.lock")
            if not lock.acquire():
                raise in_use(folder)
            stack.callback(lock.release)
        named = embedder if callable(embedder) else lambda: embedder
        database = await Database.open(folder / DATABASE)
        stack.push_async_callback(database.close)
        inbox = SQLiteInbox(database, capacity=capacity, per_author=per_author)
        library = SQLiteLibrary(database, embedder=named)
        people = People(database, folder / "backups")
        if exclusive:
            await inbox.recover()
            await library.sweep()
            await people.finish()
            await asyncio.to_thread(shutil.rmtree, folder / "index", ignore_errors=True)  # Chroma's, once on disk
        vectors = VectorIndex(database, embedder=named, url=chroma_url)
        stack.push_async_callback(vectors.close)
        if exclusive and embedder:
            vectors.start()
        yield Storage(
            folder=folder,
            database=database,
            library=library,
            index=SearchIndex(database, embedder=named, vectors=vectors),
            inbox=inbox,
            history=SQLiteHistory(database),
            feedback=SQLiteFeedback(database),
            audit=SQLiteAudit(database),
            asked=SQLiteAsked(database),
            places=SQLitePlaces(database),
            handoffs=SQLiteHandoffs(database),
            digests=SQLiteDigests(database),
            wishes=SQLiteWishes(database),
            people=people,
            ledger=SqliteTokenLedger(database),
            vectors=vectors,
        )
