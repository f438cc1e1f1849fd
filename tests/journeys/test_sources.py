"""Sources are brought up to date by themselves, and never lose much without being asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.admin.source_list import list_source_states
from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.config.tables import FolderTable, GitTable, SourceTable
from bot.documents.sync import sync_periodically
from bot.wiring import open_citewell
from pipeline.errors import Misconfigured, Refused
from pipeline.values import replace
from storage.documents.source_state import SQLSyncOutcomes
from storage.folder import FolderLock
from tests.contracts import waiting
from tests.contracts.waiting import eventually
from tests.doubles.git import repository

MANY = 18


def folder(path: Path, documents: int = MANY, **keys: object) -> FolderTable:
    path.mkdir(exist_ok=True)
    for number in range(documents):
        (path / f"{number:02}.md").write_text(f"# Page {number}\n\nThe number of this page is {number}.\n")
    return FolderTable.model_validate({"kind": "folder", "name": path.name, "path": path, **keys})


def thin(path: Path, left: int) -> None:
    for file in sorted(path.iterdir())[left:]:
        file.unlink()


async def there(citewell: Citewell, table: SourceTable) -> int:
    return len(await citewell.storage.library.versions(table.source_id))


@pytest.mark.parametrize(("left", "kept"), [(17, False), (12, False), (11, True), (1, True), (0, True)])
async def test_a_source_that_would_lose_more_than_a_third_keeps_its_documents_until_that_is_meant(
    citewell: Citewell, tmp_path: Path, left: int, kept: bool
) -> None:
    table = folder(tmp_path / "wiki")
    await citewell.sync.sync_table(table)
    thin(tmp_path / "wiki", left)
    summary = await citewell.sync.sync_table(table)
    assert len(summary.kept) == (MANY - left) * kept
    assert await there(citewell, table) == (MANY if kept else left)
    assert (await citewell.sync.sync_table(table, losing=True)).removed == (MANY - left) * kept
    assert await there(citewell, table) == left


async def test_a_small_source_may_lose_a_handful_and_one_that_was_moved_loses_nothing(
    citewell: Citewell, tmp_path: Path
) -> None:
    small, moved = folder(tmp_path / "small", 6), folder(tmp_path / "moved")
    for table in (small, moved):
        await citewell.sync.sync_table(table)
    thin(tmp_path / "small", 1)
    (tmp_path / "moved" / "new").mkdir()
    for file in sorted((tmp_path / "moved").glob("*.md")):
        file.rename(tmp_path / "moved" / "new" / file.name)
    assert (await citewell.sync.sync_table(small)).removed == 5
    summary = await citewell.sync.sync_table(moved)
    assert (summary.added, summary.removed, summary.kept) == (MANY, MANY, ())


async def test_a_folder_that_is_gone_keeps_its_documents(citewell: Citewell, tmp_path: Path) -> None:
    table = folder(tmp_path / "share", 3)
    await citewell.sync.sync_table(table)
    thin(tmp_path / "share", 0)
    (tmp_path / "share").rmdir()
    with pytest.raises(Refused, match="does not exist, and what was indexed from it is kept"):
        await citewell.sync.sync_table(table, losing=True)
    assert await there(citewell, table) == 3


async def test_a_source_that_lets_nothing_be_read_is_in_no_answer_and_forgotten_once_that_lasts(
    settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "server").mkdir()
    asked = "When does the canteen open?"
    async with repository(tmp_path / "server") as served, open_citewell(settings) as citewell:
        (served.tree / "canteen.md").write_text("# Canteen\n\nThe canteen opens at noon.\n")
        served.commit()
        table = GitTable.model_validate({"kind": "git", "name": "book", "url": served.url, "private": True})
        await citewell.sync.sync_table(table)
        assert (await citewell.answer(asked)).citations
        served.outage.deny(403)
        assert (await citewell.sync.sync_table(table)).denied
        assert not (await citewell.answer(asked)).citations
        (row,) = await list_source_states(citewell, [table])
        assert (row.documents, row.failed, "in no answer since" in row.last) == (1, True, True)
        served.outage.deny(0)
        await citewell.sync.sync_table(table)
        assert (await citewell.answer(asked)).citations
        assert "in no answer" not in (await list_source_states(citewell, [table]))[0].last
        served.outage.deny(404)
        await citewell.sync.sync_table(table)
        looks = SQLSyncOutcomes(citewell.storage.database)
        for days, left in ((settings.retention_days - 1, 1), (settings.retention_days + 1, 0)):
            look = (await looks.last())[table.source_id][1]
            await looks.record(table.source_id, replace(look, denied=datetime.now(UTC) - timedelta(days)))
            assert (await citewell.sync.sync_table(table)).removed == 1 - left
            assert await there(citewell, table) == left


async def test_what_is_due_is_synced_each_at_its_own_pace_and_one_that_fails_stops_no_other(
    citewell: Citewell, tmp_path: Path
) -> None:
    tables: list[SourceTable] = [
        folder(tmp_path / "good", 2, collection="hr"),
        folder(tmp_path / "never", 2, every_minutes=0),
        FolderTable(kind="folder", name="gone", path=tmp_path / "gone"),
    ]

    def given() -> list[SourceTable]:
        return tables

    async def until(table: SourceTable, documents: int) -> None:
        await eventually(lambda: _counts(citewell, table, documents))

    with capture_logs() as logs:
        async with sync_periodically(citewell.sync, given, 60, settling=0, every=0.01):
            await until(tables[0], 2)
            tables.append(later := folder(tmp_path / "later", 3))
            await until(later, 3)
            await waiting.until(lambda: sum(entry["event"] == "source_synced" for entry in logs) == 2)
    assert await there(citewell, tables[1]) == 0
    assert {entry["source"] for entry in logs if entry["event"] == "sync_failed"} == {tables[2].source_id}
    assert sum(entry["event"] == "source_synced" and entry["source"] == tables[0].source_id for entry in logs) == 1
    shown = {row.name: row for row in await list_source_states(citewell, tables)}
    assert (shown["good"].collection, shown["good"].documents, shown["good"].last[17:]) == ("hr", 2, "2 added")
    assert (shown["never"].last, shown["never"].due) == ("never", "by hand")
    assert "does not exist" in shown["gone"].last


async def _counts(citewell: Citewell, table: SourceTable, documents: int) -> bool:
    return await there(citewell, table) == documents


async def test_a_file_of_settings_that_is_being_edited_stops_nothing(citewell: Citewell, tmp_path: Path) -> None:
    table = folder(tmp_path / "wiki", 2)
    answers: list[Callable[[], list[SourceTable]]] = []

    def tables() -> list[SourceTable]:
        answers.append(tables)
        if len(answers) == 1:
            raise Misconfigured("citewell.toml", "cannot be read")
        return [table]

    with capture_logs() as logs:
        async with sync_periodically(citewell.sync, tables, 60, settling=0, every=0.01):
            await eventually(lambda: _counts(citewell, table, 2))
    assert [entry["event"] for entry in logs][:1] == ["sources_not_read"]


async def test_a_source_that_another_process_syncs_is_refused(citewell: Citewell, tmp_path: Path) -> None:
    table = folder(tmp_path / "wiki", 2)
    await citewell.sync.sync_table(table)
    (file,) = (citewell.storage.folder / "sources").glob("*.lock")
    lock = FolderLock(file)
    assert await asyncio.to_thread(lock.acquire)
    try:
        with pytest.raises(Refused, match="being synced already"):
            await citewell.sync.sync_table(table)
    finally:
        lock.release()
    assert (await citewell.sync.sync_table(table)).unchanged == 2


async def test_what_is_forgotten_is_gone_from_answers_and_comes_back_only_by_a_sync(
    citewell: Citewell, tmp_path: Path
) -> None:
    table = folder(tmp_path / "wiki", 2)
    await citewell.sync.sync_table(table)
    assert await citewell.sync.forget(table.source_id) == 2
    assert not (await citewell.answer("What is the number of page 1?")).citations
    assert table.source_id not in await citewell.storage.library.list_sources()
    await citewell.resync_paths()
    assert await there(citewell, table) == 0
    assert (await citewell.sync.sync_table(table)).added == 2


async def test_a_repository_is_asked_about_and_the_link_opens_at_the_heading(
    settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "server").mkdir()
    async with repository(tmp_path / "server") as served, open_citewell(settings) as citewell:
        (served.tree / "canteen.md").write_text("# Canteen\n\n## Opening hours\n\nThe canteen opens at noon.\n")
        (served.tree / "logo.svg").write_text("<svg/>")
        served.commit()
        keys = {"url": served.url, "private": True, "base_url": "https://git.example/team/blob/main"}
        table = GitTable.model_validate({"kind": "git", "name": "book", **keys})
        summary = await citewell.sync.sync_table(table)
        assert (summary.added, summary.skipped) == (1, (("logo.svg", "because of the format"),))
        (citation, *_) = (await citewell.answer("When does the canteen open?")).citations
        assert citation.url == "https://git.example/team/blob/main/canteen.md#opening-hours"
        assert await citewell.sync.forget(table.source_id) == 1
        assert [path.suffix for path in (settings.data / "sources").iterdir()] == [".lock"]
        assert not (await citewell.answer("When does the canteen open?")).citations
