"""Files and folders as a source of documents."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from adapters.files.content import ParsedFile
from adapters.files.formats import JSON_LINES
from adapters.files.reader import MAX_BINARY_BYTES, MAX_TEXT_BYTES, FileReader, check_size, max_file_size
from adapters.files.text import jsonl
from adapters.sources.folder.file_links import add_fragments, file_url, resolve_file_links
from adapters.sources.folder.walk import SkippedFiles, walk_files
from pipeline.errors import Refused, Unavailable
from pipeline.ports import SourceItem
from pipeline.values import Document, ParsedDocument

_BATCH_FILES = 256
_BLANK_BYTES = 1024
"""Bytes: a file of at most this much white space counts as empty."""
_REASONS = {
    "unsupported": "because of the format",
    "outside": "leading out of the folder",
    "foreign": "as fetched, built or minified",
    "empty": "being empty",
}


class FileItem(SourceItem):
    """A file, or one line of a JSON Lines file."""

    path: Path
    offset: int = 0
    size: int | None = None
    """Bytes from `offset`; None: all."""
    problem: str = ""
    """Why it cannot be taken, known before it is parsed."""


class FolderSource:
    """Every supported file under `path`, or the one file that `path` is. Hidden files, files excluded by `.gitignore`,
    links that lead out of it and `without` are left out. A document's id is made from the folder its file is in and the
    file's name, in JSON Lines from the file and the line's `doc_id`: it stays the same whether the file was named, its
    folder or one above. With `prefix`, it is the prefix and the path below the folder, or the `doc_id`. With
    `base_url`, documents without an address of their own have that of their file."""

    def __init__(
        self,
        path: Path,
        reader: FileReader,
        *,
        prefix: str | None = None,
        without: frozenset[Path] = frozenset(),
        base_url: str = "",
    ) -> None:
        self._path = path.resolve()
        self._reader = reader
        self.name = self._path.as_posix()
        self._prefix = prefix
        self._without = without
        self._base_url = base_url
        self._skipped = SkippedFiles()

    @property
    def skipped_by_reason(self) -> dict[str, tuple[str, ...]]:
        """Labels that `list_items()` skipped, by the reasons that are fields of `SkippedFiles`."""
        return {reason: tuple(map(self._label, getattr(self._skipped, reason))) for reason in _REASONS}

    @property
    def skipped(self) -> dict[str, str]:
        """The skipped labels, each with its reason."""
        return {label: _REASONS[reason] for reason, labels in self.skipped_by_reason.items() for label in labels}

    async def list_items(self) -> AsyncIterator[SourceItem]:
        """Yield the files. Raise Refused when the path does not exist, Unavailable after the last item when some could
        not be read."""
        try:
            exists = self._path.exists()
        except PermissionError as error:
            raise Unavailable("folder", f"could not be read: {self.name}", denied=True) from error
        if not exists:
            raise Refused(f"{self.name} does not exist", what_to_do="Check the path.")
        self._skipped = SkippedFiles()
        items = self._items(self._skipped)
        while batch := await asyncio.to_thread(lambda: list(islice(items, _BATCH_FILES))):
            for item in batch:
                yield item
        if unreadable := self._skipped.unreadable:
            message = f"could not be read: {', '.join(path.as_posix() for path in unreadable)}"
            denied = self._path in unreadable and not os.access(self._path, os.R_OK | os.X_OK)
            raise Unavailable("folder", message, denied=denied)

    async def parse_item(self, item: SourceItem) -> ParsedDocument:
        """Read an item of `list_items()`. Raises Refused."""
        if not isinstance(item, FileItem):
            raise TypeError("not an item of this source")
        if item.problem:
            raise Refused(item.problem)
        try:
            content = await asyncio.to_thread(_read_item, item)
        except OSError as error:
            raise Refused(f"the file could not be read: {error.strerror}") from error
        if item.size is None:
            parsed = await self._reader.read(item.path.name, content)
        else:
            parsed = await self._reader.read_json_line(content)
        document = self._document(item, parsed)
        if not document.url:
            return ParsedDocument(document=document, blocks=parsed.blocks)
        blocks = await asyncio.to_thread(add_fragments, parsed.blocks, item.path.name, content)
        if self._base_url and not parsed.url:
            blocks = await asyncio.to_thread(resolve_file_links, blocks, document.filename, self._base_url)
        return ParsedDocument(document=document, blocks=blocks)

    def _document(self, item: FileItem, parsed: ParsedFile) -> Document:
        return Document(
            id=item.id,
            filename=self._label(item.path),
            title=parsed.title or _title_from_name(item.path.stem),
            product=parsed.product,
            document_type=parsed.document_type,
            source=self.name,
            url=parsed.url or (file_url(self._base_url, self._label(item.path)) if self._base_url else ""),
            version=item.version,
            metadata=parsed.metadata,
            unread=parsed.unread,
        )

    def _items(self, skipped: SkippedFiles) -> Iterator[FileItem]:
        taken_ids: set[str] = set()
        for path in [self._path] if self._path.is_file() else walk_files(self._path, self._without, skipped):
            if path.suffix.lower() in JSON_LINES:
                try:
                    yield from self._lines(path, taken_ids)
                except OSError:
                    skipped.unreadable.append(path)
            elif item := self._file(path):
                yield item
            else:
                skipped.empty.append(path)

    def _file(self, path: Path) -> FileItem | None:
        """Return the item of a file; None for an empty one."""
        label = self._label(path)
        version, problem, length = "", "", 0
        try:
            with path.open("rb") as file:
                if not file.read(_BLANK_BYTES).strip() and not file.read(1):
                    return None
                file.seek(0)
                length = os.fstat(file.fileno()).st_size
                version = self._version(hashlib.file_digest(file, "sha256").hexdigest())
        except OSError as error:
            problem = f"the file could not be read: {error.strerror}"
        return FileItem(
            id=self._id(path, path.name), label=label, version=version, length=length, path=path, problem=problem
        )

    def _lines(self, path: Path, taken_ids: set[str]) -> Iterator[FileItem]:
        offset = 0
        with path.open("rb") as file:
            for number, (line, size) in enumerate(_lines(file), 1):
                if line.strip():
                    yield self._line(path, line, number, offset, size, taken_ids)
                offset += size

    def _line(self, path: Path, line: bytes, number: int, offset: int, size: int, taken_ids: set[str]) -> FileItem:
        label = f"{self._label(path)} line {number}"
        line_id = item_id = self._id(path, f"{path.name} line {number}")
        problem = ""
        try:
            check_size(size, MAX_TEXT_BYTES)
            doc_id = jsonl.parse_json_line(line).doc_id
        except Refused as error:
            problem = str(error)
        else:
            item_id = (_short_hash(path) if self._prefix is None else self._prefix) + doc_id
            if item_id in taken_ids:
                item_id, problem = line_id, f"doc_id {doc_id} is already taken by an earlier line"
        taken_ids.add(item_id)
        return FileItem(
            id=item_id,
            label=label,
            version=self._version(hashlib.sha256(line).hexdigest()),
            length=size,
            path=path,
            offset=offset,
            size=size,
            problem=problem,
        )

    def _version(self, digest: str) -> str:
        """Return the version, which also changes with the file's address."""
        return hashlib.sha256(f"{digest} {self._base_url}".encode()).hexdigest() if self._base_url else digest

    def _id(self, path: Path, name: str) -> str:
        if self._prefix is None:
            return _short_hash(path.parent) + name
        return self._prefix + self._label(path).removesuffix(path.name) + name

    def _label(self, path: Path) -> str:
        return path.name if path == self._path else path.relative_to(self._path).as_posix()


def _short_hash(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:8] + "/"


def _title_from_name(stem: str) -> str:
    """Return a file's name as a title: `travel-rates` becomes `Travel rates`."""
    text = " ".join(re.split(r"[-_\s]+", stem)).strip() or stem
    return text[:1].upper() + text[1:]


def _lines(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield each line and its length; of a line that is too large only the beginning."""
    while line := file.readline(MAX_TEXT_BYTES + 1):
        size, rest = len(line), line
        while not rest.endswith(b"\n") and (rest := file.readline(MAX_TEXT_BYTES)):
            size += len(rest)
        yield line, size


def _read_item(item: FileItem) -> bytes:
    """Return the bytes of an item. Raise Refused for a file that is too large, before more than its beginning is
    read."""
    with item.path.open("rb") as file:
        file.seek(item.offset)
        if item.size is not None:
            return file.read(item.size)
        start = file.read(8)
        check_size(os.fstat(file.fileno()).st_size, max_file_size(item.path.name, start))
        return start + file.read(MAX_BINARY_BYTES)
