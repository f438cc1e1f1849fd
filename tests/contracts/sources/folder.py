"""A folder, with people who read its files elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar, Self
from urllib.parse import unquote, urlsplit

from adapters.files.reader import FileReader
from adapters.sources.folder.source import FolderSource
from pipeline.ports import DocumentSource, SourceCache
from tests.contracts.sources.remote import Remote
from tests.doubles.outage import Outage


class FolderRemote(Remote):
    lacks: ClassVar[frozenset[str]] = frozenset({"service", "throttling", "rights", "token", "api"})

    def __init__(self, folder: Path) -> None:
        super().__init__(Outage())
        self._folder = folder

    @classmethod
    @asynccontextmanager
    async def running(cls, folder: Path) -> AsyncIterator[Self]:
        yield cls(folder)

    @asynccontextmanager
    async def source(self, memory: SourceCache) -> AsyncIterator[DocumentSource]:
        reader = FileReader()
        try:
            yield FolderSource(self._folder, reader, base_url=self._folder.as_uri())
        finally:
            await reader.close()

    async def put(self, key: str, title: str, text: str) -> None:
        (self._folder / f"{key}.md").write_text(f"# {title}\n\n{text}\n")

    async def delete(self, key: str) -> None:
        (self._folder / f"{key}.md").unlink()

    async def move(self, key: str, to: str) -> None:
        (self._folder / f"{key}.md").rename(self._folder / f"{to}.md")

    async def open(self, url: str) -> str:
        return await asyncio.to_thread(Path(unquote(urlsplit(url).path)).read_text)
