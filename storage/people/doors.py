"""What a restored database opens: nothing that was closed since its backup was made."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import NamedTuple

from pipeline.values.keys import Key
from storage.database import Connection
from storage.links import renew_link_key
from storage.people.keys import all_keys
from storage.people.sessions import end_sessions

REVOCATIONS = "SELECT digest, revoked_at FROM api_key"
"""Of each key of a database: the digest of its secret, and when it was revoked, None where it was not."""
Revocations = Mapping[object, object]
"""As a database that may be damaged says it."""


class Doors(NamedTuple):
    """What became of the keys that opened something when the backup was made."""

    revoked: list[Key]
    """Those that were revoked since."""
    unchecked: list[Key]
    """Those of which nobody knows whether they were: they open."""


def close_doors(db: Connection, since: Revocations) -> Doors:
    """End all sessions, sign links with a new key, and revoke the keys of which `since` says so.

    Inside the caller's transaction."""
    end_sessions(db)
    renew_link_key(db)
    digests = dict(db.execute("SELECT id, digest FROM api_key WHERE revoked_at IS NULL").fetchall())
    alive = [key for key in all_keys(db) if key.id in digests]
    revoked = [key for key in alive if since.get(digests[key.id]) is not None]
    for key in revoked:
        at = since[digests[key.id]]
        moment = at if isinstance(at, float | int) else time.time()
        db.execute("UPDATE api_key SET revoked_at = $1 WHERE id = $2", (moment, key.id))
    return Doors(revoked, [key for key in alive if digests[key.id] not in since])
