"""A person's own conversations: the port `ConversationArchive`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from pipeline.values import Answer, ConversationId, IncomingMessage
from pipeline.values.people import ConversationSummary, Exchange, ExchangePage, ExchangeStatus, HandoffResult
from storage.database import Connection, Database, fetch_value
from storage.messages.history import SQLHistory

MAX_TURNS_READ = 300
"""Turns that a list of conversations is made from."""
_UNANSWERED = "message WHERE author = $1 AND conversation = $2 AND answer = '' AND state <> 'cancelled'"
_ANSWERED = "question JOIN answer ON answer.id = question.answer WHERE answer.author = $1 AND conversation = $2"
_TOTAL = f"SELECT (SELECT count(*) FROM {_ANSWERED}) + (SELECT count(*) FROM {_UNANSWERED})"  # noqa: S608 - our own words
_ASKED = f"SELECT EXISTS (SELECT 1 FROM {_ANSWERED}) OR EXISTS (SELECT 1 FROM {_UNANSWERED})"  # noqa: S608 - as above
_WAITS = f"SELECT EXISTS (SELECT 1 FROM {_UNANSWERED} AND state = 'open')"  # noqa: S608 - as above
_KEPT = """
    SELECT EXISTS (SELECT 1 FROM message WHERE key = $1 AND author = $2)
        OR EXISTS (SELECT 1 FROM question JOIN answer ON answer.id = question.answer WHERE key = $1 AND author = $2)
"""
_PART = f"""
    WITH part AS (
        SELECT question.key AS key, answer.at AS at, answer.id AS answer FROM {_ANSWERED}
        UNION ALL SELECT key, sent_at, '' FROM {_UNANSWERED}
        ORDER BY at, key LIMIT $3 OFFSET $4
    )
    SELECT part.key, part.at, answer.id, answer.body ->> 'question', handoff.id, handoff.name, handoff.reply,
        handoff.resolved_at, message.body, message.state
    FROM part LEFT JOIN answer ON answer.id = part.answer LEFT JOIN handoff ON handoff.answer = answer.id
        LEFT JOIN message ON message.key = part.key AND part.answer = ''
    ORDER BY part.at, part.key
"""  # noqa: S608 - as above


class SQLConversationArchive:
    def __init__(self, database: Database, history: SQLHistory) -> None:
        self._database = database
        self._history = history

    async def list_conversations(self, person: str, platform: str, most: int) -> Sequence[ConversationSummary]:
        """Return the person's conversations on one platform, the latest first."""
        summaries: dict[ConversationId, ConversationSummary] = {}
        for conversation, turn in await self._history.turns_by_author(person, MAX_TURNS_READ):
            if conversation.platform == platform:
                earlier = summaries.pop(conversation, None)
                question = earlier.question if earlier else turn.question
                summaries[conversation] = ConversationSummary(
                    conversation=conversation, question=question, at=turn.asked_at
                )
        return [*reversed(summaries.values())][:most]

    async def list_exchanges(
        self, conversation: ConversationId, person: str, most: int, start: int | None = None
    ) -> ExchangePage:
        """Return what a person asked in a conversation, in order: `most` exchanges from the one at `start` (0-based),
        else the last."""
        owner = (person, str(conversation))

        def work(db: Connection) -> ExchangePage:
            total = fetch_value(db, _TOTAL, owner)
            last = max(0, total - most)
            first = last if start is None else min(start, last)
            rows = db.execute(_PART, (*owner, most, first))
            return ExchangePage(exchanges=tuple(_exchange(*row) for row in rows), start=first, total=total)

        return await self._database.read(work)

    async def has_asked(self, conversation: ConversationId, person: str) -> bool:
        """Return True if anything is stored that this person asked there."""
        return await self._exists(_ASKED, person, str(conversation))

    async def has_pending(self, conversation: ConversationId, person: str) -> bool:
        """Return True while a question of this person waits there to be answered."""
        return await self._exists(_WAITS, person, str(conversation))

    async def owns_question(self, key: str, person: str) -> bool:
        """Return True if the question with that key is stored, answered or not, and is this person's."""
        return await self._exists(_KEPT, key, person)

    async def _exists(self, query: str, *values: str) -> bool:
        return bool(await self._database.read(lambda db: fetch_value(db, query, values)))

    async def lately(self, most: int) -> Sequence[tuple[ConversationId | None, datetime, Answer]]:
        """Return everybody's last answers, latest first, each with its conversation; None for one that went through no
        inbox."""
        query = (
            "SELECT question.conversation, answer.at, answer.body FROM answer"
            " LEFT JOIN question ON question.answer = answer.id ORDER BY answer.at DESC LIMIT $1"
        )
        rows = await self._database.read(lambda db: db.execute(query, (most,)).fetchall())
        return [
            (
                ConversationId.parse(conversation) if conversation else None,
                datetime.fromtimestamp(at, UTC),
                Answer.model_validate_json(body),
            )
            for conversation, at, body in rows
        ]


def _exchange(
    key: str,
    at: float,
    answer_id: str | None,
    question: str,
    handoff: str | None,
    name: str | None,
    reply: str | None,
    resolved: float | None,
    body: str,
    state: str,
) -> Exchange:
    if answer_id is None:
        return _unanswered(body, state)
    result = HandoffResult(replied=resolved is not None, by=name or "", reply=reply or "") if handoff else None
    return Exchange(
        key=key,
        question=question,
        at=datetime.fromtimestamp(at, UTC),
        status=ExchangeStatus.ANSWERED,
        answer_id=answer_id,
        handoff=result,
    )


def _unanswered(body: str, state: str) -> Exchange:
    message = IncomingMessage.model_validate_json(body)
    status = ExchangeStatus.WAITING if state == "open" else ExchangeStatus.FAILED
    return Exchange(key=message.key, question=message.text, at=message.sent_at, status=status)
