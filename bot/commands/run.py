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


def _parse_role(value: str) -> str:
    if value not in process_role_names():
        raise typer.BadParameter(f"must be {format_alternatives(process_role_names())}, not {value!r}")
    return value


OnlyOption = Annotated[
    str | None,
    typer.Option(
        "--only",
        parser=_parse_role,
        metavar="|".join(process_role_names()),
        help="Do only this; other processes on PostgreSQL do the rest.",
    ),
]


def run_help() -> str:
    """Return the help of `run`, which names every platform."""
    platforms = registry.platforms()
    *titles, last = (platform.title for platform in platforms)
    needs = ", ".join(f"{platform.title} needs {platform.required_settings}" for platform in platforms)
    on = f"{', '.join(titles)} and {last}"
    return f"Answer questions on {on} until Ctrl-C or SIGTERM.\n\n{needs}. What is not set is left out."


def start(data: DataOption = None, only: OnlyOption = None) -> None:
    """Answer where people ask, until Ctrl-C or SIGTERM."""
    settings = load_settings(data, service=True)

    async def work() -> None:
        from bot.run.service import run_service

        status = await run_service(settings, print_line, only)
        if status:
            raise typer.Exit(status)

    run_async(work())
    _exit_process()


def _exit_process() -> None:
    """End the process. All is closed, and tearing down imports takes a second that a supervisor waits for."""
    logging.shutdown()
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()
    os._exit(0)


def mcp(data: DataOption = None) -> None:
    """Serve the documents to an editor over MCP, on standard input and output.

    The editor sees what the operator sees.
    """
    settings = load_settings(data)

    async def work() -> None:
        from adapters.mcp.server import serve_stdio
        from bot.wiring import open_citewell

        async with open_citewell(settings) as citewell:
            await serve_stdio(citewell.reading)

    run_async(work())


JOB_SETTINGS = {"sync": "CITEWELL_SYNC_MINUTES", "backup": "CITEWELL_BACKUP_HOURS", "digest": "CITEWELL_DIGEST"}
"""The settings on which a job depends."""

schedule_app = typer.Typer(help="Scheduled jobs of `citewell run` and their last results.", invoke_without_command=True)


@schedule_app.callback()
def list_jobs(context: typer.Context, data: DataOption = None) -> None:
    """List the scheduled jobs: how often they run, how the last run went and when the next is due. Times are UTC."""
    if context.invoked_subcommand:
        return
    settings = load_settings(data)

    async def work() -> None:
        from bot.run.schedule import next_due, scheduled_jobs
        from bot.wiring import open_citewell
        from storage.settings import JobRuns

        async with open_citewell(settings, make=False) as citewell:
            runs = JobRuns(citewell.storage.database)
            rows = []
            for name, job in scheduled_jobs(settings, citewell).items():
                last_run = await runs.last(name)
                rows.append(
                    (
                        name,
                        job.purpose,
                        _format_interval(job.every),
                        _format_last_run(last_run),
                        _format_next_run(next_due(last_run, job.every)),
                    )
                )
        print_rows(("name", "purpose", "every", "last run", "next run"), rows)

    run_async(work())


@schedule_app.command("run")
def run_now(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the job, as `citewell schedule` lists it.")],
    data: DataOption = None,
) -> None:
    """Run a scheduled job now. This is safe while `citewell run` is up."""
    settings = load_settings(data)

    async def work() -> None:
        from bot.run.schedule import run_job, scheduled_jobs
        from bot.wiring import open_citewell
        from storage.settings import JobRuns

        async with open_citewell(settings, make=False) as citewell:
            jobs = scheduled_jobs(settings, citewell)
            if name not in jobs:
                switch = JOB_SETTINGS.get(name)
                todo = f"To have it: set {switch}." if switch else f"There is: {', '.join(jobs)}."
                raise Refused(f"there is no job {name!r}", what_to_do=todo)
            runs = JobRuns(citewell.storage.database)
            await run_job(name, jobs[name], runs)
            print_line(f"{name}: {_format_last_run(await runs.last(name))}")

    run_async(work())


def _format_interval(interval: timedelta) -> str:
    minutes = interval.total_seconds() / 60
    return f"{minutes:g} min" if minutes < 60 else f"{minutes / 60:g} h"


def _format_last_run(last_run: JobRun | None) -> str:
    if last_run is None:
        return "never"
    how = f"failed: {last_run.failure}" if last_run.failure else f"done in {last_run.seconds:.1f} s"
    return f"{last_run.at:%Y-%m-%d %H:%M}, {how}"


def _format_next_run(at: datetime | None) -> str:
    soon = "due: within two minutes, while `citewell run` is up"
    return f"{at:%Y-%m-%d %H:%M}" if at and at > datetime.now(UTC) else soon
