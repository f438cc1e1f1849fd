"""Reads the settings, and reports all errors at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from pydantic import ValidationError
from pydantic_settings import SettingsError

from bot.config.files import CONFIG_VARIABLE, config_path, names_in_dotenv, read_config
from bot.config.settings import ENV_PREFIX, Settings, environment_names
from bot.config.settings_errors import SettingsSources, closest_name, invalid_json_error
from pipeline.errors import Misconfigured

SIMILAR_NAME = 0.8
"""Least similarity of a misspelled name to the real one: SLACK_TOKEN and SLACK_BOT_TOKEN are .85."""


def read_settings(**overrides: object) -> Settings:
    """Read every source; `overrides` win over all. Raises Misconfigured naming each wrong setting and its allowed
    values."""
    settings, wrong = check_settings(**overrides)
    if wrong or settings is None:
        raise Misconfigured(wrong[0][0], "\n".join([wrong[0][1], *(f"{name}: {why}" for name, why in wrong[1:])]))
    return settings


def check_settings(**overrides: object) -> tuple[Settings | None, list[tuple[str, str]]]:
    """Return the settings, None when they cannot be made, and each wrong setting with its error.

    Raises Misconfigured for a file that cannot be read.
    """
    written = _read_written()
    wrong = written.find_unknown()
    settings = None
    try:
        settings = Settings(**overrides)  # type: ignore[arg-type] # names are checked by pydantic
    except SettingsError as error:
        wrong.append(invalid_json_error(str(error)))
    except ValidationError as error:
        wrong += written.describe_errors(error.errors(include_url=False))
    return settings, wrong


def find_misspelled_names() -> list[tuple[str, str]]:
    """Return names in `.env` that nearly match an unset token or key, each with that one.

    Such a name may belong to another program. Raises Misconfigured for a file that cannot be read.
    """
    in_dotenv, known = names_in_dotenv(), environment_names()
    unset = known - in_dotenv - os.environ.keys()
    others = sorted(name for name in in_dotenv - known if not name.startswith(ENV_PREFIX))
    pairs = [(name, closest_name(name, unset, SIMILAR_NAME)) for name in others]
    return [(name, near) for name, near in pairs if near]


def _read_written() -> SettingsSources:
    """Return where each setting is set. Raises Misconfigured for a file that cannot be read."""
    table = read_config()
    return written_settings(names_in_dotenv(), table)


def written_settings(in_dotenv: Iterable[str], table: Mapping[str, object]) -> SettingsSources:
    """Return where each setting is set. `in_dotenv`: all names there; `table`: the content of `citewell.toml`."""
    ours = environment_names()
    environment = {
        name for name in os.environ if name in ours or (name.startswith(ENV_PREFIX) and name != CONFIG_VARIABLE)
    }
    dotenv = {name for name in in_dotenv if name in ours or name.startswith(ENV_PREFIX)}
    return SettingsSources(frozenset(environment), frozenset(dotenv), config_path(), table)
