"""What is in the drive: files, folders, shared drives, who may read them, and the log of changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import md5
from typing import Any

Json = dict[str, Any]
GOOGLE = "application/vnd.google-apps."
FOLDER, DOC, SHEET, SLIDES = GOOGLE + "folder", GOOGLE + "document", GOOGLE + "spreadsheet", GOOGLE + "presentation"
EXPORTS = {
    DOC: ("text/markdown", "text/plain", "text/html", "application/pdf"),
    SHEET: ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "text/csv", "application/pdf"),
    SLIDES: (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "text/plain",
        "application/pdf",
    ),
}
_EDITORS = {DOC: "document", SHEET: "spreadsheets", SLIDES: "presentation"}


@dataclass
class File:
    id: str
    name: str
    mime: str
    parent: str = ""
    drive: str = ""
    content: dict[str, bytes] = field(default_factory=dict)
    """By the type it is exported as; under "" what was uploaded."""
    granted: set[str] = field(default_factory=set)
    """Permission ids on the file itself."""
    limited: bool = False
    """Inherited permissions are disabled."""
    withheld: set[str] = field(default_factory=set)
    """Inherited permissions that were removed from it, as My Drive allowed before limited access."""
    trashed: bool = False
    modified: datetime = datetime(2026, 1, 1, tzinfo=UTC)


class Drive:
    """Everything that the service account may see. `root` is a folder shared with it, `shared` a shared drive."""

    def __init__(self) -> None:
        self.files: dict[str, File] = {}
        self.log: list[str] = []
        """File ids in the order of their changes."""
        self._now = datetime(2026, 1, 1, tzinfo=UTC)
        self.root = self.add("root-folder", "Handbook", FOLDER, granted={"owner", "team"})
        self.shared = self.add("0Ashared", "Team drive", FOLDER, drive="0Ashared", granted={"team"})

    def add(self, file_id: str, name: str, mime: str, **more: Any) -> File:
        parent = self.files.get(more.get("parent", ""))
        found = File(id=file_id, name=name, mime=mime, **{"drive": parent.drive if parent else "", **more})
        self.files[file_id] = found
        self.touch(found)
        return found

    def touch(self, file: File) -> None:
        """It was changed now."""
        self._now += timedelta(seconds=1)
        file.modified = self._now
        self.log.append(file.id)

    def change(self, file_id: str, **to: Any) -> None:
        file = self.files[file_id]
        for name, value in to.items():
            setattr(file, name, value)
        self.touch(file)

    def delete(self, file_id: str) -> None:
        """For good; what is in a folder goes with it, without a word in the log."""
        del self.files[file_id]
        self.log.append(file_id)
        for child in [file.id for file in self.files.values() if file.parent == file_id]:
            del self.files[child]

    def in_trash(self, file: File) -> bool:
        parent = self.files.get(file.parent)
        return file.trashed or (parent is not None and self.in_trash(parent))

    def readers(self, file: File) -> set[str]:
        parent = self.files.get(file.parent)
        inherited = self.readers(parent) if parent and not file.limited else set()
        return file.granted | (inherited - file.withheld)

    def resource(self, file: File, base: str) -> Json:
        """The file as the API describes it, all fields that are used of it."""
        editor = _EDITORS.get(file.mime)
        path = f"{editor}/d/{file.id}/edit" if editor else f"file/d/{file.id}/view"
        if file.mime == FOLDER:
            path = f"drive/folders/{file.id}"
        found: Json = {
            "kind": "drive#file",
            "id": file.id,
            "name": file.name,
            "mimeType": file.mime,
            "trashed": self.in_trash(file),
            "webViewLink": f"{base}/{path}?usp=drivesdk",
            "modifiedTime": file.modified.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "permissionIds": sorted(self.readers(file)),
            "inheritedPermissionsDisabled": file.limited,
        }
        if file.parent:
            found["parents"] = [file.parent]
        if file.drive:
            found["driveId"] = file.drive
        if "" in file.content:
            found |= {"size": str(len(file.content[""])), "md5Checksum": md5(file.content[""]).hexdigest()}
        return found
