"""A repository on GitHub with closed issues."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urldefrag, urlsplit

import aiohttp

from adapters.fetch.fetcher import Fetcher
from adapters.sources.github.source import GitHubSource
from pipeline.ports import DocumentSource, SourceMemory
from tests.doubles.github.server import NAME, OWNER, TOKEN, GitHub, open_github
from tests.doubles.reader import ReaderHere


class GitHubRemote:
    """`move` converts an issue to a discussion, with the answer that it has."""

    lacks: ClassVar[frozenset[str]] = frozenset({"rights"})

    def __init__(self, github: GitHub) -> None:
        self._github = github
        self._numbers: dict[str, int] = {}

    @property
    def requests(self) -> int:
        return self._github.outage.requests

    @asynccontextmanager
    async def source(self, memory: SourceMemory) -> AsyncIterator[DocumentSource]:
        async with github_source(self._github, memory) as source:
            yield source

    async def put(self, key: str, title: str, text: str) -> None:
        number = self._numbers.setdefault(key, len(self._numbers) + 1)
        self._github.add(number, title, text)

    async def delete(self, key: str) -> None:
        del self._github.threads[self._numbers[key]]

    async def move(self, key: str, to: str) -> None:
        self._numbers[to] = 1000
        old = self._github.threads.pop(self._numbers.pop(key))
        self._github.add(1000, old.title, old.body, kind="discussions", answer=1)
        self._github.comment(1000, 1, "See above.")

    async def restrict(self, key: str) -> None:
        raise NotImplementedError

    def fail_after(self, requests: int | None) -> None:
        self._github.outage.fail_after(requests)

    def throttle(self, requests: int) -> None:
        self._github.outage.throttle(requests)

    async def open(self, url: str) -> str:
        page, fragment = urldefrag(url)
        async with aiohttp.ClientSession() as client, client.get(page) as answer:
            assert answer.status == 200
            text = await answer.text()
        assert not fragment or f'id="{fragment}"' in text
        return text


async def _no_pause(_: float) -> None:
    pass


@asynccontextmanager
async def github_source(
    github: GitHub, memory: SourceMemory, *, repository: str = f"{OWNER}/{NAME}", token: str = TOKEN, **settings: Any
) -> AsyncIterator[GitHubSource]:
    fetcher = Fetcher(
        ports=frozenset({urlsplit(github.url).port or 0}),
        private=True,
        headers={"authorization": f"Bearer {token}"},
        origin=github.url,
        sleep=_no_pause,
    )
    reader = ReaderHere()
    try:
        yield GitHubSource(
            "team", repository, fetcher, memory, reader, endpoint=f"{github.url}/api/graphql", **settings
        )
    finally:
        await reader.close()
        await fetcher.close()


@asynccontextmanager
async def open_repository(folder: Path) -> AsyncIterator[GitHubRemote]:
    async with open_github(page=2) as github:
        yield GitHubRemote(github)
