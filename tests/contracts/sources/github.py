"""A repository on GitHub with closed issues."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar, Self
from urllib.parse import urldefrag

from adapters.sources.github.source import GitHubSource
from pipeline.ports import SourceCache
from tests.contracts.sources.remote import Remote, reaching
from tests.doubles.github.server import NAME, OWNER, TOKEN, GitHub


class GitHubRemote(Remote):
    """`move` converts an issue to a discussion, with the answer that it has."""

    lacks: ClassVar[frozenset[str]] = frozenset({"rights"})

    def __init__(self, github: GitHub) -> None:
        super().__init__(github.outage)
        self.github = github
        self._numbers: dict[str, int] = {}

    @classmethod
    @asynccontextmanager
    async def running(cls, folder: Path, page: int = 2) -> AsyncIterator[Self]:
        async with GitHub(page=page).running() as github:
            yield cls(github)

    @asynccontextmanager
    async def source(
        self, memory: SourceCache, *, repository: str = f"{OWNER}/{NAME}", **settings: Any
    ) -> AsyncIterator[GitHubSource]:
        url, headers = self.github.url, {"authorization": f"Bearer {TOKEN}"}
        async with reaching(url, headers=headers, origin=url) as (fetcher, reader):
            yield GitHubSource("team", repository, fetcher, memory, reader, endpoint=f"{url}/api/graphql", **settings)

    async def put(self, key: str, title: str, text: str) -> None:
        number = self._numbers.setdefault(key, len(self._numbers) + 1)
        self.github.add(number, title, text)

    async def delete(self, key: str) -> None:
        del self.github.threads[self._numbers[key]]

    async def move(self, key: str, to: str) -> None:
        self._numbers[to] = 1000
        old = self.github.threads.pop(self._numbers.pop(key))
        self.github.add(1000, old.title, old.body, kind="discussions", answer=1)
        self.github.comment(1000, 1, "See above.")

    def revoke(self) -> None:
        self.github.token = "rotated"

    def limit(self, requests: int) -> None:
        self.github.secondary = requests

    async def open(self, url: str) -> str:
        text = await super().open(url)
        fragment = urldefrag(url).fragment
        assert not fragment or f'id="{fragment}"' in text
        return text
