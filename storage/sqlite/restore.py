"""Restore a backup in place of the data folder, which is kept beside it.

A backup does not know the answers given after it was made. So that nobody is answered twice, messages sent before the
replaced database was last written count as handled, and a question that waited in the backup is searched for on its
platform before it is answered. Access closed since stays closed: sessions end, links are signed with a new key, and
keys that the replaced database knows as revoked are revoked. The vector index is not part of a backup: the next
`citewell run` fills it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from pipeline.errors import Misconfigured
from pipeline.values.api_access import ApiKey
from storage.database import Connection
from storage.folder import DATABASE_FILE, FolderLock, folder_in_use_error, prepare_folder
from storage.messages.intake import HANDLED_UNTIL
from storage.people.credentials import REVOCATIONS_QUERY, RestoredKeys, Revocations, revoke_after_restore
from storage.settings import write_setting
from storage.sqlite.backup import clear_checksum, copy_database
from storage.sqlite.connection import SQLiteConnection, immediate_transaction
from storage.sqlite.disk import translate_sqlite_errors
from storage.sqlite.migrations import migrate
from storage.sqlite.verify import BackupContents, read_contents


class RestoreResult(NamedTuple):
    contents: BackupContents
    old_folder: Path | None
    """The old folder, if there was one."""
    revoked: list[ApiKey]
    """Keys that were revoked after the backup was made, and are revoked again."""
    unchecked: list[ApiKey]
    """Valid keys of which the old folder did not tell whether they were revoked."""


async def restore_backup(file: Path, folder: Path) -> RestoreResult:
    """Make `folder` hold the contents of the backup `file`.

    Raises as `read_contents`, and Misconfigured while `citewell run` holds the folder or where it cannot be set aside;
    nothing is replaced then.
    """
    contents = await asyncio.to_thread(read_contents, file)
    folder = await asyncio.to_thread(folder.resolve)
    with ExitStack() as stack:
        if folder.is_dir():
            lock = FolderLock(folder / "run.lock")
            if not lock.acquire():
                raise folder_in_use_error(folder)
            stack.callback(lock.release)
        staged = folder.with_name(f".{folder.name}.restoring")
        shutil.rmtree(staged, ignore_errors=True)
        stack.callback(shutil.rmtree, staged, ignore_errors=True)
        keys = await asyncio.to_thread(_stage, file, staged, folder)
        return RestoreResult(contents, _swap(folder, staged), *keys)


def last_written_at(folder: Path) -> float:
    """Return when the database in `folder` was last written; now if there is none."""
    times = [file.stat().st_mtime for file in folder.glob(f"{DATABASE_FILE}*") if not file.name.endswith("-shm")]
    return max(times, default=time.time())


def _stage(file: Path, staged: Path, folder: Path) -> RestoredKeys:
    prepare_folder(staged)
    since = _revocations(folder / DATABASE_FILE)
    with translate_sqlite_errors(staged / DATABASE_FILE, into=folder):
        with closing(sqlite3.connect(file)) as source:
            copy_database(source, staged / DATABASE_FILE)
        with (
            closing(sqlite3.connect(staged / DATABASE_FILE, isolation_level=None)) as copied,
            immediate_transaction(copied),
        ):
            clear_checksum(copied)
            migrate(SQLiteConnection(copied))
            _mark_handled(SQLiteConnection(copied), last_written_at(folder))
            return revoke_after_restore(SQLiteConnection(copied), since)


def _revocations(file: Path) -> Revocations:
    """Return the revocations in the replaced database; none if it cannot be read."""
    if not file.is_file():
        return {}
    try:
        with closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)) as db:
            return dict(db.execute(REVOCATIONS_QUERY).fetchall())
    except sqlite3.Error:
        return {}


def _mark_handled(db: Connection, dealt_with_until: float) -> None:
    write_setting(db, HANDLED_UNTIL, str(dealt_with_until))
    for table in ("message", "outbox"):
        waiting = "state = 'open' AND posting_since IS NULL"
        db.execute(f"UPDATE {table} SET posting_since = $1 WHERE {waiting}", (dealt_with_until,))  # noqa: S608


def _swap(folder: Path, staged: Path) -> Path | None:
    name = time.strftime(f"{folder.name}-before-restore-%Y%m%d-%H%M%S", time.gmtime())
    old_folder = next(
        candidate
        for end in ("", *range(2, 100))
        if not (candidate := folder.with_name(f"{name}{end and f'-{end}'}")).exists()
    )
    try:
        existed = folder.exists()
        if existed:
            folder.rename(old_folder)
        try:
            staged.rename(folder)
        except OSError:
            if existed:
                old_folder.rename(folder)
            raise
    except OSError as error:
        raise Misconfigured(
            "data folder",
            f"{folder} cannot be set aside ({error.strerror})",
            what_to_do="The folder around it must be writable, and the data folder no mount point of its own: "
            "set CITEWELL_DATA to a folder inside the volume.",
        ) from error
    descriptor = os.open(folder.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return old_folder if existed else None
