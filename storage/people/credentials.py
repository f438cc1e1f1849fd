"""Credentials: API keys, with the replies to their requests, and sessions of the page; and which of them a restored
database accepts."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from pipeline.errors import Busy, Refused
from pipeline.rules.tenancy import ALL_WORKSPACES, workspace_scope
from pipeline.values import replace
from pipeline.values.api_access import ApiKey, Identity, LoginSession
from storage.database import AdvisoryLock, Connection, Database, fetch_value
from storage.settings import replace_link_key

# --- Keys of programs, and what was answered to them ----------------------------------------------

KEY_PREFIX = "cw_"
REPLY_LIFETIME_SECONDS = 24 * 3600.0
"""Seconds that a reply is kept for a repeated request."""
ANSWER_TIMEOUT_SECONDS = 120.0
"""Longer than any answer takes: a request not answered by then was cut off."""


class SQLApiKeyStore:
    """API keys in SQL. Secrets are 256 random bits, which nobody guesses: a plain digest is enough."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, name: str, collections: Sequence[str], per_minute: int) -> tuple[ApiKey, str]:
        """Make a key. Return it with its secret, which is shown once. Raises Refused when the name is taken."""
        new_key = ApiKey(
            id=secrets.token_hex(4),
            name=name,
            collections=tuple(collections),
            per_minute=per_minute,
            at=datetime.now(UTC),
        )
        secret = KEY_PREFIX + secrets.token_urlsafe(32)

        def work(db: Connection) -> None:
            if any(key.name == name for key in all_keys(db) if not key.revoked):
                raise Refused(f"there is a key called {name}", what_to_do="Revoke it, or choose another name.")
            db.execute(
                "INSERT INTO api_key (id, digest, body, at) VALUES ($1, $2, $3, $4)",
                (new_key.id, _digest(secret), new_key.model_dump_json(), new_key.at.timestamp()),
            )

        with workspace_scope(ALL_WORKSPACES):
            await self._database.write(work, durable=True)
        return new_key, secret

    async def all(self) -> list[ApiKey]:
        """Return every key, also revoked ones, the oldest first."""
        with workspace_scope(ALL_WORKSPACES):
            return await self._database.read(all_keys)

    async def revoke(self, name: str) -> ApiKey | None:
        """Revoke the key of that name or id, and return it; None if no valid key has it."""

        def work(db: Connection) -> ApiKey | None:
            valid_key = next((key for key in all_keys(db) if name in (key.name, key.id) and not key.revoked), None)
            if valid_key:
                db.execute("UPDATE api_key SET revoked_at = $1 WHERE id = $2", (time.time(), valid_key.id))
            return valid_key

        with workspace_scope(ALL_WORKSPACES):
            return await self._database.write(work, durable=True)

    async def find_key(self, secret: str) -> ApiKey | None:
        """Return the key of that secret while it is not revoked."""
        query = "SELECT body FROM api_key WHERE digest = $1 AND revoked_at IS NULL"
        with workspace_scope(ALL_WORKSPACES):
            body = await self._database.read(lambda db: fetch_value(db, query, (_digest(secret),)))
        return ApiKey.model_validate_json(body) if body else None

    async def is_revoked(self, person: str) -> bool:
        kind, _, key = person.partition(":")
        if kind != "key":
            return False
        query = "SELECT COUNT(*) FROM api_key WHERE id = $1 AND revoked_at IS NOT NULL"
        with workspace_scope(ALL_WORKSPACES):
            return bool(await self._database.read(lambda db: fetch_value(db, query, (key,))))


class SQLIdempotencyStore:
    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def begin(self, request: str, digest: str) -> str | None:
        now = self._clock()

        def work(db: Connection) -> tuple[str, str] | None:
            db.execute("DELETE FROM api_reply WHERE at < $1", (now - REPLY_LIFETIME_SECONDS,))
            db.execute("DELETE FROM api_reply WHERE at < $1 AND body = $2", (now - ANSWER_TIMEOUT_SECONDS, _NOTHING))
            stored: tuple[str, str] | None = db.execute(
                "SELECT digest, body FROM api_reply WHERE request = $1", (request,)
            ).fetchone()
            if stored is None:
                db.execute("INSERT INTO api_reply VALUES ($1, $2, $3, $4)", (request, digest, _NOTHING, now))
            return stored

        with workspace_scope(ALL_WORKSPACES):
            stored = await self._database.write(work, durable=True)
        if stored is None:
            return None
        if stored[0] != digest:
            raise Refused("that idempotency key came with another request", what_to_do="Choose a new one.")
        if stored[1] == _NOTHING:
            raise Busy("that request is still being answered", first=True)
        return stored[1]

    async def complete(self, request: str, body: str) -> None:
        with workspace_scope(ALL_WORKSPACES):
            await self._database.write(
                lambda db: db.execute("UPDATE api_reply SET body = $1 WHERE request = $2", (body, request))
            )

    async def abandon(self, request: str) -> None:
        with workspace_scope(ALL_WORKSPACES):
            await self._database.write(lambda db: db.execute("DELETE FROM api_reply WHERE request = $1", (request,)))


_NOTHING = "null"


def all_keys(db: Connection) -> list[ApiKey]:
    """Return every key, also revoked ones, the oldest first."""
    rows = db.execute("SELECT body, revoked_at FROM api_key ORDER BY at").fetchall()
    return [
        replace(ApiKey.model_validate_json(body), revoked=datetime.fromtimestamp(revoked, UTC) if revoked else None)
        for body, revoked in rows
    ]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


# --- Sessions of the page -------------------------------------------------------------------------

SESSION_IDLE_SECONDS = 14 * 24 * 3600.0
"""Seconds without a request after which a session ends."""
SESSION_MAX_SECONDS = 30 * 24 * 3600.0
"""Seconds after which everybody signs in again."""
SESSION_UPDATE_SECONDS = 3600.0
"""Seconds that a session's end must move by before it is stored."""
SESSION_SKEW_SECONDS = 3600.0
"""Seconds that the clock of another process may be ahead of ours. A session that began later than that began under a
wrong clock, and is over."""

_LASTS = "until >= $2 AND at <= $3"


class SQLSessionStore:
    """Sessions of the page in SQL. Secrets are 256 random bits, of which a digest is stored.

    All sessions of a person hold the latest identity: ending the newest session brings no older one back.
    """

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def create(self, identity: Identity) -> str:
        """Begin a session. Return its secret. Expired sessions are deleted."""
        secret = secrets.token_urlsafe(32)
        await self._store(_digest(secret), identity)
        return secret

    async def get(self, secret: str) -> LoginSession | None:
        """Return the session of that secret, while it lasts; each call makes it last longer."""
        id_, now = _digest(secret), self._clock()
        with workspace_scope(ALL_WORKSPACES):
            query = f"SELECT body, at, until FROM web_session WHERE id = $1 AND {_LASTS}"  # noqa: S608 - our own words
            row = await self._database.read(
                lambda db: db.execute(query, (id_, now, now + SESSION_SKEW_SECONDS)).fetchone()
            )
            if row is None:
                return None
            until = _until(row[1], now)
            if abs(until - row[2]) > SESSION_UPDATE_SECONDS:
                change = "UPDATE web_session SET until = $1 WHERE id = $2"
                await self._database.write(lambda db: db.execute(change, (until, id_)))
        return _session(row[0], row[1])

    async def end(self, secret: str) -> None:
        with workspace_scope(ALL_WORKSPACES):
            await self._database.write(
                lambda db: db.execute("DELETE FROM web_session WHERE id = $1", (_digest(secret),)), durable=True
            )

    async def refresh_identity(self, identity: Identity) -> None:
        """Store a person's present identity, until no sign-in confirms it any more."""
        await self._store(_digest(f"vouched {identity.person}"), identity)

    async def latest_of(self, person: str) -> LoginSession | None:
        """Return the latest session of a person, while one lasts."""
        query = f"SELECT body, at FROM web_session WHERE person = $1 AND {_LASTS} ORDER BY at DESC LIMIT 1"  # noqa: S608
        now = self._clock()
        with workspace_scope(ALL_WORKSPACES):
            row = await self._database.read(
                lambda db: db.execute(query, (person, now, now + SESSION_SKEW_SECONDS)).fetchone()
            )
        return _session(*row) if row else None

    async def _store(self, id_: str, identity: Identity) -> None:
        """Store a session that begins now, and update the identity in the person's other sessions."""
        now, body = self._clock(), identity.model_dump_json()

        def work(db: Connection) -> None:
            delete_expired_sessions(db, now)
            db.execute("DELETE FROM web_session WHERE id = $1", (id_,))
            db.execute("UPDATE web_session SET body = $1 WHERE person = $2", (body, identity.person))
            db.execute(
                "INSERT INTO web_session (id, person, body, at, until) VALUES ($1, $2, $3, $4, $5)",
                (id_, identity.person, body, now, _until(now, now)),
            )

        with workspace_scope(ALL_WORKSPACES):
            await self._database.write(work, durable=True)


def delete_expired_sessions(db: Connection, now: float) -> int:
    """Delete expired sessions, so that no clock brings them back. Return how many."""
    db.advisory_lock(AdvisoryLock.SESSIONS)
    db.execute(
        "UPDATE web_session SET until = $1 WHERE until > $2",
        (now + SESSION_IDLE_SECONDS, now + SESSION_IDLE_SECONDS + SESSION_SKEW_SECONDS),
    )
    return db.execute("DELETE FROM web_session WHERE until < $1 OR at > $2", (now, now + SESSION_SKEW_SECONDS)).rowcount


def end_all_sessions(db: Connection) -> None:
    """End everybody's sessions."""
    db.execute("DELETE FROM web_session")


def _until(at: float, now: float) -> float:
    return min(now + SESSION_IDLE_SECONDS, at + SESSION_MAX_SECONDS)


def _session(body: str, at: float) -> LoginSession:
    return LoginSession(who=Identity.model_validate_json(body), at=datetime.fromtimestamp(at, UTC))


# --- A restored database opens nothing that was closed since its backup was made ------------------

REVOCATIONS_QUERY = "SELECT digest, revoked_at FROM api_key"
"""Each key's digest, and when it was revoked; None where it was not."""
Revocations = Mapping[object, object]
"""The result of that query on a database that may be damaged."""


class RestoredKeys(NamedTuple):
    """The keys that were valid when the backup was made."""

    revoked: list[ApiKey]
    """Keys revoked since."""
    unchecked: list[ApiKey]
    """Keys of which nobody knows whether they were revoked: they stay valid."""


def revoke_after_restore(db: Connection, since: Revocations) -> RestoredKeys:
    """End all sessions, replace the key of links, and revoke the keys that `since` lists as revoked.

    Inside the caller's transaction.
    """
    end_all_sessions(db)
    replace_link_key(db)
    digests = dict(db.execute("SELECT id, digest FROM api_key WHERE revoked_at IS NULL").fetchall())
    alive = [key for key in all_keys(db) if key.id in digests]
    revoked = [key for key in alive if since.get(digests[key.id]) is not None]
    for key in revoked:
        at = since[digests[key.id]]
        moment = at if isinstance(at, float | int) else time.time()
        db.execute("UPDATE api_key SET revoked_at = $1 WHERE id = $2", (moment, key.id))
    return RestoredKeys(revoked, [key for key in alive if digests[key.id] not in since])
