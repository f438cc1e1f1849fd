"""Hostile and broken files cost an error line, never the program."""

from __future__ import annotations

import asyncio
import contextlib
import io
import random
import struct
import zipfile
import zlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from docx import Document

from adapters.files.reader import FileReader
from adapters.files.reader_process import ReaderProcess
from adapters.files.table_grid import MAX_COLUMNS
from pipeline.errors import Refused

HANDBOOK = Path(__file__).parents[4] / "examples" / "handbook"


@pytest.fixture
async def worker() -> AsyncIterator[ReaderProcess]:
    worker = ReaderProcess(cpu_seconds=2)
    yield worker
    await worker.close()


def docx(*paragraphs: str) -> bytes:
    document = Document()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def swelling() -> bytes:
    """A document whose entities would be a gigabyte in an attribute, if anybody filled them in."""
    entities = "".join(f"<!ENTITY e{n} '{f'&e{n - 1};' * 10}'>" for n in range(1, 9))
    return (
        f"<!DOCTYPE w:document [<!ENTITY e0 '{'x' * 10}'>{entities}]>"
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" w:a="&e8;">'
        "<w:body><w:p><w:r><w:t>&e8;</w:t></w:r></w:p></w:body></w:document>"
    ).encode()


def archive(entries: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries.items():
            file.writestr(name, content)
    return out.getvalue()


def with_part(content: bytes, name: str, part: bytes) -> bytes:
    """`content` with one part of the archive replaced."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        entries = {entry: file.read(entry) for entry in file.namelist()}
    return archive({**entries, name: part})


def pdf(*objects: bytes) -> bytes:
    """A PDF of the objects 1, 2, ... of which the first is the catalogue."""
    out = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    return out + b"trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, start)


def stream(body: bytes, entries: bytes = b"") -> bytes:
    return b"<<%s /Length %d>>\nstream\n%s\nendstream" % (entries, len(body), body)


def endless_pdf() -> bytes:
    """A few kilobytes that unpack to a million instructions, on each of a hundred pages."""
    page = b"<</Type /Page /Parent 2 0 R /Contents 4 0 R /MediaBox [0 0 9 9] /Resources <</Font <</F 5 0 R>>>>>>"
    instructions = zlib.compress(b"BT /F 9 Tf 1 0 0 1 0 0 Tm (x) Tj ET " * 300_000, 9)
    return pdf(
        b"<</Type /Catalog /Pages 2 0 R>>",
        b"<</Type /Pages /Kids [%s] /Count 100>>" % (b"3 0 R " * 100),
        page,
        stream(instructions, b"/Filter /FlateDecode"),
        b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>",
    )


async def refusal(worker: ReaderProcess, suffix: str, content: bytes) -> str:
    with pytest.raises(Refused) as caught:
        await worker.read(suffix, content)
    return str(caught.value)


async def reads_on(worker: ReaderProcess) -> bool:
    return bool((await worker.read(".docx", docx("still here"))).blocks)


async def test_a_pdf_that_never_ends_runs_into_the_limit_on_processor_time(worker: ReaderProcess) -> None:
    assert len(endless_pdf()) < 50_000
    assert "processor time" in await refusal(worker, ".pdf", endless_pdf())
    assert await reads_on(worker)


async def test_a_table_cell_two_billion_columns_wide_takes_a_thousand(worker: ReaderProcess) -> None:
    """Readers of tables lay a merged cell out column by column."""
    body = (
        b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:tbl><w:tr>'
        b'<w:tc><w:tcPr><w:gridSpan w:val="999999999"/></w:tcPr><w:p><w:r><w:t>wide</w:t></w:r></w:p></w:tc><w:tc>'
        b"<w:p/></w:tc></w:tr></w:tbl></w:body></w:document>"
    )
    found = await worker.read(".docx", with_part(docx("x"), "word/document.xml", body))
    assert [len(block.cells) for block in found.blocks] == [MAX_COLUMNS + 1]


@pytest.mark.parametrize("name", ["contractor-terms.docx", "town-hall.pptx", "travel-rates.xlsx"])
async def test_a_large_white_bitmap_is_no_bomb(worker: ReaderProcess, name: str) -> None:
    content = with_part((HANDBOOK / name).read_bytes(), "media/white.bmp", b"\xff" * 20_000_000)
    assert (await worker.read(f".{name.rpartition('.')[2]}", content)).blocks


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ({"word/document.xml": b"\0" * 5_000_000}, "decompression bomb"),
        ({f"{n}.xml": b"x" for n in range(10_001)}, "decompression bomb"),
        ({"word/document.xml": b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}, "no document of Word"),
        ({"word/document.xml": '<?xml version="1.0"?><!DOCTYPE a><a/>'.encode("utf-16")}, "no document of Word"),
        ({"word/document.xml": swelling()}, "damaged"),
        ({"readme.txt": b"nothing of Word"}, "damaged"),
    ],
    ids=["ratio", "entries", "entities", "entities in UTF-16", "entities that swell", "not a document"],
)
async def test_archives_that_are_no_documents_are_refused(
    worker: ReaderProcess, entries: dict[str, bytes], reason: str
) -> None:
    assert reason in await refusal(worker, ".docx", archive(entries))
    assert await reads_on(worker)


async def test_overlapping_entries_are_refused(worker: ReaderProcess) -> None:
    """The directory names one entry twice: what David Fifield's bomb is built from."""
    content = archive({"a.xml": b"x" * 100})
    start = content.index(b"PK\x01\x02")
    end = content.index(b"PK\x05\x06")
    twice = content[start:end] * 2
    closing = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 2, 2, len(twice), start, 0)
    assert "decompression bomb" in await refusal(worker, ".docx", content[:start] + twice + closing)


async def test_encrypted_entries_are_refused(worker: ReaderProcess) -> None:
    content = bytearray(docx("secret"))
    directory = content.index(b"PK\x01\x02")
    content[directory + 8] |= 1
    assert "password" in await refusal(worker, ".docx", bytes(content))


async def test_broken_files_are_refused(worker: ReaderProcess) -> None:
    for suffix in (".pdf", ".docx", ".pptx", ".xlsx"):
        for content in (b"x", b"%PDF-1.7\n", b"PK\x03\x04", b"\0" * 5000, random.Random(1).randbytes(2000)):
            assert await refusal(worker, suffix, content)
    assert await reads_on(worker)


async def test_truncated_files_are_refused_or_read_in_part(worker: ReaderProcess) -> None:
    for name in ("laptop-setup.pdf", "contractor-terms.docx", "town-hall.pptx", "travel-rates.xlsx"):
        content = await asyncio.to_thread((HANDBOOK / name).read_bytes)
        for length in (len(content) // 3, len(content) - 20):
            with contextlib.suppress(Refused):
                assert (await worker.read(Path(name).suffix, content[:length])).blocks
        assert (await worker.read(Path(name).suffix, content)).blocks


async def test_a_child_that_hangs_is_replaced() -> None:
    worker = ReaderProcess(cpu_seconds=60, wall_seconds=0.5)
    try:
        assert "too long" in await refusal(worker, ".pdf", endless_pdf())
    finally:
        await worker.close()


async def test_a_reply_too_long_to_be_true_is_refused(worker: ReaderProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as smaller:
        smaller.setattr("adapters.files.reader_process.MAX_REPLY_BYTES", 10)
        assert "more came out" in await refusal(worker, ".docx", docx("still here"))
    assert await reads_on(worker)


@pytest.mark.parametrize(
    ("child", "wall_seconds", "reason"),
    [
        ("import os, time; os.close(1); time.sleep(60)", 0.5, "too long"),
        ("import os, time; os.close(0); time.sleep(60)", 0.5, "too long"),
        ("import sys; sys.stdout.buffer.write((2).to_bytes(8, 'big') + b'no')", 60.0, "broke"),
    ],
    ids=["closes its output", "closes its input", "talks nonsense"],
)
async def test_a_child_that_misbehaves_costs_one_file(
    monkeypatch: pytest.MonkeyPatch, child: str, wall_seconds: float, reason: str
) -> None:
    monkeypatch.setattr("adapters.files.reader_process._START", child)
    worker = ReaderProcess(wall_seconds=wall_seconds)
    try:
        assert reason in await refusal(worker, ".pdf", b"x" * 1_000_000)
    finally:
        await worker.close()


async def test_a_child_that_was_killed_is_replaced(worker: ReaderProcess) -> None:
    assert await reads_on(worker)
    process = worker._process
    assert process
    process.kill()
    await process.wait()
    assert await reads_on(worker)


async def test_files_are_read_by_the_same_child(worker: ReaderProcess) -> None:
    assert await reads_on(worker)
    process = worker._process
    assert await reads_on(worker)
    assert worker._process is process


async def test_a_cancelled_reading_leaves_a_working_reader(worker: ReaderProcess) -> None:
    task = asyncio.create_task(worker.read(".pdf", endless_pdf()))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await reads_on(worker)


async def test_files_read_side_by_side_are_not_mixed_up(worker: ReaderProcess) -> None:
    found = await asyncio.gather(*(worker.read(".docx", docx(f"number {n}")) for n in range(5)))
    assert [content.blocks[0].text for content in found] == [f"number {n}" for n in range(5)]


async def test_the_child_sees_no_secrets(worker: ReaderProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-secret")
    assert await reads_on(worker)
    assert worker._process
    assert await asyncio.to_thread(Path(f"/proc/{worker._process.pid}/environ").read_bytes) == b""


async def test_content_counts_more_than_the_name() -> None:
    reader = FileReader()
    try:
        assert (await reader.read("notes.txt", docx("in disguise"))).blocks[0].text == "in disguise"
        assert (await reader.read("a.docx", (HANDBOOK / "laptop-setup.pdf").read_bytes())).title
    finally:
        await reader.close()
