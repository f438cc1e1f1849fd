"""What all commands share: where they print and how they start."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from adapters.console.piped import Piped
from bot.settings import Settings, read_settings
from pipeline.errors import Refused

Data = Annotated[Path | None, typer.Option("--data", help="Data folder; default: CITEWELL_DATA or ./citewell-data.")]
out = Piped(highlight=False)
err = Console(stderr=True, highlight=False)
EMPTY = "Nothing is indexed yet. To index a file or a folder: citewell index PATH"


def settings(data: Path | None = None, *, service: bool = False) -> Settings:
    """The settings, with the data folder of the command line where one was given; logging follows them.

    A command that ends by itself logs warnings only, unless a level was asked for."""
    from bot.log import configure_logging

    found = read_settings(**({"data": data} if data else {}))
    asked = service or "log_level" in found.model_fields_set
    configure_logging(found.log_level if asked else "warning", service=service)
    return found


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run `work` to its end on an event loop of its own."""
    asyncio.run(work)


def one_of(kind: type[StrEnum]) -> dict[str, Any]:
    """How an option takes one of the words of `kind`, and says which there are when it is another."""
    words = [member.value for member in kind]

    def parse(value: str) -> StrEnum:
        if value not in words:
            raise typer.BadParameter(f"must be {', '.join(words[:-1])} or {words[-1]}, not {value!r}")
        return kind(value)

    return {"parser": parse, "metavar": "|".join(words)}


@contextmanager
def text_input() -> Iterator[None]:
    """Raises Refused where what is asked turns out not to be text."""
    try:
        yield
    except UnicodeError as error:
        raise Refused("the question is not text in UTF-8", what_to_do="Give it as plain text.") from error


def note(text: str) -> None:
    """A line beside what was asked for, on standard error."""
    err.print(text, markup=False, soft_wrap=True)


def warn(lines: Iterable[str]) -> None:
    """What is most likely a mistake, on standard error."""
    for line in lines:
        note(f"citewell: {line}")
