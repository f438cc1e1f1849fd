"""What is taken from a Confluence and what is not, in both editions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pipeline.errors import Refused, Unavailable
from pipeline.ports import PermissionAwareSource, SkipReportingSource, SourceItem
from pipeline.values import ParsedDocument
from tests.contracts.sources.confluence import SPACE, CloudRemote, ConfluenceRemote, DataCenterRemote
from tests.doubles.confluence.cloud import CloudSite
from tests.doubles.confluence.wiki import BOT, WRITER
from tests.doubles.memory import Kept

RESTRICTED = {"restricted": True}


@pytest.fixture(params=[CloudRemote, DataCenterRemote])
async def remote(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ConfluenceRemote]:
    async with request.param.running(tmp_path) as opened:
        yield opened


@pytest.fixture
async def on_cloud(tmp_path: Path) -> AsyncIterator[ConfluenceRemote]:
    async with CloudRemote.running(tmp_path) as opened:
        yield opened


async def items(remote: ConfluenceRemote, **settings: object) -> list[SourceItem]:
    async with remote.source(Kept(), **settings) as source:  # type: ignore[arg-type]
        return [item async for item in source.list_items()]


async def labels(remote: ConfluenceRemote, **settings: object) -> set[str]:
    return {item.label for item in await items(remote, **settings)}


async def parsed(remote: ConfluenceRemote, title: str) -> ParsedDocument:
    async with remote.source(Kept()) as source:
        (item,) = [item async for item in source.list_items() if item.label == title]
        return await source.parse_item(item)


async def test_what_stands_below_a_restricted_page_is_left_out_and_is_its_own_source(remote: ConfluenceRemote) -> None:
    board = remote.wiki.page(SPACE, "Board", "<p>Secret.</p>", readers={BOT, WRITER})
    minutes = remote.wiki.page(SPACE, "Minutes", "<p>More.</p>", parent=board.id)
    remote.wiki.attach(minutes, "plan.md", "text/markdown", b"# Plan")
    remote.wiki.page(SPACE, "Open", "<p>All.</p>")
    assert await labels(remote) == {"Open"}
    assert await labels(remote, **RESTRICTED) == {"Board", "Minutes", "Minutes / plan.md"}
    board.readers = None
    assert await labels(remote) == {"Open", "Board", "Minutes", "Minutes / plan.md"}
    assert await labels(remote, **RESTRICTED) == set()


async def test_what_becomes_restricted_is_withheld_with_its_files(remote: ConfluenceRemote) -> None:
    board = remote.wiki.page(SPACE, "Board", "<p>Secret.</p>", readers={BOT})
    minutes = remote.wiki.page(SPACE, "Minutes", "<p>More.</p>", parent=board.id)
    plan = remote.wiki.attach(minutes, "plan.md", "text/markdown", b"# Plan")
    async with remote.source(Kept()) as source:
        assert [item async for item in source.list_items()] == []
        assert isinstance(source, PermissionAwareSource)
        assert isinstance(source, SkipReportingSource)
        assert source.withheld == {f"wiki/{one.id}" for one in (board, minutes, plan)}
        assert set(source.skipped) == {"Board", "Minutes"}


async def test_what_stands_in_a_restricted_folder_is_left_out(on_cloud: ConfluenceRemote) -> None:
    outer = on_cloud.wiki.folder(SPACE, "Outer")
    inner = on_cloud.wiki.folder(SPACE, "Inner", parent=outer.id)
    on_cloud.wiki.page(SPACE, "Inside", "<p>x</p>", parent=inner.id)
    assert await labels(on_cloud) == {"Inside"}
    outer.readers = {BOT}
    assert await labels(on_cloud) == set()


async def test_a_page_that_the_search_does_not_know_yet_is_asked_for_by_itself(on_cloud: ConfluenceRemote) -> None:
    on_cloud.wiki.page(SPACE, "New", "<p>x</p>", indexed=False, labels={"howto"})
    on_cloud.wiki.page(SPACE, "New and secret", "<p>x</p>", indexed=False, readers={BOT})
    assert await labels(on_cloud) == {"New"}
    assert await labels(on_cloud, labels=frozenset({"howto"})) == {"New"}


async def test_labels_choose_the_pages(remote: ConfluenceRemote) -> None:
    remote.wiki.page(SPACE, "A", "<p>a</p>", labels={"howto"})
    remote.wiki.page(SPACE, "B", "<p>b</p>", labels={"howto", "draft"})
    remote.wiki.page(SPACE, "C", "<p>c</p>")
    chosen = {"labels": frozenset({"HowTo"}), "without_labels": frozenset({"draft"})}
    assert await labels(remote, **chosen) == {"A"}


async def test_a_new_label_changes_the_document(remote: ConfluenceRemote) -> None:
    page = remote.wiki.page(SPACE, "A", "<p>a</p>")
    before = await items(remote)
    page.labels.add("howto")
    after = await items(remote)
    assert (before[0].id, before[0].version == after[0].version) == (after[0].id, False)
    assert (await parsed(remote, "A")).document.metadata["labels"] == "howto"


async def test_attachments_of_the_formats_that_are_read_are_documents(remote: ConfluenceRemote) -> None:
    page = remote.wiki.page(SPACE, "Travel", "<p>See the file.</p>")
    remote.wiki.attach(page, "rates & costs.csv", "text/csv", b"city,rate\nOslo,90\n")
    remote.wiki.attach(page, "photo.png", "image/png", b"\x89PNG")
    assert await labels(remote) == {"Travel", "Travel / rates & costs.csv"}
    found = await parsed(remote, "Travel / rates & costs.csv")
    assert [block.text for block in found.blocks] == ["city | rate", "Oslo | 90"]
    assert found.document.url.startswith(remote.site.url + "/pages/view")


async def test_a_document_tells_when_it_was_changed_and_where_it_is_read(remote: ConfluenceRemote) -> None:
    remote.wiki.page(SPACE, "Leave policy", "<h2>Days off</h2><p>Thirty.</p>")
    document = (await parsed(remote, "Leave policy")).document
    assert (document.metadata["updated"], document.title) == ("2026-03-02", "Leave policy")
    assert "thirty" in (await remote.open(document.url)).lower()


async def test_the_owner_of_a_page_is_named(on_cloud: ConfluenceRemote) -> None:
    on_cloud.wiki.page(SPACE, "A", "<p>a</p>")
    assert (await parsed(on_cloud, "A")).document.metadata["owner"] == "Robin Vale"


async def test_people_who_are_mentioned_are_named(remote: ConfluenceRemote) -> None:
    attribute = "account-id" if isinstance(remote.site, CloudSite) else "userkey"
    known, unknown = (f'<ac:link><ri:user ri:{attribute}="{who}" /></ac:link>' for who in (WRITER, "gone"))
    remote.wiki.page(SPACE, "A", f"<p>Ask {known}, not {unknown}.</p>")
    assert [block.text for block in (await parsed(remote, "A")).blocks] == ["Ask Robin Vale, not ."]


async def test_a_page_without_text_is_a_document_without_text(remote: ConfluenceRemote) -> None:
    remote.wiki.page(SPACE, "Empty", '<p /><ac:structured-macro ac:name="children" />')
    assert not (await parsed(remote, "Empty")).blocks


async def test_a_page_that_nothing_can_read_is_refused_by_itself(remote: ConfluenceRemote) -> None:
    remote.wiki.page(SPACE, "Hostile", "<p>x</p>").body = "<div>" * 100_000
    remote.wiki.page(SPACE, "Sound", "<p>Thirty days.</p>")
    with pytest.raises(Refused, match="nested") as refused:
        await parsed(remote, "Hostile")
    assert refused.value.what_to_do
    assert [block.text for block in (await parsed(remote, "Sound")).blocks] == ["Thirty days."]


async def test_a_space_that_is_not_there_is_told_after_all_others_were_listed(remote: ConfluenceRemote) -> None:
    remote.wiki.page(SPACE, "A", "<p>a</p>")
    async with remote.source(Kept(), (SPACE, "GONE")) as source:
        listed = aiter(source.list_items())
        assert (await anext(listed)).label == "A"
        with pytest.raises(Unavailable, match="GONE"):
            await anext(listed)


async def test_two_hundred_pages_are_listed_in_a_handful_of_requests(remote: ConfluenceRemote) -> None:
    for number in range(200):
        remote.wiki.page(SPACE, f"Page {number}", "<p>x</p>")
    assert len(await items(remote)) == 200
    assert remote.outage.requests <= 5
