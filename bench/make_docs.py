"""Write `docs/commands.md` and `docs/settings.md` from the commands and the settings: `python -m bench.make_docs`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import typer
from annotated_types import Ge, Gt, Le
from pydantic.fields import FieldInfo

from bench.make_env_example import shown_default
from bot import registry
from bot.commands.app import app
from bot.config.settings import ENV_PREFIX, all_settings, environment_name
from bot.config.settings_errors import JSON_EXAMPLES

DOCS = Path(__file__).parent.parent / "docs"

# --- Commands -------------------------------------------------------------------------------------

COMMANDS = """\
# Commands

This page is made from the program: `make docs` writes it. `citewell COMMAND --help` says the same on the terminal.

Almost every command takes `--data FOLDER`, the data folder. Without it, `CITEWELL_DATA` or `./citewell-data` counts.
[Settings](settings.md) are read from the environment, `.env` and `citewell.toml`. The exit status is 0 where all went
well, 2 where the command was refused, and otherwise what the command says below.
"""
PAGES = {
    "run": "operations/README.md",
    "init": "init.md",
    "doctor": "troubleshooting.md",
    "index": "sources.md",
    "sources": "sources.md",
    "ask": "features.md#how-it-answers",
    "mcp": "mcp.md",
    "audience": "access.md",
    "audit": "access.md#who-may-change-things",
    "history ratings": "insights.md",
    "insights": "insights.md",
    "keys": "api.md",
    "links": "page.md#links-to-sources",
    "backup": "operations/backup.md",
    "restore": "operations/backup.md#restore",
    "migrate": "operations/postgresql.md#moving-over",
    "schedule": "operations/README.md#every-day",
    "eval": "quality.md",
    "eval golden": "insights.md#a-regression-test-of-your-own",
    "eval collect": "insights.md#a-regression-test-of-your-own",
}
"""The page that says more about a command, or about all commands of a group."""
VALUES = {"int": "N", "Path": "FILE"}
"""How the value of an option is shown where the option does not say."""


class Entry(NamedTuple):
    """A command as people type it, without the name of the program."""

    name: str
    parameters: list[Any]
    help: str


def entries(group: Any, above: str = "") -> Iterator[Entry]:
    """Return every command of a group, in the order of the program. A hidden one is what its group does by itself."""
    for name, command in group.commands.items():
        path = above if command.hidden else f"{above} {name}".strip()
        if not hasattr(command, "commands"):
            yield Entry(path, command.params, inspect.cleandoc(command.help or ""))
            continue
        if command.params:
            yield Entry(path, command.params, inspect.getdoc(command.callback) or "")
        yield from entries(command, path)


def called(parameter: Any) -> str:
    """Return how an argument is shown, or an option with its value."""
    name = str(parameter.name).upper()
    if parameter.param_type_name == "argument":
        return f"{parameter.metavar or name}{'…' if parameter.nargs == -1 else ''}"
    value = parameter.metavar or VALUES.get(parameter.bare_type(), name)
    return parameter.opts[0] if parameter.is_flag else f"{parameter.opts[0]} {value}"


def usage(entry: Entry) -> str:
    """Return the line that people type; what may be left out stands in brackets."""
    arguments = [one for one in entry.parameters if one.param_type_name == "argument"]
    options = [one for one in entry.parameters if one.param_type_name == "option"]
    shown = [called(one) if one.required else f"[{called(one)}]" for one in arguments]
    shown += [called(one) for one in options if one.required]
    optional = any(not one.required and one.name != "data" for one in options)
    return " ".join(["citewell", entry.name, *shown, *(["[OPTIONS]"] if optional else [])])


def command_section(entry: Entry) -> Iterator[str]:
    """Return the lines of one command."""
    yield f"## citewell {entry.name}\n"
    yield f"```\n{usage(entry)}\n```\n"
    yield f"{entry.help}\n"
    rows = [one for one in entry.parameters if one.name != "data"]
    if rows:
        yield "| | |\n| --- | --- |"
        for one in rows:
            default = f" Default: {one.default}." if one.default not in (None, "", False, []) else ""
            told = "default" in one.help.lower() and default
            yield f"| `{cell(called(one))}` | {cell(one.help)}{'' if told else default} |"
        yield ""
    if page := PAGES.get(entry.name) or PAGES.get(entry.name.partition(" ")[0]):
        yield f"More: [{heading(page)}]({page}).\n"


def heading(page: str) -> str:
    """Return the first heading of a page."""
    return (DOCS / page.partition("#")[0]).read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def commands_page() -> str:
    """Return `docs/commands.md`."""
    listed = list(entries(typer.main.get_command(app)))
    lines = [COMMANDS, "| command | what it does |\n| --- | --- |"]
    for one in listed:
        summary = " ".join(one.help.partition("\n\n")[0].split())
        lines.append(f"| [`citewell {one.name}`](#citewell-{one.name.replace(' ', '-')}) | {cell(summary)} |")
    sections = [line for one in listed for line in command_section(one)]
    return "\n".join([*lines, "", *sections]).rstrip() + "\n"


def cell(text: str) -> str:
    """Return text as it may stand in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


# --- Settings -------------------------------------------------------------------------------------

SETTINGS = """\
# Settings

This page is made from the program: `make docs` writes it, as it writes [`.env.example`](../.env.example).

A setting is read from the environment, from `.env`, or from `citewell.toml`; the first place that has it wins. In
`citewell.toml` it has its name in lower case without `CITEWELL_`: `top_k = 8`. Tokens and keys stand in the environment
or in `.env`, never in the file. `CITEWELL_CONFIG` names another file. A wrong value is refused, and the message says
what is allowed. `citewell doctor` names each setting that is wrong, and each name that nothing reads.
"""
TABLES = {
    "collections": "access.md",
    "places": "places.md",
    "roles": "access.md#who-may-change-things",
    "sources": "sources.md",
}
"""What is written in `citewell.toml` as a table, and the page that describes it."""
GROUPS = {
    "data": "Data",
    "model": "Models",
    "top_k": "Answers",
    "chunk_tokens": "Index",
    "sync_minutes": "Operations",
}
"""The first setting of each group, and what the group is called."""


def settings_page() -> str:
    """Return `docs/settings.md`."""
    fields = all_settings()
    lines = [SETTINGS]
    for title, names in grouped(list(fields)).items():
        lines += [f"## {title}\n", "| setting | default | what it is |\n| --- | --- | --- |"]
        for name in names:
            default = f"`{cell(value)}`" if (value := shown_default(fields[name])) else ""
            lines.append(f"| `{environment_name(name)}` | {default} | {described(fields[name])} |")
        lines.append("")
    lines.append("## Tables of citewell.toml\n\n| table | what it is |\n| --- | --- |")
    for name, page in TABLES.items():
        what = re.sub(r" \(citewell.toml: .*\)$", "", fields[name].description or "")
        lines.append(f"| `{name}` | {what}: [{heading(page)}]({page}) |")
    return "\n".join(lines) + "\n"


def grouped(names: list[str]) -> dict[str, list[str]]:
    """Return the settings by group. Raise ValueError where a group's first setting is gone."""
    titles = {platform.name: platform.title for platform in registry.platforms()}
    groups: dict[str, list[str]] = {title: [] for title in GROUPS.values()}
    title = ""
    for name in names:
        title = GROUPS.get(name, title)
        platform = titles.get(name.partition("_")[0])
        own = not environment_name(name).startswith(ENV_PREFIX)
        if name not in JSON_EXAMPLES:
            shown = platform or ("Keys of models" if own else title)
            groups.setdefault(f"{shown[:1].upper()}{shown[1:]}", []).append(name)
    if gone := GROUPS.keys() - set(names):
        raise ValueError(f"a group begins with {gone}, and there is no such setting")
    return groups


def described(field: FieldInfo) -> str:
    """Return what a setting is, with the numbers that it may be."""
    limits: dict[type, Any] = {type(limit): limit for limit in field.metadata}
    low, high = limits.get(Ge), limits.get(Le)
    numbers = f" ({low.ge:,} to {high.le:,})" if low and high else ""
    if Gt in limits and high:
        numbers = f" (above {limits[Gt].gt:,}, at most {high.le:,})"
    return f"{cell(field.description or '')}{numbers}"


if __name__ == "__main__":
    (DOCS / "commands.md").write_text(commands_page(), encoding="utf-8")
    (DOCS / "settings.md").write_text(settings_page(), encoding="utf-8")
