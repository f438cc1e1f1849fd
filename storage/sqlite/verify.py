"""Whether a file is a whole backup of Citewell, and what it holds. Nothing is written to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from pipeline.errors import Refused
from storage.sqlite.backup import whole
from storage.sqlite.connection import SQLiteConnection
from storage.sqlite.migrations import applied, outdated
from storage.sqlite.shape import strange

ANOTHER = "Take another backup: those that Citewell makes are in the folder `backups` of the data folder."


@dataclass(frozen=True)
class Contents:
    """What a backup holds: live documents, their passages, answers, and questions that still waited."""

    documents: int
    passages: int
    answers: int
    waiting: int


def contents(file: Path) -> Contents:
    """Read all of `file`, and count.

    Raises Refused when it is missing, damaged, changed by somebody else, or no database of Citewell, and Misconfigured
    when a newer Citewell wrote it."""
    if not file.is_file():
        raise Refused(f"there is no file {file}", what_to_do=ANOTHER)
    if not file.stat().st_size:
        raise Refused(f"{file} is empty (0 bytes)", what_to_do=ANOTHER)
    try:
        with closing(sqlite3.connect(f"file:{quote(str(file.absolute()))}?mode=ro", uri=True)) as db:
            return _contents(db, file)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise Refused(f"{file} is damaged or no backup ({error})", what_to_do=ANOTHER) from error


def _contents(db: sqlite3.Connection, file: Path) -> Contents:
    ours = SQLiteConnection(db)
    if not applied(ours):
        raise Refused(f"{file} is no backup of Citewell", what_to_do=ANOTHER)
    outdated(ours)
    if not whole(file):
        raise Refused(f"{file} is damaged (it is not what was written)", what_to_do=ANOTHER)
    if name := strange(db):
        raise Refused(f"{file} was changed ({name!r} is not as Citewell makes it)", what_to_do=ANOTHER)
    (verdict,) = db.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise Refused(f"{file} is damaged ({verdict})", what_to_do=ANOTHER)
    db.execute("SELECT count(*) FROM term").fetchone()  # reads all of the lexical index, which the check leaves out
    passages, indexed = _count(db, "chunk"), _count(db, "words_docsize")
    if passages != indexed:
        raise Refused(f"{file} is damaged ({passages} passages, {indexed} of them indexed)", what_to_do=ANOTHER)
    return Contents(
        documents=_count(db, "revision WHERE state = 'live'"),
        passages=passages,
        answers=_count(db, "answer"),
        waiting=_count(db, "message WHERE state = 'open'"),
    )


def _count(db: sqlite3.Connection, what: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {what}").fetchone()[0])  # noqa: S608 - our own table names
