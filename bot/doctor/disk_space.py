"""The check of the disk that the data folder is on."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from pipeline.values import Finding
from pipeline.values.diagnostics import error_finding, warning_finding
from storage.folder import DATABASE_FILE

MIN_FREE_BYTES = 50_000_000
"""Bytes below which writing fails sooner or later."""
RECOMMENDED_FREE_BYTES = 1 << 30
"""Free bytes that a database, its write-ahead log and a backup of it should have beside their present size."""


def diagnose_disk_space(folder: Path) -> list[Finding]:
    """Return a finding when the disk has too little room; nothing when it has enough."""
    existing = next(place for place in (folder.absolute(), *folder.absolute().parents) if path_exists(place))
    free, database = shutil.disk_usage(existing).free, folder / DATABASE_FILE
    needed = RECOMMENDED_FREE_BYTES + 2 * (database.stat().st_size if path_exists(database) else 0)
    text = f"{free / 1e9:.1f} GB are free at {existing}"
    if free < MIN_FREE_BYTES:
        return [error_finding("disk", f"it is full: {text}", f"Free some space, or move {folder} to a larger disk.")]
    if free < needed:
        return [
            warning_finding("disk", text, f"Make room for {needed / 1e9:.1f} GB: the database, its log and a backup.")
        ]
    return []


def path_exists(path: Path) -> bool:
    """Return True if there is a file or folder; False also where a folder may not be read."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises there
