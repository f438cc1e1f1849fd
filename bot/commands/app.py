"""The command line application. A command is imported when it is used, or when its help is shown."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any, NamedTuple, cast

import typer
from typer.core import TyperGroup


class CommandPlace(NamedTuple):
    """Where a command, or a group of commands, stands."""

    module: str
    attribute: str
    help: str = ""
    """The function of the module that returns its help, where that is no docstring."""


PLACES: Mapping[str, CommandPlace] = {
    "init": CommandPlace("init", "init"),
    "run": CommandPlace("run", "start", "run_help"),
    "doctor": CommandPlace("doctor", "doctor"),
    "index": CommandPlace("indexing", "index"),
    "ask": CommandPlace("ask", "ask"),
    "chat": CommandPlace("ask", "chat"),
    "demo": CommandPlace("ask", "demo"),
    "mcp": CommandPlace("run", "mcp"),
    "audit": CommandPlace("access", "audit"),
    "insights": CommandPlace("insights", "insights"),
    "restore": CommandPlace("backups", "restore"),
    "migrate": CommandPlace("migrate", "migrate"),
    "sources": CommandPlace("sources", "sources_app"),
    "documents": CommandPlace("documents", "documents_app"),
    "audience": CommandPlace("access", "audience_app"),
    "history": CommandPlace("history", "history_app"),
    "links": CommandPlace("keys", "links_app"),
    "keys": CommandPlace("keys", "keys_app"),
    "backup": CommandPlace("backups", "backup_app"),
    "schedule": CommandPlace("run", "schedule_app"),
    "eval": CommandPlace("evaluate", "eval_app"),
}
"""Every command, in the order of the help."""


ONE_ANSWER = "ask"
"""The command that ends before the garbage collector would find anything: looking takes a twentieth of its time."""


@cache
def load_command(name: str) -> Any:
    """Import a command. Raises KeyError for an unknown name."""
    place = PLACES[name]
    module = import_module(f"bot.commands.{place.module}")
    parent, command = typer.Typer(), getattr(module, place.attribute)
    if isinstance(command, typer.Typer):
        parent.add_typer(command, name=name)
    else:
        parent.command(name, help=getattr(module, place.help)() if place.help else None)(command)
    return typer.main.get_group(parent).commands[name]


class ImportedCommands(Mapping[str, Any]):
    """The commands by name; looking one up imports it."""

    def __getitem__(self, name: str) -> Any:
        return load_command(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the command, or `default` for an unknown name. An error of its import is raised."""
        return load_command(name) if name in PLACES else default

    def __contains__(self, name: object) -> bool:
        return name in PLACES

    def __iter__(self) -> Iterator[str]:
        return iter(PLACES)

    def __len__(self) -> int:
        return len(PLACES)


class ImportingGroup(TyperGroup):
    """The group of all commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = cast("Any", ImportedCommands())

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)


app = typer.Typer(
    name="citewell",
    cls=ImportingGroup,
    help="Answer questions from your own documents and show the source of every sentence.",
    epilog="Settings are read from the environment, .env and citewell.toml. .env.example lists them all.",
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib import metadata

        typer.echo(metadata.version("citewell"))
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    if context.invoked_subcommand != ONE_ANSWER:
        gc.enable()
