"""Write `.env.example` from the settings: `python -m bench.make_env_example`."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from bot.config.settings import ENV_PREFIX, all_settings, environment_name
from bot.config.settings_errors import JSON_EXAMPLES

HEADING = """\
# Every setting of Citewell. Copy to .env and uncomment what you need; or put the CITEWELL_* ones into citewell.toml,
# in lower case and without the prefix. The environment wins over .env, and .env over citewell.toml.
# Who may see which collection, how it behaves where, who may change things, and where documents come from, is
# written in citewell.toml only:
#   [collections.hr]
#   only = ["slack:T0123:C0456", "discord:1234:role:5678"]
#   [places."slack:T0123:C0456"]
#   auto = true
#   [roles]
#   admin = ["slack:T0123:U0456", "slack:T0123:group:S0789", "discord:user:1234", "discord:1234:role:5678"]
#   [[sources]] # docs/sources.md
#   kind = "folder"
#   name = "handbook"
#   path = "/srv/handbook"
"""


def example() -> str:
    """The text of `.env.example`: first what stands under its owner's name."""
    lines = [HEADING]
    fields = all_settings()
    for name in sorted(fields, key=lambda one: environment_name(one).startswith(ENV_PREFIX)):
        if name in JSON_EXAMPLES:
            continue
        field = fields[name]
        lines.append(f"# {field.description}\n# {environment_name(name)}={shown_default(field)}\n")
    return "\n".join(lines)


def shown_default(field: FieldInfo) -> str:
    """Return the default of a setting as it is written in `.env`; empty where it has none."""
    default = field.default
    if default is None or default is PydanticUndefined:
        return ""
    if isinstance(default, Enum):
        return str(default.value)
    if isinstance(default, tuple):
        return ",".join(default)
    return str(default).lower() if isinstance(default, bool) else str(default)


if __name__ == "__main__":
    Path(".env.example").write_text(example(), encoding="utf-8")
