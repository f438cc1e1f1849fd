"""Whether the SQLite of this Python can do what is asked of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

OLDEST = (3, 38)
"""FTS5 with its vocabulary tables, JSON, UPSERT and RETURNING; the oldest that is tried is that of Debian 12."""

version = sqlite3.sqlite_version


def lacking() -> str:
    """What it lacks, in words; "" when nothing."""
    try:
        with closing(sqlite3.connect(":memory:")) as db:
            db.execute("CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'porter unicode61')")
            db.execute("CREATE VIRTUAL TABLE term USING fts5vocab (words, row)")
            db.execute("SELECT value FROM json_each('[1]')")
    except sqlite3.OperationalError as error:
        return f"it lacks what search needs ({error})"
    return "" if sqlite3.sqlite_version_info >= OLDEST else f"it is older than {'.'.join(map(str, OLDEST))}"
