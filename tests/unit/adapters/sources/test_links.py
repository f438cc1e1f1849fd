"""Addresses of files, and the fragments that lead into them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.files.reader import FileReader
from adapters.sources.folder.file_links import add_fragments, file_url
from adapters.sources.folder.source import FolderSource
from adapters.sources.git import guess_base_url
from pipeline.values import Block, BlockKind, ParsedDocument
from tests.doubles.reader import ReaderHere


@pytest.fixture
async def reader() -> AsyncIterator[FileReader]:
    reader = ReaderHere()
    yield reader
    await reader.close()


async def read(
    folder: Path, reader: FileReader, name: str, text: str, url: str = "https://git.example/{path}"
) -> ParsedDocument:
    (folder / name).write_text(text)
    source = FolderSource(folder, reader, base_url=url)
    (item,) = [item async for item in source.list_items()]
    return await source.parse_item(item)


@pytest.mark.parametrize(
    ("base", "path", "url"),
    [
        ("https://git.example/h/blob/main/{path}", "a b/ü.md", "https://git.example/h/blob/main/a%20b/%C3%BC.md"),
        ("https://git.example/{path}?plain=1", "a#1.md", "https://git.example/a%231.md?plain=1"),
        ("https://docs.example/files", "a.md", "https://docs.example/files/a.md"),
        ("https://docs.example/files/", "a.md", "https://docs.example/files/a.md"),
    ],
)
def test_the_path_of_a_file_stands_where_its_base_says(base: str, path: str, url: str) -> None:
    assert file_url(base, path) == url


@pytest.mark.parametrize(
    ("clone", "shown"),
    [
        ("https://github.com/team/book.git", "https://github.com/team/book/blob/feature/one/{path}"),
        ("https://gitlab.com/team/sub/book", "https://gitlab.com/team/sub/book/-/blob/feature/one/{path}"),
        ("https://gitlab.team.example/book.git", "https://gitlab.team.example/book/-/blob/feature/one/{path}"),
        ("https://codeberg.org/team/book.git", "https://codeberg.org/team/book/src/branch/feature/one/{path}"),
        ("https://bitbucket.org/team/book.git", "https://bitbucket.org/team/book/src/feature/one/{path}"),
        ("https://git.team.example/book.git", ""),
        ("file:///srv/book.git", ""),
    ],
)
def test_the_host_of_a_repository_says_where_files_are_read(clone: str, shown: str) -> None:
    assert guess_base_url(clone, "feature/one") == shown


async def test_headings_of_markdown_have_the_fragments_that_hosts_give_them(tmp_path: Path, reader: FileReader) -> None:
    text = "# Kündigung & Fristen\n\n## Set-up: `pip install`\n\nOne.\n\n## Notes\n\nTwo.\n\n## Notes\n\nThree.\n"
    parsed = await read(tmp_path, reader, "a.md", text)
    assert [block.anchor for block in parsed.blocks if block.anchor] == [
        "kündigung--fristen",
        "set-up-pip-install",
        "notes",
        "notes-1",
    ]


async def test_plain_text_and_tables_are_cited_by_their_lines(tmp_path: Path, reader: FileReader) -> None:
    parsed = await read(tmp_path, reader, "a.txt", "First paragraph.\n\nSecond one,\nwhich goes on.\n\nThird.\n")
    assert [(block.text.split()[0], block.anchor) for block in parsed.blocks] == [
        ("First", "L1"),
        ("Second", "L3"),
        ("Third.", "L6"),
    ]


async def test_a_document_that_names_its_address_keeps_it_and_without_an_address_there_is_no_fragment(
    tmp_path: Path, reader: FileReader
) -> None:
    named = await read(tmp_path, reader, "a.md", "---\nurl: https://wiki.example/leave\nowner: HR\n---\n# A\n\nB.\n")
    assert (named.document.url, named.document.metadata) == ("https://wiki.example/leave", {"owner": "HR"})
    bare = await read(tmp_path, reader, "a.md", "# A\n\n## B\n\nC.\n", url="")
    assert (bare.document.url, [block.anchor for block in bare.blocks]) == ("", ["", "", ""])


async def test_another_base_makes_another_version(tmp_path: Path, reader: FileReader) -> None:
    versions = [
        (await read(tmp_path, reader, "a.md", "# A\n\nB.\n", url)).document.version
        for url in ("", "https://one.example", "https://two.example", "https://one.example")
    ]
    assert len(set(versions)) == 3
    assert versions[1] == versions[3]


def test_lines_that_are_not_those_of_the_blocks_are_not_looked_for_without_end() -> None:
    count = 100_000
    lost = [Block(kind=BlockKind.PROSE, text=f"paragraph {number}") for number in range(count)]
    lines = "\n".join(f"a {number}" for number in range(count)).encode()
    assert not any(block.anchor for block in add_fragments(lost, "a.txt", lines))


@pytest.mark.parametrize(
    ("written", "leads_to"),
    [
        ("b.md#when", "https://git.example/h/blob/main/b.md#when"),
        ("../x/b%20c.md", "https://git.example/h/blob/main/x/b%20c.md"),
        ("/docs/b.md", "https://git.example/h/blob/main/docs/b.md"),
        ("https://other.example/b", "https://other.example/b"),
        ("//other.example/b", "//other.example/b"),
        ("#when", "#when"),
    ],
)
async def test_links_between_files_lead_to_where_they_are_read(
    tmp_path: Path, reader: FileReader, written: str, leads_to: str
) -> None:
    base = "https://git.example/h/blob/main/{path}"
    parsed = await read(tmp_path, reader, "a.md", f"See [the other]({written}).\n", base)
    assert [link.url for block in parsed.blocks for link in block.links] == [leads_to]
