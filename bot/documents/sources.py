"""Makes a document source from a table `[[sources]]`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from adapters.fetch.fetcher import open_fetcher
from adapters.files.reader import FileReader
from adapters.sources.confluence.api import ConfluenceCloud, ConfluenceDataCenter, confluence_auth_headers
from adapters.sources.confluence.source import ConfluenceSource
from adapters.sources.git import GitRepository, GitSource
from adapters.sources.github.api import graphql_endpoint
from adapters.sources.github.listing import ThreadKind
from adapters.sources.github.source import GitHubSource, GitHubWiki
from adapters.sources.google_drive.api import ServiceAccount
from adapters.sources.google_drive.source import GoogleDriveSource
from adapters.sources.notion import api as notion
from adapters.sources.notion.source import NotionSource
from adapters.sources.web.crawl import CrawlScope
from adapters.sources.web.source import WebSource
from bot.config.files import read_secret
from bot.config.tables import (
    SOURCE_TABLES,
    ConfluenceTable,
    FolderTable,
    GitHubTable,
    GitTable,
    GoogleDriveTable,
    NotionTable,
    ServiceTable,
    SourceTable,
    WebTable,
)
from pipeline.errors import Misconfigured
from pipeline.ports import DocumentSource, SourceCache


class SourceDependencies(NamedTuple):
    """Dependencies of every source."""

    memory: SourceCache
    reader: FileReader
    files: Path
    """A folder of its own."""


@asynccontextmanager
async def open_source(
    table: SourceTable, memory: SourceCache, reader: FileReader, files: Path
) -> AsyncIterator[DocumentSource]:
    """Open the source of a table until the block ends; it may keep `files` in a folder of its own. Folders are no such
    source: `Indexer` makes them. Raise Misconfigured when a secret is missing."""
    async with _OPENERS[type(table)](table, SourceDependencies(memory, reader, files)) as source:
        yield source


@asynccontextmanager
async def _git(table: GitTable, means: SourceDependencies) -> AsyncIterator[DocumentSource]:
    git = GitRepository(means.files, table.url, token=source_token(table, needed=False), private=table.private)
    yield GitSource(
        table.name,
        table.url,
        git,
        means.memory,
        means.reader,
        means.files,
        branch=table.branch,
        paths=table.paths,
        base_url=table.base_url or "",
    )


@asynccontextmanager
async def _confluence(table: ConfluenceTable, means: SourceDependencies) -> AsyncIterator[DocumentSource]:
    api_url = table.api_url or table.url
    headers = confluence_auth_headers(source_token(table, needed=True), table.email)
    ports = _ports(table.url) | _ports(api_url)
    async with open_fetcher(private=table.private, ports=ports, headers=headers, origin=api_url) as fetcher:
        yield ConfluenceSource(
            table.name,
            table.url,
            table.spaces,
            ConfluenceCloud(fetcher, api_url) if table.email else ConfluenceDataCenter(fetcher, api_url),
            means.reader,
            labels=frozenset(table.labels),
            without_labels=frozenset(table.without_labels),
            restricted=table.restricted,
        )


@asynccontextmanager
async def _notion(table: NotionTable, means: SourceDependencies) -> AsyncIterator[DocumentSource]:
    headers = notion.notion_auth_headers(source_token(table, needed=True))
    ports, origin = _ports(table.base_url), table.base_url
    async with open_fetcher(private=table.private, ports=ports, headers=headers, origin=origin) as fetcher:
        yield NotionSource(table.name, notion.NotionApi(fetcher, table.base_url), means.memory)


@asynccontextmanager
async def _web(table: WebTable, means: SourceDependencies) -> AsyncIterator[DocumentSource]:
    named = (table.sitemap, table.start, *table.pages)
    ports = frozenset[int]().union(*(_ports(address) for address in named if address))
    coverage = CrawlScope(
        sitemap=table.sitemap or "", pages=table.pages, start=table.start or "", prefix=table.prefix or ""
    )
    async with open_fetcher(private=table.private, ports=ports) as fetcher:
        yield WebSource(
            table.name,
            fetcher,
            means.memory,
            means.reader,
            coverage,
            max_pages=table.max_pages,
            pace=table.pace,
        )


@asynccontextmanager
async def _google_drive(table: GoogleDriveTable, means: SourceDependencies) -> AsyncIterator[DocumentSource]:
    async with open_fetcher(private=table.private, ports=_ports(table.base_url)) as fetcher:
        account = ServiceAccount(source_token(table, needed=True), fetcher, setting=table.token_from)
        yield GoogleDriveSource(
            table.name,
            table.folder,
            fetcher,
            means.memory,
            means.reader,
            account,
            restricted=table.restricted,
            base_url=table.base_url,
        )


@asynccontextmanager
async def _github(table: GitHubTable, means: SourceDependencies) -> AsyncIterator[DocumentSource]:
    address, secret = graphql_endpoint(table.base_url), source_token(table, needed=True)
    headers = {"authorization": f"Bearer {secret}"}
    ports = _ports(table.base_url)
    async with open_fetcher(private=table.private, ports=ports, headers=headers, origin=address) as fetcher:
        yield GitHubSource(
            table.name,
            table.repository,
            fetcher,
            means.memory,
            means.reader,
            kinds=tuple(kind for kind in ThreadKind if kind in table.take),
            wiki=_wiki(table, secret, means) if "wiki" in table.take else None,
            unanswered=table.unanswered,
            endpoint=address,
        )


_OPENERS: dict[type[SourceTable], Callable[[Any, SourceDependencies], AbstractAsyncContextManager[DocumentSource]]] = {
    GitTable: _git,
    ConfluenceTable: _confluence,
    NotionTable: _notion,
    WebTable: _web,
    GoogleDriveTable: _google_drive,
    GitHubTable: _github,
}


def require_openers(tables: Iterable[type[SourceTable]]) -> None:
    """Raise TypeError where a table has no opener, so that a forgotten one fails at import."""
    if forgotten := [table.__name__ for table in tables if table not in (*_OPENERS, FolderTable)]:
        raise TypeError(f"nothing opens {', '.join(forgotten)}")


require_openers(SOURCE_TABLES.values())


def _wiki(table: GitHubTable, secret: str, means: SourceDependencies) -> GitHubWiki:
    repository = f"{table.base_url.rstrip('/')}/{table.repository}"
    url = f"{repository}.wiki.git"
    git = GitRepository(means.files, url, token=secret, private=table.private)
    address = f"{repository}/wiki"
    source = GitSource(f"{table.name}/wiki", url, git, means.memory, means.reader, means.files, base_url=address)
    return GitHubWiki(source, address, means.memory)


def _ports(base_url: str) -> frozenset[int]:
    """Return the ports of the web, and the one of the address."""
    return frozenset({80, 443, urlsplit(base_url).port or 443})


def source_token(table: ServiceTable, *, needed: bool) -> str:
    """Return the secret of a source. Raises Misconfigured when it is `needed` and not set."""
    token = read_secret(table.token_from)
    if needed and not token:
        raise Misconfigured(
            table.token_from,
            f"is not set, and the source {table.name} needs it",
            what_to_do="Set it in the environment or in .env; docs/sources.md says where to get it.",
        )
    return token
