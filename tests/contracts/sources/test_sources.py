"""What every kind of source promises, whatever service is behind it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pipeline.compose.citations import build_citation
from pipeline.errors import Refused
from pipeline.ingest.ingest import IngestSummary, ingest_source
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from pipeline.values import Audience, Chunk, Document, RetrievedChunk
from storage.documents.source_state import SQLSourceMemory
from storage.open import Storage, open_storage
from tests.contracts.sources.confluence import CloudRemote, DataCenterRemote
from tests.contracts.sources.folder import FolderRemote
from tests.contracts.sources.git import GitRemote
from tests.contracts.sources.github import GitHubRemote
from tests.contracts.sources.google_drive import DriveRemote
from tests.contracts.sources.notion import NotionRemote
from tests.contracts.sources.remote import Remote
from tests.contracts.sources.web import WebRemote
from tests.doubles.memory import Kept

KINDS: dict[str, type[Remote]] = {
    "web": WebRemote,
    "folder": FolderRemote,
    "github": GitHubRemote,
    "git": GitRemote,
    "google_drive": DriveRemote,
    "confluence cloud": CloudRemote,
    "confluence data center": DataCenterRemote,
    "notion": NotionRemote,
}
MANY = 12
"""Documents, where it matters that there are several."""
_TOKEN = {"access_token": "t", "expires_in": 3600}
_FOLDER = {"id": "root-folder", "key": "ENG", "mimeType": "application/vnd.google-apps.folder", "startPageToken": "1"}
STRANGE: tuple[object, ...] = (
    [],
    7,
    {},
    {"results": [{"object": "page", "id": "a", "last_edited_time": "yesterday"}]},
    {"results": [{"object": "page", "id": "a", "last_edited_time": "2026-01-01T00:00:00"}]},
    {**_TOKEN, **_FOLDER, "files": [{}]},
    {**_TOKEN, **_FOLDER, "files": 7},
    {"data": {"repository": {"page": None}}},
    {"errors": 7},
)
"""Answers that are not as the API of any of them is described."""
ENDLESS = {
    **_TOKEN,
    **_FOLDER,
    "results": [],
    "has_more": True,
    "next_cursor": "again",
    "_links": {"next": "/again?cursor=again"},
    "nextPageToken": "again",
    "files": [],
    "data": {
        "repository": {
            "page": {"nodes": [], "pageInfo": {"hasNextPage": True, "endCursor": "again"}},
            "all": {"totalCount": 0},
        }
    },
}
"""A part of a list that says of any of them that it goes on."""


class Team:
    """A library that is kept up to date with one source."""

    def __init__(self, storage: Storage, remote: Remote) -> None:
        self.storage = storage
        self.remote = remote

    @property
    def memory(self) -> SQLSourceMemory:
        return SQLSourceMemory(self.storage.database, "contract")

    async def sync(self) -> IngestSummary:
        async with self.remote.source(self.memory) as source:
            return await ingest_source(
                source,
                self.storage.library,
                TokenSplitter(WordTokenizer(), tokens=60),
                None,
                lambda event: None,
                flag=lambda text: False,
                collection="c",
            )

    async def titles(self) -> list[str]:
        return sorted(document.title for document in await self.storage.library.list_documents())

    async def passages(self, word: str) -> list[tuple[Chunk, Document]]:
        hits = (await self.storage.index.search_lexical([word], Audience(collections=frozenset({"c"})), 100)).hits
        return await self.storage.library.get_chunks([hit.chunk_id for hit in hits])


@pytest.fixture(params=KINDS)
async def team(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Team]:
    kind = KINDS[request.param]
    for missing in request.node.iter_markers("needs"):
        if missing.args[0] in kind.lacks:
            pytest.skip(f"{request.param} has no {missing.args[0]}")
    (folder := tmp_path / "remote").mkdir()
    async with kind.running(folder) as remote, open_storage(tmp_path / "data") as storage:
        yield Team(storage, remote)


def counts(summary: IngestSummary) -> tuple[int, int, int, int]:
    return summary.added, summary.changed, summary.removed, len(summary.failed)


async def fill(remote: Remote, documents: int = MANY) -> None:
    for number in range(documents):
        await remote.put(f"page-{number}", f"Page {number}", f"The number of this page is {number}.")


async def test_the_first_sync_takes_in_everything(team: Team) -> None:
    await team.remote.put("leave", "Leave", "Everyone gets thirty days.")
    await team.remote.put("travel", "Travel", "Trains come first.")
    assert counts(await team.sync()) == (2, 0, 0, 0)
    assert await team.titles() == ["Leave", "Travel"]
    ((chunk, document),) = await team.passages("thirty")
    assert (document.title, "Everyone gets thirty days." in chunk.text) == ("Leave", True)


async def test_a_second_sync_without_a_change_changes_nothing(team: Team) -> None:
    await fill(team.remote)
    await team.sync()
    asked = team.remote.outage.requests
    summary = await team.sync()
    assert (counts(summary), summary.unchanged) == ((0, 0, 0, 0), MANY)
    assert team.remote.outage.requests - asked <= 2 * MANY


async def test_one_changed_document_is_read_again_and_no_other(team: Team) -> None:
    await fill(team.remote)
    await team.sync()
    await team.remote.put("page-3", "Page 3", "It was rewritten.")
    summary = await team.sync()
    assert (counts(summary), summary.unchanged) == ((0, 1, 0, 0), MANY - 1)
    assert [document.title for _, document in await team.passages("rewritten")] == ["Page 3"]


async def test_a_changed_title_keeps_the_document(team: Team) -> None:
    await team.remote.put("leave", "Leave", "Everyone gets thirty days.")
    await team.sync()
    (before,) = await team.storage.library.list_documents()
    await team.remote.put("leave", "Holidays", "Everyone gets thirty days.")
    assert counts(await team.sync()) == (0, 1, 0, 0)
    (after,) = await team.storage.library.list_documents()
    assert (after.id, after.title) == (before.id, "Holidays")


async def test_a_deleted_document_is_forgotten(team: Team) -> None:
    await fill(team.remote)
    await team.sync()
    await team.remote.delete("page-3")
    assert counts(await team.sync()) == (0, 0, 1, 0)
    assert "Page 3" not in await team.titles()


async def test_a_moved_document_is_there_once(team: Team) -> None:
    await fill(team.remote)
    await team.sync()
    await team.remote.move("page-3", "elsewhere")
    await team.sync()
    assert len(await team.titles()) == MANY
    assert len({document.id for _, document in await team.passages("3")}) == 1


@pytest.mark.needs("service")
async def test_a_service_that_fails_half_way_loses_nothing_and_the_next_sync_completes(team: Team) -> None:
    await fill(team.remote)
    reached = 0
    for requests in (0, 1, 3):
        team.remote.outage.fail_after(requests)
        summary = await team.sync()
        assert summary.failed
        assert len(await team.titles()) >= reached
        reached = len(await team.titles())
    team.remote.outage.fail_after(None)
    assert not (await team.sync()).failed
    assert len(await team.titles()) == MANY


@pytest.mark.needs("service")
async def test_a_service_that_is_down_loses_nothing(team: Team) -> None:
    await fill(team.remote)
    await team.sync()
    team.remote.outage.fail_after(0)
    summary = await team.sync()
    assert (summary.removed, bool(summary.failed)) == (0, True)
    assert len(await team.titles()) == MANY


@pytest.mark.needs("throttling")
async def test_a_service_that_asks_to_wait_is_waited_for(team: Team) -> None:
    await fill(team.remote)
    team.remote.outage.throttle(2)
    assert counts(await team.sync()) == (MANY, 0, 0, 0)
    await team.remote.put("page-3", "Page 3", "It was rewritten.")
    team.remote.limit(2)
    assert counts(await team.sync()) == (0, 1, 0, 0)


@pytest.mark.needs("token")
async def test_a_token_that_is_not_taken_any_more_loses_nothing_and_is_told_with_what_to_do(team: Team) -> None:
    await team.remote.put("leave", "Leave", "Everyone gets thirty days.")
    await team.sync()
    team.remote.revoke()
    summary = await team.sync()
    (failed,) = summary.failed
    assert (summary.removed, await team.titles()) == (0, ["Leave"])
    assert re.search("token.+Check", failed.reason)


@pytest.mark.needs("service")
@pytest.mark.parametrize("status", [401, 403, 404])
async def test_what_lets_nothing_be_read_any_more_is_in_no_answer_until_it_does_again(team: Team, status: int) -> None:
    await fill(team.remote)
    await team.sync()
    team.remote.outage.deny(status)
    for _ in range(2):
        summary = await team.sync()
        assert (summary.denied, counts(summary)) == (True, (0, 0, 0, 1))
        assert await team.passages("number") == []
        assert await team.storage.library.list_collections() == []
    team.remote.outage.deny(0)
    for requests in range(MANY // 2):
        team.remote.outage.fail_after(requests)
        summary = await team.sync()
        assert summary.removed == 0
        assert not summary.unreached or await team.passages("number") == [], requests
    team.remote.outage.fail_after(None)
    assert (await team.sync()).added == 0
    assert len(await team.passages("number")) == MANY


@pytest.mark.needs("token")
async def test_what_a_token_that_is_not_taken_any_more_gave_is_in_no_answer(team: Team) -> None:
    await team.remote.put("leave", "Leave", "Everyone gets thirty days.")
    await team.sync()
    team.remote.revoke()
    assert (await team.sync()).denied
    assert await team.passages("thirty") == []


@pytest.mark.needs("token")
@pytest.mark.parametrize("status", [200, 302, 307, 400, 401, 403])
async def test_what_signs_requests_goes_to_no_other_host_and_into_no_error(team: Team, status: int) -> None:
    told: list[object] = []
    for requests in (0, 1, 2, 4):
        await team.remote.put(f"page-{requests}", f"Page {requests}", "Everyone gets thirty days.")
        team.remote.outage.turn(requests, status)
        try:
            told.append(await team.sync())
        except Refused as error:
            told.append(error)
    assert not all(summary == IngestSummary(added=1) for summary in told)
    secrets = team.remote.outage.credentials
    assert secrets
    for secret in secrets:
        assert secret not in str(told)
        assert not any(secret in head for head in team.remote.outage.elsewhere)
    assert not any("authorization" in head.lower() for head in team.remote.outage.elsewhere)


@pytest.mark.needs("api")
async def test_a_strange_answer_loses_nothing_and_is_told(team: Team) -> None:
    await fill(team.remote)
    await team.sync()
    for strange in STRANGE:
        team.remote.outage.answer(strange)
        summary = await team.sync()
        assert (summary.removed, len(summary.failed)) == (0, 1), strange
    team.remote.outage.answer(None)
    assert counts(await team.sync()) == (0, 0, 0, 0)


@pytest.mark.needs("api")
async def test_a_list_that_goes_round_ends(team: Team) -> None:
    team.remote.outage.answer(ENDLESS)
    assert ["without an end" in failed.reason for failed in (await team.sync()).failed] == [True]


@pytest.mark.needs("reading")
async def test_a_document_that_is_gone_when_it_is_to_be_read_is_refused(team: Team) -> None:
    await team.remote.put("leave", "Leave", "Everyone gets thirty days.")
    async with team.remote.source(Kept()) as source:
        (item,) = [item async for item in source.list_items()]
        await team.remote.delete("leave")
        with pytest.raises(Refused, match=r"not there any more|could not be read"):
            await source.parse_item(item)


async def test_a_memory_that_cannot_be_read_is_as_good_as_none(team: Team) -> None:
    await fill(team.remote)
    await team.sync()
    await team.memory.update(dict.fromkeys(await team.memory.load(), "{"))
    summary = await team.sync()
    assert (counts(summary), summary.unchanged) == ((0, 0, 0, 0), MANY)


@pytest.mark.needs("rights")
async def test_a_document_that_not_everyone_may_read_any_more_is_forgotten(team: Team) -> None:
    await fill(team.remote)
    await team.sync()
    await team.remote.restrict("page-3")
    assert counts(await team.sync()) == (0, 0, 1, 0)
    assert "Page 3" not in await team.titles()


async def test_a_title_with_markup_and_other_scripts_stays_as_it_is(team: Team) -> None:
    title = 'R&D: <b>Übersicht</b> "2026" 休暇'
    await team.remote.put("odd", title, "Nothing here is odd.")
    await team.sync()
    assert (await team.titles())[0] in {title, 'R&D: Übersicht "2026" 休暇'}


async def test_the_link_of_a_citation_opens_what_was_cited(team: Team) -> None:
    await team.remote.put("leave", "Leave", "## Holidays\n\nEveryone gets thirty days.")
    await team.sync()
    ((chunk, document),) = await team.passages("thirty")
    citation = build_citation(
        RetrievedChunk(chunk=chunk, document=document, score=1), 1, quotes=["Everyone gets thirty days."]
    )
    assert citation.url
    assert "Everyone gets thirty days." in await team.remote.open(citation.url)
