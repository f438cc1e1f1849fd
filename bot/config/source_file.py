"""Writes `[[sources]]` in `citewell.toml`, keeping everything else in it, comments too."""

from __future__ import annotations

from pathlib import Path

import tomlkit
from tomlkit.items import AoT

from bot.config.files import replace_file, translate_file_errors
from bot.config.tables import SourceTable
from pipeline.errors import Refused


def add_source_table(file: Path, table: SourceTable) -> None:
    """Append the table. Raises Misconfigured when the file cannot be read, Refused when `sources` is not written as
    tables."""
    document = _read(file)
    written = tomlkit.table()
    written.trivia.indent = "\n" if tomlkit.dumps(document).strip() else ""
    for key, value in table.model_dump(mode="json", exclude_unset=True).items():
        written.add(key, value)
    _sources(file, document).append(written)
    _write(file, document)


def remove_source_table(file: Path, name: str) -> bool:
    """Remove the table of that name. Return False when there is none. Raises as `add_source_table`."""
    document = _read(file)
    tables = _sources(file, document)
    positions = [number for number, table in enumerate(tables) if table.get("name") == name]
    if not positions:
        return False
    del tables[positions[0]]
    if not tables:
        del document["sources"]
    _write(file, document)
    return True


def _read(file: Path) -> tomlkit.TOMLDocument:
    with translate_file_errors(file):
        return tomlkit.parse(file.read_text(encoding="utf-8")) if file.is_file() else tomlkit.document()


def _sources(file: Path, document: tomlkit.TOMLDocument) -> AoT:
    tables = document.setdefault("sources", tomlkit.aot())
    if not isinstance(tables, AoT):
        raise Refused(f"{file} holds sources that are not written as [[sources]]", what_to_do="Edit the file by hand.")
    return tables


def _write(file: Path, document: tomlkit.TOMLDocument) -> None:
    text = tomlkit.dumps(document).rstrip("\n")
    replace_file(file, f"{text}\n" if text else "")
