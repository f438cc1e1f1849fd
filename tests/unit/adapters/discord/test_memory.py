"""What is remembered between starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.discord.state import DiscordState
from pipeline.errors import Unavailable


def test_everything_is_there_after_a_restart(tmp_path: Path) -> None:
    memory = DiscordState(tmp_path / "data")
    memory.mark_identified((1.0, 2.0))
    memory.mark_stopped(12.5)
    memory.mark_commands("abc")
    again = DiscordState(tmp_path / "data")
    assert (again.identified_at, again.stopped_at, again.commands_digest) == ((1.0, 2.0), 12.5, "abc")


def test_a_damaged_file_counts_as_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "discord.json").write_text('{"stopped": ')
    assert DiscordState(tmp_path).stopped_at == 0.0


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "discord.new").mkdir()
    with pytest.raises(Unavailable, match=r"discord\.json"):
        DiscordState(tmp_path).mark_stopped(1.0)
