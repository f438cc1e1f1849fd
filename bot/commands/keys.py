"""`citewell keys`, for programs that call the API and MCP, and `citewell links rotate`."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.commands.terminal import DataOption, load_settings, out, print_line, run_async
from bot.services.authority import OPERATOR_ACTOR
from pipeline.errors import Refused
from pipeline.values import Action
from pipeline.values.api_access import ApiKey

keys_app = typer.Typer(help="Keys for programs that ask over the API or MCP.", no_args_is_help=True)


@keys_app.command()
def add(
    name: Annotated[str, typer.Argument(help="What you call the program.")],
    collection: Annotated[
        list[str] | None,
        typer.Option("--collection", help="What it may find, once or more; by default, what anyone inside may see."),
    ] = None,
    per_minute: Annotated[int, typer.Option("--per-minute", min=1, max=6000, help="Calls at most.")] = 60,
    data: DataOption = None,
) -> None:
    """Make a key. It is shown once: keep it where the program finds it."""
    settings = load_settings(data)

    async def work() -> None:
        from bot.wiring import open_citewell

        async with open_citewell(settings) as citewell:
            await citewell.authority.require(OPERATOR_ACTOR, Action.MAKE_KEY, name)
            key, secret = await citewell.storage.api_keys.add(name, collection or (), per_minute)
        print_line(secret)
        print_line(f"{_describe_key(key)}. It is not shown again.")

    run_async(work())


@keys_app.command("list")
def list_(data: DataOption = None) -> None:
    """List the keys, also those that are revoked."""
    settings = load_settings(data)

    async def work() -> None:
        from bot.wiring import open_citewell

        async with open_citewell(settings, make=False) as citewell:
            for key in await citewell.storage.api_keys.all():
                print_line(_describe_key(key))

    run_async(work())


@keys_app.command()
def revoke(
    name: Annotated[str, typer.Argument(help="The name or the id of the key.")], data: DataOption = None
) -> None:
    """Revoke a key: from now on it opens nothing."""
    settings = load_settings(data)

    async def work() -> None:
        from bot.wiring import open_citewell

        async with open_citewell(settings, make=False) as citewell:
            await citewell.authority.require(OPERATOR_ACTOR, Action.REVOKE_KEY, name)
            if (key := await citewell.storage.api_keys.revoke(name)) is None:
                raise Refused(f"there is no key called {name}", what_to_do="`citewell keys list` names them.")
        print_line(f"{key.name} is revoked.")

    run_async(work())


def _describe_key(key: ApiKey) -> str:
    finds = ", ".join(key.collections) or "what anyone inside may see"
    state = f", revoked {key.revoked:%Y-%m-%d}" if key.revoked else ""
    return f"{key.name} ({key.id}), made {key.at:%Y-%m-%d}: finds {finds}; {key.per_minute} a minute{state}"


links_app = typer.Typer(help="Look after the links that open sources on the page.", no_args_is_help=True)


@links_app.callback()
def _group() -> None:
    """Keep `rotate` a command of its own."""


@links_app.command()
def rotate(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data: DataOption = None,
) -> None:
    """Sign links to sources with a new key. Those in answers that were given before open nothing any more."""
    settings = load_settings(data)
    if not yes:
        typer.confirm("Close every link to a source that is in an answer until now?", abort=True)

    async def work() -> None:
        from bot.wiring import open_citewell
        from storage.settings import rotate_link_key

        async with open_citewell(settings, make=False) as citewell:
            await rotate_link_key(citewell.storage.database)
        out.print("Links that were made before open nothing any more, from now on. New answers have new ones.")

    run_async(work())
