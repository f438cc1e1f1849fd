"""Files of the newest commit of a git directory, without a work tree."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path


def files(repository: Path, pattern: str) -> Iterator[str]:
    """The text of each file in whose path `pattern` is found, in the order of their paths; those that are not stored
    are left out."""
    git = ["git", f"--git-dir={repository}"]
    listed = subprocess.run([*git, "ls-tree", "-r", "-z", "HEAD"], capture_output=True, check=True).stdout.decode()
    entries = [entry.partition("\t") for entry in listed.split("\0") if entry]
    ids = [
        about.split()[2] for about, _, path in sorted(entries, key=lambda entry: entry[2]) if re.search(pattern, path)
    ]
    wanted = "".join(f"{one}\n" for one in ids).encode()
    told = subprocess.run([*git, "cat-file", "--batch"], input=wanted, capture_output=True, check=True).stdout
    start = 0
    while start < len(told):
        end = told.index(b"\n", start)
        head, start = told[start:end], end + 1
        if not head.endswith(b"missing"):
            size = int(head.split()[2])
            yield told[start : start + size].decode("utf-8", "replace")
            start += size + 1
