"""Files and folders as a source of documents."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from pathlib import Path

from pathspec import GitIgnoreSpec

from adapters.files import jsonl
from adapters.files.outline import Content
from adapters.files.reader import JSON_LINES, SUPPORTED, Reader
from pipeline.errors import Refused, Unavailable
from pipeline.ports import SourceItem
from pipeline.values import Document, Parsed

_BATCH = 256


class FileItem(SourceItem):
    """A file, or one line of a JSON Lines file."""

    path: Path
    offset: int = 0
    size: int | None = None
    """Bytes from `offset`; None: all."""
    problem: str = ""
    """Why it cannot be taken, known before it is parsed."""


class FolderSource:
    """Every supported file under `path`, or the one file that `path` is.

    Hidden files and what `.gitignore` files exclude are left out. A document's id is `prefix` with the path
    below the folder; in JSON Lines, `prefix` with the line's `doc_id`. The default prefix is made from the
    path, so that two folders never share an id.
    """

    def __init__(self, path: Path, reader: Reader, *, prefix: str | None = None) -> None:
        self._path = path.resolve()
        self._reader = reader
        self.name = self._path.as_posix()
        self._prefix = hashlib.sha256(os.fsencode(self._path)).hexdigest()[:8] + "/" if prefix is None else prefix

    async def items(self) -> AsyncIterator[SourceItem]:
        """Raises Refused when there is no such path, Unavailable after the last item when a folder was unreadable."""
        if not self._path.exists():
            raise Refused(f"{self.name} does not exist", what_to_do="Check the path.")
        unreadable: list[str] = []
        found = self._items(unreadable)
        while batch := await asyncio.to_thread(lambda: list(islice(found, _BATCH))):
            for item in batch:
                yield item
        if unreadable:
            raise Unavailable("folder", f"could not be listed: {', '.join(unreadable)}")

    async def parse(self, item: SourceItem) -> Parsed:
        """Read one of `items()`. Raises Refused."""
        if not isinstance(item, FileItem):
            raise TypeError("not an item of this source")
        if item.problem:
            raise Refused(item.problem)
        try:
            content = await asyncio.to_thread(_read, item)
        except OSError as error:
            raise Refused(f"the file could not be read: {error.strerror}") from error
        if item.size is None:
            found = await self._reader.read(item.path.name, content)
        else:
            found = await asyncio.to_thread(lambda: jsonl.read_content(jsonl.read_line(content)))
        return Parsed(document=self._document(item, found, content), blocks=found.blocks)

    def _document(self, item: FileItem, found: Content, content: bytes) -> Document:
        return Document(
            id=item.id,
            filename=self._label(item.path),
            title=found.title or _spoken(item.path.stem),
            product=found.product,
            document_type=found.document_type,
            source=self.name,
            url=found.url,
            version=hashlib.sha256(content).hexdigest(),
            metadata=found.metadata,
        )

    def _items(self, unreadable: list[str]) -> Iterator[FileItem]:
        taken: set[str] = set()
        for path in [self._path] if self._path.is_file() else _walk(self._path, unreadable):
            if path.suffix.lower() in JSON_LINES:
                yield from self._lines(path, taken)
            else:
                yield self._file(path)

    def _file(self, path: Path) -> FileItem:
        label = self._label(path)
        version, problem = "", ""
        try:
            with path.open("rb") as file:
                version = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            problem = f"the file could not be read: {error.strerror}"
        return FileItem(id=self._prefix + label, label=label, version=version, path=path, problem=problem)

    def _lines(self, path: Path, taken: set[str]) -> Iterator[FileItem]:
        offset = 0
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield self._line(path, line, number, offset, taken)
                offset += len(line)

    def _line(self, path: Path, line: bytes, number: int, offset: int, taken: set[str]) -> FileItem:
        label = f"{self._label(path)} line {number}"
        item_id, problem = label, ""
        try:
            item_id = jsonl.read_line(line).doc_id
        except Refused as error:
            problem = str(error)
        if item_id in taken:
            item_id, problem = label, f"doc_id {item_id} is already taken by an earlier line"
        taken.add(item_id)
        return FileItem(
            id=self._prefix + item_id,
            label=label,
            version=hashlib.sha256(line).hexdigest(),
            path=path,
            offset=offset,
            size=len(line),
            problem=problem,
        )

    def _label(self, path: Path) -> str:
        return path.name if path == self._path else path.relative_to(self._path).as_posix()


def _spoken(stem: str) -> str:
    """A file's name as a title: `travel-rates` becomes `Travel rates`."""
    text = " ".join(re.split(r"[-_\s]+", stem)).strip() or stem
    return text[:1].upper() + text[1:]


def _read(item: FileItem) -> bytes:
    with item.path.open("rb") as file:
        file.seek(item.offset)
        return file.read(-1 if item.size is None else item.size)


def _walk(root: Path, unreadable: list[str]) -> Iterator[Path]:
    """Supported files below `root` in the order of their paths; folders reached by a link are entered once."""
    entered: set[tuple[int, int]] = set()

    def enter(folder: Path, rules: tuple[tuple[Path, GitIgnoreSpec], ...]) -> Iterator[Path]:
        try:
            status = folder.stat()
            entries = sorted(folder.iterdir())
        except OSError:
            unreadable.append(folder.as_posix())
            return
        if (status.st_dev, status.st_ino) in entered:
            return
        entered.add((status.st_dev, status.st_ino))
        ignore = folder / ".gitignore"
        if ignore.is_file():
            lines = ignore.read_text("utf-8", "replace").splitlines()
            rules = (*rules, (folder, GitIgnoreSpec.from_lines(lines)))
        for entry in entries:
            if entry.name.startswith(".") or _ignored(entry, rules):
                continue
            if entry.is_dir():
                yield from enter(entry, rules)
            elif entry.is_file() and entry.suffix.lower() in SUPPORTED:
                yield entry

    yield from enter(root, ())


def _ignored(entry: Path, rules: tuple[tuple[Path, GitIgnoreSpec], ...]) -> bool:
    """The innermost `.gitignore` with an opinion decides."""
    for folder, spec in reversed(rules):
        name = entry.relative_to(folder).as_posix() + ("/" if entry.is_dir() else "")
        verdict = spec.check_file(name).include
        if verdict is not None:
            return verdict
    return False
