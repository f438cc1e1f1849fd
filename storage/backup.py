"""Backups: complete copies of the database, made while it is being used. The vector index is not backed up: it is
rebuilt from the database."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from pipeline.errors import Unavailable


def copy_database(source: sqlite3.Connection, target: Path) -> None:
    """Copy through SQLite's backup API into a temporary file, check it, fsync, rename: `target` is whole or absent."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with closing(sqlite3.connect(temporary)) as copy:
            temporary.chmod(0o600)
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            (verdict,) = copy.execute("PRAGMA quick_check").fetchone()
        if verdict != "ok":
            raise Unavailable("storage", f"the copy failed its check: {verdict}")
        _sync(temporary)
        temporary.replace(target)
        _sync(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def drop_old(folder: Path, *, keep: int, days: float) -> list[Path]:
    """Delete the backups in `folder` that are older than `days` or not among the newest `keep`; returns them."""
    backups = sorted(folder.glob("*.db"), key=lambda file: file.stat().st_mtime, reverse=True)
    oldest = time.time() - days * 86400
    dropped = [file for rank, file in enumerate(backups) if rank >= keep or file.stat().st_mtime < oldest]
    for file in dropped:
        file.unlink()
    return dropped


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
