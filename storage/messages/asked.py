"""What was asked and what came of it, a line each: what insights are counted from."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple, TypeVar

from pipeline.values import Answer, Outcome, Vote
from storage.database import Connection, Database
from storage.schema.tables import keep

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
KEEP = keep("asked")


class Asked(NamedTuple):
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


class SQLAsked:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def since(self, at: float, apart: Collection[str], fold: Callable[[Iterator[Asked]], T]) -> T:
        """What `fold` makes of everything asked since `at` (seconds), in no order; it runs on a thread of its own.
        `apart`: the platforms whose threads do not name their channel."""
        on = [f"substr(question.conversation, 1, {len(name) + 1}) = '{name}:'" for name in apart]
        query = _SINCE.format(apart=" OR ".join(on) or "FALSE")

        def work(db: Connection) -> T:
            return fold(map(Asked._make, db.execute(query, (Vote.UNHELPFUL, at))))

        return await self._database.read(work)


def line(answer: Answer, author: str, at: float) -> tuple[object, ...] | None:
    """The row of an answer; None where nothing was looked up."""
    if not answer.standalone and answer.outcome is not Outcome.FAILED:
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
