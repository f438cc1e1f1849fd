"""Files and folders as a source of documents."""

from __future__ import annotations

import hashlib
import json
import os
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.files.reader import FileReader
from adapters.sources.folder.source import FolderSource
from pipeline.errors import Refused, Unavailable
from pipeline.ports import SourceItem


@pytest.fixture
async def reader() -> AsyncIterator[FileReader]:
    reader = FileReader()
    yield reader
    await reader.close()


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


async def items(source: FolderSource) -> list[SourceItem]:
    return [item async for item in source.list_items()]


async def labels(source: FolderSource) -> list[str]:
    return [item.label for item in await items(source)]


async def test_supported_files_are_found_recursively_and_in_order(tmp_path: Path, reader: FileReader) -> None:
    write(tmp_path, {"b.md": "b", "a/z.txt": "z", "a/y.html": "<p>y", "c.exe": "no", "a/B.PDF": "x"})
    assert await labels(FolderSource(tmp_path, reader)) == ["a/B.PDF", "a/y.html", "a/z.txt", "b.md"]


async def test_hidden_and_ignored_files_are_left_out(tmp_path: Path, reader: FileReader) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "build/\n*.txt\n!keep.txt\n/only-here.md\n",
            "build/out.md": "x",
            "note.txt": "x",
            "keep.txt": "x",
            "only-here.md": "x",
            ".hidden.md": "x",
            ".git/config.md": "x",
            "sub/only-here.md": "x",
            "sub/.gitignore": "!note.txt\nlocal.md\n",
            "sub/note.txt": "x",
            "sub/local.md": "x",
            "local.md": "x",
        },
    )
    assert await labels(FolderSource(tmp_path, reader)) == ["keep.txt", "local.md", "sub/note.txt", "sub/only-here.md"]


async def test_what_a_repository_ignores_is_left_out_of_its_folders_too(tmp_path: Path, reader: FileReader) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "*.md\n",
            "team/.git/HEAD": "x",
            "team/.gitignore": "docs/private.md\n/docs/*.txt\nbuild/\n",
            "team/docs/.gitignore": "!keep.txt\n",
            "team/docs/private.md": "x",
            "team/docs/note.txt": "x",
            "team/docs/keep.txt": "x",
            "team/docs/deep/private.md": "x",
            "team/docs/deep/build/out.md": "x",
        },
    )
    assert await labels(FolderSource(tmp_path / "team" / "docs", reader)) == ["deep/private.md", "keep.txt"]
    assert await labels(FolderSource(tmp_path / "team" / "docs" / "private.md", reader)) == ["private.md"]


async def test_an_ignored_folder_that_is_named_is_read(tmp_path: Path, reader: FileReader) -> None:
    files = dict.fromkeys((".git/HEAD", "build/out.md", "build/private.md", "build/more/out.md"), "x")
    write(tmp_path, files | {".gitignore": "build/\nprivate.md\n"})
    assert await labels(FolderSource(tmp_path / "build", reader)) == ["more/out.md", "out.md"]
    assert await labels(FolderSource(tmp_path / "build" / "more", reader)) == ["out.md"]


async def test_links_that_lead_in_circles_are_followed_once(tmp_path: Path, reader: FileReader) -> None:
    write(tmp_path, {"docs/a.md": "a", "docs/.versions/b.md": "b"})
    (tmp_path / "docs" / "again").symlink_to(tmp_path / "docs")
    (tmp_path / "docs" / "there").symlink_to(tmp_path / "docs" / ".versions")
    (tmp_path / "docs" / "dangling.md").symlink_to(tmp_path / "docs" / "nowhere.md")
    (tmp_path / "docs" / "loop.md").symlink_to(tmp_path / "docs" / "loop.md")
    assert await labels(FolderSource(tmp_path / "docs", reader)) == ["a.md", "there/b.md"]


async def test_links_that_lead_out_of_the_folder_are_not_followed(tmp_path: Path, reader: FileReader) -> None:
    write(tmp_path, {"docs/a.md": "a", "elsewhere/b.md": "b", "docs-old/c.md": "c"})
    (tmp_path / "docs" / "there").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "docs" / "one.md").symlink_to(tmp_path / "elsewhere" / "b.md")
    (tmp_path / "docs" / "two.md").symlink_to("../docs-old/c.md")
    source = FolderSource(tmp_path / "docs", reader)
    assert await labels(source) == ["a.md"]
    assert source.skipped_by_reason["outside"] == ("one.md", "there", "two.md")


async def test_a_link_that_is_named_itself_is_followed(tmp_path: Path, reader: FileReader) -> None:
    write(tmp_path, {"docs/a.md": "a", "elsewhere/b.md": "b"})
    (tmp_path / "docs" / "there").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "docs" / "one.md").symlink_to(tmp_path / "elsewhere" / "b.md")
    assert await labels(FolderSource(tmp_path / "docs" / "there", reader)) == ["b.md"]
    assert await labels(FolderSource(tmp_path / "docs" / "one.md", reader)) == ["b.md"]


async def test_files_of_other_formats_are_told(tmp_path: Path, reader: FileReader) -> None:
    write(tmp_path, dict.fromkeys(("a.md", "README", "old/a.doc", ".hidden", ".git/HEAD"), "x"))
    source = FolderSource(tmp_path, reader)
    assert await labels(source) == ["a.md"]
    assert source.skipped_by_reason["unsupported"] == ("README", "old/a.doc")


async def test_what_programs_fetched_or_built_is_left_out_and_told(tmp_path: Path, reader: FileReader) -> None:
    foreign = (
        "node_modules/a/README.md",
        "Vendor/b.md",
        "site/dist/c.html",
        "env/pyvenv.cfg",
        "env/d.txt",
        "e.min.html",
    )
    write(tmp_path, dict.fromkeys((*foreign, "vendors/f.md", "building.md"), "x"))
    source = FolderSource(tmp_path, reader)
    assert await labels(source) == ["building.md", "vendors/f.md"]
    assert source.skipped_by_reason["foreign"] == ("Vendor", "e.min.html", "env", "node_modules", "site/dist")


async def test_what_programs_fetched_is_read_where_it_is_named(tmp_path: Path, reader: FileReader) -> None:
    write(tmp_path, dict.fromkeys(("vendor/a.md", "vendor/deep/b.md", "env/pyvenv.cfg", "env/c.md", "d.min.html"), "x"))
    assert await labels(FolderSource(tmp_path / "vendor", reader)) == ["a.md", "deep/b.md"]
    assert await labels(FolderSource(tmp_path / "env", reader)) == ["c.md"]
    assert await labels(FolderSource(tmp_path / "d.min.html", reader)) == ["d.min.html"]


async def test_an_empty_file_is_told_and_is_no_document(tmp_path: Path, reader: FileReader) -> None:
    write(tmp_path, {"a.md": "", "b.txt": " \n\n", "c.md": "c", "d.jsonl": ""})
    source = FolderSource(tmp_path, reader)
    assert await labels(source) == ["c.md"]
    assert source.skipped_by_reason["empty"] == ("a.md", "b.txt")


async def test_ids_are_stable_and_differ_between_folders(tmp_path: Path, reader: FileReader) -> None:
    write(tmp_path, {"one/a.md": "same", "two/a.md": "same"})
    (one,) = await items(FolderSource(tmp_path / "one", reader))
    (two,) = await items(FolderSource(tmp_path / "two", reader))
    (again,) = await items(FolderSource(tmp_path / "one", reader))
    (bare,) = await items(FolderSource(tmp_path / "one", reader, prefix=""))
    assert one.id == again.id != two.id
    assert bare.id == "a.md"


async def test_a_document_says_where_it_comes_from(tmp_path: Path, reader: FileReader) -> None:
    text = "---\nproduct: HR\nowner: People\n---\nSome text."
    source = FolderSource(write(tmp_path, {"sub/travel-rates_2026.md": text}), reader)
    (item,) = await items(source)
    document = (await source.parse_item(item)).document
    assert document.id == item.id
    assert (document.filename, document.title) == ("sub/travel-rates_2026.md", "Travel rates 2026")
    assert document.source == source.name == tmp_path.as_posix()
    assert document.version == item.version == hashlib.sha256(text.encode()).hexdigest()
    assert (document.product, document.url, document.metadata) == ("HR", "", {"owner": "People"})


async def test_a_single_file_is_a_source(tmp_path: Path, reader: FileReader) -> None:
    source = FolderSource(write(tmp_path, {"a.md": "# A\n\ntext"}) / "a.md", reader)
    (item,) = await items(source)
    assert (await source.parse_item(item)).document.filename == "a.md"


async def test_every_line_of_json_is_an_item(tmp_path: Path, reader: FileReader) -> None:
    lines = [{"doc_id": f"d{n}", "text": f"Text {n}.", "title": f"Title {n}"} for n in range(3)]
    corpus = "\n\n".join(map(json.dumps, lines)) + "\n"
    source = FolderSource(write(tmp_path, {"corpus.jsonl": corpus}), reader, prefix="")
    found = await items(source)
    assert [item.id for item in found] == ["d0", "d1", "d2"]
    parsed = [await source.parse_item(item) for item in found]
    assert [one.document.title for one in parsed] == ["Title 0", "Title 1", "Title 2"]
    assert [one.blocks[0].text for one in parsed] == ["Text 0.", "Text 1.", "Text 2."]


async def test_a_bad_line_costs_itself_only(tmp_path: Path, reader: FileReader) -> None:
    corpus = (
        '{"doc_id": "a", "text": "A"}\n{"doc_id": \n{"doc_id": "a", "text": "twice"}\n{"doc_id": "b", "text": ""}\n'
    )
    source = FolderSource(write(tmp_path, {"corpus.jsonl": corpus}), reader)
    reasons = []
    for item in await items(source):
        try:
            await source.parse_item(item)
        except Refused as error:
            reasons.append((item.label, str(error)))
    assert [label for label, _ in reasons] == [f"corpus.jsonl line {n}" for n in (2, 3, 4)]
    assert "already taken" in reasons[1][1]


async def test_a_missing_path_is_refused(tmp_path: Path, reader: FileReader) -> None:
    with pytest.raises(Refused, match="does not exist"):
        await items(FolderSource(tmp_path / "nowhere", reader))


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser can read everything")
async def test_an_unreadable_folder_is_told_after_all_else(tmp_path: Path, reader: FileReader) -> None:
    write(tmp_path, {"a.md": "a", "locked/b.md": "b"})
    (tmp_path / "locked").chmod(0)
    found = FolderSource(tmp_path, reader).list_items()
    try:
        assert (await anext(found)).label == "a.md"
        with pytest.raises(Unavailable, match="locked"):
            await anext(found)
    finally:
        (tmp_path / "locked").chmod(0o700)


async def test_a_file_that_vanishes_is_refused(tmp_path: Path, reader: FileReader) -> None:
    source = FolderSource(write(tmp_path, {"a.md": "a"}), reader)
    (item,) = await items(source)
    (tmp_path / "a.md").unlink()
    with pytest.raises(Refused):
        await source.parse_item(item)


async def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path, reader: FileReader) -> None:
    with (tmp_path / "large.txt").open("wb") as file:
        file.truncate(40_000_001)
    source = FolderSource(tmp_path, reader)
    (item,) = await items(source)
    tracemalloc.start()
    try:
        with pytest.raises(Refused, match="larger than 40 MB"):
            await source.parse_item(item)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


async def test_a_line_that_is_too_large_is_refused_and_the_next_one_is_read(
    tmp_path: Path, reader: FileReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.sources.folder.source.MAX_TEXT_BYTES", 100)
    lines = [{"doc_id": "1", "text": "a" * 1000}, {"doc_id": "2", "text": "short"}]
    write(tmp_path, {"corpus.jsonl": "\n".join(map(json.dumps, lines))})
    source = FolderSource(tmp_path, reader)
    large, small = await items(source)
    with pytest.raises(Refused, match="larger"):
        await source.parse_item(large)
    assert (await source.parse_item(small)).blocks[0].text == "short"


async def test_a_gitignore_that_would_take_hours_to_match_keeps_its_folder_closed(
    tmp_path: Path, reader: FileReader
) -> None:
    write(tmp_path, {"a.md": "a", f"sub/{'a' * 60}.md": "b", "sub/.gitignore": "*a" * 8 + "*b"})
    with pytest.raises(Unavailable, match=r"sub/\.gitignore"):
        await labels(FolderSource(tmp_path, reader))


async def test_a_gitignore_that_is_a_link_is_not_read(tmp_path: Path, reader: FileReader) -> None:
    write(tmp_path, {"elsewhere": "a.md\n", "book/a.md": "a"})
    (tmp_path / "book" / ".gitignore").symlink_to(tmp_path / "elsewhere")
    assert await labels(FolderSource(tmp_path / "book", reader)) == ["a.md"]
