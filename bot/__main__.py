"""The command line. Errors are translated here, once: people see what to do, never a traceback."""

from __future__ import annotations

import io
import os
import sys
from importlib import metadata
from typing import Annotated

import typer

from bot.commands import asking, documents, evaluating, history, indexing, running
from pipeline.errors import CitewellError

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


app.command()(running.run)
app.command()(indexing.index)
app.add_typer(documents.documents, name="documents")
app.command()(asking.ask)
app.command()(asking.chat)
app.command()(asking.demo)
app.add_typer(history.history, name="history")
app.add_typer(evaluating.evaluate, name="eval")


def main() -> None:
    """Run the command line; exit status 2 for what the person can mend. What it writes is its owner's to read."""
    os.umask(0o077)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app()
    except CitewellError as error:
        print("citewell: " + str(error).replace("\n", "\ncitewell: "), file=sys.stderr)  # noqa: T201 - the command line's own voice
        if error.what_to_do:
            print(f"  {error.what_to_do}", file=sys.stderr)  # noqa: T201 - as above
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
