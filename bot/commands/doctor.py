"""`citewell doctor`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated

import typer

from bot.commands.terminal import DataOption, out, print_line, run_async
from bot.config.lenient import LenientSettings, lenient_settings
from bot.config.read import find_misspelled_names
from pipeline.errors import Misconfigured
from pipeline.values import Finding, FindingState, require_every
from pipeline.values.diagnostics import error_finding, ok_finding, skipped, warning_finding
from pipeline.words.text import strip_invisible

STATE_LABELS = {
    FindingState.GOOD: "[green]well[/green]   ",
    FindingState.WARNING: "[yellow]look at[/yellow]",
    FindingState.BAD: "[red]wrong[/red]  ",
    FindingState.SKIPPED: "[dim]skipped[/dim]",
}
require_every(FindingState, STATE_LABELS)


def doctor(
    offline: Annotated[bool, typer.Option("--offline", help="Check only this machine and call no service.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One object a line.")] = False,
    data: DataOption = None,
) -> None:
    """Check the installation and say how to fix what is wrong.

    It posts nothing. It asks the model one question of usual length. Exit status 1: something is wrong."""
    from bot.log import configure_logging

    configure_logging("error")
    findings: list[Finding] = []

    async def work() -> None:
        async for finding in _diagnose(data, offline=offline):
            findings.append(finding)
            _print_finding(finding, as_json=as_json)

    run_async(work())
    if any(finding.state is FindingState.BAD for finding in findings):
        raise typer.Exit(1)


async def _diagnose(data: Path | None, *, offline: bool) -> AsyncIterator[Finding]:
    from bot.doctor.diagnosis import diagnose
    from bot.doctor.machine import diagnose_machine

    lenient = lenient_settings(**({"data": data} if data else {}))
    for finding in (*_check_settings(lenient), *_check_names()):
        yield finding
    if lenient.settings:
        async for finding in diagnose(lenient.settings, offline=offline):
            yield finding
    else:
        for finding in diagnose_machine():
            yield finding


def _check_settings(lenient: LenientSettings) -> list[Finding]:
    if not lenient.wrong:
        return [ok_finding("settings", "every name is known, every value is allowed")]
    return [
        *(
            error_finding("settings", f"{name}: {why}" if name else why, fix or "Correct it, or take it out.")
            for name, why, fix in lenient.wrong
        ),
        *(skipped("settings", clause) for clause in lenient.left_out),
    ]


def _check_names() -> list[Finding]:
    fix = "Correct the name in .env, if that was meant."
    try:
        return [
            warning_finding("settings", f"{name} is not read. Did you mean {meant}?", fix)
            for name, meant in find_misspelled_names()
        ]
    except Misconfigured:  # said already
        return []


def _print_finding(finding: Finding, *, as_json: bool) -> None:
    if as_json:
        typer.echo(strip_invisible(json.dumps(finding.model_dump(mode="json"), ensure_ascii=False)))
        return
    out.print(STATE_LABELS[finding.state], end="  ")
    print_line(f"{finding.subject}: {finding.said}")
    if finding.fix:
        print_line(f"         {finding.fix}")
