"""How a person wants to be answered: what `/preferences` offers, sets and shows. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from discord import app_commands

from pipeline.translations import LANGUAGES
from pipeline.values import AS_SET, CitationStyle, Preferences, Style

STYLES: Mapping[str, str] = {
    AS_SET: "As the operator set it",
    **{style.value: style.value.capitalize() for style in Style},
}
CITATIONS: Mapping[str, str] = {
    AS_SET: "As the operator set it",
    **{style.value: style.value.capitalize() for style in CitationStyle},
}
TONGUES: Mapping[str, str] = {AS_SET: "The language of the question", **LANGUAGES}


def choices(offered: Mapping[str, str]) -> list[app_commands.Choice[str]]:
    return [app_commands.Choice(name=name, value=value) for value, name in offered.items()]


def chosen(before: Preferences, *, style: str, citations: str, language: str) -> Preferences:
    """`before` with what was chosen now; an empty choice leaves what was there."""
    choices = {"style": style, "citations": citations, "language": language}
    return before.choosing({name: value for name, value in choices.items() if value})


def shown(preferences: Preferences) -> str:
    """What is set, and how to change it."""
    return (
        "**How I answer you**\n"
        f"- Style: {STYLES[preferences.style or AS_SET]}\n"
        f"- Citations: {CITATIONS[preferences.citations or AS_SET]}\n"
        f"- Language: {TONGUES.get(preferences.language or AS_SET, preferences.language)}\n"
        "-# Change it with the options of `/preferences`. It holds for all answers to you, until you erase your data."
    )
