"""`citewell run` for every platform whose tokens are set; `citewell mcp`; `citewell schedule` and `citewell schedule
run NAME`."""

from __future__ import annotations

import logging
import os
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from bot import registry
from bot.commands.terminal import DataOption, load_settings, print_line, print_rows, run_async
from bot.run.process_roles import process_role_names
from pipeline.errors import Refused
from pipeline.rules.platforms import format_alternatives

if TYPE_CHECKING:
    from storage.settings import JobRun


def _part(value: str) -> str:
    if value not in process_role_names():
        raise typer.BadParameter(f"must be {format_alternatives(process_role_names())}, not {value!r}")
    return value


OnlyOption = Annotated[
    str | None,
    typer.Option(
        "--only",
        parser=_part,
        metavar="|".join(process_role_names()),
        help="Of several processes on PostgreSQL, do this and leave the rest to others.",
    ),
]


def run_help() -> str:
    """Return the help of `run`, which names every platform."""
    platforms = registry.platforms()
    titles = " and ".join(platform.title for platform in platforms)
    needs = ", ".join(f"{platform.title} needs {platform.required_settings}" for platform in platforms)
    return f"Answer on {titles}, until Ctrl-C or SIGTERM.\n\n{needs}; what is not set is left out."


def start(data: DataOption = None, only: OnlyOption = None) -> None:
    """Answer where people ask, until Ctrl-C or SIGTERM."""
    found = load_settings(data, service=True)

    async def work() -> None:
        from bot.run.service import run_service

        status = await run_service(found, print_line, only)
        if status:
            raise typer.Exit(status)

    run_async(work())
    _leave()


def _leave() -> None:
    """End the process. All is closed, and tearing down imports takes a second that a supervisor waits for."""
    logging.shutdown()
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()
    os._exit(0)


def mcp(data: DataOption = None) -> None:
    """Serve the documents to an editor over MCP, on standard input and output, for the person at the machine."""
    found = load_settings(data)

    async def work() -> None:
        from adapters.mcp.server import serve_stdio
        from bot.wiring import open_citewell

        async with open_citewell(found) as citewell:
            await serve_stdio(citewell.reading)

    run_async(work())


JOB_SETTINGS = {"sync": "CITEWELL_SYNC_MINUTES", "backup": "CITEWELL_BACKUP_HOURS", "digest": "CITEWELL_DIGEST"}
"""The settings on which a job depends."""

schedule_app = typer.Typer(help="What `citewell run` does by the clock, and how it went.", invoke_without_command=True)


@schedule_app.callback()
def list_jobs(context: typer.Context, data: DataOption = None) -> None:
    """List what is done by the clock: how often, how it last went, and when it is due; times are UTC."""
    if context.invoked_subcommand:
        return
    found = load_settings(data)

    async def work() -> None:
        from bot.run.schedule import next_due, scheduled_jobs
        from bot.wiring import open_citewell
        from storage.settings import JobRuns

        async with open_citewell(found, make=False) as citewell:
            runs = JobRuns(citewell.storage.database)
            rows = []
            for name, job in scheduled_jobs(found, citewell).items():
                last = await runs.last(name)
                rows.append((name, job.purpose, _every(job.every), _ended(last), _due(next_due(last, job.every))))
        print_rows(("name", "purpose", "every", "last run", "next run"), rows)

    run_async(work())


@schedule_app.command("run")
def run_now(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name that `citewell schedule` lists.")],
    data: DataOption = None,
) -> None:
    """Do one of them now, also while `citewell run` is up: done twice, it does no harm."""
    found = load_settings(data)

    async def work() -> None:
        from bot.run.schedule import run_job, scheduled_jobs
        from bot.wiring import open_citewell
        from storage.settings import JobRuns

        async with open_citewell(found, make=False) as citewell:
            jobs = scheduled_jobs(found, citewell)
            if name not in jobs:
                switch = JOB_SETTINGS.get(name)
                todo = f"To have it: set {switch}." if switch else f"There is: {', '.join(jobs)}."
                raise Refused(f"there is no job {name!r}", what_to_do=todo)
            runs = JobRuns(citewell.storage.database)
            await run_job(name, jobs[name], runs)
            print_line(f"{name}: {_ended(await runs.last(name))}")

    run_async(work())


def _every(interval: timedelta) -> str:
    minutes = interval.total_seconds() / 60
    return f"{minutes:g} min" if minutes < 60 else f"{minutes / 60:g} h"


def _ended(last: JobRun | None) -> str:
    if last is None:
        return "never"
    how = f"failed: {last.failure}" if last.failure else f"done in {last.seconds:.1f} s"
    return f"{last.at:%Y-%m-%d %H:%M}, {how}"


def _due(at: datetime | None) -> str:
    soon = "due: within two minutes, while `citewell run` is up"
    return f"{at:%Y-%m-%d %H:%M}" if at and at > datetime.now(UTC) else soon
