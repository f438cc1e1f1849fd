"""A folder of Google Drive with Docs in it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

from adapters.sources.google_drive.api import ServiceAccount
from adapters.sources.google_drive.source import GoogleDriveSource
from pipeline.ports import SourceCache
from tests.contracts.sources.remote import Remote, reaching
from tests.doubles.google_drive.drive import DOC, FOLDER
from tests.doubles.google_drive.server import GoogleDrive


class DriveRemote(Remote):
    def __init__(self, google: GoogleDrive) -> None:
        super().__init__(google.outage)
        self.google = google

    @classmethod
    @asynccontextmanager
    async def running(cls, folder: Path, page: int = 5) -> AsyncIterator[Self]:
        async with GoogleDrive(page=page).running() as google:
            yield cls(google)

    @asynccontextmanager
    async def source(
        self, memory: SourceCache, folder: str = "root-folder", *, restricted: bool = False
    ) -> AsyncIterator[GoogleDriveSource]:
        url = self.google.url
        async with reaching(url) as (fetcher, reader):
            account = ServiceAccount(json.dumps(self.google.key), fetcher, setting="GOOGLE_APPLICATION_CREDENTIALS")
            yield GoogleDriveSource(
                "team", folder, fetcher, memory, reader, account, restricted=restricted, base_url=url
            )

    async def put(self, key: str, title: str, text: str) -> None:
        content = {"text/markdown": text.encode(), "text/plain": text.encode()}
        if key in self.google.drive.files:
            self.google.drive.change(key, name=title, content=content)
        else:
            self.google.drive.add(key, title, DOC, parent="root-folder", content=content)

    async def delete(self, key: str) -> None:
        self.google.drive.delete(key)

    async def move(self, key: str, to: str) -> None:
        self.google.drive.add(to, to, FOLDER, parent="root-folder")
        self.google.drive.change(key, parent=to)

    async def restrict(self, key: str) -> None:
        self.google.drive.change(key, limited=True, granted={"owner"})

    def revoke(self) -> None:
        self.google.oauth.deleted = True

    def limit(self, requests: int) -> None:
        self.google.limited = requests
