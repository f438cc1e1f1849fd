"""Ratings of answers: one a person and answer, the last one counts."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime

from pipeline.values import Answer, Rating, Reason, Vote
from storage.database import Connection, Database


@dataclass(frozen=True)
class Complaint:
    """A rating that says "not helpful", without who gave it."""

    at: datetime
    question: str
    answer_id: str
    reason: Reason | None
    comment: str


class SQLFeedback:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def rate(self, rating: Rating) -> None:
        """Keep `rating`. What was given before stays when the new one has none and the vote is the same: a reason, a
        comment, a role."""

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
        """How many ratings of each kind there are."""

        def work(db: Connection) -> dict[str, int]:
            return dict(db.execute("SELECT vote, count(*) FROM rating GROUP BY vote").fetchall())

        found = await self._database.read(work)
        return {vote: found.get(vote, 0) for vote in Vote}

    async def helpful(self) -> list[Answer]:
        """The answers that everybody who rated them found helpful, oldest first."""

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
        """The last `limit` ratings that say "not helpful", newest first; none of a question that was erased."""

        def work(db: Connection) -> list[tuple[float, str, str, str | None, str]]:
            return db.execute(
                "SELECT rating.at, body ->> 'question', answer, reason, comment"
                " FROM rating JOIN answer ON answer.id = rating.answer"
                " WHERE vote = $1 ORDER BY rating.at DESC LIMIT $2",
                (Vote.UNHELPFUL, limit),
            ).fetchall()

        return [
            Complaint(datetime.fromtimestamp(at, UTC), question, answer, Reason(reason) if reason else None, comment)
            for at, question, answer, reason, comment in await self._database.read(work)
        ]
