"""The commands put together."""

from __future__ import annotations

from importlib import metadata
from typing import Annotated

import typer

from bot.commands import (
    access,
    asking,
    backups,
    doctor,
    documents,
    evaluating,
    history,
    indexing,
    init,
    insights,
    keys,
    moving,
    running,
    sources,
)

app = typer.Typer(
    name="citewell",
    help="Answers questions from your own documents, and shows where every sentence comes from.",
    epilog="Settings are read from the environment, .env and citewell.toml; .env.example lists them all.",
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(metadata.version("citewell"))
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


app.command()(init.init)
app.command("run", help=running.described())(running.start)
app.command()(doctor.doctor)
app.command()(indexing.index)
app.add_typer(sources.sources, name="sources")
app.add_typer(documents.documents, name="documents")
app.command()(asking.ask)
app.command()(asking.chat)
app.command()(asking.demo)
app.command()(running.mcp)
app.add_typer(access.audience, name="audience")
app.command()(access.audit)
app.add_typer(history.history, name="history")
app.command()(insights.insights)
app.add_typer(keys.links, name="links")
app.add_typer(keys.keys, name="keys")
app.add_typer(backups.backup, name="backup")
app.command()(backups.restore)
app.command()(moving.migrate)
app.add_typer(running.schedule, name="schedule")
evaluating.evaluate.command()(evaluating.golden)
evaluating.evaluate.command()(evaluating.collect)
app.add_typer(evaluating.evaluate, name="eval")
