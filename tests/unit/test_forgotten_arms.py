"""A member of a kind that some place has no arm for ends the program at its start, and is no damaged file later."""

from __future__ import annotations

import subprocess
import sys
from enum import StrEnum
from importlib import import_module
from pathlib import Path

import pytest

from adapters.files.format_registry import FORMATS, FileFormat, checked
from adapters.files.formats import BY_SUFFIX, FORMAT_ALIASES
from bot.config.tables import SOURCE_TABLES, ServiceTable
from bot.documents.sources import require_openers
from pipeline.values import require_every

ROOT = Path(__file__).parents[2]
PLANTED = """
from adapters.files import format_registry
format_registry.FORMATS += (format_registry.FileFormat((".newcomer",), "text.newcomer:read_newcomer"),)
import adapters.files.reader
"""


def test_a_format_without_a_reader_is_told_when_the_readers_are_imported() -> None:
    run = subprocess.run([sys.executable, "-c", PLANTED], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert ".newcomer has no reader: there is no adapters/files/text/newcomer.py" in run.stderr


def test_a_suffix_has_one_format_and_one_that_is_read_like_another_has_it() -> None:
    with pytest.raises(ValueError, match=r"\.md is registered twice"):
        checked((*FORMATS, FileFormat((".md",), "text.markdown:read_text")), {})
    with pytest.raises(ValueError, match=r"\.new is read like \.newer, which has no reader"):
        checked(FORMATS, FORMAT_ALIASES | {".new": ".newer"})


@pytest.mark.parametrize("reader", sorted({form.reader for form in BY_SUFFIX.values()}))
def test_every_reader_is_there(reader: str) -> None:
    module, _, function = reader.partition(":")
    assert callable(getattr(import_module(f"adapters.files.{module}"), function))


def test_a_table_of_sources_that_nothing_opens_is_told() -> None:
    class NewcomerTable(ServiceTable):
        pass

    with pytest.raises(TypeError, match="nothing opens NewcomerTable"):
        require_openers((*SOURCE_TABLES.values(), NewcomerTable))


def test_a_member_of_an_enum_without_an_arm_is_told() -> None:
    class Colour(StrEnum):
        RED = "red"
        BLUE = "blue"

    require_every(Colour, {Colour.RED: 1, Colour.BLUE: 2})
    with pytest.raises(TypeError, match="Colour has no arm for BLUE"):
        require_every(Colour, {Colour.RED: 1})
