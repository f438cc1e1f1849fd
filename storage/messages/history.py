"""Conversations, answers and preferences: the port `HistoryStore` and what `BotServices` asks about people."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple, TypeVar

from pipeline.values import Answer, AnswerOutcome, Conversation, ConversationId, Preferences, Turn, Value, Vote
from storage.database import Connection, Database, fetch_value
from storage.documents.cleanup import record_quotes
from storage.schema.tables import upsert_statement

# --- What was asked and what came of it, a line each: what insights are counted from --------------

T = TypeVar("T")
_SINCE = """
    SELECT asked.author, coalesce(question.conversation, ''), coalesce(message.body -> 'said_in' ->> 1, ''), asked.at,
        asked.question, outcome, level, differing, cited, nearest,
        EXISTS (SELECT 1 FROM rating WHERE rating.answer = asked.answer AND vote = $1),
        (SELECT count(*) FROM wish WHERE wish.answer = asked.answer AND told_at IS NULL)
    FROM asked LEFT JOIN question ON question.answer = asked.answer
    LEFT JOIN message ON message.key = question.key AND ({apart})
    WHERE asked.at >= $2
"""
"""Where threads are conversations that do not name the channel around them, where they were said does."""
UPSERT_QUESTION = upsert_statement("asked")


class QuestionRecord(NamedTuple):
    """One question that was looked up."""

    author: str
    conversation: str
    """A `ConversationId` as text; empty where it is not known."""
    channel: str
    """The channel or forum around it, as a `PlaceId`, where `conversation` does not name it; else empty."""
    at: float
    question: str
    """Complete by itself."""
    outcome: str
    level: str
    differing: int
    """1: the answer shows documents that do not agree."""
    cited: str
    """The ids of the cited documents, as a JSON array."""
    nearest: str
    """The id of the document that came closest, of an answer that cites none; may be empty."""
    unhelpful: int
    """1: somebody rated the answer as not helpful."""
    waiting: int
    """How many people want to be told once it can be answered."""


class SQLQuestionLog:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def fold_since(self, at: float, apart: Collection[str], fold: Callable[[Iterator[QuestionRecord]], T]) -> T:
        """What `fold` makes of everything asked since `at` (seconds), in no order; it runs on a thread of its own.
        `apart`: the platforms whose threads do not name their channel."""
        on = [f"substr(question.conversation, 1, {len(name) + 1}) = '{name}:'" for name in apart]
        query = _SINCE.format(apart=" OR ".join(on) or "FALSE")

        def work(db: Connection) -> T:
            return fold(map(QuestionRecord._make, db.execute(query, (Vote.UNHELPFUL, at))))

        return await self._database.read(work)


def question_row(answer: Answer, author: str, at: float) -> tuple[object, ...] | None:
    """The row of an answer; None where nothing was looked up."""
    if not answer.standalone and answer.outcome is not AnswerOutcome.FAILED:
        return None
    differing = bool(answer.comparison and answer.comparison.contradictions) or any(
        reason.name == "consistent" and reason.value == 0 for reason in answer.confidence.reasons
    )
    return (
        answer.id,
        author,
        at,
        answer.standalone or answer.question,
        answer.outcome,
        answer.confidence.level,
        int(differing),
        json.dumps(list(dict.fromkeys(citation.document_id for citation in answer.citations)), ensure_ascii=False),
        answer.nearest[0].document_id if answer.nearest else "",
    )


# --- Conversations, answers and preferences -------------------------------------------------------

_KEEP = upsert_statement("answer")
_PREFER = upsert_statement("preference")


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

    async def turns_by_author(self, author: str, limit: int) -> tuple[tuple[ConversationId, Turn], ...]:
        """The last `limit` turns of one person, oldest first, each with its conversation."""

        def work(db: Connection) -> list[tuple[str, str]]:
            asked = "SELECT conversation, body FROM turn WHERE author = $1 ORDER BY id DESC LIMIT $2"
            return db.execute(asked, (author, limit)).fetchall()

        found = await self._database.read(work)
        return tuple((ConversationId.parse(of), Turn.model_validate_json(body)) for of, body in reversed(found))

    async def record(self, conversation: ConversationId, turn: Turn) -> None:
        """Keep `turn` as the last of `conversation`."""
        await self._database.write(lambda db: insert_turn(db, str(conversation), turn))

    async def save_answer(self, answer: Answer, author: str) -> None:
        """Keep an answer that went through no inbox, to be rated and counted."""
        await self._database.write(lambda db: insert_answer(db, answer, author, time.time()))

    async def answer(self, answer_id: str) -> Answer | None:
        """An answer that was kept; None when it is unknown or forgotten."""
        query = "SELECT body FROM answer WHERE id = $1"
        body = await self._database.read(lambda db: fetch_value(db, query, (answer_id,)))
        return Answer.model_validate_json(body) if body else None

    async def author(self, answer_id: str) -> str:
        """Who was given that answer; empty when it is unknown or forgotten."""
        query = "SELECT author FROM answer WHERE id = $1"
        return await self._database.read(lambda db: fetch_value(db, query, (answer_id,))) or ""

    async def preferences(self, person: str) -> Preferences:
        """What `person` chose; nothing by default."""
        query = "SELECT body FROM preference WHERE person = $1"
        body = await self._database.read(lambda db: fetch_value(db, query, (person,)))
        return Preferences.model_validate_json(body) if body else Preferences()

    async def save_preferences(self, person: str, preferences: Preferences) -> None:
        """Replace what `person` chose."""
        row = (person, preferences.model_dump_json())
        await self._database.write(lambda db: db.execute(_PREFER, row))


def insert_answer(db: Connection, answer: Answer, author: str, at: float) -> None:
    """Inside a transaction, as part of a larger change. `at`: when it was given, in seconds since the epoch."""
    db.execute(_KEEP, (answer.id, author, at, answer.model_dump_json()))
    record_quotes(db, answer.id, answer.document_ids)
    if asked := question_row(answer, author, at):
        db.execute(UPSERT_QUESTION, asked)


def insert_turn(db: Connection, conversation: str, turn: Turn) -> None:
    """Inside a transaction, as part of a larger change."""
    db.execute(
        "INSERT INTO turn (conversation, author, asked_at, body) VALUES ($1, $2, $3, $4)",
        (conversation, turn.author, turn.asked_at.timestamp(), turn.model_dump_json()),
    )


def json_with_author(db: Connection, value: Value, answer_id: str) -> str:
    """`value` as JSON, with the author of the question that the answer was given to, if it is kept."""
    author = fetch_value(db, "SELECT author FROM answer WHERE id = $1", (answer_id,))
    return json.dumps({**value.model_dump(mode="json"), "author": author}, ensure_ascii=False)
