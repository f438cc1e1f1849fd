"""Backups: complete copies of the database, made while it is being used.

The vector index is not backed up: it is rebuilt from the database.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
import zlib
from contextlib import closing
from pathlib import Path

from pipeline.errors import Refused, Unavailable

MAGIC = b"SQLite format 3\0"
CHECKSUM_BYTES = slice(60, 64)
"""The four bytes of a file that SQLite leaves to its user: a backup's checksum, 0 if it has none."""
READ_BYTES = 1 << 20
"""Bytes read at a time; a file's first piece holds CHECKSUM_BYTES."""


def copy_database(source: sqlite3.Connection, target: Path) -> None:
    """Copy through SQLite's backup API into a temporary file, check it, fsync, rename: `target` is complete or absent.

    Starts over when the temporary file was deleted meanwhile: see `delete_partial_backups`.
    """
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    while not _copy_once(source, target):
        pass


def _copy_once(source: sqlite3.Connection, target: Path) -> bool:
    """Copy once. Return False when the temporary file was deleted before it could be renamed."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}")
    _unlink(temporary)
    temporary.touch(mode=0o600)
    try:
        with closing(sqlite3.connect(temporary)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            (verdict,) = copy.execute("PRAGMA quick_check").fetchone()
        if verdict != "ok":
            raise Unavailable("storage", f"the copy failed its check: {verdict}")
        write_checksum(temporary)
        _sync(temporary)
        temporary.replace(target)
    except (OSError, sqlite3.Error):
        if temporary.exists():
            raise
        return False
    finally:
        _unlink(temporary)
    _sync(target.parent)
    return True


def write_checksum(file: Path) -> None:
    """Write a backup's checksum into it. Nobody may have it open."""
    checksum = _checksum(file)
    with file.open("r+b") as opened:
        opened.seek(CHECKSUM_BYTES.start)
        opened.write(checksum)


def clear_checksum(db: sqlite3.Connection) -> None:
    """Remove a backup's checksum, so that it may be changed."""
    db.execute("PRAGMA user_version = 0")


def is_intact(file: Path) -> bool:
    """Return True if every byte of a backup is as it was written, or it has no checksum."""
    with file.open("rb") as read:
        stored = read.read(CHECKSUM_BYTES.stop)[CHECKSUM_BYTES]
    return stored in (bytes(4), _checksum(file))


def _checksum(file: Path) -> bytes:
    checksum = 0
    with file.open("rb") as read:
        first = bytearray(read.read(READ_BYTES))
        first[CHECKSUM_BYTES] = bytes(4)
        piece: bytes = bytes(first)
        while piece:
            checksum = zlib.crc32(piece, checksum)
            piece = read.read(READ_BYTES)
    return (checksum or 1).to_bytes(4, "big")  # 0 stands for a backup without a checksum


def backup_path(target: Path, database: Path) -> Path:
    """Return the path for a copy of `database`: `target`, or a new file in it if that is a folder.

    Raises Refused where something other than a copy would be overwritten.
    """
    if target.is_dir():
        return target / time.strftime("citewell-%Y%m%d-%H%M%S.db", time.gmtime())
    if target.exists():
        with target.open("rb") as file:
            copy = target.is_file() and file.read(len(MAGIC)) == MAGIC
        if not copy or target.samefile(database):
            raise Refused(f"{target} is no backup, and is not overwritten", what_to_do="Name a file that is not there.")
    return target


def newest_backup(folder: Path) -> Path | None:
    """Return the latest backup in `folder`."""
    return max(folder.glob("*.db"), key=lambda file: file.stat().st_mtime, default=None)


def delete_old_backups(folder: Path, *, keep: int, days: float) -> list[Path]:
    """Delete the backups in `folder` that are older than `days` or not among the newest `keep`, and return them.

    Unfinished copies are deleted too.
    """
    delete_partial_backups(folder)
    backups = sorted(folder.glob("*.db"), key=lambda file: file.stat().st_mtime, reverse=True)
    oldest = time.time() - days * 86400
    dropped = [file for rank, file in enumerate(backups) if rank >= keep or file.stat().st_mtime < oldest]
    for file in dropped:
        _unlink(file)
    return dropped


def delete_partial_backups(folder: Path) -> None:
    """Delete unfinished copies, left by processes that died; one under way starts over.

    Data erased from the database and then from each backup in `folder` is therefore in no backup that appears later.
    """
    for file in folder.glob(".*.db.*"):
        file.unlink(missing_ok=True)


def _unlink(file: Path) -> None:
    """Delete a database, and files that an interrupted transaction left beside it."""
    for end in ("", "-journal", "-wal", "-shm"):
        file.with_name(f"{file.name}{end}").unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
