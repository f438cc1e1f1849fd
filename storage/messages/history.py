"""Conversations, answers and preferences: the port `HistoryStore` and what `Desk` asks about people."""

from __future__ import annotations

import json
import time

from pipeline.values import Answer, Conversation, ConversationId, Preferences, Turn, Value
from storage.database import Connection, Database, scalar
from storage.documents.quoted import quote
from storage.messages.asked import KEEP, line
from storage.schema.tables import keep

_KEEP = keep("answer")
_PREFER = keep("preference")


class SQLHistory:
    """Turns belong to one conversation and are recalled in no other: a direct message never reaches a channel."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def recall(self, conversation: ConversationId, limit: int) -> Conversation:
        """The last `limit` turns, oldest first."""

        def work(db: Connection) -> list[str]:
            rows = db.execute(
                "SELECT body FROM turn WHERE conversation = $1 ORDER BY id DESC LIMIT $2", (str(conversation), limit)
            )
            return [body for (body,) in rows]

        bodies = await self._database.read(work)
        return Conversation(id=conversation, turns=tuple(Turn.model_validate_json(body) for body in reversed(bodies)))

    async def by_author(self, author: str, limit: int) -> tuple[tuple[ConversationId, Turn], ...]:
        """The last `limit` turns of one person, oldest first, each with its conversation."""

        def work(db: Connection) -> list[tuple[str, str]]:
            asked = "SELECT conversation, body FROM turn WHERE author = $1 ORDER BY id DESC LIMIT $2"
            return db.execute(asked, (author, limit)).fetchall()

        found = await self._database.read(work)
        return tuple((ConversationId.parse(of), Turn.model_validate_json(body)) for of, body in reversed(found))

    async def record(self, conversation: ConversationId, turn: Turn) -> None:
        """Keep `turn` as the last of `conversation`."""
        await self._database.write(lambda db: keep_turn(db, str(conversation), turn))

    async def keep(self, answer: Answer, author: str) -> None:
        """Keep an answer that went through no inbox, to be rated and counted."""
        await self._database.write(lambda db: keep_answer(db, answer, author, time.time()))

    async def answer(self, answer_id: str) -> Answer | None:
        """An answer that was kept; None when it is unknown or forgotten."""
        query = "SELECT body FROM answer WHERE id = $1"
        body = await self._database.read(lambda db: scalar(db, query, (answer_id,)))
        return Answer.model_validate_json(body) if body else None

    async def author(self, answer_id: str) -> str:
        """Who was given that answer; empty when it is unknown or forgotten."""
        query = "SELECT author FROM answer WHERE id = $1"
        return await self._database.read(lambda db: scalar(db, query, (answer_id,))) or ""

    async def preferences(self, person: str) -> Preferences:
        """What `person` chose; nothing by default."""
        query = "SELECT body FROM preference WHERE person = $1"
        body = await self._database.read(lambda db: scalar(db, query, (person,)))
        return Preferences.model_validate_json(body) if body else Preferences()

    async def prefer(self, person: str, preferences: Preferences) -> None:
        """Replace what `person` chose."""
        row = (person, preferences.model_dump_json())
        await self._database.write(lambda db: db.execute(_PREFER, row))


def keep_answer(db: Connection, answer: Answer, author: str, at: float) -> None:
    """Inside a transaction, as part of a larger change. `at`: when it was given, in seconds since the epoch."""
    db.execute(_KEEP, (answer.id, author, at, answer.model_dump_json()))
    quote(db, answer.id, answer.documents)
    if asked := line(answer, author, at):
        db.execute(KEEP, asked)


def keep_turn(db: Connection, conversation: str, turn: Turn) -> None:
    """Inside a transaction, as part of a larger change."""
    db.execute(
        "INSERT INTO turn (conversation, author, asked_at, body) VALUES ($1, $2, $3, $4)",
        (conversation, turn.author, turn.asked_at.timestamp(), turn.model_dump_json()),
    )


def signed(db: Connection, value: Value, answer_id: str) -> str:
    """`value` as JSON, with the author of the question that the answer was given to, if it is kept."""
    author = scalar(db, "SELECT author FROM answer WHERE id = $1", (answer_id,))
    return json.dumps({**value.model_dump(mode="json"), "author": author}, ensure_ascii=False)
