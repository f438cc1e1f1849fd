"""`citewell eval golden` and `citewell eval collect`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import track
from rich.table import Table

from bot.commands.terminal import Data, err, note, out, run, settings
from bot.evaluation.drafts import drafts
from bot.evaluation.golden import (
    KINDS,
    Difference,
    changes,
    collected,
    interval,
    measured,
    read_baseline,
    write_baseline,
)
from bot.evaluation.rows import read_rows, turns
from pipeline.values import Action, Answer, Outcome
from pipeline.words import wording

NAMED = 10
"""Rows that a change names."""


def golden(
    file: Annotated[Path, typer.Argument(help="JSON Lines: {id, question, outcome?, documents?, facts?, absent?}.")],
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="What to compare with; default: FILE.baseline.json.")
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Keep this run as the baseline.")] = False,
    data: Data = None,
) -> None:
    """Answer questions over what is indexed, and say what got better and worse since the baseline.

    `documents` are file names that must be cited, `facts` texts that must be said, `absent` texts that must not. Where
    a model is set, also what people see of what it writes, and what decided that. Exit status 1: a share got worse by
    more than chance; one row never does that."""
    found = settings(data)
    rows = read_rows(file, "question", allowed={"outcome": (*Outcome, "")})
    against = baseline or file.with_name(f"{file.name}.baseline.json")
    now: dict[str, dict[str, Any]] = {}
    answers: list[Answer] = []

    async def work() -> None:
        from bot.wiring import open_citewell
        from pipeline.values import Request

        async with open_citewell(found, make=False) as citewell:
            everything = await citewell.everything()
            for row in track(rows, "Answering", console=err, disable=not err.is_terminal, transient=True):
                request = Request(text=row["question"], audience=everything, turns=turns(row.get("history") or []))
                answers.append(await citewell.respond(request))
                now[str(row["id"])] = measured(row, answers[-1])

    run(work())
    _shares(now)
    _written(answers)
    if write:
        write_baseline(against, now)
        out.print(f"This is the baseline now: {against}", markup=False)
    elif not against.exists():
        note(f"There is no baseline yet; --write keeps this run as {against}.")
    elif not _compared(changes(now, read_baseline(against))):
        raise typer.Exit(1)


def _shares(now: dict[str, dict[str, Any]]) -> None:
    table = Table("right", "rows", "share", "95 %", box=None)
    for kind in KINDS:
        right = sum(bool(row[kind]) for row in now.values())
        low, high = interval(right, len(now))
        table.add_row(kind, f"{right} of {len(now)}", f"{right / len(now):.0%}", f"{low:.0%} to {high:.0%}")
    out.print(table)


def _written(answers: list[Answer]) -> None:
    """What people see of what a model wrote, where one is set."""
    if found := drafts(answers):
        table = Table("what the model wrote", "", box=None)
        for name, value in found.items():
            table.add_row(name, value)
        out.print("", table)


def _compared(found: list[Difference]) -> bool:
    """Print what changed; whether nothing got worse by more than chance."""
    for change in found:
        if change.worse or change.better:
            verdict = "worse" if change.fails else "within chance"
            out.print(f"{change.kind}: {change.before} -> {change.right} of {change.rows} ({verdict})", markup=False)
            for name, rows in (("worse", change.worse), ("better", change.better)):
                if rows:
                    more = f" and {len(rows) - NAMED} more" if len(rows) > NAMED else ""
                    out.print(f"  {name}: {', '.join(rows[:NAMED])}{more}", markup=False)
    if not any(change.worse or change.better for change in found):
        out.print("Nothing changed since the baseline.")
    return not any(change.fails for change in found)


def collect(
    file: Annotated[Path, typer.Argument(help="Where rows are added; those it has stay as they are.")],
    data: Data = None,
) -> None:
    """Add rows for `eval golden` from answers that everybody who rated them found helpful."""
    found = settings(data)

    async def work() -> None:
        from bot.desks.authority import AT_THE_TERMINAL
        from bot.wiring import open_citewell

        async with open_citewell(found, make=False) as citewell:
            await citewell.authority.require(AT_THE_TERMINAL, Action.READ_RATINGS)
            answers = await citewell.storage.feedback.helpful()
        known = {str(row["id"]) for row in read_rows(file)} if file.exists() and file.stat().st_size else set()
        new = [row for row in collected(answers) if row["id"] not in known]
        with file.open("a", encoding="utf-8") as rows:
            rows.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in new)
        out.print(f"{wording.counted(len(new), 'row')} added to {file}.", markup=False)

    run(work())
