"""The tokens of a Slack app, and the link that creates the app."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

from pipeline.errors import Refused
from pipeline.values.setup import TokenPrompt

_HERE = Path(__file__).parent
_COMMENT = re.compile(r"(^|[ \t]+)#( .*)?$", re.MULTILINE)
"""Comments of the manifest, which has no `#` before a blank anywhere else."""


BOT_TOKEN = TokenPrompt(
    setting="SLACK_BOT_TOKEN",
    title="Bot User OAuth Token",
    subject="Slack token",
    steps=(
        "Open the link below, choose your workspace, then Next and Create. The form is filled in.",
        "Open Install App, press Install to Workspace, and allow it.",
        "Copy the Bot User OAuth Token (xoxb-…).",
    ),
    prefix="xoxb-",
)
APP_TOKEN = TokenPrompt(
    setting="SLACK_APP_TOKEN",
    title="App-Level Token",
    subject="Slack connection",
    steps=(
        "Open Basic Information of the same app, and find App-Level Tokens.",
        "Press Generate Token and Scopes, give it a name, and add the scope connections:write.",
        "Press Generate, and copy the token (xapp-…).",
    ),
    prefix="xapp-",
)


def manifest_link() -> str:
    """Return the address that opens Slack's form for a new app with `manifest.yml` filled in."""
    return f"https://api.slack.com/apps?new_app=1&manifest_yaml={quote(_manifest(), safe=':/,()')}"


def _manifest() -> str:
    """Return `manifest.yml` without its comments: beside this module once installed, at the top of a clone."""
    for folder in (_HERE, _HERE.parents[1]):
        file = folder / "manifest.yml"
        if file.is_file():
            lines = _COMMENT.sub("", file.read_text(encoding="utf-8")).splitlines()
            return "\n".join(filter(None, lines))
    raise Refused("manifest.yml is missing", what_to_do="Install Citewell again, or clone the repository.")
