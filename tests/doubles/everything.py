"""A database with rows in every table: what has to arrive when it is moved."""

from __future__ import annotations

import json

from storage.data_migration import MigrationEndpoint
from storage.database import Connection
from storage.documents.library import SQLDocumentStore
from storage.documents.revision import collection_number, stage_revision
from storage.schema.table import StoredTable
from storage.schema.tables import TABLES
from tests.doubles.samples import chunks, document, matrices

MANY = 430
"""Rows, of which several batches are made."""
BODY = json.dumps({"text": "Grüße, 日本語 and \x00"})
MESSAGE = """
    INSERT INTO message (key, space, author, conversation, state, sent_at, body, withdrawn)
    VALUES ($1, 'T1', $2, $3, $4, 1.5, $5, $6)
"""
ROWS = {
    "api_key": [("key", "digest", "{}", 1.0, None)],
    "api_reply": [("request", "digest", "null", 1.0)],
    "answer": [("a1", "U1", 0.1 + 0.2, BODY), ("a2", "U2", 2.0, BODY)],
    "asked": [("a1", "U1", 1.0, "Where is the kite?", "answered", "high", 0, "[]", "d1")],
    "channel_look": [("slack:T1:C1", "{}")],
    "handoff": [("h1", "a1", "U1", BODY, 1.0, "", "", "", None)],
    "installation": [("slack:T1", "sealed")],
    "known": [(number.to_bytes(2), 1.0) for number in range(MANY)],
    "outbox": [
        (7, "resolved:h1", "resolved", "h1", "", "", "", "open", 0, 0.0, 0, None, "", "", None),
        (8, "digest:2026-W01", "digest", None, "slack:T1:C1", "", "", "done", 1, 0.0, 0, None, "ref", "", 1.5),
        (9, "share:a1:slack:T1:C1", "share", None, "slack:T1:C1", "U1", "{}", "open", 0, 0.0, 0, None, "", "", None),
    ],
    "part": [("slack:T1:C1:1", 1.0)],
    "place": [("slack:T1:C1", "{}")],
    "preference": [("U1", '{"style": "brief"}')],
    "question": [("k1", "a1", "slack:T1:C1:1")],
    "quoting": [("d1", "a1", False)],
    "rating": [("a1", "U1", "helpful", None, "nul \x00 within", 1e-9, "contributor")],
    "said": [("slack:T1:C1", "1.1", "1.1", "slack:T1:U1", 1.0, 2.0, BODY)],
    "said_due": [("slack:T1:C1", "1.1", 7)],
    "seen": [("slack:T1:C1", "1.2")],
    "served": [("T1", 5)],
    "setting": [("last sync", "{}")],
    "silenced": [("slack:T1:C1:1", 1.0, None)],
    "source": [("folder", "default")],
    "source_look": [("folder", 1.0, "{}")],
    "source_memory": [(f"s{number % 3}", f"é{number}", "v" * number) for number in range(MANY)],
    "taken_state": [("state 1", 1.0)],
    "told": [("U1", 1.0)],
    "token_use": [("U1", "2026-01-01", 2**40)],
    "turn": [(3, "slack:T1:C1:1", "U1", 1.0, BODY)],
    "unasked": [("k1", "slack:T1:C1", 1.0)],
    "web_session": [("session", "web:ann", "{}", 1.0, 2.0)],
    "wish": [("w1", "k1", "a1", "U1", "Why?", BODY, 1.0, None, None, 0.0)],
}


async def fill(end: MigrationEndpoint) -> None:
    """Documents (one of them without vectors, one on its way in), conversations, and rows of all else."""
    database = end.engine.database
    library = SQLDocumentStore(database)
    texts = [f"Item {number} is kept in room {number % 7} beside the kite." for number in range(60)]
    for name in ("d1", "d2", "d3", "d4"):
        await library.replace_document(document(name), chunks(name, texts), matrices(len(texts), ord(name[1])), "m")
    await library.replace_document(document("plain"), chunks("plain", ["Only words."]), None, "")
    await database.write(_rows)
    await database.write(lambda db: stage_revision(db, document("staged"), collection_number(db, "default"), "", 0))


def _rows(db: Connection) -> None:
    for number in range(MANY):
        state = "open" if number % 5 == 0 else "done"
        db.execute(MESSAGE, (f"m{number}", f"U{number % 3}", f"c{number % 4}", state, BODY, number % 2 == 0))
    db.execute("INSERT INTO audit (at, actor, action, subject, allowed) VALUES (1, 'U1', 'index', 'x', $1)", (True,))
    for table, rows in ROWS.items():
        places = ", ".join(f"${number}" for number in range(1, len(rows[0]) + 1))
        db.executemany(f"INSERT INTO {table} VALUES ({places})", rows)
    db.execute("DELETE FROM message WHERE key = $1", (f"m{MANY - 1}",))


async def contents(end: MigrationEndpoint) -> dict[str, list[tuple[object, ...]]]:
    """Every table with all its rows, as the one engine or the other keeps them."""
    engine = end.engine

    def rows(db: Connection, table: StoredTable) -> list[tuple[object, ...]]:
        found = db.execute(f"SELECT {', '.join(table.column_names)} FROM {table.name}").fetchall()
        return sorted((tuple(map(engine.table_copier.stored_value, row)) for row in found), key=repr)

    def work(db: Connection) -> dict[str, list[tuple[object, ...]]]:
        return {table.name: rows(db, table) for table in TABLES}

    return await engine.database.read(work)
