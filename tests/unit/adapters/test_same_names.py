"""A job that two platforms have is in a file of the same name on both."""

from __future__ import annotations

from pathlib import Path

ADAPTERS = Path(__file__).parents[3] / "adapters"
JOBS = {
    "adapter": "the port PlatformAdapter",
    "audience": "who will read a reply",
    "config": "its settings, and what is made of them",
    "doctor": "whether the platform lets us work",
    "events/before": "what people said before",
    "events/files": "the bytes of a file that somebody sent",
    "events/incoming": "what the platform sends, as a message",
    "events/intake": "into the inbox",
    "events/missed": "what was said while nobody listened, as far as one may read it",
    "events/spoken": "the text of a message, as words",
    "events/talk": "what people say in channels that are a source",
    "named": "channels by their names",
    "parts/blocks": "the pieces that a message of the platform is made of",
    "parts/markup": "foreign text made inert",
    "parts/render": "the parts of a reply as messages",
    "platform": "what all but its adapter know of it",
    "settings": "what is set of it",
    "post/deliver": "the messages of a reply, and what one person alone is told",
    "post/notices": "what the bot posts by itself",
    "post/private": "questions by command, answered to one person",
    "post/reply": "the messages of one reply: posted once, edited from then on",
    "press/interactions": "what is pressed and asked for after the answer, as what it stands for",
    "press/presser": "whoever pressed something, and how they are answered",
}
"""Of Slack and Discord; `adapters/chat` has what they do alike."""
ALONE = {
    "slack": {
        "events/names", "events/search", "members", "parts/footer", "parts/modal", "post/activity", "press/account",
        "press/pressed", "press/setup", "transport/connection", "transport/front", "transport/install_page",
        "transport/installing", "transport/session", "transport/startup", "transport/workspaces", "web",
    },
    "discord": {
        "connection", "errors", "events/places", "limits", "memory", "parts/buttons", "permissions", "post/alone",
        "post/found", "press/commands", "press/knowledge", "press/names", "transport/client", "transport/identify",
        "transport/shards",
    },
    "console": {"follow", "piped", "render"},
}  # fmt: skip
"""What only one platform has: Slack's list of people and installation, Discord's gateway, limits and commands."""


def names(platform: str) -> set[str]:
    folder = ADAPTERS / platform
    found = (file for file in folder.rglob("*.py") if file.stem != "__init__")
    return {file.relative_to(folder).with_suffix("").as_posix() for file in found}


def test_slack_and_discord_have_the_same_files_for_the_same_jobs() -> None:
    for platform in ("slack", "discord"):
        assert names(platform) == set(JOBS) | ALONE[platform], platform


def test_the_console_renders_in_a_file_of_the_same_name() -> None:
    assert names("console") == ALONE["console"]
    assert "parts/render" in JOBS
