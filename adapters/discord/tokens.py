"""The token of a Discord application."""

from __future__ import annotations

from pipeline.values.setup import TokenPrompt

TOKEN = TokenPrompt(
    setting="DISCORD_TOKEN",
    title="bot token",
    subject="Discord token",
    steps=(
        "Open the link below, press New Application, and name it.",
        "Open Bot, and switch Public Bot off, so that nobody else adds it to a server.",
        "Press Reset Token there, and copy the token.",
    ),
)
