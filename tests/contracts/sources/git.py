"""A repository on a real git server over loopback; people read its files in the work tree of the double."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar, Self
from urllib.parse import unquote, urlsplit

from adapters.sources.git import GitRepository, GitSource
from pipeline.ports import DocumentSource, SourceCache
from tests.contracts.sources.remote import Remote
from tests.doubles.git import Repository, repository
from tests.doubles.reader import ReaderHere

BASE_URL = "https://git.example/team/blob/main/{path}"


class GitRemote(Remote):
    lacks: ClassVar[frozenset[str]] = frozenset({"throttling", "rights", "token", "api", "reading"})

    def __init__(self, folder: Path, served: Repository) -> None:
        super().__init__(served.outage)
        self._folder = folder
        self._served = served

    @classmethod
    @asynccontextmanager
    async def running(cls, folder: Path) -> AsyncIterator[Self]:
        (server := folder / "server").mkdir()
        async with repository(server) as served:
            yield cls(folder / "clone", served)

    @asynccontextmanager
    async def source(self, memory: SourceCache) -> AsyncIterator[DocumentSource]:
        reader = ReaderHere()
        git = GitRepository(self._folder, self._served.url, private=True)
        yield GitSource("team", self._served.url, git, memory, reader, self._folder, base_url=BASE_URL)
        await reader.close()

    async def put(self, key: str, title: str, text: str) -> None:
        (self._served.tree / f"{key}.md").write_text(f"# {title}\n\n{text}\n")
        await asyncio.to_thread(self._served.commit)

    async def delete(self, key: str) -> None:
        (self._served.tree / f"{key}.md").unlink()
        await asyncio.to_thread(self._served.commit)

    async def move(self, key: str, to: str) -> None:
        (self._served.tree / f"{key}.md").rename(self._served.tree / f"{to}.md")
        await asyncio.to_thread(self._served.commit)

    async def open(self, url: str) -> str:
        before, _, path = urlsplit(url).path.partition("/team/blob/main/")
        assert before == ""
        return (self._served.tree / unquote(path)).read_text()
