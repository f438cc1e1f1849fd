"""What is wrong with the settings, in words: the name as it was written, what is allowed, what was given."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, get_args

from annotated_types import Ge, Gt, Le
from pydantic import SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from bot import wrong_sources
from bot.log import redact
from bot.setting_tables import table_of

PREFIX = "CITEWELL_"
SHOWN = 60
"""Characters shown of a wrong value."""
JSON = {
    "collections": '{"hr": {"only": ["slack:T0123:C0456"]}}',
    "places": '{"slack:T0123:C0456": {"auto": true}}',
    "sources": '[{"kind": "folder", "name": "handbook", "path": "/srv/handbook"}]',
    "roles": '{"admin": ["slack:T0123:U0456"]}',
}
"""Tables as they are written in the environment."""
OTHERWISE = "See .env.example for them all."


@dataclass(frozen=True)
class Written:
    """Where settings stand: names in the environment and in `.env`, and the table of the TOML file."""

    fields: Mapping[str, FieldInfo]
    environment: frozenset[str] = frozenset()
    dotenv: frozenset[str] = frozenset()
    file: Path = Path("citewell.toml")
    table: Mapping[str, object] = field(default_factory=dict)

    def wrong(self, errors: Sequence[ErrorDetails]) -> list[tuple[str, str]]:
        """Each wrong setting, and what is wrong with it."""
        return [self._explain(error) for error in errors if not self._misplaced(error)]

    def unknown(self) -> list[tuple[str, str]]:
        """Each name that no setting has, and the one that was probably meant. Values are never repeated."""
        known = self._variables()
        found = [(name, self._hint(name)) for name in sorted(self.environment - known)]
        found += [(f"{name} in .env", self._hint(name)) for name in sorted(self.dotenv - known)]
        unread = {name for name in self.fields if self.fields[name].validation_alias}
        return found + [
            (f"{name} in {self.file}", self._toml_hint(name))
            for name in self.table
            if name not in self.fields or name in unread
        ]

    def _variables(self) -> set[str]:
        return {environment_name(name, self.fields) for name in self.fields}

    def _hint(self, name: str) -> str:
        known = {found.removeprefix(PREFIX): found for found in self._variables()}
        near = nearest(name.removeprefix(PREFIX), known)
        return f"there is no such setting. {f'Did you mean {known[near]}?' if near else OTHERWISE}"

    def _toml_hint(self, name: str) -> str:
        plain = name.lower().removeprefix(PREFIX.lower())
        if info := self.fields.get(plain):
            if not info.validation_alias:
                return f"in this file it is called {plain}"
            what = "secrets belong" if is_secret(info) else "it belongs"
            return f"{what} in the environment or in .env, as {info.validation_alias}"
        readable = [name for name, info in self.fields.items() if not info.validation_alias]
        near = nearest(plain, readable)
        given = self.table[name]
        if near and isinstance(given, dict) and (table := table_of(self.fields[near])):
            keys = ", ".join(table.title(near, key) for key in given) if table.named else table.title(near)
            return f"there is no such setting. Did you mean {keys or table.title(near, 'NAME')}?"
        return f"there is no such setting. {f'Did you mean {near}?' if near else OTHERWISE}"

    def _explain(self, error: ErrorDetails) -> tuple[str, str]:
        loc, kind = error["loc"], error["type"]
        if not loc:
            return "settings", str(error.get("ctx", {}).get("error", error["msg"]))
        name = self._field(str(loc[0]))
        info = self.fields[name]
        if name == "sources" and len(loc) > 1:
            return f"{wrong_sources.where(error)} in {self.file}", explain_source(error)
        table = table_of(info)
        if kind == "extra_forbidden" and table:
            return self._where(name, loc), f"there is no such key{table.hint(str(loc[-1]))}"
        if table and kind != "value_error":
            info = table.field(loc) or info
        hidden = is_secret(info) or (name == "sources" and kind == "value_error")
        given = "" if hidden else f", not {shown(error['input'])}"
        return self._where(name, loc), f"must be {allowed(info, loc, error)}{given}"

    def _misplaced(self, error: ErrorDetails) -> bool:
        """Whether `unknown` reports the setting: it stands in the file, which is not where it is read from."""
        name = self._field(str(error["loc"][0])) if error["loc"] else ""
        return bool(name and self.fields[name].validation_alias) and name in map(str.lower, self.table)

    def _field(self, name: str) -> str:
        """The field of a name that pydantic reports: its own, or the variable it is read from."""
        return next(found for found in self.fields if name in (found, environment_name(found, self.fields)))

    def _where(self, name: str, loc: tuple[int | str, ...]) -> str:
        variable = environment_name(name, self.fields)
        if variable in self.environment:
            return variable
        if variable in self.dotenv:
            return f"{variable} in .env"
        if name not in self.table:
            return variable
        table = table_of(self.fields[name])
        if table and len(loc) > 1:
            key = f" {loc[table.depth]}" if len(loc) > table.depth and loc[table.depth] != "[key]" else ""
            return f"{table.title(*loc[: table.depth])}{key} in {self.file}"
        return f"{name} in {self.file}"


def nearest(name: str, known: Iterable[str], alike: float = 0.7) -> str:
    """The one that was probably meant, the same letters in another order first; empty where none is as much `alike`."""
    near = difflib.get_close_matches(name, known, n=3, cutoff=alike)
    return min(near, key=lambda one: sorted(one) != sorted(name), default="")


def explain_source(error: ErrorDetails) -> str:
    """What is wrong with a table `[[sources]]`, or with one of its keys."""
    if said := wrong_sources.said(error):
        return said
    given = "" if wrong_sources.key(error) == "token_from" else f", not {shown(error['input'])}"
    return f"must be {allowed(wrong_sources.field_of(error), error['loc'][2:], error)}{given}"


def not_json(problem: str) -> tuple[str, str]:
    """A table that is set in the environment and cannot be read there."""
    name = problem.partition('"')[2].partition('"')[0]
    return f"{PREFIX}{name.upper()}", f"must be JSON, such as {JSON[name]}"


def environment_name(name: str, fields: Mapping[str, FieldInfo]) -> str:
    """The environment variable of a setting: `top_k` -> `CITEWELL_TOP_K`, `slack_bot_token` -> `SLACK_BOT_TOKEN`."""
    alias = fields[name].validation_alias
    return str(alias) if alias else f"{PREFIX}{name.upper()}"


def is_secret(info: FieldInfo) -> bool:
    return info.annotation is SecretStr or SecretStr in get_args(info.annotation)


def shown(given: object) -> str:
    """A wrong value as it was written, without what could be a secret."""
    text = redact(repr(given))
    text = "what is given (hidden)" if "@" in text else text
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def allowed(info: FieldInfo, loc: tuple[int | str, ...], error: ErrorDetails) -> str:
    """What a setting must be, in words."""
    kind, context = error["type"], error.get("ctx", {})
    if kind == "value_error":
        return str(context["error"])
    if kind == "enum" or kind == "literal_error":
        return str(context["expected"]).replace("'", "")
    if kind.startswith("bool"):
        return "true or false"
    if _number(info):
        return _range(info)
    if kind == "string_too_long":
        return f"at most {context['max_length']} characters long"
    if kind in ("tuple_type", "list_type"):
        return f"a list such as {json.dumps([given])}" if isinstance(given := error["input"], str) else "a list"
    if table := table_of(info):
        return f"a table with the keys {table.keys}"
    return "a text" if isinstance(error["input"], Enum | int | float | list | dict) else error["msg"].lower()


def _number(info: FieldInfo) -> type | None:
    return next((kind for kind in (info.annotation, *get_args(info.annotation)) if kind in (int, float)), None)


def _range(info: FieldInfo) -> str:
    noun = "a whole number" if _number(info) is int else "a number"
    limits: dict[type, Any] = {type(limit): limit for limit in info.metadata}
    low, high = limits.get(Ge), limits.get(Le)
    parts = [
        f"from {low.ge:,}" if low else f"above {limits[Gt].gt:,}" if Gt in limits else "",
        f"to {high.le:,}" if low and high else f"up to {high.le:,}" if high else "",
    ]
    return " ".join([noun, *filter(None, parts)])
