"""What is remembered between starts."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from adapters.discord.memory import KNOWN_DIRECTS, Memory
from pipeline.errors import Unavailable


def test_everything_is_there_after_a_restart(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "data")
    memory.mark_read(12.5)
    memory.mark_identified((1.0, 2.0))
    memory.mark_commands("abc")
    memory.know_direct(7)
    again = Memory(tmp_path / "data")
    assert (again.read_until, again.identified, again.commands, again.directs) == (12.5, (1.0, 2.0), "abc", (7,))


def test_the_mark_never_goes_back(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.mark_read(12.5)
    memory.mark_read(3.0)
    assert Memory(tmp_path).read_until == 12.5


def test_a_damaged_file_counts_as_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "discord.json").write_text('{"read_until": ')
    assert Memory(tmp_path).read_until == 0.0


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "discord.new").mkdir()
    with pytest.raises(Unavailable, match=r"discord\.json"):
        Memory(tmp_path).mark_read(1.0)


def test_only_the_direct_channels_used_last_are_kept(tmp_path: Path) -> None:
    (tmp_path / "discord.json").write_text(json.dumps({"directs": list(range(KNOWN_DIRECTS))}))
    memory = Memory(tmp_path)
    for number in range(KNOWN_DIRECTS, KNOWN_DIRECTS + 3):
        memory.know_direct(number)
    memory.forget_direct(KNOWN_DIRECTS)
    assert len(memory.directs) == KNOWN_DIRECTS - 1
    assert memory.directs[0] == 3


def test_a_person_met_early_who_goes_on_writing_stays_known(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    for number in range(1, KNOWN_DIRECTS + 50):
        memory.know_direct(number)
        if number % 100 == 0:
            memory.know_direct(1)
    assert 1 in memory.directs
    assert len(memory.directs) == len(set(memory.directs)) == KNOWN_DIRECTS


def test_threads_do_not_lose_what_the_others_noted(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        done = [pool.submit(memory.know_direct, number) for number in range(40)]
        done += [pool.submit(memory.mark_read, float(number)) for number in range(1, 41)]
    for one in done:
        one.result()
    again = Memory(tmp_path)
    assert (sorted(again.directs), again.read_until) == (list(range(40)), 40.0)
