"""The very file that a document was read from."""

from __future__ import annotations

import hashlib
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from adapters.files.kinds import JSON_LINES
from pipeline.values import Document


def has_original(document: Document) -> bool:
    """Whether it was read from a file of its own that is still there; a line of a JSON Lines file was not."""
    return _file(document) is not None


def original(document: Document) -> BinaryIO | None:
    """That file, open at its beginning; None where it holds anything else than what was read, or lies outside of what
    was indexed. All of it is read once."""
    path = _file(document)
    if path is None:
        return None
    try:
        # a pipe that was put there must not be waited for
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode) and _digest(file) == document.version:
        file.seek(0)
        return file
    file.close()
    return None


def _file(document: Document) -> Path | None:
    source = Path(document.source)
    if not source.is_absolute():
        return None
    try:
        path = (source if source.is_file() else source / document.filename).resolve(strict=True)
    except (OSError, ValueError):
        return None
    own = path.is_relative_to(source) and path.is_file() and path.suffix.lower() not in JSON_LINES
    return path if own else None


def _digest(file: BufferedReader) -> str:
    return hashlib.file_digest(file, "sha256").hexdigest()
