"""`citewell run`: every platform whose tokens are set, until stopped."""

from __future__ import annotations

import logging
import os
import sys
from typing import Annotated

import typer

from bot.commands.terminal import Data, out, settings
from bot.commands.terminal import run as run_to_end
from bot.roles import Only

OnlyOption = Annotated[
    Only | None,
    typer.Option("--only", help="Of several processes on PostgreSQL, do this and leave the rest to others."),
]


def run(data: Data = None, only: OnlyOption = None) -> None:
    """Answer on Slack and Discord, until Ctrl-C or SIGTERM.

    Slack needs SLACK_BOT_TOKEN and SLACK_APP_TOKEN (over HTTP: SLACK_SIGNING_SECRET), Discord DISCORD_TOKEN;
    what is not set is left out."""
    found = settings(data, service=True)

    async def work() -> None:
        from bot.service import serve

        status = await serve(found, lambda line: out.print(line, soft_wrap=True, markup=False), only)
        if status:
            raise typer.Exit(status)

    run_to_end(work())
    _leave()


def _leave() -> None:
    """End the process: all is closed, and tearing down what was imported takes a second that a supervisor waits for."""
    logging.shutdown()
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()
    os._exit(0)
