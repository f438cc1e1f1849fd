"""How scheduled jobs last ended, kept across restarts."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import NamedTuple

from storage.database import Connection, Database
from storage.settings import set_to, setting


class JobRun(NamedTuple):
    """How a job last ended; `failure` is "" when it did what it is for."""

    at: datetime
    seconds: float
    failure: str
    succeeded: datetime | None
    """When it last did; the same as `at` unless it failed."""


class JobRuns:
    """The last run of each job."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def last(self, job: str) -> JobRun | None:
        """How `job` last ended; None when it never did."""
        return await self._database.read(lambda db: _last(db, job))

    async def ended(self, job: str, at: datetime, *, seconds: float = 0.0, failure: str = "") -> None:
        """Keep that `job` came to an end."""

        def work(db: Connection) -> None:
            before = _last(db, job)
            succeeded = at if not failure else before.succeeded if before else None
            kept = {
                "at": at.timestamp(),
                "seconds": round(seconds, 3),
                "failure": failure,
                "succeeded": succeeded.timestamp() if succeeded else None,
            }
            set_to(db, _name(job), json.dumps(kept))

        await self._database.write(work)


def _last(db: Connection, job: str) -> JobRun | None:
    value = setting(db, _name(job))
    if value is None:
        return None
    kept = json.loads(value)
    succeeded = kept["succeeded"]
    return JobRun(
        datetime.fromtimestamp(kept["at"], UTC),
        kept["seconds"],
        kept["failure"],
        datetime.fromtimestamp(succeeded, UTC) if succeeded is not None else None,
    )


def _name(job: str) -> str:
    return f"job: {job}"
