"""Writes `.env`, keeping everything else in it, comments too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from io import StringIO
from pathlib import Path

from dotenv.parser import Binding, parse_stream

from bot.config.files import replace_file, translate_file_errors

OWNER_ONLY = 0o600
_PLAIN = re.compile(r"[\w.:/@+=,-]*")
_COMMENT = re.compile(r"[ \t]+#[^\r\n]*$")


def put(file: Path, values: Mapping[str, str]) -> None:
    """Set variables in one step, each on its present line, or below all. Afterwards only the owner may read the file.

    Raises Misconfigured when the file cannot be read, OSError when it cannot be written.
    """
    bindings = _bindings(file)
    text = "".join(_replaced(binding, values) for binding in bindings)
    present = {binding.key for binding in bindings}
    below = [_line(name, value) for name, value in values.items() if name not in present]
    if below and text and not text.endswith("\n"):
        text += "\n"
    replace_file(file, text + "".join(f"{line}\n" for line in below), mode=OWNER_ONLY)


def begin(file: Path, names: Iterable[str]) -> None:
    """Make room for variables that will be set: an empty line for each that the file does not name. Raises as `put`."""
    present = {binding.key for binding in _bindings(file)}
    if empty := {name: "" for name in names if name not in present}:
        put(file, empty)


def _bindings(file: Path) -> list[Binding]:
    """Return the lines of the file in their order. Their texts together are its text."""
    if not file.is_file():
        return []
    with translate_file_errors(file):
        return list(parse_stream(StringIO(file.read_bytes().decode("utf-8"), newline="")))


def _replaced(binding: Binding, values: Mapping[str, str]) -> str:
    text = binding.original.string
    if binding.key is None or binding.key not in values:
        return text
    written = text.strip()
    blank_above = text[: text.index(written)]
    export = "export " if written.startswith("export ") else ""
    comment = None if "#" in (binding.value or "") else _COMMENT.search(written)
    end = text[text.rindex(written) + len(written) :].lstrip(" \t") or "\n"
    return f"{blank_above}{export}{_line(binding.key, values[binding.key])}{comment[0] if comment else ''}{end}"


def _line(name: str, value: str) -> str:
    if _PLAIN.fullmatch(value):
        return f"{name}={value}"
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"{name}='{escaped}'"
