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
        raise Misconfigured(
            "CITEWELL_DATA", f"{folder} cannot be used: {error.strerror}", what_to_do="Name a folder you may write to."
        ) from error
    return folder


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
