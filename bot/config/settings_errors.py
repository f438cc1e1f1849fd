"""What is wrong with the settings, in words: the name as it was written, what is allowed, what was given."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, get_args

from annotated_types import Ge, Gt, Le
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from bot.config.field_types import join_alternatives
from bot.config.settings import ENV_PREFIX, all_settings, environment_name, environment_names, platform_settings
from bot.config.tables import SOURCE_TABLES
from bot.log import redact

MAX_VALUE_LENGTH = 60
"""Characters shown of a wrong value."""
JSON_EXAMPLES = {
    "collections": '{"hr": {"only": ["slack:T0123:C0456"]}}',
    "places": '{"slack:T0123:C0456": {"auto": true}}',
    "sources": '[{"kind": "folder", "name": "handbook", "path": "/srv/handbook"}]',
    "roles": '{"admin": ["slack:T0123:U0456"]}',
}
"""Tables as they are written in the environment."""
ALL_SETTINGS_HINT = "See .env.example for them all."


@dataclass(frozen=True)
class SettingsSources:
    """Where settings stand: names in the environment and in `.env`, and the table of the TOML file."""

    environment: frozenset[str]
    dotenv: frozenset[str]
    file: Path
    table: Mapping[str, object]

    def describe_errors(self, errors: Sequence[ErrorDetails]) -> list[tuple[str, str]]:
        """Each wrong setting, and what is wrong with it."""
        return [self._explain(error) for error in map(_beside, errors) if not self._misplaced(error)]

    def find_unknown(self) -> list[tuple[str, str]]:
        """Each name that no setting has, and the one that was probably meant. Values are never repeated."""
        known = environment_names()
        found = [(name, _hint(name)) for name in sorted(self.environment - known)]
        found += [(f"{name} in .env", _hint(name)) for name in sorted(self.dotenv - known)]
        fields = all_settings()
        unread = [name for name in self.table if name not in fields or fields[name].validation_alias]
        return found + [(f"{name} in {self.file}", _toml_hint(name, self.table[name])) for name in unread]

    def _explain(self, error: ErrorDetails) -> tuple[str, str]:
        if not error["loc"]:
            return "settings", str(error.get("ctx", {}).get("error", error["msg"]))
        name = _setting(error)
        return self._where(name, locate_error(name, error)), explain_error(name, error)

    def _misplaced(self, error: ErrorDetails) -> bool:
        """Whether `unknown` reports the setting: it stands in the file, which is not where it is read from."""
        name = _setting(error) if error["loc"] else ""
        return bool(name and all_settings()[name].validation_alias) and name in map(str.lower, self.table)

    def _where(self, name: str, spot: TableLocation | None) -> str:
        variable = environment_name(name)
        if spot and name == "sources":
            return f"{', '.join(filter(None, [spot.table, spot.key]))} in {self.file}"
        if variable in self.environment:
            return variable
        if variable in self.dotenv:
            return f"{variable} in .env"
        if name not in self.table:
            return variable
        return f"{' '.join(filter(None, [spot.table, spot.key])) if spot else name} in {self.file}"


class TableLocation(NamedTuple):
    """Where in a table of the file an error is."""

    table: str
    """`[collections.hr]`, `[[sources]] number 2`."""
    keys: Mapping[str, FieldInfo]
    """What may stand there."""
    key: str
    """Empty when it is the table as a whole."""


def locate_error(name: str, error: ErrorDetails) -> TableLocation | None:
    """None when the error is about the setting as a whole."""
    loc = error["loc"]
    if len(loc) < 2:
        return None
    if name == "sources":
        kind = SOURCE_TABLES.get(_at(loc, 2))
        return TableLocation(f"[[sources]] number {int(loc[1]) + 1}", kind.model_fields if kind else {}, _at(loc, 3))
    model = _model(all_settings()[name])
    if model is None:
        return None
    depth = 1 if all_settings()[name].annotation is model else 2
    return TableLocation(_title(*loc[:depth]), model.model_fields, _at(loc, depth))


def explain_error(name: str, error: ErrorDetails) -> str:
    """What is wrong with a setting, or with a table of the file or one of its keys."""
    inside = locate_error(name, error)
    key = inside.key if inside else ""
    match error["type"]:
        case "union_tag_not_found":
            return f"has no kind, which must be {join_alternatives(SOURCE_TABLES, 'or')}"
        case "union_tag_invalid":
            kind = (error.get("ctx") or {}).get("tag", "")
            return f"the kind must be {join_alternatives(SOURCE_TABLES, 'or')}, not {kind!r}"
        case "missing" if name == "sources":
            return "is missing"
        case "extra_forbidden" if inside:
            near = closest_name(str(error["loc"][-1]).lower(), inside.keys)
            there = ", ".join(inside.keys) if name == "sources" else join_alternatives(inside.keys, "and")
            return f"there is no such key{f'. Did you mean {near}?' if near else f'; there are {there}'}"
    setting = all_settings()[name]
    info = inside.keys.get(key, setting) if inside else setting
    whole_source = name == "sources" and not key and error["type"] == "value_error"
    hidden = is_secret(info) or key == "token_from" or whole_source
    given = "" if hidden else f", not {format_value(error['input'])}"
    return f"must be {describe_allowed(info, error)}{given}"


def explain_source_error(kind: str, error: ErrorDetails) -> str:
    """What is wrong with a source that stands in no file: `url must be …`."""
    placed = error.copy()
    placed["loc"] = ("sources", 0, *error["loc"])
    inside = locate_error("sources", placed)
    return f"{(inside and inside.key) or kind} {explain_error('sources', placed)}"


def invalid_json_error(problem: str) -> tuple[str, str]:
    """A table that is set in the environment and cannot be read there."""
    name = problem.partition('"')[2].partition('"')[0]
    return environment_name(name), f"must be JSON, such as {JSON_EXAMPLES[name]}"


def closest_name(name: str, known: Iterable[str], alike: float = 0.7) -> str:
    """The one that was probably meant, the same letters in another order first; empty where none is as much `alike`."""
    near = difflib.get_close_matches(name, known, n=3, cutoff=alike)
    return min(near, key=lambda one: sorted(one) != sorted(name), default="")


def is_secret(info: FieldInfo) -> bool:
    return not info.repr or info.annotation is SecretStr or SecretStr in get_args(info.annotation)


def format_value(given: object) -> str:
    """A wrong value as it was written, without what could be a secret."""
    text = redact(repr(given))
    text = "what is given (hidden)" if "@" in text else text
    return text if len(text) <= MAX_VALUE_LENGTH else f"{text[:MAX_VALUE_LENGTH]}…"


def describe_allowed(info: FieldInfo, error: ErrorDetails) -> str:
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
    if kind == "model_attributes_type":
        return "a table"
    if model := _model(info):
        return f"a table with the keys {join_alternatives(model.model_fields, 'or')}"
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


def _beside(error: ErrorDetails) -> ErrorDetails:
    """As if a platform's settings stood beside all others; what is wrong with all of them, with all settings."""
    platform, *inner = error["loc"] or ("",)
    if platform not in platform_settings():
        return error
    moved = error.copy()
    own = str(inner[0]) if inner else ""
    name = own if own in environment_names() else f"{platform}_{own}"
    moved["loc"] = (name, *inner[1:]) if inner else ()
    return moved


def wrong_setting(error: ErrorDetails) -> tuple[str, tuple[int | str, ...]]:
    """Return the setting that an error is about, and where in it; the name is empty for several settings together, and
    that of a platform for several of its own."""
    moved = _beside(error)
    if moved["loc"]:
        return _setting(moved), tuple(moved["loc"][1:])
    return str(error["loc"][0]) if error["loc"] else "", ()


def _setting(error: ErrorDetails) -> str:
    """The setting of a name that pydantic reports: its own, or the variable it is read from."""
    name = str(error["loc"][0])
    return next(found for found in all_settings() if name in (found, environment_name(found)))


def _model(info: FieldInfo) -> type[BaseModel] | None:
    """What a table of the file is read as, or each of several."""
    kinds = [info.annotation, *get_args(info.annotation)]
    return next((kind for kind in kinds[::-1] if isinstance(kind, type) and issubclass(kind, BaseModel)), None)


def _at(loc: tuple[int | str, ...], depth: int) -> str:
    return str(loc[depth]) if len(loc) > depth and loc[depth] != "[key]" else ""


def _title(*names: object) -> str:
    """`[collections.hr]`, `[places."slack:T1"]`."""
    return f"[{'.'.join(json.dumps(name) if ':' in str(name) else str(name) for name in names)}]"


def _hint(name: str) -> str:
    known = {found.removeprefix(ENV_PREFIX): found for found in environment_names()}
    near = closest_name(name.removeprefix(ENV_PREFIX), known)
    return f"there is no such setting. {f'Did you mean {known[near]}?' if near else ALL_SETTINGS_HINT}"


def _toml_hint(name: str, given: object) -> str:
    plain = name.lower().removeprefix(ENV_PREFIX.lower())
    if info := all_settings().get(plain):
        if not info.validation_alias:
            return f"in this file it is called {plain}"
        what = "secrets belong" if is_secret(info) else "it belongs"
        return f"{what} in the environment or in .env, as {info.validation_alias}"
    near = closest_name(plain, [name for name, info in all_settings().items() if not info.validation_alias])
    model = _model(all_settings()[near]) if near else None
    if near and model and isinstance(given, dict):
        several = all_settings()[near].annotation is not model
        meant = ", ".join(_title(near, key) for key in given) if several else _title(near)
        return f"there is no such setting. Did you mean {meant or _title(near, 'NAME')}?"
    return f"there is no such setting. {f'Did you mean {near}?' if near else ALL_SETTINGS_HINT}"
