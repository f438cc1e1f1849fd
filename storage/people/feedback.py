"""Ratings of answers: one for each person and answer, the last one counts."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from pipeline.rules.tenancy import ALL_WORKSPACES, workspace_scope
from pipeline.values import Answer, Rating, RatingReason, Role, Vote
from storage.database import Connection, Database

# --- Ratings of answers ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Complaint:
    """A rating that says "not helpful", without the person who gave it."""

    at: datetime
    question: str
    answer_id: str
    reason: RatingReason | None
    comment: str


class SQLFeedback:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def rate(self, rating: Rating) -> None:
        """Store `rating`. The earlier reason, comment and role stay when the new rating has none and the vote is the
        same."""

        def work(db: Connection) -> None:
            db.execute(
                "INSERT INTO rating (answer, person, vote, reason, comment, at, role)"
                " VALUES ($1, $2, $3, $4, $5, $6, $7)"
                " ON CONFLICT (answer, person) DO UPDATE SET"
                " reason = coalesce(excluded.reason,"
                " CASE WHEN rating.vote = excluded.vote THEN rating.reason END),"
                " comment = CASE WHEN rating.vote = excluded.vote AND excluded.comment = '' THEN rating.comment"
                " ELSE excluded.comment END,"
                " role = CASE WHEN rating.vote = excluded.vote AND excluded.role = '' THEN rating.role"
                " ELSE excluded.role END,"
                " vote = excluded.vote, at = excluded.at",
                (
                    rating.answer_id,
                    rating.person,
                    rating.vote,
                    rating.reason,
                    rating.comment,
                    time.time(),
                    rating.role or "",
                ),
            )

        await self._database.write(work)

    async def counts(self) -> dict[Vote, int]:
        """Return how many ratings of each kind there are."""

        def work(db: Connection) -> dict[str, int]:
            return dict(db.execute("SELECT vote, count(*) FROM rating GROUP BY vote").fetchall())

        votes = await self._database.read(work)
        return {vote: votes.get(vote, 0) for vote in Vote}

    async def helpful(self) -> list[Answer]:
        """Return the answers that everybody who rated them found helpful, oldest first."""

        def work(db: Connection) -> list[str]:
            rows = db.execute(
                "SELECT body FROM answer WHERE id IN"
                " (SELECT answer FROM rating GROUP BY answer"
                " HAVING count(*) = count(*) FILTER (WHERE vote = $1)) ORDER BY at",
                (Vote.HELPFUL,),
            )
            return [body for (body,) in rows]

        return [Answer.model_validate_json(body) for body in await self._database.read(work)]

    async def unhelpful(self, limit: int) -> list[Complaint]:
        """Return the last `limit` ratings that say "not helpful", newest first; none of an erased question."""

        def work(db: Connection) -> list[tuple[float, str, str, str | None, str]]:
            return db.execute(
                "SELECT rating.at, body ->> 'question', answer, reason, comment"
                " FROM rating JOIN answer ON answer.id = rating.answer"
                " WHERE vote = $1 ORDER BY rating.at DESC LIMIT $2",
                (Vote.UNHELPFUL, limit),
            ).fetchall()

        return [
            Complaint(
                datetime.fromtimestamp(at, UTC), question, answer, RatingReason(reason) if reason else None, comment
            )
            for at, question, answer, reason, comment in await self._database.read(work)
        ]


# --- What ratings teach: answers that people of a role found helpful ------------------------------

_STAMP = "SELECT count(*), coalesce(max(at), 0) FROM rating WHERE role <> ''"
_ASKED = """
    SELECT DISTINCT rating.answer, asked.question, question.key FROM rating
    JOIN asked ON asked.answer = rating.answer JOIN question ON question.answer = rating.answer
    WHERE role <> '' AND vote = $1
"""
_SHOWN = "SELECT id, body -> 'citations', body -> 'nearest' FROM answer WHERE id IN (SELECT value FROM json_each($1))"
_RATED = """
    SELECT answer.id, person, vote, role FROM answer JOIN rating ON rating.answer = answer.id
    WHERE answer.id IN (SELECT value FROM json_each($1)) AND EXISTS (SELECT 1 FROM question WHERE answer = answer.id)
"""

RatingStamp = tuple[int, float]


class RatedQuestion(NamedTuple):
    answer_id: str
    question: str
    """The question, complete by itself.
"""
    message_key: str
    """The key of its message, which names the place where it was asked."""


class ShownPassages(NamedTuple):
    """Ids of passages of an answer with citations."""

    first_cited: str
    """The passage that it cites first."""
    all_ids: frozenset[str]
    """All passages that its readers were shown."""


class SQLConfirmedAnswers:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def stamp(self) -> RatingStamp:
        """Return a stamp that changes whenever a rating that may count is stored or deleted, in any workspace."""
        with workspace_scope(ALL_WORKSPACES):
            return await self._database.read(lambda db: tuple(db.execute(_STAMP).fetchone()))

    async def rated_questions(self) -> list[RatedQuestion]:
        """Return the questions whose answers may count, of all workspaces."""
        with workspace_scope(ALL_WORKSPACES):
            return await self._database.read(
                lambda db: [RatedQuestion(*row) for row in db.execute(_ASKED, (Vote.HELPFUL,)).fetchall()]
            )

    async def shown_passages(self, answers: Sequence[str]) -> Mapping[str, ShownPassages]:
        """Return the passages shown by those of `answers` that cite something, of all workspaces."""
        with workspace_scope(ALL_WORKSPACES):
            rows = await self._database.read(lambda db: db.execute(_SHOWN, (json.dumps(answers),)).fetchall())
        return {
            answer: ShownPassages(cited[0], frozenset((*cited, *_ids(nearest))))
            for answer, citations, nearest in rows
            if (cited := _ids(citations))
        }

    async def confirming_people(self, answers: Sequence[str], roles: Collection[Role]) -> Mapping[str, frozenset[str]]:
        """Return the people of `roles` who found each of `answers` in this workspace helpful, as of now.

        An answer that anybody found unhelpful is missing.
        """

        def work(db: Connection) -> list[tuple[str, str, str, str]]:
            return db.execute(_RATED, (json.dumps(answers),)).fetchall()

        rows = await self._database.read(work)
        refused = {answer for answer, _, vote, _ in rows if vote == Vote.UNHELPFUL}
        return {
            answer: frozenset(person for answer_id, person, _, role in rows if answer_id == answer and role in roles)
            for answer, *_ in rows
            if answer not in refused
        }


def _ids(citations: str | None) -> list[str]:
    return [citation["chunk_id"] for citation in json.loads(citations or "[]")]
