"""A person's own conversations: the port `Archive`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from pipeline.values import Answer, ConversationId, IncomingMessage
from pipeline.values.talks import Exchange, Passed, Standing, Talk
from storage.database import Connection, Database
from storage.messages.history import SQLHistory

READ = 300
"""Turns that a list of conversations is made of."""
_ANSWERED = """
    SELECT question.key, answer.id, answer.at, answer.body ->> 'question', handoff.id, handoff.name, handoff.reply,
        handoff.resolved_at
    FROM answer JOIN question ON question.answer = answer.id LEFT JOIN handoff ON handoff.answer = answer.id
    WHERE answer.author = $1 AND question.conversation = $2 ORDER BY answer.at
"""
_OPEN = """
    SELECT body, state FROM message WHERE author = $1 AND conversation = $2 AND answer = '' AND state <> 'cancelled'
    ORDER BY sequence
"""


class SQLArchive:
    def __init__(self, database: Database, history: SQLHistory) -> None:
        self._database = database
        self._history = history

    async def talks(self, person: str, platform: str, most: int) -> Sequence[Talk]:
        """Theirs on one platform, the latest first."""
        found: dict[ConversationId, Talk] = {}
        for conversation, turn in await self._history.by_author(person, READ):
            if conversation.platform == platform:
                first = found.pop(conversation, None)
                question = first.question if first else turn.question
                found[conversation] = Talk(conversation=conversation, question=question, at=turn.asked_at)
        return [*reversed(found.values())][:most]

    async def exchanges(self, conversation: ConversationId, person: str) -> Sequence[Exchange]:
        """What that person asked there, in order."""
        theirs = (person, str(conversation))

        def work(db: Connection) -> list[Exchange]:
            answered = [_answered(*row) for row in db.execute(_ANSWERED, theirs)]
            return answered + [_unanswered(*row) for row in db.execute(_OPEN, theirs)]

        return sorted(await self._database.read(work), key=lambda one: one.at)

    async def lately(self, most: int) -> Sequence[tuple[ConversationId | None, datetime, Answer]]:
        """The last answers of everybody, latest first, each with the conversation that it was given in; None for one
        that went through no inbox."""
        query = (
            "SELECT question.conversation, answer.at, answer.body FROM answer"
            " LEFT JOIN question ON question.answer = answer.id ORDER BY answer.at DESC LIMIT $1"
        )
        rows = await self._database.read(lambda db: db.execute(query, (most,)).fetchall())
        return [
            (
                ConversationId.parse(where) if where else None,
                datetime.fromtimestamp(at, UTC),
                Answer.model_validate_json(body),
            )
            for where, at, body in rows
        ]


def _answered(
    key: str,
    answer_id: str,
    at: float,
    question: str,
    handoff: str | None,
    name: str | None,
    reply: str | None,
    resolved: float | None,
) -> Exchange:
    passed = Passed(replied=resolved is not None, by=name or "", reply=reply or "") if handoff else None
    return Exchange(
        key=key,
        question=question,
        at=datetime.fromtimestamp(at, UTC),
        standing=Standing.ANSWERED,
        answer_id=answer_id,
        passed=passed,
    )


def _unanswered(body: str, state: str) -> Exchange:
    message = IncomingMessage.model_validate_json(body)
    standing = Standing.WAITING if state == "open" else Standing.FAILED
    return Exchange(key=message.key, question=message.text, at=message.sent_at, standing=standing)
