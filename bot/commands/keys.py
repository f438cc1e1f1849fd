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
    name: Annotated[str, typer.Argument(help="Name of the program that uses the key.")],
    collection: Annotated[
        list[str] | None,
        typer.Option("--collection", help="Collection to search; repeatable. Default: what any member may see."),
    ] = None,
    per_minute: Annotated[int, typer.Option("--per-minute", min=1, max=6000, help="Calls in a minute, at most.")] = 60,
    data: DataOption = None,
) -> None:
    """Create a key. It is shown only once."""
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
    """List all keys, including revoked ones."""
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
    """Revoke a key. It stops working at once."""
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
    finds = ", ".join(key.collections) or "what any member may see"
    state = f", revoked {key.revoked:%Y-%m-%d}" if key.revoked else ""
    return f"{key.name} ({key.id}), made {key.at:%Y-%m-%d}: finds {finds}; {key.per_minute} a minute{state}"


links_app = typer.Typer(help="Manage the links that open sources on the page.", no_args_is_help=True)


@links_app.callback()
def _group() -> None:
    """Keep `rotate` a command of its own."""


@links_app.command()
def rotate(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data: DataOption = None,
) -> None:
    """Sign links to sources with a new key. Links in earlier answers stop working."""
    settings = load_settings(data)
    if not yes:
        typer.confirm("Close all links to sources in earlier answers?", abort=True)

    async def work() -> None:
        from bot.wiring import open_citewell
        from storage.settings import rotate_link_key

        async with open_citewell(settings, make=False) as citewell:
            await rotate_link_key(citewell.storage.database)
        out.print("Earlier links no longer work. New answers have new links.")

    run_async(work())
