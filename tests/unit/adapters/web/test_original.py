"""The original file of a source is downloaded as it was read, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from adapters.http.limits import RequestTimeouts
from adapters.http.servers import UvicornServers
from tests.doubles.page import URL, OpenPage, open_page, parsed, prose, with_page


@pytest.fixture
async def with_file(tmp_path: Path) -> AsyncIterator[tuple[OpenPage, Path, str]]:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "pay scale é.md").write_text("# Pay\n\nA secret.\n")
    async with open_page(with_page(tmp_path / "data", originals=True)) as page:
        await page.citewell.index([folder])
        (document,) = await page.citewell.storage.library.list_documents()
        yield page, folder / "pay scale é.md", (await page.link(document.id)).partition("#")[0]


async def test_the_original_is_the_very_file_and_no_browser_opens_it(with_file: tuple[OpenPage, Path, str]) -> None:
    page, file, link = with_file
    assert f'href="{link.removeprefix(URL)}/original"' in (await page.get(link)).text
    answer = await page.get(f"{link}/original")
    assert (answer.status_code, answer.content) == (200, file.read_bytes())
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''pay%20scale%20%C3%A9.md"
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_who_reads_nothing_of_it_is_hung_up_on_and_the_file_is_closed(
    with_file: tuple[OpenPage, Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page, file, link = with_file
    with file.open("ab") as growing:
        growing.truncate(64 << 20)
    await page.citewell.index([file.parent])
    hurried = UvicornServers(RequestTimeouts(head=5, body=5, reading=0.2))
    async with hurried.serve("127.0.0.1:0", page.routes, setting="CITEWELL_WEB") as port, asyncio.timeout(20):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.transport.pause_reading()  # type: ignore[attr-defined] # of a socket
        writer.write(f"GET {link.removeprefix(URL)}/original HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        for there in (True, False):
            while (str(file) in {one.path for one in psutil.Process().open_files()}) != there:  # noqa: ASYNC110 - no event
                await asyncio.sleep(0.01)
        writer.transport.abort()


async def test_there_is_none_once_the_file_is_another_or_gone(
    with_file: tuple[OpenPage, Path, str], tmp_path: Path
) -> None:
    page, file, link = with_file
    kept = file.read_bytes()
    file.write_bytes(kept + b"more")
    assert (await page.get(f"{link}/original")).status_code == 404
    file.unlink()
    (tmp_path / "elsewhere.md").write_bytes(kept)
    file.symlink_to(tmp_path / "elsewhere.md")
    answer = await page.get(f"{link}/original")
    assert (answer.status_code, b"secret" in answer.content) == (404, False)
    assert "/original" not in (await page.get(link)).text


@pytest.mark.parametrize("filename", ["../../etc/passwd", "/etc/passwd", "x\x00y", "a" * 5_000])
async def test_a_file_outside_of_what_was_indexed_is_none(tmp_path: Path, filename: str) -> None:
    (tmp_path / "documents").mkdir()
    async with open_page(with_page(tmp_path / "data", originals=True)) as page:
        await page.keep(parsed("odd", prose("Text."), filename=filename, source=str(tmp_path / "documents")))
        assert (await page.get(f"{(await page.link('odd')).partition('#')[0]}/original")).status_code == 404


async def test_there_is_none_where_the_operator_does_not_allow_it(tmp_path: Path) -> None:
    (tmp_path / "pay.md").write_text("# Pay\n\nA secret.\n")
    async with open_page(with_page(tmp_path / "data")) as page:
        await page.citewell.index([tmp_path / "pay.md"])
        (document,) = await page.citewell.storage.library.list_documents()
        link = (await page.link(document.id)).partition("#")[0]
        assert "/original" not in (await page.get(link)).text
        assert (await page.get(f"{link}/original")).status_code == 404
