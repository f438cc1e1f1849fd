"""The files of a folder and those below it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pathspec import GitIgnoreSpec

from adapters.files.reader import SUPPORTED


def walk(root: Path, without: frozenset[Path], unreadable: list[str]) -> Iterator[Path]:
    """Supported files below `root` in the order of their paths, but for hidden and ignored ones and those in `without`.

    Folders reached by a link are entered once; those that cannot be read are added to `unreadable`."""
    entered: set[tuple[int, int]] = set()

    def enter(folder: Path, rules: tuple[tuple[Path, GitIgnoreSpec], ...]) -> Iterator[Path]:
        try:
            status = folder.stat()
            entries = [(entry, entry.is_dir()) for entry in sorted(folder.iterdir()) if not entry.name.startswith(".")]
            ignore = folder / ".gitignore"
            if ignore.is_file():
                lines = ignore.read_text("utf-8", "replace").splitlines()
                rules = (*rules, (folder, GitIgnoreSpec.from_lines(lines)))
        except OSError:
            unreadable.append(folder.as_posix())
            return
        if (status.st_dev, status.st_ino) in entered:
            return
        entered.add((status.st_dev, status.st_ino))
        for entry, is_folder in entries:
            if entry in without or _ignored(entry, is_folder, rules):
                continue
            if is_folder:
                yield from enter(entry, rules)
            elif entry.is_file() and entry.suffix.lower() in SUPPORTED:
                yield entry

    yield from enter(root, ())


def _ignored(entry: Path, is_folder: bool, rules: tuple[tuple[Path, GitIgnoreSpec], ...]) -> bool:
    """The innermost `.gitignore` with an opinion decides."""
    for folder, spec in reversed(rules):
        name = entry.relative_to(folder).as_posix() + ("/" if is_folder else "")
        verdict = spec.check_file(name).include
        if verdict is not None:
            return verdict
    return False
