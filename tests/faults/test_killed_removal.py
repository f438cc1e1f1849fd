"""`kill -9` while a document is removed: nobody finds it any more, and whoever comes next erases the rest."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from storage.open import Storage, open_storage
from tests.doubles.processes import child
from tests.doubles.samples import chunks, document

ROOT = Path(__file__).parents[2]
WORD = "quetzalcoatlus"


async def remove(data: Path, die_after: int) -> int:
    script = str(ROOT / "tests" / "faults" / "removing_process.py")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    async with child(sys.executable, script, str(data), WORD, str(die_after), env=environment) as process:
        return await process.wait()


def holding(data: Path) -> list[str]:
    """The files in which the removed text is."""
    return [file.name for file in data.rglob("*") if file.is_file() and WORD.encode() in file.read_bytes().lower()]


async def documents(storage: Storage) -> list[str]:
    return [one.id for one in await storage.library.list_documents()]


@pytest.mark.slow
async def test_wherever_a_removal_is_killed_the_next_start_erases_every_byte_of_the_text(tmp_path: Path) -> None:
    killed = 0
    while await remove(tmp_path / str(killed), killed + 1) == -signal.SIGKILL:
        data = tmp_path / str(killed)
        async with open_storage(data) as storage:
            assert await documents(storage) == ["kept"]
        async with open_storage(data, exclusive=True) as storage:
            assert holding(data) == []
            assert await documents(storage) == ["kept"]
        killed += 1
    assert killed >= 4, "hiding it, deleting its passages, erasing their words and noting the end"
    assert holding(tmp_path / str(killed)) == []


async def again(storage: Storage) -> None:
    assert await storage.library.remove_documents(["gone"]) == 0


async def write(storage: Storage) -> None:
    await storage.library.replace_document(document("new"), chunks("new", ["another"]), None, "")


async def index(storage: Storage) -> None:
    await storage.library.claim("elsewhere", "default")


async def back_up(storage: Storage) -> None:
    await storage.back_up()


@pytest.mark.slow
@pytest.mark.parametrize("come_next", [again, write, index, back_up])
async def test_a_removal_that_was_killed_is_completed_by(
    tmp_path: Path, come_next: Callable[[Storage], Awaitable[None]]
) -> None:
    assert await remove(tmp_path, 1) == -signal.SIGKILL
    async with open_storage(tmp_path) as storage:
        assert holding(tmp_path)
        await come_next(storage)
        assert holding(tmp_path) == []
