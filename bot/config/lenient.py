"""The settings without the wrong ones, so that `citewell doctor` can continue."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import EnvSettingsSource, PydanticBaseSettingsSource, SettingsError

from bot import registry
from bot.config.files import DOTENV, config_path, names_in_dotenv, read_config, valid_names_in_dotenv
from bot.config.read import written_settings
from bot.config.settings import Settings, all_settings, environment_name, platform_settings
from bot.config.settings_errors import SettingsSources, invalid_json_error, wrong_setting
from pipeline.errors import Misconfigured
from pipeline.values import Value

TRIES = 8
"""Tries: one for each table that is no JSON, and some for errors that appear only once other settings are right."""
TABLES = frozenset({"collections", "places", "roles", "sources"})
"""Settings that are tables of `citewell.toml`."""
COMPARED = ("chunk_tokens", "chunk_overlap", "chroma_url")
"""Settings that are checked against each other: they are left out together."""


class WrongSetting(NamedTuple):
    name: str
    """Empty if `why` names it."""
    why: str
    fix: str = ""


class LenientSettings(NamedTuple):
    settings: Settings | None
    """None if not even the rest can be read."""
    wrong: tuple[WrongSetting, ...]
    left_out: tuple[str, ...]
    """Clauses about the settings that were left out."""


def lenient_settings(**overrides: object) -> LenientSettings:
    """Return the settings without the wrong ones. `overrides` win over all."""
    files = _Files()
    written = written_settings(files.in_dotenv, files.table)
    wrong = [*files.wrong, *(WrongSetting(name, why) for name, why in written.find_unknown())]
    settings, refused, left_out = _read(written, files, overrides)
    return LenientSettings(settings, (*wrong, *refused), (*files.left_out, *left_out))


class _Files:
    """The readable parts of `.env` and `citewell.toml`."""

    def __init__(self) -> None:
        self.wrong: list[WrongSetting] = []
        self.left_out: list[str] = []
        self.in_dotenv: frozenset[str] = frozenset()
        self.table: dict[str, Any] = {}
        self.with_dotenv = self.with_table = True
        try:
            self.in_dotenv = names_in_dotenv()
        except Misconfigured as error:
            self.wrong.append(WrongSetting("", str(error), error.what_to_do))
            self._mend_dotenv()
        try:
            self.table = read_config()
        except Misconfigured as error:
            self.wrong.append(WrongSetting("", str(error), error.what_to_do))
            self.with_table = False
            self.left_out.append(f"what {config_path()} sets, because it cannot be read")

    def _mend_dotenv(self) -> None:
        """Leave out its wrong lines, or all of it."""
        try:
            self.in_dotenv = valid_names_in_dotenv()
        except Misconfigured:
            self.with_dotenv = False
            self.left_out.append(f"what {DOTENV} sets, because it cannot be read")


def _read(
    written: SettingsSources, files: _Files, overrides: Mapping[str, object]
) -> tuple[Settings | None, list[WrongSetting], list[str]]:
    wrong: list[WrongSetting] = []
    no_json: list[str] = []
    changes: dict[str, Any] = {} if files.with_dotenv else {"_env_file": None}
    for _ in range(TRIES):
        try:
            settings = _settings_type(with_table=files.with_table, without=no_json)(**{**overrides, **changes})
        except SettingsError as error:
            wrong.append(WrongSetting(*invalid_json_error(str(error))))
            no_json.append(wrong[-1].name)
        except ValidationError as error:
            errors = error.errors(include_url=False)
            wrong += [WrongSetting(name, why) for name, why in written.describe_errors(errors)]
            changes = _changed(changes, errors, files.table)
        else:
            return settings, wrong, [*_left_out(changes), *(f"{name}, which is no JSON" for name in no_json)]
    return None, wrong, ["everything that rests on the settings"]


def _left_out(changes: Mapping[str, Any]) -> list[str]:
    platforms = (
        registry.platforms().find_platform(name) for name, value in changes.items() if isinstance(value, Value)
    )
    contradicting = [
        f"{platform.title}, because its settings contradict each other" for platform in platforms if platform
    ]
    return [*contradicting, *(f"what is wrong in {name}" for name in changes if name in TABLES)]


def _settings_type(*, with_table: bool, without: Collection[str]) -> type[Settings]:
    """Return settings with the same sources, without some variables and, optionally, without the file."""
    names = frozenset(map(str.lower, without))

    class ReadableSettings(Settings):
        @classmethod
        def file(cls) -> Path | None:
            return super().file() if with_table else None

        @classmethod
        def settings_customise_sources(
            cls, settings_cls: Any, *sources: PydanticBaseSettingsSource, **named: PydanticBaseSettingsSource
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            for source in (*sources, *named.values()):
                if isinstance(source, EnvSettingsSource):
                    source.env_vars = {name: value for name, value in source.env_vars.items() if name not in names}
            return super().settings_customise_sources(settings_cls, *sources, **named)

    return ReadableSettings


def _changed(before: Mapping[str, Any], errors: Iterable[ErrorDetails], table: Mapping[str, Any]) -> dict[str, Any]:
    """Return overrides that replace the wrong settings: their defaults, and the right parts of tables."""
    changes = dict(before)
    inside: dict[str, set[int | str]] = {}
    for error in errors:
        name, where = wrong_setting(error)
        platform = next((platform for platform in platform_settings() if name.startswith(f"{platform}_")), "")
        if not name:
            changes |= {compared: _default(compared) for compared in COMPARED}
        elif name in platform_settings():
            changes[name] = platform_settings()[name]()
        elif platform and isinstance(platform_changes := changes.setdefault(platform, {}), dict):
            platform_changes[name.removeprefix(f"{platform}_")] = _default(name)
        elif name in TABLES and where and name in table:
            inside.setdefault(name, set()).add(where[0])
        else:
            alias = all_settings()[name].validation_alias
            changes[environment_name(name) if alias else name] = _default(name)
    return changes | {name: _without(table[name], wrong) for name, wrong in inside.items()}


def _default(name: str) -> Any:
    return _without(all_settings()[name].get_default(call_default_factory=True), set())


def _without(value: Any, wrong: Collection[int | str]) -> Any:
    """Return a table without its wrong parts. The result is no dict: pydantic would merge the hidden parts into one."""
    if isinstance(value, list):
        return [item for number, item in enumerate(value) if number not in wrong]
    if isinstance(value, dict):
        return MappingProxyType({key: item for key, item in value.items() if key not in wrong})
    return value
