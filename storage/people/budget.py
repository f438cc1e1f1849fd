"""The day's tokens of each person and each workspace."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from datetime import date

from storage.database import AdvisoryLock, Connection, Database, fetch_value

_ADD = """
    INSERT INTO token_use (subject, day, tokens) VALUES ($1, $2, CASE WHEN $3 > 0 THEN $3 ELSE 0 END)
    ON CONFLICT (subject, day) DO UPDATE
    SET tokens = CASE WHEN token_use.tokens + $3 > 0 THEN token_use.tokens + $3 ELSE 0 END
"""


class SQLTokenLedger:
    """A `TokenLedger` in SQL. Rows of other days are deleted as soon as a new day begins.

    Subjects are stored as digests: nothing here has to be forgotten, and forgetting resets nobody's budget.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def reserve(self, limits: Mapping[str, int], tokens: int, day: date) -> bool:
        def work(connection: Connection) -> bool:
            connection.advisory_lock(AdvisoryLock.TOKENS)
            connection.execute("DELETE FROM token_use WHERE day < $1", (day.isoformat(),))
            if any(_used(connection, subject, day) + tokens > limit for subject, limit in limits.items()):
                return False
            _add(connection, limits, tokens, day)
            return True

        return await self._database.write(work)

    async def adjust(self, subjects: Collection[str], tokens: int, day: date) -> None:
        await self._database.write(lambda connection: _add(connection, subjects, tokens, day))


def _used(connection: Connection, subject: str, day: date) -> int:
    query = "SELECT tokens FROM token_use WHERE subject = $1 AND day = $2"
    return fetch_value(connection, query, (_digest(subject), day.isoformat())) or 0


def _add(connection: Connection, subjects: Collection[str], tokens: int, day: date) -> None:
    connection.executemany(_ADD, [(_digest(subject), day.isoformat(), tokens) for subject in subjects])


def _digest(subject: str) -> str:
    return hashlib.blake2b(subject.encode(), digest_size=16).hexdigest()
