"""Numbers and moments of the installation, by name. Inside the caller's transaction."""

from __future__ import annotations

from storage.database import Connection, scalar
from storage.schema.tables import keep

_KEEP = keep("setting")


def setting(db: Connection, name: str) -> str | None:
    """None where it was never set."""
    value: str | None = scalar(db, "SELECT value FROM setting WHERE name = $1", (name,))
    return value


def set_to(db: Connection, name: str, value: str) -> None:
    """In the place of what it was."""
    db.execute(_KEEP, (name, value))
