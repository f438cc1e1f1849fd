"""`citewell init`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from bot.commands.setup_documents import index_folder, offer_folder, unsynced_folders
from bot.commands.setup_tokens import SetupReport, SetupTarget, TerminalPrompts, begun, missing, set_up, setup_targets
from bot.commands.terminal import load_settings, out, print_line, print_note
from bot.config import dotenv_file
from bot.config.files import DOTENV, check_writable, config_path
from bot.config.settings import Settings
from pipeline.errors import Refused
from pipeline.rules.platforms import format_alternatives

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

    What is there is kept. A second run asks only for what is missing. Exit status 1: something needs a look.
    """
    loaded = load_settings()
    check_writable(DOTENV)
    check_writable(config_path())
    prompts = TerminalPrompts() if sys.stdin.isatty() and not yes else None
    try:
        targets = _choose(loaded, platforms, prompts)
        if prompts is None:
            _require_all(loaded, targets, folder, yes=yes)
        report = _set_up(loaded, targets, folder, prompts)
    except (KeyboardInterrupt, EOFError, typer.Abort):
        print_note("Stopped. What you gave is kept; citewell init goes on from there.")
        raise typer.Exit(INTERRUPTED) from None
    _print_result(targets, report)
    if report.unfinished:
        raise typer.Exit(1)


def _choose(loaded: Settings, names: list[str], prompts: TerminalPrompts | None) -> list[SetupTarget]:
    """Return the platforms that are named, else those that are begun, else those that somebody wants."""
    setups = setup_targets(loaded)
    if unknown := [name for name in names if name not in setups]:
        raise typer.BadParameter(f"PLATFORM must be {format_alternatives(setups)}, not {unknown[0]!r}")
    targets = [setups[name] for name in names] or [target for target in setups.values() if begun(target)]
    if targets or prompts is None:
        return targets
    print_line(
        "Citewell answers from your documents. This takes five minutes. Ctrl-C stops it, and what you gave is kept."
    )
    print_line("")
    question = (
        f"Where will people ask? {format_alternatives((*setups, 'both' if len(setups) == 2 else 'all'))} (Enter: later)"
    )
    while (named := _named(prompts.text(question), setups)) is None:
        pass
    return named


def _named(answer: str, setups: dict[str, SetupTarget]) -> list[SetupTarget] | None:
    """Return the platforms that an answer names; None where it names another one."""
    words = set(answer.lower().replace(",", " ").split()) - {"and"}
    if words and words <= {"both", "all"}:
        return list(setups.values())
    return [setups[name] for name in setups if name in words] if words <= setups.keys() else None


def _require_all(loaded: Settings, targets: list[SetupTarget], folder: Path | None, *, yes: bool) -> None:
    """Raise Refused where something is missing, and without a terminal also where `--yes` is."""
    lacking = [prompt.setting for target in targets for prompt in missing(target)]
    unasked = "" if yes else ", and add --yes"
    if lacking:
        todo = f"Set {' and '.join(lacking)} in the environment or in .env{unasked}."
    elif not targets and not folder:
        needs = (f"{_variables(target)} for {target.title}" for target in setup_targets(loaded).values())
        todo = f"Set {format_alternatives(needs)}, or name documents with --folder{unasked}."
    elif not yes:
        todo = "Nothing is missing: add --yes."
    else:
        return
    missed = f"{' and '.join(lacking)} {'are' if len(lacking) > 1 else 'is'} missing" if lacking else ""
    if not yes:
        missed = f"this is no terminal, so nothing can be asked{f': {missed}' if missed else ''}"
    raise Refused(missed or "no platform is named, and no folder", what_to_do=todo)


def _variables(target: SetupTarget) -> str:
    return " and ".join(prompt.setting for prompt in target.setup.tokens)


def _set_up(
    loaded: Settings, targets: list[SetupTarget], folder: Path | None, prompts: TerminalPrompts | None
) -> SetupReport:
    report = SetupReport()
    if prompts:
        dotenv_file.begin(DOTENV, [prompt.setting for target in targets for prompt in missing(target)])
    for target in targets:
        set_up(target, report, prompts)
    chosen_folder = folder or offer_folder(loaded, prompts)
    for path in [chosen_folder] if chosen_folder else [table.path for table in unsynced_folders(loaded)]:
        if not index_folder(loaded, path):
            report.unfinished.append(f"not all of {path} is indexed")
    return report


def _print_result(targets: list[SetupTarget], report: SetupReport) -> None:
    if report.unfinished:
        out.print("\n[bold]Not ready yet[/bold]")
        for clause in report.unfinished:
            print_line(f"  {clause}")
        print_line("Run citewell init again: it asks only for what is missing.")
    else:
        out.print("\n[bold]Ready[/bold]")
        if targets:
            print_line(f"  citewell run       answers in {' and '.join(target.title for target in targets)}")
        print_line('  citewell ask "…"   answers here, without a platform')
        print_line("  citewell doctor    says what is wrong, and what mends it")
        print_line(f"Run them in {Path.cwd()}: your settings are there.")
    if report.next_steps:
        print_line("")
    for step in report.next_steps:
        print_line(step)
