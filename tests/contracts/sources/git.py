"""A repository on a real git server over loopback; people read its files in the work tree of the double."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar
from urllib.parse import unquote, urlsplit

from adapters.sources.git.command import Git
from adapters.sources.git.source import GitSource
from pipeline.ports import DocumentSource, SourceMemory
from tests.doubles.git import Repository, repository
from tests.doubles.reader import ReaderHere

BASE_URL = "https://git.example/team/blob/main/{path}"


class GitRemote:
    lacks: ClassVar[frozenset[str]] = frozenset({"throttling", "rights"})

    def __init__(self, folder: Path, served: Repository) -> None:
        self._folder = folder
        self._served = served

    @property
    def requests(self) -> int:
        return self._served.outage.requests

    @asynccontextmanager
    async def source(self, memory: SourceMemory) -> AsyncIterator[DocumentSource]:
        reader = ReaderHere()
        git = Git(self._folder, self._served.url, private=True)
        try:
            yield GitSource("team", self._served.url, git, memory, reader, self._folder, base_url=BASE_URL)
        finally:
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

    async def restrict(self, key: str) -> None:
        raise NotImplementedError

    def fail_after(self, requests: int | None) -> None:
        self._served.outage.fail_after(requests)

    def throttle(self, requests: int) -> None:
        raise NotImplementedError

    async def open(self, url: str) -> str:
        before, _, path = urlsplit(url).path.partition("/team/blob/main/")
        assert before == ""
        return (self._served.tree / unquote(path)).read_text()


@asynccontextmanager
async def open_git(folder: Path) -> AsyncIterator[GitRemote]:
    (server := folder / "server").mkdir()
    async with repository(server) as served:
        yield GitRemote(folder / "clone", served)
