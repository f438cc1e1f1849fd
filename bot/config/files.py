"""The files that settings stand in: errors name the file and the line, never what is written there."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

from dotenv.parser import Binding, parse_stream

from pipeline.errors import Misconfigured

CONFIG = "CITEWELL_CONFIG"
"""Where `citewell.toml` is, if not in the working folder."""
DOTENV = Path(".env")


def names_in_dotenv() -> frozenset[str]:
    """The names that are set in `.env`, if it is there. Raises Misconfigured naming a wrong line."""
    bindings = _bindings()
    if wrong := [binding.original for binding in bindings if binding.error]:
        empty = len(wrong[0].string) - len(wrong[0].string.lstrip())
        line = wrong[0].line + wrong[0].string[:empty].count("\n")
        raise Misconfigured(
            str(DOTENV), f"line {line} cannot be read", what_to_do="Write NAME=value, or # before a comment."
        )
    return frozenset(binding.key for binding in bindings if binding.key)


def sound_names_in_dotenv() -> frozenset[str]:
    """Return the names that are set in `.env`, without its wrong lines. Raise Misconfigured where it cannot be read."""
    return frozenset(binding.key for binding in _bindings() if binding.key and not binding.error)


def secret_named(name: str) -> str:
    """What the environment, else `.env`, holds under a name that somebody chose; empty without it."""
    if name in os.environ:
        return os.environ[name]
    return next((binding.value or "" for binding in _bindings() if binding.key == name), "")


def _bindings() -> list[Binding]:
    if not DOTENV.is_file():
        return []
    with readable(DOTENV):
        return list(parse_stream(StringIO(DOTENV.read_text(encoding="utf-8"))))


def config_file() -> Path:
    """Where `citewell.toml` is, whether or not it is there."""
    return Path(os.environ.get(CONFIG) or "citewell.toml")


def config() -> dict[str, Any]:
    """What `citewell.toml` holds. Raises Misconfigured when it cannot be read, or was named and is not there."""
    path = config_file()
    if os.environ.get(CONFIG) and not path.is_file():
        raise Misconfigured(CONFIG, f"there is no file {path}", what_to_do="Correct the path, or unset it.")
    with readable(path):
        return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Raises Misconfigured naming the file when it cannot be read or parsed."""
    try:
        yield
    except OSError as error:
        raise Misconfigured(
            str(path), f"cannot be read: {error.strerror}", what_to_do="Let this user read it."
        ) from None
    except ValueError as error:
        raise Misconfigured(str(path), f"cannot be read: {error}", what_to_do="Mend the file or remove it.") from None
