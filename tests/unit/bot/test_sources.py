"""Tables of sources become sources that reach their service."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.files.reader import FileReader
from bot.config.tables import ConfluenceTable, GitHubTable, GoogleDriveTable, NotionTable
from bot.documents.sources import open_source
from pipeline.errors import Misconfigured
from tests.doubles.confluence.cloud import EMAIL, TOKEN, CloudSite
from tests.doubles.github.server import TOKEN as GITHUB_TOKEN
from tests.doubles.github.server import GitHub
from tests.doubles.google_drive.drive import DOC
from tests.doubles.google_drive.server import GoogleDrive
from tests.doubles.memory import Kept
from tests.doubles.notion.server import TOKEN as NOTION_TOKEN
from tests.doubles.notion.server import NotionServer
from tests.doubles.notion.workspace import written


@pytest.fixture
async def reader() -> AsyncIterator[FileReader]:
    opened = FileReader()
    yield opened
    await opened.close()


async def test_a_confluence_token_with_scopes_goes_to_its_own_address_and_links_lead_to_the_site(
    reader: FileReader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WIKI_TOKEN", TOKEN)
    async with CloudSite().running() as site:
        site.wiki.space("ENG")
        site.wiki.page("ENG", "Leave", "<p>Thirty days.</p>")
        table = ConfluenceTable(
            kind="confluence",
            name="wiki",
            url=site.url,
            api_url=site.gateway,
            email=EMAIL,
            spaces=("ENG",),
            token_from="WIKI_TOKEN",
            private=True,
        )
        async with open_source(table, Kept(), reader, tmp_path) as source:
            (item,) = [item async for item in source.list_items()]
            assert (await source.parse_item(item)).document.url == f"{site.url}/spaces/ENG/pages/{item.id[5:]}/Leave"
        assert all(" /ex/confluence/" in path for path in site.outage.paths)


async def test_notion_is_read_with_its_token(
    reader: FileReader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NOTION_TOKEN", NOTION_TOKEN)
    async with NotionServer().running() as server:
        server.workspace.page("Leave", written("paragraph", "Thirty days."))
        table = NotionTable(kind="notion", name="team", base_url=server.url, private=True)
        async with open_source(table, Kept(), reader, tmp_path) as source:
            (item,) = [item async for item in source.list_items()]
            assert [block.text for block in (await source.parse_item(item)).blocks] == ["Thirty days."]


async def test_a_drive_is_read_with_the_key_file_that_the_environment_names(
    reader: FileReader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with GoogleDrive().running() as google:
        google.drive.add("1a", "Leave", DOC, parent="root-folder", content={"text/markdown": b"Thirty days."})
        (tmp_path / "key.json").write_text(json.dumps(google.key))
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "key.json"))
        table = GoogleDriveTable(
            kind="google-drive", name="team", folder="root-folder", base_url=google.url, private=True
        )
        async with open_source(table, Kept(), reader, tmp_path) as source:
            (item,) = [item async for item in source.list_items()]
            assert (source.name, (await source.parse_item(item)).document.id) == (table.source_id, "team/1a")


async def test_a_repository_of_github_enterprise_is_read_with_its_token(
    reader: FileReader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", GITHUB_TOKEN)
    async with GitHub().running() as github:
        github.add(1, "Leave", "Thirty days.")
        table = GitHubTable(kind="github", name="team", repository="acme/handbook", base_url=github.url, private=True)
        async with open_source(table, Kept(), reader, tmp_path) as source:
            (item,) = [item async for item in source.list_items()]
            assert (source.name, (await source.parse_item(item)).document.id) == (table.source_id, "team/issues/1")


async def test_a_token_that_is_not_set_is_asked_for_by_its_name(
    reader: FileReader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CONFLUENCE_TOKEN", raising=False)
    table = ConfluenceTable(kind="confluence", name="wiki", url="https://wiki.example", spaces=("ENG",))
    with pytest.raises(Misconfigured, match="CONFLUENCE_TOKEN: is not set"):
        async with open_source(table, Kept(), reader, tmp_path):
            pass
