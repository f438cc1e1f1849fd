"""Ratings of answers: one a person and answer, the last one counts."""

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
    """A rating that says "not helpful", without who gave it."""

    at: datetime
    question: str
    answer_id: str
    reason: RatingReason | None
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
    """Complete by itself."""
    message_key: str
    """The key of its message, which says where it was asked."""


class ShownPassages(NamedTuple):
    """Passages of an answer that cites something, by their ids."""

    first_cited: str
    """The one that it cites first."""
    all_ids: frozenset[str]
    """All that its readers were shown."""


class SQLConfirmedAnswers:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def stamp(self) -> RatingStamp:
        """Changes whenever a rating that may count is made or goes, in whichever workspace."""
        with workspace_scope(ALL_WORKSPACES):
            return await self._database.read(lambda db: tuple(db.execute(_STAMP).fetchone()))

    async def rated_questions(self) -> list[RatedQuestion]:
        """Of all workspaces, what answers that may count were given to."""
        with workspace_scope(ALL_WORKSPACES):
            return await self._database.read(
                lambda db: [RatedQuestion(*row) for row in db.execute(_ASKED, (Vote.HELPFUL,)).fetchall()]
            )

    async def shown_passages(self, answers: Sequence[str]) -> Mapping[str, ShownPassages]:
        """Of all workspaces, what those of `answers` show that cite something."""
        with workspace_scope(ALL_WORKSPACES):
            rows = await self._database.read(lambda db: db.execute(_SHOWN, (json.dumps(answers),)).fetchall())
        return {
            answer: ShownPassages(cited[0], frozenset((*cited, *_ids(near))))
            for answer, of, near in rows
            if (cited := _ids(of))
        }

    async def confirming_people(self, answers: Sequence[str], by: Collection[Role]) -> Mapping[str, frozenset[str]]:
        """Who of these roles found each of `answers` in this workspace helpful; nobody, where somebody did not. As it
        stands now."""

        def work(db: Connection) -> list[tuple[str, str, str, str]]:
            return db.execute(_RATED, (json.dumps(answers),)).fetchall()

        rows = await self._database.read(work)
        refused = {answer for answer, _, vote, _ in rows if vote == Vote.UNHELPFUL}
        return {
            answer: frozenset(person for of, person, _, role in rows if of == answer and role in by)
            for answer, *_ in rows
            if answer not in refused
        }


def _ids(citations: str | None) -> list[str]:
    return [one["chunk_id"] for one in json.loads(citations or "[]")]
