"""The key that links to passages are signed with: one for all processes, made when it is first asked for."""

from __future__ import annotations

import secrets

from storage.database import Connection, Database
from storage.settings import set_to, setting

_NAME = "links: key"
_MAKE = "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING"


async def link_key(database: Database) -> str:
    """The key that is in force."""

    def made(db: Connection) -> str | None:
        db.execute(_MAKE, (_NAME, secrets.token_urlsafe(32)))
        return setting(db, _NAME)

    return await database.read(lambda db: setting(db, _NAME)) or await database.write(made) or ""


async def rotate_link_key(database: Database) -> None:
    """Put a new key in force: no link that was signed before opens anything any more."""
    await database.write(renew_link_key)


def renew_link_key(db: Connection) -> None:
    """The same, inside the caller's transaction."""
    set_to(db, _NAME, secrets.token_urlsafe(32))
