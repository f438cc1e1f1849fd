"""`citewell init`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from bot.commands.setup_documents import index_folder, offer_folder, unfinished
from bot.commands.setup_tokens import Asker, Chosen, Outcome, begun, known_setups, missing, set_up
from bot.commands.terminal import note, out, say, settings
from bot.config import dotenv_file
from bot.config.files import DOTENV, check_writable, config_file
from bot.config.settings import Settings
from pipeline.errors import Refused
from pipeline.rules.platforms import alternatives

INTERRUPTED = 130


def init(
    platforms: Annotated[
        list[str],
        typer.Argument(
            metavar="PLATFORM", help="What to set up, such as slack or discord; without any, you are asked."
        ),
    ] = [],  # noqa: B006
    folder: Annotated[
        Path | None,
        typer.Option("--folder", exists=True, file_okay=False, help="Folder of documents to index."),
    ] = None,
    yes: Annotated[
        bool,
        typer.Option("--yes", help="Ask nothing: take the tokens from the environment and write them into .env."),
    ] = False,
) -> None:
    """Set Citewell up: ask for the tokens and a folder, check them, and write .env and citewell.toml.

    What is there is kept. A second run asks only for what is missing. Exit status 1: something needs a look."""
    found = settings()
    check_writable(DOTENV)
    check_writable(config_file())
    asker = Asker() if sys.stdin.isatty() and not yes else None
    try:
        chosen = _choose(found, platforms, asker)
        if asker is None:
            _require_all(found, chosen, folder, yes=yes)
        outcome = _set_up(found, chosen, folder, asker)
    except (KeyboardInterrupt, EOFError, typer.Abort):
        note("Stopped. What you gave is kept; citewell init goes on from there.")
        raise typer.Exit(INTERRUPTED) from None
    _tell(chosen, outcome)
    if outcome.unfinished:
        raise typer.Exit(1)


def _choose(found: Settings, names: list[str], asker: Asker | None) -> list[Chosen]:
    """Return the platforms that are named, else those that are begun, else those that somebody wants."""
    setups = known_setups(found)
    if unknown := [name for name in names if name not in setups]:
        raise typer.BadParameter(f"PLATFORM must be {alternatives(setups)}, not {unknown[0]!r}")
    chosen = [setups[name] for name in names] or [one for one in setups.values() if begun(one)]
    if chosen or asker is None:
        return chosen
    say("Citewell answers from your documents. This takes five minutes, and Ctrl-C stops it: what you gave is kept.")
    for one in setups.values():
        if asker.confirm(f"\nWill people ask in {one.title}?", default=not chosen):
            chosen.append(one)
    return chosen


def _require_all(found: Settings, chosen: list[Chosen], folder: Path | None, *, yes: bool) -> None:
    """Raise Refused where something is missing, and without a terminal also where `--yes` is."""
    lacking = [prompt.setting for one in chosen for prompt in missing(one)]
    unasked = "" if yes else ", and add --yes"
    if lacking:
        todo = f"Set {' and '.join(lacking)} in the environment or in .env{unasked}."
    elif not chosen and not folder:
        needs = (f"{_settings(one)} for {one.title}" for one in known_setups(found).values())
        todo = f"Set {alternatives(needs)}, or name documents with --folder{unasked}."
    elif not yes:
        todo = "Nothing is missing: add --yes."
    else:
        return
    missed = f"{' and '.join(lacking)} {'are' if len(lacking) > 1 else 'is'} missing" if lacking else ""
    if not yes:
        missed = f"this is no terminal, so nothing can be asked{f': {missed}' if missed else ''}"
    raise Refused(missed or "no platform is named, and no folder", what_to_do=todo)


def _settings(one: Chosen) -> str:
    return " and ".join(prompt.setting for prompt in one.setup.tokens)


def _set_up(found: Settings, chosen: list[Chosen], folder: Path | None, asker: Asker | None) -> Outcome:
    outcome = Outcome()
    if asker:
        dotenv_file.begin(DOTENV, [prompt.setting for one in chosen for prompt in missing(one)])
    for one in chosen:
        set_up(one, outcome, asker)
    wanted = folder or offer_folder(found, asker)
    for path in [wanted] if wanted else [table.path for table in unfinished(found)]:
        if not index_folder(found, path):
            outcome.unfinished.append(f"not all of {path} is indexed")
    return outcome


def _tell(chosen: list[Chosen], outcome: Outcome) -> None:
    if outcome.unfinished:
        out.print("\n[bold]Not ready yet[/bold]")
        for clause in outcome.unfinished:
            say(f"  {clause}")
        say("  Run citewell init again: it asks only for what is missing.")
    else:
        out.print("\n[bold]Ready[/bold]")
    titles = " and ".join(one.title for one in chosen)
    say(f"  citewell run       {f'answers in {titles}' if titles else 'answers once a platform is set up'}")
    say('  citewell ask "…"   answers here, without a platform')
    say("  citewell doctor    says what is wrong, and what mends it")
    say(f"Run them in {Path.cwd()}: your settings are there.")
    if outcome.next_steps:
        say("")
    for step in outcome.next_steps:
        say(step)
