"""A backup takes the place of the data folder, which is kept beside it.

What a backup does not know is what was answered after it was made. So that nobody is answered twice, what was sent
before the replaced database was last written counts as dealt with, and a question that waited in the backup is looked
up before it is answered. The vector index is not part of a backup: the next `citewell run` fills it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import time
from contextlib import ExitStack, closing
from pathlib import Path

from pipeline.errors import Misconfigured
from storage.database import Connection
from storage.folder import DATABASE, Lock, in_use, prepare
from storage.messages.intake import DEALT_WITH_UNTIL
from storage.settings import set_to
from storage.sqlite.backup import copy_database, unseal
from storage.sqlite.connection import SQLiteConnection, immediate
from storage.sqlite.disk import translated
from storage.sqlite.migrations import migrate
from storage.sqlite.verify import Contents, contents


async def restore(file: Path, folder: Path) -> tuple[Contents, Path | None]:
    """Make `folder` what `file` holds; returns what that is, and where the old folder is kept, if there was one.

    Raises as `contents`, and Misconfigured while `citewell run` holds the folder or where it cannot be set aside;
    nothing is replaced then."""
    held = await asyncio.to_thread(contents, file)
    folder = await asyncio.to_thread(folder.resolve)
    with ExitStack() as stack:
        if folder.is_dir():
            lock = Lock(folder / "run.lock")
            if not lock.acquire():
                raise in_use(folder)
            stack.callback(lock.release)
        staged = folder.with_name(f".{folder.name}.restoring")
        shutil.rmtree(staged, ignore_errors=True)
        stack.callback(shutil.rmtree, staged, ignore_errors=True)
        await asyncio.to_thread(_stage, file, staged, folder)
        return held, _exchange(folder, staged)


def last_written(folder: Path) -> float:
    """When the database in `folder` was last written; now where there is none."""
    times = [file.stat().st_mtime for file in folder.glob(f"{DATABASE}*") if not file.name.endswith("-shm")]
    return max(times, default=time.time())


def _stage(file: Path, staged: Path, folder: Path) -> None:
    prepare(staged)
    with translated(staged / DATABASE, into=folder):
        with closing(sqlite3.connect(file)) as source:
            copy_database(source, staged / DATABASE)
        with closing(sqlite3.connect(staged / DATABASE, isolation_level=None)) as copied, immediate(copied):
            unseal(copied)
            migrate(SQLiteConnection(copied))
            _settle(SQLiteConnection(copied), last_written(folder))


def _settle(db: Connection, dealt_with_until: float) -> None:
    set_to(db, DEALT_WITH_UNTIL, str(dealt_with_until))
    for table in ("message", "outbox"):
        waiting = "state = 'open' AND posting_since IS NULL"
        db.execute(f"UPDATE {table} SET posting_since = $1 WHERE {waiting}", (dealt_with_until,))  # noqa: S608


def _exchange(folder: Path, staged: Path) -> Path | None:
    name = time.strftime(f"{folder.name}-before-restore-%Y%m%d-%H%M%S", time.gmtime())
    kept = next(
        one for end in ("", *range(2, 100)) if not (one := folder.with_name(f"{name}{end and f'-{end}'}")).exists()
    )
    try:
        there = folder.exists()
        if there:
            folder.rename(kept)
        try:
            staged.rename(folder)
        except OSError:
            if there:
                kept.rename(folder)
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
    return kept if there else None
