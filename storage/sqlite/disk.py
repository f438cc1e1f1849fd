"""The database as a file: created completely or not at all, and the errors of a file or a disk that cannot be used."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from pipeline.errors import Unavailable
from storage.sqlite.backup import newest_backup
from storage.sqlite.connection import SQLiteConnection, immediate_transaction
from storage.sqlite.migrations import migrate

DAMAGED_CODES = ("SQLITE_NOTADB", "SQLITE_CORRUPT")
DISK_FULL_ERRNOS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
READ_ONLY_ERRNOS = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
WRITE_ERROR_CODES = ("SQLITE_FULL", "SQLITE_IOERR_SHMOPEN", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_WRITE")


def create_database(file: Path) -> None:
    """Create an empty database of this version at `file`, complete or not at all, unless another process does so
    meanwhile.

    Raises OSError and sqlite3.Error.
    """
    temporary = file.with_name(f".{file.name}.new-{os.getpid()}")
    try:
        temporary.unlink(missing_ok=True)
        temporary.touch(mode=0o600)
        with closing(sqlite3.connect(temporary, isolation_level=None)) as db, immediate_transaction(db):
            migrate(SQLiteConnection(db))
        _place(temporary, file)
    finally:
        for end in ("", "-journal"):
            temporary.with_name(f"{temporary.name}{end}").unlink(missing_ok=True)


def _place(temporary: Path, file: Path) -> None:
    try:
        os.link(temporary, file)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        if not file.exists():
            temporary.rename(file)


@contextmanager
def translate_sqlite_errors(file: Path, into: Path | None = None) -> Iterator[None]:
    """Raise SQLite's errors as Unavailable; broken constraints and wrong SQL are bugs and stay what they are.

    `into`: the file that is written, if it is another one.
    """
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise
    except (sqlite3.DatabaseError, OSError) as error:
        name, number = getattr(error, "sqlite_errorname", type(error).__name__), getattr(error, "errno", None)
        if name in WRITE_ERROR_CODES or number in DISK_FULL_ERRNOS:
            raise Unavailable(
                "storage",
                f"{into or file} cannot be written ({name}): the disk is full, or a quota or limit is reached",
                what_to_do="Free some space there, or name another place."
                if into
                else f"Free some space there, or move the folder {file.parent} to a larger disk.",
            ) from error
        if name.startswith("SQLITE_READONLY") or number in READ_ONLY_ERRNOS:
            raise Unavailable(
                "storage",
                f"{into or file} cannot be written ({name}): the disk is read-only, or this user may not write there",
                what_to_do="Make it writable for this user, or name another place.",
            ) from error
        if name.startswith(DAMAGED_CODES):
            raise damaged_database_error(file, f"is damaged ({name}: {error})") from error
        raise Unavailable("storage", f"{file}: {name}: {error}") from error


def damaged_database_error(file: Path, how: str) -> Unavailable:
    """Return the error raised for a database that cannot be used."""
    backup = newest_backup(file.parent / "backups")
    return Unavailable(
        "storage",
        f"{file} {how}",
        what_to_do=f"Stop what uses it, then: citewell restore {backup}"
        if backup
        else f"There is no backup of it in {file.parent / 'backups'}. Move {file.name}* away, and index again.",
    )
