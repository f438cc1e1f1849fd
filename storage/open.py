"""Opens everything that is remembered, in one line:

async with open_storage(folder, embedder="minilm") as storage:
    await storage.inbox.accept(message)
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pipeline.rules.tenancy import ALL, Reaches
from storage.database import Database
from storage.documents.index import SearchIndex
from storage.documents.library import SQLLibrary
from storage.documents.said import SQLSaid
from storage.engine import BackUp, VectorSearch
from storage.folder import prepare
from storage.messages.archive import SQLArchive
from storage.messages.handoffs import SQLHandoffs
from storage.messages.history import SQLAsked, SQLHistory
from storage.messages.inbox import CAPACITY, PER_AUTHOR, SQLInbox
from storage.messages.outbox import SQLOutbox
from storage.messages.wishes import SQLWishes
from storage.moving import check_whole
from storage.people.audit import SQLAudit
from storage.people.budget import SQLTokenLedger
from storage.people.doors import SQLKeys, SQLReplies, SQLSessions
from storage.people.feedback import SQLFeedback
from storage.people.person import People
from storage.people.places import SQLPlaces
from storage.sqlite.open import open_sqlite


@dataclass(frozen=True)
class Storage:
    """What is remembered. Open until the block of `open_storage` ends."""

    folder: Path
    engine: str
    """Its name and version, for the operator."""
    database: Database
    library: SQLLibrary
    index: SearchIndex
    said: SQLSaid
    inbox: SQLInbox
    history: SQLHistory
    archive: SQLArchive
    feedback: SQLFeedback
    audit: SQLAudit
    asked: SQLAsked
    places: SQLPlaces
    handoffs: SQLHandoffs
    outbox: SQLOutbox
    wishes: SQLWishes
    people: People
    keys: SQLKeys
    sessions: SQLSessions
    replies: SQLReplies
    ledger: SQLTokenLedger
    vectors: VectorSearch
    copying: BackUp
    walled: bool
    """The engine itself keeps workspaces apart."""

    async def back_up(self, target: Path | None = None) -> Path:
        """Copy the database to `target`, or into `backups`, where old copies are then dropped; returns the copy's path.

        Raises Refused for a `target` that is something else than a backup, and with PostgreSQL."""
        await self.library.sweep()
        return await self.copying(target)


@asynccontextmanager
async def open_storage(
    folder: Path,
    *,
    embedder: str | Callable[[], str] = "",
    database: str = "",
    chroma_url: str | None = None,
    exclusive: bool = False,
    make: bool = True,
    reaches: Reaches = lambda _: ALL,
    capacity: int = CAPACITY,
    per_author: int = PER_AUTHOR,
) -> AsyncIterator[Storage]:
    """`embedder` names the model in use, "" for none, or tells its name where that may change. `database` is a URL of
    PostgreSQL's, "" for SQLite in the folder; there, `chroma_url` has vectors searched on a Chroma server.

    `exclusive`: this process answers from the inbox, on SQLite alone, and fills Chroma; all others search exactly.
    `make`: the folder is made if it is missing. `reaches`: which collections PostgreSQL shows to which workspace.

    Raises Misconfigured when the folder is missing or cannot be used, a newer program wrote it, a move into it is not
    complete, or another process has it exclusively; Unavailable when the database cannot be opened."""
    named = embedder if callable(embedder) else lambda: embedder
    async with AsyncExitStack() as stack:
        if database:
            from storage.postgres.open import open_postgres
            from storage.postgres.session import Use

            prepare(folder)
            use = Use.ANSWERING if exclusive else Use.BESIDE
            engine = await stack.enter_async_context(open_postgres(database, embedder=named, use=use, reaches=reaches))
        else:
            engine = await stack.enter_async_context(
                open_sqlite(folder, embedder=named, chroma_url=chroma_url, exclusive=exclusive, make=make)
            )
        await engine.database.read(check_whole)
        inbox = SQLInbox(engine.database, capacity=capacity, per_author=per_author)
        library = SQLLibrary(engine.database, embedder=named)
        outbox = SQLOutbox(engine.database)
        stack.callback(outbox.close)
        people = People(engine.database, engine.copies)
        if exclusive:
            if not database:
                await inbox.recover()
            await library.sweep()
            await people.finish()
            if embedder:
                engine.vectors.start()
        yield Storage(
            folder=folder,
            engine=engine.name,
            database=engine.database,
            library=library,
            index=SearchIndex(engine.database, engine.vectors),
            said=SQLSaid(engine.database),
            inbox=inbox,
            history=(history := SQLHistory(engine.database)),
            archive=SQLArchive(engine.database, history),
            feedback=SQLFeedback(engine.database),
            audit=SQLAudit(engine.database),
            asked=SQLAsked(engine.database),
            places=SQLPlaces(engine.database),
            handoffs=SQLHandoffs(engine.database, outbox),
            outbox=outbox,
            wishes=SQLWishes(engine.database),
            people=people,
            keys=SQLKeys(engine.database),
            sessions=SQLSessions(engine.database),
            replies=SQLReplies(engine.database),
            ledger=SQLTokenLedger(engine.database),
            vectors=engine.vectors,
            copying=engine.back_up,
            walled=engine.walled,
        )
