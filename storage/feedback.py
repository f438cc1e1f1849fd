"""Ratings of answers: one a person and answer, the last one counts."""

from __future__ import annotations

import sqlite3
import time

from pipeline.values import Rating
from storage.database import Database


class SQLiteFeedback:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def rate(self, rating: Rating) -> None:
        """Keep `rating`. A reason or comment given before stays when the new one has none and the vote is the same."""

        def work(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT INTO rating VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (answer, person) DO UPDATE SET"
                " reason = coalesce(excluded.reason, CASE WHEN vote = excluded.vote THEN reason END),"
                " comment = CASE WHEN vote = excluded.vote AND excluded.comment = '' THEN comment"
                " ELSE excluded.comment END,"
                " vote = excluded.vote, at = excluded.at",
                (rating.answer_id, rating.person, rating.vote, rating.reason, rating.comment, time.time()),
            )

        await self._database.write(work)

    async def ratings(self, answer_id: str | None = None) -> list[Rating]:
        """Ratings of one answer, or all, oldest first."""

        def work(db: sqlite3.Connection) -> list[Rating]:
            rows = db.execute(
                "SELECT answer, person, vote, reason, comment FROM rating WHERE ? IN ('', answer) ORDER BY at",
                (answer_id or "",),
            )
            names = ("answer_id", "person", "vote", "reason", "comment")
            return [Rating.model_validate(dict(zip(names, row, strict=True))) for row in rows]

        return await self._database.read(work)
