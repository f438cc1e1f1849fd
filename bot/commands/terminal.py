"""Shared parts of the commands: consoles, options and settings."""

from __future__ import annotations

import asyncio
import re
import secrets
import sys
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import structlog
import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from bot.config.read import read_settings
from bot.config.settings import Settings
from pipeline.errors import Refused
from pipeline.words.text import strip_invisible, to_single_line

# --- Consoles on which nothing hides, whatever documents, people and models wrote -----------------

_TRAILING = re.compile(r"[ \t]+(?=\n)")


class SafeConsole(Console):
    """A console whose output is visible: characters that turn or hide text, or control a terminal, are removed."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else strip_invisible(text), style, control)


class PipeConsole(SafeConsole):
    """A console without trailing blanks in the lines of a pipe or a file."""

    def print(self, *objects: Any, **options: Any) -> None:
        if self.is_terminal:
            super().print(*objects, **options)
            return
        with self.capture() as captured:
            super().print(*objects, **options)
        self.file.write(_TRAILING.sub("", captured.get()))
        self.file.flush()


# --- What all commands share ----------------------------------------------------------------------

DataOption = Annotated[
    Path | None, typer.Option("--data", help="Data folder; default: CITEWELL_DATA or ./citewell-data.")
]
out = PipeConsole(highlight=False, emoji=False)
err = SafeConsole(stderr=True, highlight=False, emoji=False)


def load_settings(data: Path | None = None, *, service: bool = False) -> Settings:
    """Return the settings, with the data folder of the command line if given, and configure logging by them.

    A command that ends by itself logs warnings only, unless a level was set.
    """
    from bot.log import configure_logging

    settings = read_settings(**({"data": data} if data else {}))
    level_set = service or "log_level" in settings.model_fields_set
    configure_logging(settings.log_level if level_set else "warning", service=service)
    return settings


def no_documents_hint(settings: Settings) -> str:
    """Return what to do when there is no document yet."""
    if settings.sources:
        return "Nothing is indexed yet. To take in the sources of citewell.toml: citewell sources sync"
    return "Nothing is indexed yet. To index a file or a folder: citewell index PATH"


def run_async(work: Coroutine[Any, Any, None]) -> None:
    """Run `work` to its end on an event loop of its own."""
    asyncio.run(work)


def enum_option(kind: type[StrEnum]) -> dict[str, Any]:
    """Return option arguments for an enum, with an error that lists its words."""
    words = [member.value for member in kind]

    def parse(value: str) -> StrEnum:
        if value not in words:
            raise typer.BadParameter(f"must be {', '.join(words[:-1])} or {words[-1]}, not {value!r}")
        return kind(value)

    return {"parser": parse, "metavar": "|".join(words)}


@contextmanager
def reject_binary_input() -> Iterator[None]:
    """Raise Refused when the input turns out not to be text."""
    try:
        yield
    except UnicodeError as error:
        raise Refused("the question is not text in UTF-8", what_to_do="Give it as plain text.") from error


def confirm_deletion(what: str) -> None:
    """Ask whether to forget `what`. Raises Abort for a no, and Refused without a terminal."""
    if not sys.stdin.isatty():
        raise Refused(f"this would forget {what}", what_to_do="If that is meant, add --yes.")
    confirm(f"Forget {what}?")


def confirm(question: str) -> None:
    """Ask for confirmation. Raises Abort for a no."""
    typer.confirm(to_single_line(question), abort=True)


def print_line(text: str) -> None:
    """Print a line of the result."""
    out.print(to_single_line(text), markup=False, soft_wrap=True)


def print_note(text: str) -> None:
    """Print a note beside the result, on standard error."""
    err.print(to_single_line(text), markup=False, soft_wrap=True)


def print_rows(headings: Sequence[str | Column], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on a terminal, elsewhere one row a line with tabs between."""
    table = Table(*headings, box=None)
    for row in rows:
        cells = [to_single_line(cell) for cell in row]
        if out.is_terminal:
            table.add_row(*map(Text, cells))
        else:
            typer.echo("\t".join(cells))
    if out.is_terminal:
        out.print(table)


def print_warnings(lines: Iterable[str]) -> None:
    """Print warnings about likely mistakes, on standard error."""
    for line in lines:
        print_note(f"citewell: {line}")


def bind_question_id() -> None:
    """Bind a new question's id to all log lines until the next question."""
    structlog.contextvars.bind_contextvars(key=f"console:{secrets.token_hex(4)}")
