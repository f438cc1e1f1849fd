"""The files of the settings. Errors name the file and the line, never the content."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EISDIR
from io import StringIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from dotenv.parser import Binding, parse_stream

from pipeline.errors import Misconfigured

CONFIG_VARIABLE = "CITEWELL_CONFIG"
"""The variable with the path of `citewell.toml`, if it is not in the working folder."""
DOTENV = Path(".env")


def names_in_dotenv() -> frozenset[str]:
    """Return the names that are set in `.env`, if it exists. Raises Misconfigured naming a wrong line."""
    bindings = _bindings()
    if broken := [binding.original for binding in bindings if binding.error]:
        empty = len(broken[0].string) - len(broken[0].string.lstrip())
        line = broken[0].line + broken[0].string[:empty].count("\n")
        raise Misconfigured(
            str(DOTENV), f"line {line} cannot be read", what_to_do="Write NAME=value, or # before a comment."
        )
    return frozenset(binding.key for binding in bindings if binding.key)


def valid_names_in_dotenv() -> frozenset[str]:
    """Return the names that are set in `.env`, without its wrong lines. Raises Misconfigured when it cannot be read."""
    return frozenset(binding.key for binding in _bindings() if binding.key and not binding.error)


def read_secret(name: str) -> str:
    """Return the value of a secret's variable in the environment, else in `.env`; empty without it."""
    if name in os.environ:
        return os.environ[name]
    return next((binding.value or "" for binding in _bindings() if binding.key == name), "")


def _bindings() -> list[Binding]:
    if not DOTENV.is_file():
        return []
    with translate_file_errors(DOTENV):
        return list(parse_stream(StringIO(DOTENV.read_text(encoding="utf-8"))))


def config_path() -> Path:
    """Return the path of `citewell.toml`, whether or not it exists."""
    return Path(os.environ.get(CONFIG_VARIABLE) or "citewell.toml")


def read_config() -> dict[str, Any]:
    """Return the content of `citewell.toml`. Raises Misconfigured when it cannot be read, or is named and does not
    exist."""
    path = config_path()
    if os.environ.get(CONFIG_VARIABLE) and not path.is_file():
        raise Misconfigured(CONFIG_VARIABLE, f"there is no file {path}", what_to_do="Correct the path, or unset it.")
    with translate_file_errors(path):
        return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


@contextmanager
def translate_file_errors(path: Path) -> Iterator[None]:
    """Raise Misconfigured naming the file when it cannot be read or parsed."""
    try:
        yield
    except OSError as error:
        raise Misconfigured(
            str(path), f"cannot be read: {error.strerror}", what_to_do="Let this user read it."
        ) from None
    except ValueError as error:
        raise Misconfigured(str(path), f"cannot be read: {error}", what_to_do="Fix the file or remove it.") from None


def check_writable(file: Path) -> None:
    """Raise Misconfigured when `replace_file` could not write or create the file."""
    folder = file.resolve().parent
    try:
        if file.is_dir():
            raise IsADirectoryError(EISDIR, "it is a folder")
        with NamedTemporaryFile(dir=folder, prefix=file.name):
            pass
    except OSError as error:
        what_to_do = f"Run this in a folder of your own, or let this user write into {folder}."
        raise Misconfigured(str(file), f"cannot be written: {error.strerror}", what_to_do=what_to_do) from None


def replace_file(file: Path, text: str, *, mode: int | None = None) -> None:
    """Write a file in one step, keeping its owner, and its rights if `mode` is None."""
    target = file.resolve()
    previous = target.stat() if target.exists() else None
    rights = stat.S_IMODE(previous.st_mode) if mode is None and previous else mode
    with NamedTemporaryFile(
        "w", encoding="utf-8", newline="", dir=target.parent, prefix=target.name, delete=False
    ) as new:
        try:
            new.write(text)
            new.flush()
            os.fsync(new.fileno())
            if previous:
                with suppress(PermissionError):  # it is somebody else's, and we are not root
                    os.fchown(new.fileno(), previous.st_uid, previous.st_gid)
            if rights is not None:
                os.fchmod(new.fileno(), rights)
            Path(new.name).replace(target)
        except BaseException:
            Path(new.name).unlink()
            raise
