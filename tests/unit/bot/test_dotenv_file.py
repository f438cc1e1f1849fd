"""`.env` is edited, never rewritten."""

from __future__ import annotations

import stat
from io import StringIO
from pathlib import Path

import pytest
from dotenv import dotenv_values
from hypothesis import given
from hypothesis import strategies as st

from bot.config import dotenv_file
from bot.config.files import check_writable
from pipeline.errors import Misconfigured

WRITTEN = "# Ours\n\nexport A=1 # one\nB='x # y'\n\nNO VALUE\n=3\nTOKEN=  # of the bot\nLAST=1"


def test_a_variable_is_changed_where_it_stands_and_nothing_else_is(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text(WRITTEN)
    dotenv_file.put(file, {"TOKEN": "xoxb-1", "A": "2"})
    assert file.read_text() == WRITTEN.replace("A=1", "A=2").replace("TOKEN=", "TOKEN=xoxb-1")


def test_a_new_variable_comes_below_all(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text(WRITTEN)
    dotenv_file.put(file, {"NEW": "1"})
    assert file.read_text() == f"{WRITTEN}\nNEW=1\n"


def test_room_is_made_once_for_what_will_be_set(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("B=2\n")
    dotenv_file.begin(file, ["A", "B"])
    dotenv_file.begin(file, ["A", "B"])
    assert file.read_text() == "B=2\nA=\n"


def test_line_ends_of_other_systems_stay(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(b"A=1\r\nB=2\r\n")
    dotenv_file.put(file, {"A": "3"})
    assert file.read_bytes() == b"A=3\r\nB=2\r\n"


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("")
    file.chmod(0o644)
    dotenv_file.put(file, {"A": "1"})
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_link_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / "real.env", tmp_path / ".env"
    real.write_text("A=1\n")
    link.symlink_to(real)
    dotenv_file.put(link, {"A": "2"})
    assert link.is_symlink()
    assert real.read_text() == "A=2\n"


def test_nothing_is_left_of_a_write_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / ".env"
    file.write_text("A=1\n")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        dotenv_file.put(file, {"A": "2"})
    assert [one.name for one in tmp_path.iterdir()] == [".env"]
    assert file.read_text() == "A=1\n"


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(Misconfigured, match="cannot be read"):
        dotenv_file.put(file, {"A": "1"})


def test_a_folder_in_its_place_is_told_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="cannot be written"):
        check_writable(tmp_path)


VALUES = st.text(
    st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="\x85")
)


@given(before=st.dictionaries(st.sampled_from("ABC"), VALUES), after=st.dictionaries(st.sampled_from("BCD"), VALUES))
def test_what_is_written_is_read_again(
    before: dict[str, str], after: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("env") / ".env"
    dotenv_file.put(file, before)
    dotenv_file.put(file, after)
    assert dotenv_values(stream=StringIO(file.read_text()), interpolate=False) == before | after
