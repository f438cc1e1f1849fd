"""A job that two platforms have is in a file of the same name on both."""

from __future__ import annotations

from pathlib import Path

ADAPTERS = Path(__file__).parents[3] / "adapters"
JOBS = {
    "account": "a person's own data and preferences, and what is indexed for them",
    "activity": "the sign that an answer is being worked on",
    "adapter": "the port PlatformAdapter",
    "around": "what people said around a message",
    "audience": "who will read a reply",
    "blocks": "the pieces that a message of the platform is made of",
    "connection": "how the platform reaches us",
    "deliver": "an answer's events as a reply",
    "doctor": "whether the platform lets us work",
    "ephemeral": "answering a click or a command so that its user alone sees it",
    "files": "the bytes of a file that somebody sent",
    "gapfill": "what was said while nobody listened",
    "handoff": "the reply of people who were asked",
    "incoming": "what the platform sends, as a message",
    "intake": "into the inbox",
    "interactions": "what is pressed and asked for after the answer",
    "knowledge": "what people add to the documents",
    "markup": "foreign text made inert",
    "modal": "forms",
    "notices": "what the bot posts by itself",
    "private": "questions by command, answered to one person",
    "render": "the parts of a reply as messages",
    "reply": "the messages of one reply: posted once, edited from then on",
    "wishes": "told when fixed",
    "setup": "what admins set for a place",
    "spoken": "the text of a message, as words",
    "sharing": "a private answer for everyone in its channel",
}
"""Of Slack and Discord; `adapters/replies` has what they do alike."""
ALONE = {
    "slack": {
        "actors", "adding", "feed", "footer", "front", "home_view", "install_page", "installing", "members", "missed",
        "pages", "requests", "session", "startup", "stream", "web", "workspaces",
    },
    "discord": {
        "buttons", "client", "commands", "errors", "found", "identify", "limits", "memory", "names", "pace",
        "permissions", "places", "retry", "shards", "target", "throttle",
    },
    "console": {"follow", "piped", "render", "table"},
}  # fmt: skip
"""What only one platform has: Slack's list of people and installation, Discord's gateway, limits and commands."""


def names(platform: str) -> set[str]:
    return {file.stem for file in (ADAPTERS / platform).glob("*.py")} - {"__init__"}


def test_slack_and_discord_have_the_same_files_for_the_same_jobs() -> None:
    for platform in ("slack", "discord"):
        assert names(platform) == set(JOBS) | ALONE[platform], platform


def test_the_console_renders_in_a_file_of_the_same_name() -> None:
    assert names("console") == ALONE["console"]
    assert "render" in JOBS
