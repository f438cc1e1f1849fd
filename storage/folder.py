"""The data folder: `citewell.db`, `index/`, `backups/`, readable by its owner only."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from pipeline.errors import Misconfigured


def prepare(folder: Path) -> Path:
    """Make the folder if it is missing. Raises Misconfigured when it cannot be used."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / "backups").mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_uid == os.getuid():
            folder.chmod(0o700)
    except OSError as error:
        raise _unusable(folder, _reason(folder, error)) from error
    locked = [file for file in (folder, *folder.glob("citewell.db*")) if not os.access(file, os.W_OK)]
    if locked:
        raise _unusable(folder, f"{locked[0]} may not be written by this user")
    return folder


def _reason(folder: Path, error: OSError) -> str:
    if isinstance(error, FileExistsError):
        return f"{folder} is a file"
    if isinstance(error, NotADirectoryError):
        return f"{folder} would lie inside a file"
    if isinstance(error, PermissionError):
        return f"{folder} may not be written by this user"
    if isinstance(error, FileNotFoundError):
        return f"{folder} cannot be made there"
    return f"{folder} cannot be used: {error.strerror}"


def _unusable(folder: Path, reason: str) -> Misconfigured:
    return Misconfigured(
        "data folder", reason, what_to_do="Name a folder you may write to, with CITEWELL_DATA or --data."
    )


class Lock:
    """Held by at most one process; the system lets go of it when that process ends, however it ends."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._descriptor: int | None = None

    def acquire(self) -> bool:
        """True once it is held; False when another process, or another lock of this one, holds it."""
        if self._descriptor is not None:
            return True
        descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
