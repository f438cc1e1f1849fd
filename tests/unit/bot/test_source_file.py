"""`citewell.toml` is edited, never rewritten."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from bot.config import source_file
from bot.config.tables import AnySource, SourceTable
from pipeline.errors import Misconfigured, Refused

WRITTEN = """\
# What we chose.
top_k = 3 # few

[roles] # people
admin = ["slack:T1:U1"]

[[sources]] # the first
kind = "folder"
name = "first"
path = "/srv/first"
"""


def table(**keys: object) -> SourceTable:
    return TypeAdapter[SourceTable](AnySource).validate_python(keys)


GIT = table(kind="git", name="code", url="https://git.example/team/code.git", paths=("docs",), every_minutes=0)


def test_a_source_is_added_behind_what_is_there_and_taken_out_again_without_a_trace(tmp_path: Path) -> None:
    file = tmp_path / "citewell.toml"
    file.write_text(WRITTEN)
    file.chmod(0o640)
    source_file.add_source_table(file, GIT)
    after = file.read_text()
    assert after.startswith(WRITTEN)
    assert tomllib.loads(after)["sources"][1] == {
        "kind": "git",
        "name": "code",
        "url": "https://git.example/team/code.git",
        "paths": ["docs"],
        "every_minutes": 0,
    }
    assert source_file.remove_source_table(file, "code")
    assert file.read_text().strip() == WRITTEN.strip()
    assert file.stat().st_mode & 0o777 == 0o640
    assert not source_file.remove_source_table(file, "code")


def test_the_first_source_makes_the_file_and_the_last_one_leaves_none(tmp_path: Path) -> None:
    file = tmp_path / "citewell.toml"
    source_file.add_source_table(file, GIT)
    assert tomllib.loads(file.read_text())["sources"][0]["name"] == "code"
    assert source_file.remove_source_table(file, "code")
    assert tomllib.loads(file.read_text()) == {}


def test_a_file_that_cannot_be_edited_safely_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "citewell.toml"
    file.write_text("sources = []\n")
    with pytest.raises(Refused, match="not written as"):
        source_file.add_source_table(file, GIT)
    file.write_text("top_k = = 3\n")
    with pytest.raises(Misconfigured):
        source_file.add_source_table(file, GIT)
    assert file.read_text() == "top_k = = 3\n"
