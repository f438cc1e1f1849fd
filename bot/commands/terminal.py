"""What all commands share: where they print and how they start."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from bot.settings import Settings, read_settings

Data = Annotated[Path | None, typer.Option("--data", help="Data folder; default: CITEWELL_DATA or ./citewell-data.")]
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def settings(data: Path | None = None) -> Settings:
    """The settings, with the data folder of the command line where one was given."""
    from bot.log import configure_logging

    found = read_settings(**({"data": data} if data else {}))
    configure_logging("warning" if found.log_level == "info" else found.log_level)
    return found


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run `work` to its end on an event loop of its own."""
    asyncio.run(work)
