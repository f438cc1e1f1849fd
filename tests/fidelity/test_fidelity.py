"""What a document says is what is read of it: files of real producers, each beside the reading that is right.

`cases/FORMAT/KIND/NAME.SUFFIX` is a file, `NAME.SUFFIX.reading` what a person reads in it; `made/` says how each was
made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fidelity.reading import reading

CASES = Path(__file__).parent / "cases"
FILES = sorted(file.with_suffix("") for file in CASES.rglob("*.reading"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(CASES)))
def test_a_file_is_read_as_a_person_reads_it(file: Path) -> None:
    right = file.with_name(f"{file.name}.reading").read_text(encoding="utf-8")
    assert reading(file.suffix.lower(), file.read_bytes()) == right


def test_every_file_has_its_reading_and_every_reading_its_file() -> None:
    files = {file for file in CASES.rglob("*") if file.is_file() and file.suffix != ".reading"}
    assert files == set(FILES)
