"""`citewell history show|ratings|export|forget`."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from typing import Annotated

import typer

from bot.commands.terminal import DataOption, confirm, load_settings, out, print_note, run_async
from pipeline.rules.access import OPERATOR
from pipeline.values import Action, Vote
from pipeline.words import wording
from pipeline.words.text import to_single_line

history_app = typer.Typer(help="Show, export or erase questions and answers.", no_args_is_help=True)
PersonArgument = Annotated[
    str, typer.Argument(help="A person as the platform names them, such as slack:T1:U2 or console:local.")
]


@history_app.command()
def show(
    thread: Annotated[str, typer.Option("--thread", help="Name of a conversation; default: all of them.")] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, help="Turns to show.")] = 20,
    data: DataOption = None,
) -> None:
    """Show the last questions and answers of the conversations held in the terminal."""
    settings = load_settings(data)

    async def work() -> None:
        from bot.citewell import console_conversation
        from bot.wiring import open_citewell

        async with open_citewell(settings, make=False) as citewell:
            history = citewell.storage.history
            if thread:
                conversation = await history.recall(console_conversation(thread), limit)
                turns = [("", turn) for turn in conversation.turns]
            else:
                turns = [
                    (f" --thread {shlex.quote(conversation.thread)}", turn)
                    for conversation, turn in await history.turns_by_author(OPERATOR, limit)
                ]
        if not turns:
            print_note(f"Nothing is kept of {f'the conversation {thread!r}' if thread else 'any conversation'} here.")
        for option, turn in turns:
            out.print(to_single_line(f"{turn.asked_at:%Y-%m-%d %H:%M}{option}"), markup=False, style="dim", end=" ")
            out.print(">", style="bold", end=" ")
            out.print(turn.question, markup=False, style="bold")
            out.print(turn.answer or "(not answered)", markup=False)
            out.print()

    run_async(work())


@history_app.command()
def ratings(
    limit: Annotated[int, typer.Option("--limit", min=1, help="Ratings to show.")] = 20,
    json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
    data: DataOption = None,
) -> None:
    """Show how answers were rated, and why some did not help. The newest come first; raters are not named."""
    settings = load_settings(data)

    async def work() -> None:
        from bot.services.authority import OPERATOR_ACTOR
        from bot.wiring import open_citewell

        async with open_citewell(settings, make=False) as citewell:
            await citewell.authority.require(OPERATOR_ACTOR, Action.READ_RATINGS)
            counts = await citewell.storage.feedback.counts()
            complaints = await citewell.storage.feedback.unhelpful(limit)
        if json:
            listed = [asdict(complaint) | {"at": complaint.at.isoformat()} for complaint in complaints]
            out.print_json(data={**counts, "ratings": listed})
            return
        out.print(f"{counts[Vote.HELPFUL]} helpful, {counts[Vote.UNHELPFUL]} not helpful")
        for complaint in complaints:
            out.print()
            out.print(f"{complaint.at:%Y-%m-%d %H:%M}", style="dim", end=" ")
            out.print(">", style="bold", end=" ")
            out.print(complaint.question, markup=False, style="bold")
            out.print(f"{complaint.reason or 'no reason given'} (answer {complaint.answer_id})", markup=False)
            if complaint.comment:
                out.print(complaint.comment, markup=False)

    run_async(work())


@history_app.command()
def export(person: PersonArgument = "console:local", data: DataOption = None) -> None:
    """Print everything that is kept about a person, as JSON."""
    settings = load_settings(data)

    async def work() -> None:
        from bot.services.authority import OPERATOR_ACTOR
        from bot.wiring import open_citewell

        async with open_citewell(settings, make=False) as citewell:
            await citewell.authority.require(OPERATOR_ACTOR, Action.READ_PERSON, person)
            out.print_json(await citewell.services.export_person(person))

    run_async(work())


@history_app.command()
def forget(
    person: PersonArgument = "console:local",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data: DataOption = None,
) -> None:
    """Erase everything that is kept about a person: questions, answers, ratings and preferences."""
    settings = load_settings(data)
    if not yes:
        confirm(f"Erase everything kept about {person}?")

    async def work() -> None:
        from bot.services.authority import OPERATOR_ACTOR
        from bot.wiring import open_citewell

        async with open_citewell(settings, make=False) as citewell:
            await citewell.authority.require(OPERATOR_ACTOR, Action.ERASE_PERSON)
            erased = await citewell.services.erase_person(person)
        out.print(f"Erased {wording.count_noun(erased, 'entry', 'entries')}.")

    run_async(work())
