"""A folder of Google Drive as a source of documents."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import AsyncIterator
from pathlib import Path

import openpyxl
import pptx
import pytest

from adapters.fetch.fetcher import Fetcher
from adapters.sources.google_drive.api import ServiceAccount
from pipeline.errors import Misconfigured, Refused, Unavailable
from pipeline.values import BlockKind, ParsedDocument
from tests.contracts.sources.google_drive import DriveRemote
from tests.doubles.google_drive.drive import DOC, EXPORTS, FOLDER, GOOGLE, SHEET, SLIDES
from tests.doubles.google_drive.server import GoogleDrive
from tests.doubles.memory import Kept


@pytest.fixture
async def remote(tmp_path: Path) -> AsyncIterator[DriveRemote]:
    async with DriveRemote.running(tmp_path, page=2) as remote:
        yield remote


@pytest.fixture
def google(remote: DriveRemote) -> GoogleDrive:
    return remote.google


def doc(google: GoogleDrive, name: str, text: str = "Text.", parent: str = "root-folder", **more: object) -> None:
    content = {"text/markdown": text.encode(), "text/plain": text.encode()}
    google.drive.add(name, name, DOC, parent=parent, content=content, **more)


async def names(
    google: GoogleDrive, memory: Kept, folder: str = "root-folder", *, restricted: bool = False
) -> set[str]:
    async with DriveRemote(google).source(memory, folder, restricted=restricted) as source:
        return {item.label async for item in source.list_items()}


async def read(google: GoogleDrive, name: str) -> ParsedDocument:
    async with DriveRemote(google).source(Kept()) as source:
        (item,) = [item async for item in source.list_items() if item.label == name]
        return await source.parse_item(item)


async def test_files_in_folders_are_listed_page_by_page_and_the_bin_is_left_out(google: GoogleDrive) -> None:
    google.drive.add("inner", "Inner", FOLDER, parent="root-folder")
    for number in range(5):
        doc(google, f"outer-{number}")
        doc(google, f"inner-{number}", parent="inner")
    google.drive.change("outer-4", trashed=True)
    assert await names(google, Kept()) == {f"outer-{n}" for n in range(4)} | {f"inner-{n}" for n in range(5)}


async def test_a_shared_drive_is_listed_as_a_folder_is(google: GoogleDrive) -> None:
    google.drive.add("inner", "Inner", FOLDER, parent="0Ashared")
    doc(google, "there", parent="inner")
    doc(google, "elsewhere")
    memory = Kept()
    assert await names(google, memory, "0Ashared") == {"there"}
    doc(google, "new", parent="0Ashared")
    assert await names(google, memory, "0Ashared") == {"there", "new"}
    assert await names(google, Kept(), "inner") == {"there"}


async def test_a_sync_with_nothing_changed_costs_a_token_and_one_request(google: GoogleDrive) -> None:
    for number in range(9):
        doc(google, f"doc-{number}")
    memory = Kept()
    before = await names(google, memory)
    google.outage.paths.clear()
    assert await names(google, memory) == before
    assert google.asked == ["/token", "/drive/v3/changes"]


async def test_a_change_in_a_known_folder_is_followed_without_a_listing(google: GoogleDrive) -> None:
    doc(google, "stays")
    doc(google, "goes")
    memory = Kept()
    await names(google, memory)
    google.drive.change("goes", trashed=True)
    doc(google, "comes")
    doc(google, "outside", parent="")
    google.outage.paths.clear()
    assert await names(google, memory) == {"stays", "comes"}
    assert "/drive/v3/files" not in google.asked


@pytest.mark.parametrize("how", ["moved in", "moved out", "deleted", "put in the bin", "limited"])
async def test_what_happens_to_a_folder_happens_to_its_files(google: GoogleDrive, how: str) -> None:
    inside = how != "moved in"
    google.drive.add("other", "Other", FOLDER, granted={"team"})
    google.drive.add("inner", "Inner", FOLDER, parent="root-folder" if inside else "other")
    doc(google, "doc", parent="inner")
    memory = Kept()
    assert await names(google, memory) == ({"doc"} if inside else set())
    match how:
        case "moved in":
            google.drive.change("inner", parent="root-folder")
        case "moved out":
            google.drive.change("inner", parent="other")
        case "deleted":
            google.drive.delete("inner")
        case "put in the bin":
            google.drive.change("inner", trashed=True)
        case _:
            google.drive.change("inner", limited=True, granted={"owner"})
    assert await names(google, memory) == (set() if inside else {"doc"})


async def test_changes_that_the_service_does_not_know_any_more_mean_a_new_listing(google: GoogleDrive) -> None:
    doc(google, "stays")
    doc(google, "goes")
    memory = Kept()
    await names(google, memory)
    google.drive.delete("goes")
    google.first_change = 1000
    assert await names(google, memory) == {"stays"}
    google.outage.paths.clear()
    assert await names(google, memory) == {"stays"}
    assert google.asked == ["/token", "/drive/v3/changes"]


@pytest.mark.parametrize(
    ("how", "open_to_all"),
    [
        ({}, True),
        ({"granted": {"guest"}}, True),
        ({"limited": True, "granted": {"owner"}}, False),
        ({"withheld": {"team"}}, False),
        ({"withheld": {"team"}, "granted": {"anyoneWithLink"}}, True),
        ({"limited": True, "granted": {"owner", "team"}}, False),
    ],
)
async def test_a_file_that_fewer_may_read_than_the_folder_is_taken_only_when_asked_for(
    google: GoogleDrive, how: dict[str, object], open_to_all: bool
) -> None:
    doc(google, "doc", **how)
    assert await names(google, Kept()) == ({"doc"} if open_to_all else set())
    assert await names(google, Kept(), restricted=True) == (set() if open_to_all else {"doc"})


async def test_what_is_left_out_is_told_with_the_reason(google: GoogleDrive) -> None:
    doc(google, "doc")
    doc(google, "closed", limited=True)
    google.drive.add("film", "film.mp4", "video/mp4", parent="root-folder", content={"": b"0"})
    async with DriveRemote(google).source(Kept()) as source:
        assert [item.label async for item in source.list_items()] == ["doc"]
        assert dict(source.skipped) == {
            "closed": "fewer people may read it than its folder",
            "film.mp4": "its format is not read",
        }
        assert source.withheld == {"team/closed"}


async def test_an_empty_doc_is_a_document_without_text(google: GoogleDrive) -> None:
    doc(google, "doc", "")
    assert (await read(google, "doc")).blocks == ()


async def test_who_may_read_the_folder_counts_anew_when_it_changes(google: GoogleDrive) -> None:
    doc(google, "doc", limited=True, granted={"owner"})
    doc(google, "closed", withheld={"guest"})
    memory = Kept()
    assert await names(google, memory) == {"closed"}
    google.drive.change("root-folder", granted={"owner", "team", "guest"})
    assert await names(google, memory) == set()


async def test_a_doc_keeps_its_headings_lists_and_table_header(google: GoogleDrive) -> None:
    text = (
        "# Leave {#leave}\n\n## Days {#days}\n\n- one\n  - two\n\n| Year | Days |\n| :---- | ----: |\n| 2026 | 30 |\n"
    )
    google.drive.add("1AbC", "Leave policy", DOC, parent="root-folder", content={"text/markdown": text.encode()})
    parsed = await read(google, "Leave policy")
    assert [(block.kind, block.text, block.depth) for block in parsed.blocks] == [
        (BlockKind.HEADING, "Leave", 0),
        (BlockKind.HEADING, "Days", 0),
        (BlockKind.ITEM, "one", 0),
        (BlockKind.ITEM, "two", 1),
        (BlockKind.HEADER, "Year | Days", 0),
        (BlockKind.ROW, "2026 | 30", 0),
    ]
    assert parsed.document.title == "Leave policy"
    assert parsed.document.id == "team/1AbC"
    assert parsed.document.url == f"{google.url}/document/d/1AbC/edit?usp=drivesdk"
    assert parsed.document.metadata["updated"].startswith("2026-")


async def test_numbered_headings_and_pictures_of_a_doc_leave_no_marks(google: GoogleDrive) -> None:
    picture = base64.b64encode(bytes(range(256)) * 20_000).decode()
    text = (
        "1. # Rates {#rates}\n\nSee ![][image1] below.\n\n2. ## **Norway: 2026** {#norway:-2026}\n\nSixty\\!\n\n"
        f"[image1]: <data:image/png;base64,{picture}>\n\n[image2]: <data:image/svg+xml;base64,PHN2Zz4=>\n"
    )
    doc(google, "doc", text)
    assert [(block.kind, block.text) for block in (await read(google, "doc")).blocks] == [
        (BlockKind.HEADING, "Rates"),
        (BlockKind.PROSE, "See below."),
        (BlockKind.HEADING, "Norway: 2026"),
        (BlockKind.PROSE, "Sixty!"),
    ]


async def test_sheets_and_slides_are_read_with_their_sheets_and_pages(google: GoogleDrive) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Rates"
    book.active.append(["Country", "Rate"])
    book.active.append(["Norway", 60])
    book.save(sheet := io.BytesIO())
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Roadmap"
    deck.save(slides := io.BytesIO())
    google.drive.add("s", "Travel rates", SHEET, parent="root-folder", content={EXPORTS[SHEET][0]: sheet.getvalue()})
    google.drive.add("p", "Plans", SLIDES, parent="root-folder", content={EXPORTS[SLIDES][0]: slides.getvalue()})
    rates, plans = await read(google, "Travel rates"), await read(google, "Plans")
    assert [(block.sheet, block.text) for block in rates.blocks][-1] == ("Rates", "Norway | 60")
    assert [(block.page, block.text) for block in plans.blocks] == [(1, "Roadmap")]


async def test_a_file_is_downloaded_and_read_by_its_name_or_its_type(google: GoogleDrive) -> None:
    for name, mime in (
        ("notes.md", "text/markdown"),
        ("notes", "text/plain"),
        ("notes.rst", "application/octet-stream"),
    ):
        google.drive.add(name, name, mime, parent="root-folder", content={"": b"Trains come first."})
    google.drive.add("film.mp4", "film.mp4", "video/mp4", parent="root-folder", content={"": b"0"})
    google.drive.add("link", "link", f"{GOOGLE}shortcut", parent="root-folder")
    assert await names(google, Kept()) == {"notes.md", "notes", "notes.rst"}
    for name in ("notes.md", "notes", "notes.rst"):
        assert [block.text for block in (await read(google, name)).blocks] == ["Trains come first."]


async def test_a_doc_that_is_too_large_with_its_pictures_is_read_as_text(google: GoogleDrive) -> None:
    content = {"text/markdown": b"x" * 10_000_001, "text/plain": b"Trains come first."}
    google.drive.add("doc", "doc", DOC, parent="root-folder", content=content)
    assert [block.text for block in (await read(google, "doc")).blocks] == ["Trains come first."]


async def test_a_sheet_that_is_too_large_is_refused_with_what_to_do(google: GoogleDrive) -> None:
    content = {EXPORTS[SHEET][0]: b"x" * 10_000_001}
    google.drive.add("sheet", "sheet", SHEET, parent="root-folder", content=content)
    with pytest.raises(Refused, match="more than 10 MB") as refused:
        await read(google, "sheet")
    assert refused.value.what_to_do


async def test_a_token_that_is_not_taken_any_more_is_renewed(google: GoogleDrive) -> None:
    doc(google, "doc")
    async with DriveRemote(google).source(Kept()) as source:
        (item,) = [item async for item in source.list_items()]
        google.oauth.tokens.clear()
        assert (await source.parse_item(item)).blocks


async def test_a_folder_that_is_not_shared_with_the_account_is_said_to_be_so(google: GoogleDrive) -> None:
    with pytest.raises(Unavailable, match=r"other.+reader@project") as unavailable:
        await names(google, Kept(), "other")
    assert "Share the folder" in unavailable.value.what_to_do


async def test_a_key_of_another_account_gets_no_token(google: GoogleDrive) -> None:
    async with GoogleDrive().running() as other:
        fetcher = Fetcher(ports=frozenset(range(65536)), private=True)
        key = {**other.key, "token_uri": google.key["token_uri"]}
        with pytest.raises(Unavailable, match="no access token"):
            await ServiceAccount(json.dumps(key), fetcher, setting="KEY").token()
        await fetcher.close()


@pytest.mark.parametrize("key", ["", "/nowhere/key.json", "{}", '{"private_key": "x"}', "[]"])
async def test_what_is_no_key_of_a_service_account_names_its_setting(key: str) -> None:
    with pytest.raises(Misconfigured, match="DRIVE_KEY"):
        ServiceAccount(key, Fetcher(), setting="DRIVE_KEY")
