"""Conversations, answers and preferences: the port `HistoryStore` and what `Desk` asks about people."""

from __future__ import annotations

import sqlite3
import time

from pipeline.values import Answer, Conversation, ConversationId, Preferences, Turn
from storage.database import Database


class SQLiteHistory:
    """Turns belong to one conversation and are recalled in no other: a direct message never reaches a channel."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def recall(self, conversation: ConversationId, limit: int) -> Conversation:
        """The last `limit` turns, oldest first."""

        def work(db: sqlite3.Connection) -> list[str]:
            rows = db.execute(
                "SELECT body FROM turn WHERE conversation = ? ORDER BY id DESC LIMIT ?", (str(conversation), limit)
            )
            return [body for (body,) in rows]

        bodies = await self._database.read(work)
        return Conversation(id=conversation, turns=tuple(Turn.model_validate_json(body) for body in reversed(bodies)))

    async def by_author(self, author: str, limit: int) -> tuple[tuple[ConversationId, Turn], ...]:
        """The last `limit` turns of one person, oldest first, each with its conversation."""

        def work(db: sqlite3.Connection) -> list[tuple[str, str]]:
            asked = "SELECT conversation, body FROM turn WHERE author = ? ORDER BY id DESC LIMIT ?"
            return db.execute(asked, (author, limit)).fetchall()

        found = await self._database.read(work)
        return tuple((ConversationId.parse(of), Turn.model_validate_json(body)) for of, body in reversed(found))

    async def record(self, conversation: ConversationId, turn: Turn) -> None:
        """Keep `turn` as the last of `conversation`."""
        await self._database.write(lambda db: keep_turn(db, str(conversation), turn))

    async def answer(self, answer_id: str) -> Answer | None:
        """An answer that was kept; None when it is unknown or forgotten."""

        def work(db: sqlite3.Connection) -> str | None:
            row = db.execute("SELECT body FROM answer WHERE id = ?", (answer_id,)).fetchone()
            return str(row[0]) if row else None

        body = await self._database.read(work)
        return Answer.model_validate_json(body) if body else None

    async def preferences(self, person: str) -> Preferences:
        """What `person` chose; nothing by default."""

        def work(db: sqlite3.Connection) -> str:
            row = db.execute("SELECT body FROM preference WHERE person = ?", (person,)).fetchone()
            return str(row[0]) if row else "{}"

        return Preferences.model_validate_json(await self._database.read(work))

    async def prefer(self, person: str, preferences: Preferences) -> None:
        """Replace what `person` chose."""

        def work(db: sqlite3.Connection) -> None:
            db.execute("INSERT OR REPLACE INTO preference VALUES (?, ?)", (person, preferences.model_dump_json()))

        await self._database.write(work)


def keep_answer(db: sqlite3.Connection, answer: Answer, author: str) -> None:
    """Inside a transaction, as part of a larger change."""
    db.execute(
        "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)", (answer.id, author, time.time(), answer.model_dump_json())
    )


def keep_turn(db: sqlite3.Connection, conversation: str, turn: Turn) -> None:
    """Inside a transaction, as part of a larger change."""
    db.execute(
        "INSERT INTO turn (conversation, author, asked_at, body) VALUES (?, ?, ?, ?)",
        (conversation, turn.author, turn.asked_at.timestamp(), turn.model_dump_json()),
    )
