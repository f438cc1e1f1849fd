"""Services that answer with something else than their API's description says, or without an end."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest
from aiohttp import web

from adapters.fetch.fetcher import Fetcher, open_fetcher
from adapters.files.reader import Reader
from adapters.sources.confluence.api import Api as ConfluenceApi
from adapters.sources.confluence.cloud import Cloud
from adapters.sources.confluence.data_center import DataCenter
from adapters.sources.confluence.source import ConfluenceSource
from adapters.sources.github.source import GitHubSource
from adapters.sources.google_drive.service_account import ServiceAccount
from adapters.sources.google_drive.source import GoogleDriveSource
from adapters.sources.notion.api import Api as NotionApi
from adapters.sources.notion.source import NotionSource
from pipeline.errors import Unavailable
from pipeline.ports import DocumentSource
from tests.doubles.google_drive.oauth import TokenEndpoint
from tests.doubles.memory import Kept
from tests.doubles.outage import at_once, served
from tests.doubles.reader import ReaderHere

Make = Callable[[Fetcher, Reader, str], DocumentSource]
ANSWER = {"access_token": "t", "expires_in": 3600}
FOLDER = {"id": "root", "mimeType": "application/vnd.google-apps.folder", "startPageToken": "1"}
STRANGE: tuple[object, ...] = (
    [],
    7,
    {"results": [{"object": "page", "id": "a", "last_edited_time": "yesterday"}]},
    {"results": [{"object": "page", "id": "a", "last_edited_time": "2026-01-01T00:00:00"}]},
    {**ANSWER, **FOLDER, "files": [{}]},
    {**ANSWER, **FOLDER, "files": 7},
    {"data": {"repository": {"page": None}}},
    {"errors": 7},
)
ENDLESS = {
    **ANSWER,
    **FOLDER,
    "results": [],
    "has_more": True,
    "next_cursor": "again",
    "_links": {"next": "/again?cursor=again"},
    "nextPageToken": "again",
    "files": [],
    "data": {"repository": {"page": {"nodes": [], "pageInfo": {"hasNextPage": True, "endCursor": "again"}}}},
}


def drive(fetcher: Fetcher, reader: Reader, url: str) -> DocumentSource:
    account = ServiceAccount(json.dumps(TokenEndpoint().key(url)), fetcher, setting="KEY")
    return GoogleDriveSource("d", "root", fetcher, Kept(), reader, account, base_url=url)


def notion(fetcher: Fetcher, reader: Reader, url: str) -> DocumentSource:
    return NotionSource("n", NotionApi(fetcher, url, sleep=at_once), Kept())


def github(fetcher: Fetcher, reader: Reader, url: str) -> DocumentSource:
    return GitHubSource("g", "o/n", fetcher, Kept(), reader, endpoint=f"{url}/graphql")


def cloud(fetcher: Fetcher, reader: Reader, url: str) -> DocumentSource:
    return ConfluenceSource("c", url, ("ENG",), Cloud(ConfluenceApi(fetcher, url)), reader)


def data_center(fetcher: Fetcher, reader: Reader, url: str) -> DocumentSource:
    return ConfluenceSource("c", url, ("ENG",), DataCenter(ConfluenceApi(fetcher, url)), reader)


@asynccontextmanager
async def answering(answer: object, make: Make) -> AsyncIterator[DocumentSource]:
    async def same(_: web.Request) -> web.Response:
        return web.Response(text=json.dumps(answer), content_type="application/json")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", same)
    reader = ReaderHere()
    async with served(app) as url:
        ports = frozenset({urlsplit(url).port or 80})
        async with open_fetcher(private=True, ports=ports) as fetcher:
            yield make(fetcher, reader, url)
    await reader.close()


@pytest.mark.parametrize("make", [notion, drive, github, cloud])
async def test_a_list_that_goes_round_ends(make: Make) -> None:
    async with answering(ENDLESS, make) as source:
        with pytest.raises(Unavailable, match="without an end"):
            [item async for item in source.items()]


@pytest.mark.parametrize("make", [notion, drive, github, cloud, data_center])
@pytest.mark.parametrize("answer", STRANGE, ids=str)
async def test_a_strange_answer_is_told_as_such(make: Make, answer: object) -> None:
    async with answering(answer, make) as source:
        try:
            found = [item.id async for item in source.items()]
        except Unavailable:
            found = []
        assert found == []
