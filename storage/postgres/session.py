"""What a process is to the others that use a database: the locks that its writing connection holds.

The server takes them from a process that ends, however it ends, and from all when it restarts. Whoever has a new
connection after that is, to the others, somebody new.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from enum import Enum
from typing import Any

import psycopg

from pipeline.errors import Misconfigured

PsycopgConnection = psycopg.Connection[tuple[Any, ...]]

IN_USE_LOCK = 0x616C6F6E65  # "alone"
LEADER_LOCK = 0x6669727374  # "first"
HOLDER_LOCK = 0x686F6C64  # "hold"; the second half of that lock is the number
IDLE_TRANSACTION_SECONDS = 10.0
"""A process that is suspended in a transaction, which others may wait for, is cut off after that time."""
COUNT_LOCKS = f"""
    SELECT count(*) FROM pg_locks
    WHERE locktype = 'advisory' AND classid = {HOLDER_LOCK} AND objid = $1 AND objsubid = 2
        AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""  # noqa: S608 - our own number
DEAD_HOLDERS = f"""
    SELECT DISTINCT holder FROM message WHERE state = 'open' AND leased_until > 0 AND holder NOT IN (
        SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = {HOLDER_LOCK} AND objsubid = 2
            AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
"""  # noqa: S608 - our own number


class DatabaseUse(Enum):
    """What a process does with a database."""

    SHARED = "as it may beside any other"
    ANSWERING = "answers from it, as others may"
    EXCLUSIVE = "nobody answers from it meanwhile"


@dataclass
class PostgresSession:
    """A connection and what it holds; 0 is nobody's number."""

    raw: PsycopgConnection
    lease_holder: int = 0
    is_leader: bool = False

    def try_lead(self) -> None:
        """Become the first one where there is none."""
        if not self.is_leader:
            self.is_leader = _held(self.raw, "pg_try_advisory_lock($1)", LEADER_LOCK)


def begin_session(raw: PsycopgConnection, use: DatabaseUse) -> PostgresSession:
    """Raises Misconfigured where others are in the way."""
    if use is DatabaseUse.SHARED:
        return PostgresSession(raw)
    if use is DatabaseUse.EXCLUSIVE:
        if not _held(raw, "pg_try_advisory_lock($1)", IN_USE_LOCK):
            raise _refused("another `citewell run` uses this database", "Stop it.")
        return PostgresSession(raw)
    if not _held(raw, "pg_try_advisory_lock_shared($1)", IN_USE_LOCK):
        raise _refused("this database is being moved", "Wait until `citewell migrate` has ended.")
    raw.execute(f"SET idle_in_transaction_session_timeout TO '{IDLE_TRANSACTION_SECONDS:.0f}s'")
    while True:
        number = 1 + secrets.randbits(30)
        if _held(raw, "pg_try_advisory_lock($1, $2)", HOLDER_LOCK, number):
            return PostgresSession(raw, number)


def _held(raw: PsycopgConnection, lock: str, *key: int) -> bool:
    (held,) = raw.execute(f"SELECT {lock}", key).fetchone() or (False,)
    return bool(held)


def _refused(why: str, what_to_do: str) -> Misconfigured:
    return Misconfigured("CITEWELL_DATABASE", why, what_to_do=what_to_do)
