"""Opens all of the storage, in one line:

async with open_storage(folder, embedder="minilm") as storage:
    await storage.inbox.accept(message)
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pipeline.rules.tenancy import ALL_COLLECTIONS, VisibilityResolver
from storage.data_migration import check_copy_complete
from storage.database import Database
from storage.documents.channel_messages import SQLChannelMessages
from storage.documents.index import SearchIndex
from storage.documents.library import SQLDocumentStore
from storage.engine import BackupWriter, VectorSearch
from storage.folder import prepare_folder
from storage.messages.archive import SQLConversationArchive
from storage.messages.handoffs import SQLHandoffs
from storage.messages.history import SQLHistory, SQLQuestionLog
from storage.messages.inbox import CAPACITY, PER_AUTHOR, SQLInbox
from storage.messages.outbox import SQLOutbox
from storage.messages.subscriptions import SQLSubscriptions
from storage.people.audit import SQLAudit
from storage.people.budget import SQLTokenLedger
from storage.people.credentials import SQLApiKeyStore, SQLIdempotencyStore, SQLSessionStore
from storage.people.feedback import SQLFeedback
from storage.people.personal_data import PersonalData
from storage.people.places import SQLPlaceSettings
from storage.sqlite.open import open_sqlite


@dataclass(frozen=True)
class Storage:
    """All stores of one database. Open until the block of `open_storage` ends."""

    folder: Path
    engine: str
    """The engine's name and version, for the operator."""
    database: Database
    library: SQLDocumentStore
    index: SearchIndex
    channel_messages: SQLChannelMessages
    inbox: SQLInbox
    history: SQLHistory
    archive: SQLConversationArchive
    feedback: SQLFeedback
    audit: SQLAudit
    question_log: SQLQuestionLog
    place_settings: SQLPlaceSettings
    handoffs: SQLHandoffs
    outbox: SQLOutbox
    subscriptions: SQLSubscriptions
    personal_data: PersonalData
    api_keys: SQLApiKeyStore
    sessions: SQLSessionStore
    idempotency: SQLIdempotencyStore
    token_ledger: SQLTokenLedger
    vectors: VectorSearch
    backup_writer: BackupWriter
    has_row_security: bool
    """True where the engine itself keeps workspaces apart."""

    async def back_up(self, target: Path | None = None) -> Path:
        """Copy the database to `target`, or into `backups`, where old copies are then deleted. Return the copy's path.

        Raises Refused for a `target` that is no backup, and with PostgreSQL.
        """
        await self.library.delete_unreachable()
        return await self.backup_writer(target)


@asynccontextmanager
async def open_storage(
    folder: Path,
    *,
    embedder: str | Callable[[], str] = "",
    database: str = "",
    chroma_url: str | None = None,
    exclusive: bool = False,
    make: bool = True,
    visible_to: VisibilityResolver = lambda _: ALL_COLLECTIONS,
    capacity: int = CAPACITY,
    per_author: int = PER_AUTHOR,
) -> AsyncIterator[Storage]:
    """Open the storage in `folder` or in PostgreSQL.

    `embedder` names the model in use, "" for none, or returns its name where that may change. `database` is a
    PostgreSQL URL, "" for SQLite in the folder; there, `chroma_url` has vectors searched on a Chroma server.

    `exclusive`: this process answers from the inbox, on SQLite alone, and fills Chroma for a large library; all others
    search exactly. `make`: a missing folder is created. `visible_to`: the collections that PostgreSQL shows to each
    workspace.

    Raises Misconfigured when the folder is missing or cannot be used, a newer program wrote it, a copy into it is not
    complete, or another process has it exclusively; Unavailable when the database cannot be opened.
    """
    embedder_name = embedder if callable(embedder) else lambda: embedder
    async with AsyncExitStack() as stack:
        if database:
            from storage.postgres.open import open_postgres
            from storage.postgres.session import DatabaseUse

            prepare_folder(folder)
            use = DatabaseUse.ANSWERING if exclusive else DatabaseUse.SHARED
            engine = await stack.enter_async_context(
                open_postgres(database, embedder=embedder_name, use=use, visible_to=visible_to)
            )
        else:
            engine = await stack.enter_async_context(
                open_sqlite(folder, embedder=embedder_name, chroma_url=chroma_url, exclusive=exclusive, make=make)
            )
        await engine.database.read(check_copy_complete)
        inbox = SQLInbox(engine.database, capacity=capacity, per_author=per_author)
        library = SQLDocumentStore(engine.database, embedder=embedder_name)
        outbox = SQLOutbox(engine.database)
        stack.callback(outbox.close)
        personal_data = PersonalData(engine.database, engine.backup_erasure)
        if exclusive:
            if not database:
                await inbox.reclaim_all()
            await library.delete_unreachable()
            await personal_data.finish_pending()
            if embedder:
                engine.vectors.start()
        index = SearchIndex(engine.database, engine.vectors)
        stack.push_async_callback(index.close)
        yield Storage(
            folder=folder,
            engine=engine.name,
            database=engine.database,
            library=library,
            index=index,
            channel_messages=SQLChannelMessages(engine.database),
            inbox=inbox,
            history=(history := SQLHistory(engine.database)),
            archive=SQLConversationArchive(engine.database, history),
            feedback=SQLFeedback(engine.database),
            audit=SQLAudit(engine.database),
            question_log=SQLQuestionLog(engine.database),
            place_settings=SQLPlaceSettings(engine.database),
            handoffs=SQLHandoffs(engine.database, outbox),
            outbox=outbox,
            subscriptions=SQLSubscriptions(engine.database),
            personal_data=personal_data,
            api_keys=SQLApiKeyStore(engine.database),
            sessions=SQLSessionStore(engine.database),
            idempotency=SQLIdempotencyStore(engine.database),
            token_ledger=SQLTokenLedger(engine.database),
            vectors=engine.vectors,
            backup_writer=engine.backup_writer,
            has_row_security=engine.has_row_security,
        )
