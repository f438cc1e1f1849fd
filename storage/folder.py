"""The data folder, readable by its owner only."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from pipeline.errors import Misconfigured

DATABASE_FILE = "citewell.db"


def prepare_folder(folder: Path, *, make: bool = True, inside: str = "") -> Path:
    """Create the folder, and the folder `inside` it, if they are missing and `make` is set.

    Raises Misconfigured when it is missing or cannot be used.
    """
    try:
        if not make:
            (folder / DATABASE_FILE).stat()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / inside).mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_uid == os.getuid():
            folder.chmod(0o700)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not make:
            raise Misconfigured(
                "data folder",
                f"there is none at {folder}: nothing is indexed yet",
                what_to_do="To index a file or a folder: citewell index PATH. "
                "To use a data folder elsewhere: CITEWELL_DATA or --data.",
            ) from error
        raise _unusable(folder, _reason(folder, error)) from error
    files = (folder, *folder.glob(f"{DATABASE_FILE}*"))
    # What is gone again is SQLite's own: a process that ends takes its side files with it.
    locked = [file for file in files if not os.access(file, os.W_OK) and file.exists()]
    if locked:
        raise _unusable(folder, f"{locked[0]} may not be written by this user")
    return folder


def folder_in_use_error(folder: Path) -> Misconfigured:
    """Return the error raised while another process answers from `folder`."""
    return Misconfigured(
        "CITEWELL_DATA",
        f"another `citewell run` uses {folder}",
        what_to_do="Stop it, or give this one a folder of its own.",
    )


def _reason(folder: Path, error: OSError) -> str:
    if isinstance(error, FileExistsError | NotADirectoryError) and folder.is_file():
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


class FolderLock:
    """A lock held by at most one process; the system releases it when that process ends, however it ends."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._descriptor: int | None = None

    def acquire(self) -> bool:
        """Take the lock. Return False when another process, or another lock of this one, holds it.

        Raises Misconfigured where its file cannot be made or written.
        """
        if self._descriptor is not None:
            return True
        try:
            descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _unusable(self._file.parent, _reason(self._file, error)) from error
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
