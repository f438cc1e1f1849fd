"""The walk over a folder and those below it."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pathspec import GitIgnoreSpec

from adapters.files.pandoc import supported_suffixes

_GENERATED_FOLDERS = frozenset(
    """node_modules bower_components jspm_packages site-packages __pycache__ vendor venv virtualenv build dist _build
    _site""".split()
)
"""Folders that hold what programs fetched or made."""
_LOCK_FILES = frozenset("package-lock.json npm-shrinkwrap.json pnpm-lock.yaml".split())
"""Files that programs wrote for themselves."""
_MARKER_FILES = ("pyvenv.cfg", "CACHEDIR.TAG")
"""Files by which programs mark virtual environments and caches, whatever the folder's name."""
_MAX_RULES_BYTES = 1_000_000
_MAX_STARS, _MAX_DOUBLE_STARS = 4, 2
"""Stars in one line of a `.gitignore`: with each more, a file can be named so that matching takes 60 times as long.
With four it takes 0.3 s at worst, with eight hours, and meanwhile nothing else runs."""
_STAR = re.compile(r"\*+")

IgnoreRules = tuple[tuple[Path, GitIgnoreSpec], ...]
"""Folders and the rules of their `.gitignore`, the outermost first."""


@dataclass(frozen=True)
class SkippedFiles:
    """Paths that a walk skipped, by the reason."""

    unreadable: list[Path] = field(default_factory=list)
    unsupported: list[Path] = field(default_factory=list)
    """Files of unsupported formats."""
    outside: list[Path] = field(default_factory=list)
    """Links to files and folders that are not below the root."""
    foreign: list[Path] = field(default_factory=list)
    """Folders that hold what programs fetched or made, and minified files."""
    empty: list[Path] = field(default_factory=list)
    """Files without content."""


def walk_files(root: Path, without: frozenset[Path], skipped: SkippedFiles) -> Iterator[Path]:
    """Yield supported files below `root` in the order of their paths, except hidden and ignored ones and those in
    `without`. Fetched, built and minified ones are left out too, unless `root` itself is such a folder or lies in one.
    `root` is absolute, without links. In a repository the `.gitignore` files above it count too, except for rules that
    exclude `root` itself: an operator who names it wants it. Folders reached by a link are entered once. Links that
    lead out of `root` are not followed: anybody who can write into it could otherwise have any file of this machine
    read."""
    entered: set[tuple[int, int]] = set()
    suffixes = frozenset(supported_suffixes())

    def enter(folder: Path, rules: IgnoreRules) -> Iterator[Path]:
        try:
            status = folder.stat()
            entries = [(entry, entry.is_dir()) for entry in sorted(folder.iterdir()) if not entry.name.startswith(".")]
            rules += _read_rules(folder)
        except OSError as error:
            skipped.unreadable.append(Path(error.filename or folder))
            return
        if (status.st_dev, status.st_ino) in entered:
            return
        if folder != root and any(entry.name in _MARKER_FILES for entry, _ in entries):
            skipped.foreign.append(folder)
            return
        entered.add((status.st_dev, status.st_ino))
        for entry, is_folder in entries:
            if entry in without or _is_ignored(entry, is_folder, rules):
                continue
            if not is_folder and not entry.is_file():
                continue
            if not is_folder and entry.suffix.lower() not in suffixes:
                skipped.unsupported.append(entry)
            elif entry.is_symlink() and not entry.resolve().is_relative_to(root):
                skipped.outside.append(entry)
            elif entry.name.lower() in _GENERATED_FOLDERS if is_folder else _is_generated(entry.name.lower()):
                skipped.foreign.append(entry)
            elif is_folder:
                yield from enter(entry, rules)
            else:
                yield entry

    try:
        above = _rules_above(root)
    except OSError as error:
        skipped.unreadable.append(Path(error.filename))
    else:
        yield from enter(root, above)


def _is_generated(name: str) -> bool:
    """Return True for the name of a file that a program wrote for programs."""
    return ".min." in name or name in _LOCK_FILES


def _read_rules(folder: Path) -> IgnoreRules:
    """Return the rules of a folder's `.gitignore`; git follows no link. Raise OSError for one that cannot be read or
    would take too long to match."""
    ignore = folder / ".gitignore"
    if not ignore.is_file() or ignore.is_symlink():
        return ()
    large = ignore.stat().st_size > _MAX_RULES_BYTES
    lines = [] if large else ignore.read_text("utf-8", "replace").splitlines()
    if large or any(len(_STAR.findall(line)) > _MAX_STARS or line.count("**") > _MAX_DOUBLE_STARS for line in lines):
        raise OSError(errno.EFBIG, "too much to match", str(ignore))
    return ((folder, GitIgnoreSpec.from_lines(lines)),)


def _rules_above(root: Path) -> IgnoreRules:
    """Return the rules of the folders above `root`, up to the one that holds its repository."""
    repository = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    rules: IgnoreRules = ()
    for folder in reversed(root.parents):
        if folder.is_relative_to(repository):
            rules += _read_rules(folder)
    if not _is_ignored(root, True, rules):
        return rules
    return tuple((folder, _drop_matching(spec, root.relative_to(folder).as_posix() + "/")) for folder, spec in rules)


def _drop_matching(spec: GitIgnoreSpec, name: str) -> GitIgnoreSpec:
    return GitIgnoreSpec([pattern for pattern in spec.patterns if not pattern.match_file(name)])


def _is_ignored(entry: Path, is_folder: bool, rules: IgnoreRules) -> bool:
    """Return True for an ignored entry. The innermost `.gitignore` that matches decides."""
    for folder, spec in reversed(rules):
        name = entry.relative_to(folder).as_posix() + ("/" if is_folder else "")
        verdict = spec.check_file(name).include
        if verdict is not None:
            return verdict
    return False
