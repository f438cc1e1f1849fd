"""Settings of the installation by name: numbers and moments, results of scheduled jobs, the key of links to
passages."""

from __future__ import annotations

import json
import secrets
from datetime import UTC, datetime
from typing import NamedTuple

from storage.database import Connection, Database, fetch_value
from storage.schema.tables import upsert_statement

# --- Numbers and moments, inside the caller's transaction -----------------------------------------

_KEEP = upsert_statement("setting")


def read_setting(db: Connection, name: str) -> str | None:
    """Return a setting; None if it was never set."""
    value: str | None = fetch_value(db, "SELECT value FROM setting WHERE name = $1", (name,))
    return value


def write_setting(db: Connection, name: str, value: str) -> None:
    """Replace a setting."""
    db.execute(_KEEP, (name, value))


# --- How scheduled jobs last ended, kept across restarts ------------------------------------------


class JobRun(NamedTuple):
    """The last run of a job; `failure` is "" when it succeeded."""

    at: datetime
    seconds: float
    failure: str
    succeeded: datetime | None
    """Time of the last success; equal to `at` unless the job failed."""


class JobRuns:
    """The last run of each job."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def last(self, job: str) -> JobRun | None:
        """Return the last run of `job`; None if it never ran."""
        return await self._database.read(lambda db: _last(db, job))

    async def record(self, job: str, at: datetime, *, seconds: float = 0.0, failure: str = "") -> None:
        """Store the end of a run of `job`."""

        def work(db: Connection) -> None:
            previous = _last(db, job)
            succeeded = at if not failure else previous.succeeded if previous else None
            stored = {
                "at": at.timestamp(),
                "seconds": round(seconds, 3),
                "failure": failure,
                "succeeded": succeeded.timestamp() if succeeded else None,
            }
            write_setting(db, _name(job), json.dumps(stored))

        await self._database.write(work)


def _last(db: Connection, job: str) -> JobRun | None:
    value = read_setting(db, _name(job))
    if value is None:
        return None
    stored = json.loads(value)
    succeeded = stored["succeeded"]
    return JobRun(
        datetime.fromtimestamp(stored["at"], UTC),
        stored["seconds"],
        stored["failure"],
        datetime.fromtimestamp(succeeded, UTC) if succeeded is not None else None,
    )


def _name(job: str) -> str:
    return f"job: {job}"


# --- The key that links to passages are signed with: one for all processes, made when it is first asked for ---

_LINK_KEY = "links: key"
_MAKE_LINK_KEY = "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING"


async def link_key(database: Database) -> str:
    """Return the key in force."""

    def make_key(db: Connection) -> str | None:
        db.execute(_MAKE_LINK_KEY, (_LINK_KEY, secrets.token_urlsafe(32)))
        return read_setting(db, _LINK_KEY)

    return await database.read(lambda db: read_setting(db, _LINK_KEY)) or await database.write(make_key) or ""


async def rotate_link_key(database: Database) -> None:
    """Put a new key in force: links signed before open nothing any more."""
    await database.write(replace_link_key)


def replace_link_key(db: Connection) -> None:
    """Put a new key in force, inside the caller's transaction."""
    write_setting(db, _LINK_KEY, secrets.token_urlsafe(32))
