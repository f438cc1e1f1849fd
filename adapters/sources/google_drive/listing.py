"""The list of everything below a folder, with who may read it, kept between syncs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import ValidationError

from adapters.sources.google_drive.api import FOLDER_MIME, DriveChange, DriveFile
from pipeline.values import Value

_STATE, _FILE = "state", "file/"
_EVERYONE = frozenset({"anyone", "anyoneWithLink"})


class FolderEntry(Value):
    """A file or folder, as far as it is remembered."""

    id: str
    name: str
    mime: str
    parent: str
    url: str
    stamp: str
    """Differs when the content does: the checksum, or for a Doc the time of its last change."""
    modified: str
    size: int = 0
    narrow: bool
    """True where fewer people may read it than the listed folder."""

    @property
    def version(self) -> str:
        return hashlib.sha256(self.model_dump_json(exclude={"parent", "modified"}).encode()).hexdigest()


class FolderState(Value):
    """The listed folder, and how far its changes were followed."""

    root: str
    drive: str
    """The shared drive that holds it; empty: somebody's own drive."""
    readers: frozenset[str]
    """Ids of the permissions to read it; empty where the service does not say."""
    token: str


@dataclass
class FolderListing:
    """The entries below a folder."""

    state: FolderState
    entries: dict[str, FolderEntry] = field(default_factory=dict)

    @classmethod
    def from_cache(cls, cached: Mapping[str, str], root: str) -> FolderListing | None:
        """Return the cached listing of this folder; None when there is none, or it cannot be read."""
        try:
            state = FolderState.model_validate_json(cached.get(_STATE, ""))
            entries = [FolderEntry.model_validate_json(text) for name, text in cached.items() if name.startswith(_FILE)]
        except ValidationError:
            return None
        return cls(state, {entry.id: entry for entry in entries}) if state.root == root else None

    def to_cache(self) -> dict[str, str]:
        """Return the entries that `from_cache` reads."""
        files = {_FILE + entry.id: entry.model_dump_json() for entry in self.entries.values()}
        return {_STATE: self.state.model_dump_json(), **files}

    def add(self, file: DriveFile) -> FolderEntry:
        """Add a file as the API describes it."""
        entry = _entry(file, self.state.readers)
        self.entries[entry.id] = entry
        return entry

    def apply_change(self, change: DriveChange) -> bool:
        """Apply a change; return False when only a new listing can tell what it means for the files in a folder."""
        file = None if change.removed or (change.file and change.file.trashed) else change.file
        if change.id == self.state.root:
            return file is not None and file.permissions == self.state.readers
        before = self.entries.get(change.id)
        entry = _entry(file, self.state.readers) if file else None
        if entry is not None and not self._is_folder(entry.parent):
            entry = None
        if FOLDER_MIME in {before and before.mime, entry and entry.mime} and not _is_same_place(before, entry):
            return False
        if entry is None:
            self.entries.pop(change.id, None)
        else:
            self.entries[change.id] = entry
        return True

    def files(self) -> Iterator[tuple[FolderEntry, bool]]:
        """Yield each file, and whether fewer people may read it than the folder."""
        for entry in self.entries.values():
            if entry.mime != FOLDER_MIME:
                yield entry, self._is_narrow(entry)

    def _is_folder(self, file_id: str) -> bool:
        return file_id == self.state.root or (file_id in self.entries and self.entries[file_id].mime == FOLDER_MIME)

    def _is_narrow(self, entry: FolderEntry) -> bool:
        visited: set[str] = set()
        while not entry.narrow and entry.parent != self.state.root:
            if entry.parent not in self.entries or entry.parent in visited:
                return True
            visited.add(entry.parent)
            entry = self.entries[entry.parent]
        return entry.narrow


def initial_state(root: DriveFile, token: str) -> FolderState:
    return FolderState(root=root.id, drive=root.drive, readers=root.permissions, token=token)


def _entry(file: DriveFile, readers: frozenset[str]) -> FolderEntry:
    return FolderEntry(
        id=file.id,
        name=file.name,
        mime=file.mime,
        parent=file.parents[0] if file.parents else "",
        url=file.url,
        stamp=file.checksum or file.modified,
        modified=file.modified,
        size=file.size,
        narrow=file.has_limited_access or not _is_open_to(file.permissions, readers),
    )


def _is_open_to(permissions: frozenset[str], readers: frozenset[str]) -> bool:
    """Return True where all `readers` may read a file. Missing permissions count against it."""
    return bool(permissions & _EVERYONE) or readers <= permissions


def _is_same_place(before: FolderEntry | None, after: FolderEntry | None) -> bool:
    if before is None or after is None:
        return before is after
    return (before.parent, before.narrow) == (after.parent, after.narrow)
