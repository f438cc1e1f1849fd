"""A file that is broken in any way ends in text or in a clear error, and the program that reads it goes on."""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from adapters.files.formats import CONFLUENCE_STORAGE, ConfluenceStoragePage
from adapters.files.reader import FileReader
from adapters.files.reader_process import ReaderProcess
from pipeline.errors import Refused
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from pipeline.values import Document, ParsedDocument
from tests.faults.mutated import OFFICE, STORED, mutated, samples
from tests.trials import Count, trials

SAMPLES = samples()
GROWN = 200_000_000
"""Bytes that this process may have more than it had: half of what a small machine gives it as a whole."""


def memory() -> int:
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


def tells_what_to_do(error: Refused) -> None:
    assert error.what_to_do
    assert len(str(error).splitlines()) == 1


async def tried(number: int, read: Callable[[int], Awaitable[bool]]) -> int:
    """How many could be read: each of the others is refused with what to do, and this process stays as it was."""
    good, before = 0, memory()
    for trial in range(number):
        try:
            good += await read(trial)
        except Refused as error:
            tells_what_to_do(error)
        assert memory() < before + GROWN, trial
    assert good
    return good


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SAMPLES)
async def test_a_mutated_file_ends_in_text_or_a_clear_error(suffix: str, record_property: Count) -> None:
    number = trials(12 if suffix in OFFICE else 60)
    worker, splitter, others = ReaderProcess(cpu_seconds=2), TokenSplitter(WordTokenizer()), list(SAMPLES.values())

    async def read(trial: int) -> bool:
        with warnings.catch_warnings(action="ignore"):
            content = mutated(suffix, SAMPLES[suffix], others[trial % len(others)], trial)
        found = await worker.read(suffix, content)
        document = Document(id="d", filename="f", title=found.title, url=found.url)
        splitter.split(ParsedDocument(document=document, blocks=found.blocks))
        return True

    try:
        record_property("mutated files read", await tried(number, read))
        assert (await worker.read(suffix, SAMPLES[suffix])).has_text
    finally:
        await worker.close()
    record_property("mutated files", number)


@pytest.mark.slow
async def test_a_mutated_page_of_confluence_ends_in_text_or_a_clear_error(record_property: Count) -> None:
    number, reader, others = trials(500), FileReader(), list(SAMPLES.values())

    async def read(trial: int) -> bool:
        storage = mutated(CONFLUENCE_STORAGE, STORED, others[trial % len(others)], trial).decode("utf-8", "replace")
        names = dict.fromkeys(await reader.read_mentions(storage), "Robin Vale")
        return (await reader.read_confluence_page(ConfluenceStoragePage(storage=storage, names=names))).has_text

    try:
        record_property("mutated pages of Confluence read", await tried(number, read))
        assert (await reader.read_confluence_page(ConfluenceStoragePage(storage=STORED.decode()))).has_text
    finally:
        await reader.close()
    record_property("mutated pages of Confluence", number)
