"""A folder of Google Drive with Docs in it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import aiohttp

from adapters.fetch.fetcher import Fetcher
from adapters.sources.google_drive.service_account import ServiceAccount
from adapters.sources.google_drive.source import GoogleDriveSource
from pipeline.ports import DocumentSource, SourceMemory
from tests.doubles.google_drive.drive import DOC, FOLDER
from tests.doubles.google_drive.server import GoogleDrive, open_google_drive
from tests.doubles.reader import ReaderHere


class DriveRemote:
    lacks: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, google: GoogleDrive) -> None:
        self._google = google

    @property
    def requests(self) -> int:
        return self._google.outage.requests

    @asynccontextmanager
    async def source(self, memory: SourceMemory) -> AsyncIterator[DocumentSource]:
        async with drive_source(self._google, memory) as source:
            yield source

    async def put(self, key: str, title: str, text: str) -> None:
        content = {"text/markdown": text.encode(), "text/plain": text.encode()}
        if key in self._google.drive.files:
            self._google.drive.change(key, name=title, content=content)
        else:
            self._google.drive.add(key, title, DOC, parent="root-folder", content=content)

    async def delete(self, key: str) -> None:
        self._google.drive.change(key, trashed=True)

    async def move(self, key: str, to: str) -> None:
        self._google.drive.add(to, to, FOLDER, parent="root-folder")
        self._google.drive.change(key, parent=to)

    async def restrict(self, key: str) -> None:
        self._google.drive.change(key, limited=True, granted={"owner"})

    def fail_after(self, requests: int | None) -> None:
        self._google.outage.fail_after(requests)

    def throttle(self, requests: int) -> None:
        self._google.outage.throttle(requests)

    async def open(self, url: str) -> str:
        async with aiohttp.ClientSession() as client, client.get(url) as answer:
            assert answer.status == 200
            return await answer.text()


async def _no_pause(_: float) -> None:
    pass


@asynccontextmanager
async def drive_source(
    google: GoogleDrive, memory: SourceMemory, folder: str = "root-folder", *, restricted: bool = False
) -> AsyncIterator[GoogleDriveSource]:
    port = urlsplit(google.url).port or 0
    fetcher = Fetcher(ports=frozenset({port}), private=True, sleep=_no_pause)
    account = ServiceAccount(json.dumps(google.key), fetcher, setting="GOOGLE_APPLICATION_CREDENTIALS")
    reader = ReaderHere()
    try:
        yield GoogleDriveSource(
            "team", folder, fetcher, memory, reader, account, restricted=restricted, base_url=google.url
        )
    finally:
        await reader.close()
        await fetcher.close()


@asynccontextmanager
async def open_drive(folder: Path) -> AsyncIterator[DriveRemote]:
    async with open_google_drive(page=5) as google:
        yield DriveRemote(google)
