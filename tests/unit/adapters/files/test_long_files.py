"""A long file is read by parts as in the whole, or refused soon, and keeps no other waiting."""

from __future__ import annotations

import asyncio
import io
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from docx import Document

from adapters.files.content import ParsedFile
from adapters.files.reader import MAX_RST_BYTES, FileReader
from adapters.files.reader_process import ReaderProcess
from adapters.files.text import markdown
from pipeline.errors import Refused
from tests.trials import Count, trials

ROOT = Path(__file__).parents[4]
LINES = (
    *("# Title\n", "## Section\n", "Words of it\n", "\n", "\n\n", "Question?\n", "Name\n", "===\n", "---\n", "***\n"),
    *("- a\n", "  - b\n", "    more\n", "1. x\n", "> q\n", "```\n", "~~~\n", "\tcode\n", "    code\n"),
    *("| a | b |\n", "|--|--|\n", "[r]: https://a.example/x\n", "[r] and [s]\n", "[s]:\n", "  https://b.example\n"),
    *("<div>\n", "</div>\n", "<!--\n", "-->\n", "<script>\n", "</script>\n", "a\\\n", "**b\n", "\r\n", "a\u2028b\n"),
    *('!!! note "T"\n', "    in it\n", "::: tip\n", ":::\n", "{% a %}\n", "<A b>\n", "import x from 'y'\n", "+++\n"),
)


@pytest.fixture
def length(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    def set_length(part: int) -> None:
        monkeypatch.setattr(markdown, "PART_SIZE", part)

    return set_length


@pytest.mark.parametrize("read", [markdown.read_markdown, markdown.read_text])
def test_a_text_in_parts_is_read_as_in_the_whole(
    read: Callable[[bytes], ParsedFile], length: Callable[[int], None], record_property: Count
) -> None:
    number = trials(100)
    for seed in range(number):
        drawn = random.Random(seed)
        text = "".join(drawn.choices(LINES, k=drawn.randrange(1, 60))).encode()
        length(1_000_000)
        whole = read(text)
        length(drawn.choice((5, 40, 200)))
        assert read(text) == whole, (seed, text)
    record_property("texts in parts", number)


def test_documents_in_parts_are_read_as_in_the_whole(length: Callable[[int], None]) -> None:
    for file in ROOT.glob("docs/*.md"):
        text = file.read_bytes()
        length(1_000_000)
        whole = markdown.read_markdown(text)
        length(1_000)
        assert markdown.read_markdown(text) == whole, file.name


def test_a_note_of_another_part_is_read_where_it_is_called(length: Callable[[int], None]) -> None:
    text = "Leave is 30 days[^a] a year.\n\n" + "Words.\n\n" * 50 + "[^a]: Less in the first.\n\nThe end.\n"
    length(1_000_000)
    whole = markdown.read_markdown(text.encode())
    length(100)
    assert markdown.read_markdown(text.encode()) == whole
    assert whole.blocks[0].text == "Leave is 30 days (note: Less in the first) a year."


async def test_a_text_that_would_take_too_long_is_refused_before_it_did() -> None:
    worker = ReaderProcess(cpu_seconds=2)
    try:
        assert (await worker.read(".md", b"short")).blocks
        process = worker._process
        with pytest.raises(Refused, match="processor time"):
            await worker.read(".md", b"Two words.\n\n" * 3_300_000)
        assert worker._process is process
    finally:
        await worker.close()


async def test_one_block_of_many_parts_is_given_the_time_that_it_takes() -> None:
    worker = ReaderProcess(cpu_seconds=1)
    try:
        found = await worker.read(".txt", b"07:00:00 the door of room 7 was opened by nobody in particular\n" * 20_000)
        assert len(found.blocks) == 1
    finally:
        await worker.close()


async def test_a_long_file_keeps_no_short_one_waiting() -> None:
    reader = FileReader()
    long = asyncio.create_task(reader.read("long.html", b"<li>a" * 500_000))
    try:
        for name in ("short.md", "short.html", "short.txt"):
            assert (await reader.read(name, b"A short one.")).blocks
        assert not long.done()
    finally:
        long.cancel()
        await asyncio.wait([long])
        await reader.close()


async def test_a_file_of_restructuredtext_that_is_too_large_is_refused_unread() -> None:
    with pytest.raises(Refused, match="larger than 5 MB"):
        await FileReader().read("long.rst", b"a\n\n" * (MAX_RST_BYTES // 3 + 1))


async def test_directives_of_sphinx_and_paragraphs_of_word_cost_milliseconds_for_hundreds() -> None:
    """docutils makes its settings anew for each text: 3 milliseconds. Styles of Word are looked up once each."""
    document = Document()
    for number in range(2_000):
        document.add_paragraph(f"Paragraph {number}.")
    document.save(out := io.BytesIO())
    worker = ReaderProcess(cpu_seconds=3)
    try:
        assert len((await worker.read(".docx", out.getvalue())).blocks) == 2_000
        assert len((await worker.read(".rst", b".. versionadded:: 3\n\n   Words of it.\n\n" * 1_000)).blocks) == 1_000
    finally:
        await worker.close()
