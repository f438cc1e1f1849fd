"""Nothing that a person, a model or a document can send takes more than time in proportion to its length."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from adapters.files.reader_process import ReaderProcess
from pipeline.errors import Refused
from tests.faults.hostile_text import ENTRIES

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES)
async def test_long_runs_of_anything_are_read_in_linear_time(entry: str) -> None:
    """The process has many times the processor time that an input needs; a pattern of quadratic time ends it."""
    command = (sys.executable, "-m", "tests.faults.hostile_text", entry)
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=PIPE, stderr=PIPE)
    said, failed = await process.communicate()
    assert process.returncode == 0, f"{said.decode().splitlines()[-1:]} {failed.decode()[-2000:]}"


async def test_text_that_a_library_chokes_on_costs_an_error_line() -> None:
    """docutils takes quadratic time over runs of colons."""
    worker = ReaderProcess(cpu_seconds=1)
    try:
        with pytest.raises(Refused, match="processor time"):
            await worker.read(".rst", b"x " + b":a" * 20_000)
        assert (await worker.read(".rst", b"still here")).blocks
    finally:
        await worker.close()
