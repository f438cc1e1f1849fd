"""Conversations, answers and preferences: the port `HistoryStore` and questions of `BotServices` about people."""

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
"""Includes the channel where a conversation is a thread that does not name the channel around it."""
UPSERT_QUESTION = upsert_statement("asked")


class QuestionRecord(NamedTuple):
    """One question that was searched for."""

    author: str
    conversation: str
    """A `ConversationId` as text; empty if unknown."""
    channel: str
    """The channel or forum around the conversation, as a `PlaceId`, where `conversation` does not name it; else empty.
    """
    at: float
    question: str
    """The question, complete by itself."""
    outcome: str
    level: str
    differing: int
    """1 when the answer shows documents that contradict each other."""
    cited: str
    """The ids of the cited documents, as a JSON array."""
    nearest: str
    """The id of the nearest document, of an answer that cites none; may be empty."""
    unhelpful: int
    """1 when somebody rated the answer as not helpful."""
    waiting: int
    """Number of people subscribed to an answer."""


class SQLQuestionLog:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def fold_since(self, at: float, apart: Collection[str], fold: Callable[[Iterator[QuestionRecord]], T]) -> T:
        """Return the result of `fold` over all questions since `at` (seconds), in no order.

        `fold` runs on a thread of its own. `apart`: the platforms whose threads do not name their channel.
        """
        conditions = [f"substr(question.conversation, 1, {len(name) + 1}) = '{name}:'" for name in apart]
        query = _SINCE.format(apart=" OR ".join(conditions) or "FALSE")

        def work(db: Connection) -> T:
            return fold(map(QuestionRecord._make, db.execute(query, (Vote.UNHELPFUL, at))))

        return await self._database.read(work)


def question_row(answer: Answer, author: str, at: float) -> tuple[object, ...] | None:
    """Return the row of an answer; None if nothing was searched."""
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
    """Conversations and answers in SQL.

    Turns belong to one conversation and are recalled in no other: a direct message never reaches a channel.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def recall(self, conversation: ConversationId, limit: int) -> Conversation:
        """Return the last `limit` turns, oldest first."""

        def work(db: Connection) -> list[str]:
            rows = db.execute(
                "SELECT body FROM turn WHERE conversation = $1 ORDER BY id DESC LIMIT $2", (str(conversation), limit)
            )
            return [body for (body,) in rows]

        bodies = await self._database.read(work)
        return Conversation(id=conversation, turns=tuple(Turn.model_validate_json(body) for body in reversed(bodies)))

    async def turns_by_author(self, author: str, limit: int) -> tuple[tuple[ConversationId, Turn], ...]:
        """Return the last `limit` turns of one person, oldest first, each with its conversation."""

        def work(db: Connection) -> list[tuple[str, str]]:
            query = "SELECT conversation, body FROM turn WHERE author = $1 ORDER BY id DESC LIMIT $2"
            return db.execute(query, (author, limit)).fetchall()

        rows = await self._database.read(work)
        return tuple(
            (ConversationId.parse(conversation), Turn.model_validate_json(body))
            for conversation, body in reversed(rows)
        )

    async def record(self, conversation: ConversationId, turn: Turn) -> None:
        """Store `turn` as the last of `conversation`."""
        await self._database.write(lambda db: insert_turn(db, str(conversation), turn))

    async def save_answer(self, answer: Answer, author: str) -> None:
        """Store an answer that went through no inbox, so that it can be rated and counted."""
        await self._database.write(lambda db: insert_answer(db, answer, author, time.time()))

    async def answer(self, answer_id: str) -> Answer | None:
        """Return a stored answer; None when it is unknown or forgotten."""
        query = "SELECT body FROM answer WHERE id = $1"
        body = await self._database.read(lambda db: fetch_value(db, query, (answer_id,)))
        return Answer.model_validate_json(body) if body else None

    async def author(self, answer_id: str) -> str:
        """Return the person an answer was given to; empty when it is unknown or forgotten."""
        query = "SELECT author FROM answer WHERE id = $1"
        return await self._database.read(lambda db: fetch_value(db, query, (answer_id,))) or ""

    async def preferences(self, person: str) -> Preferences:
        """Return a person's preferences; the defaults if none are stored."""
        query = "SELECT body FROM preference WHERE person = $1"
        body = await self._database.read(lambda db: fetch_value(db, query, (person,)))
        return Preferences.model_validate_json(body) if body else Preferences()

    async def save_preferences(self, person: str, preferences: Preferences) -> None:
        """Replace a person's preferences."""
        row = (person, preferences.model_dump_json())
        await self._database.write(lambda db: db.execute(_PREFER, row))


def insert_answer(db: Connection, answer: Answer, author: str, at: float) -> None:
    """Store an answer, inside the caller's transaction. `at`: when it was given, in seconds since the epoch."""
    db.execute(_KEEP, (answer.id, author, at, answer.model_dump_json()))
    record_quotes(db, answer.id, answer.document_ids)
    if row := question_row(answer, author, at):
        db.execute(UPSERT_QUESTION, row)


def insert_turn(db: Connection, conversation: str, turn: Turn) -> None:
    """Store a turn, inside the caller's transaction."""
    db.execute(
        "INSERT INTO turn (conversation, author, asked_at, body) VALUES ($1, $2, $3, $4)",
        (conversation, turn.author, turn.asked_at.timestamp(), turn.model_dump_json()),
    )


def json_with_author(db: Connection, value: Value, answer_id: str) -> str:
    """Return `value` as JSON, with the author of the question that the answer was given to, if it is stored."""
    author = fetch_value(db, "SELECT author FROM answer WHERE id = $1", (answer_id,))
    return json.dumps({**value.model_dump(mode="json"), "author": author}, ensure_ascii=False)
