"""The command line application, with all commands."""

from __future__ import annotations

from importlib import metadata
from typing import Annotated

import typer

from bot.commands import (
    access,
    ask,
    backups,
    doctor,
    documents,
    evaluate,
    history,
    indexing,
    init,
    insights,
    keys,
    migrate,
    run,
    sources,
)

app = typer.Typer(
    name="citewell",
    help="Answer questions from your own documents and show the source of every sentence.",
    epilog="Settings are read from the environment, .env and citewell.toml. .env.example lists them all.",
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
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


app.command()(init.init)
app.command("run", help=run.run_help())(run.start)
app.command()(doctor.doctor)
app.command()(indexing.index)
app.add_typer(sources.sources_app, name="sources")
app.add_typer(documents.documents_app, name="documents")
app.command()(ask.ask)
app.command()(ask.chat)
app.command()(ask.demo)
app.command()(run.mcp)
app.add_typer(access.audience_app, name="audience")
app.command()(access.audit)
app.add_typer(history.history_app, name="history")
app.command()(insights.insights)
app.add_typer(keys.links_app, name="links")
app.add_typer(keys.keys_app, name="keys")
app.add_typer(backups.backup_app, name="backup")
app.command()(backups.restore)
app.command()(migrate.migrate)
app.add_typer(run.schedule_app, name="schedule")
evaluate.eval_app.command()(evaluate.golden)
evaluate.eval_app.command()(evaluate.collect)
app.add_typer(evaluate.eval_app, name="eval")
