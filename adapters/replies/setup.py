"""What admins set for a place in chat: its names, what can be chosen, and how it is shown. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pipeline.translations import LANGUAGES
from pipeline.values import AS_SET, Level, Place, Style, WhoWrites

TITLE = "How I behave here"
SPACE = "the whole {space}"
ADMINS_ONLY = "Only an admin may set me up. Whoever runs me says who is one."
DONE = "Set. It holds from the next question on."
EXPLAINED = (
    "What is set for a channel goes before what is set for the whole {space}; what is set here goes before the "
    "operator's file. Collections are never more than everyone who reads along may see."
)
_YES = {"true": "Yes", "false": "No"}


class Field(NamedTuple):
    """One thing that can be set."""

    label: str
    hint: str
    options: Mapping[str, str] = {}
    """Value -> how it is named; empty where it is typed."""


FIELDS: Mapping[str, Field] = {
    "auto": Field("Answer unasked", "Answer questions that do not mention me", _YES),
    "auto_level": Field(
        "Unasked, from confidence", "Below it I say nothing", {one.value: one.value.capitalize() for one in Level}
    ),
    "auto_per_hour": Field("Unasked, an hour", "How many I answer at most, such as 20"),
    "auto_wait": Field("Unasked, after seconds", "How long people have to answer first, 0 to 840"),
    "collections": Field("Collections", "Which I search, such as: handbook, hr"),
    "style": Field("Style", "How much I say", {one.value: one.value.capitalize() for one in Style}),
    "language": Field("Language", "The language of my answers", LANGUAGES),
    "writer": Field(
        "Who writes", "A model, or the documents' own words", {one.value: one.value.capitalize() for one in WhoWrites}
    ),
    "ask": Field("Ask people in", "The channel where people are asked what I cannot answer"),
    "ask_name": Field("Who is asked", "How the button names them, such as: the HR desk"),
    "teach": Field("Keep replies in", "The collection that people's replies may be kept in"),
    "silent": Field("Silence", "Say nothing here, even when mentioned", _YES),
    "threads": Field("Threads", "Answer in a thread, or in place", {"true": "In a thread", "false": "In place"}),
}
"""By the names of `Place`."""


def written(place: Place, name: str) -> str:
    """A setting as it is chosen or typed; `default` where it is not set."""
    value = getattr(place, name)
    if value is None:
        return AS_SET
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def lines(place: Place) -> list[str]:
    """What holds in a place, a line a setting; what is left to the operator's settings for all is left out."""
    shown = []
    for name, field in FIELDS.items():
        value = written(place, name)
        if value != AS_SET:
            shown.append(f"{field.label}: {field.options.get(value, value)}")
    return shown
