"""The files that settings stand in: errors name the file and the line, never what is written there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

from dotenv.parser import parse_stream

from pipeline.errors import Misconfigured


def names_in(dotenv: Path) -> frozenset[str]:
    """The names that are set in a file such as `.env`, if it is there. Raises Misconfigured naming a wrong line."""
    if not dotenv.is_file():
        return frozenset()
    with readable(dotenv):
        bindings = list(parse_stream(StringIO(dotenv.read_text(encoding="utf-8"))))
    if wrong := [binding.original for binding in bindings if binding.error]:
        empty = len(wrong[0].string) - len(wrong[0].string.lstrip())
        line = wrong[0].line + wrong[0].string[:empty].count("\n")
        raise Misconfigured(
            str(dotenv), f"line {line} cannot be read", what_to_do="Write NAME=value, or # before a comment."
        )
    return frozenset(binding.key for binding in bindings if binding.key)


def secret_named(name: str) -> str:
    """What the environment, else `.env`, holds under a name that somebody chose; empty without it."""
    if name in os.environ or not Path(".env").is_file():
        return os.environ.get(name, "")
    with readable(Path(".env")):
        bindings = parse_stream(StringIO(Path(".env").read_text(encoding="utf-8")))
    return next((binding.value or "" for binding in bindings if binding.key == name), "")


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
