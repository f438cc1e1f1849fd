"""What admins set for a place in chat: its names, what can be chosen, and how it is shown. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from adapters.chat.reply import labels as words
from adapters.chat.words.forms import ChoiceField, Filled, Form, TextField
from pipeline.errors import WrongSetting
from pipeline.translations import LANGUAGES, Message, Words
from pipeline.values import AS_SET, Level, Place, WhoWrites

TITLE = Message("How I behave here")
SET_UP = Message("Set me up")
A_CHANNEL, WHOLE_WORKSPACE, WHOLE_SERVER = (
    Message("A channel"),
    Message("The whole workspace"),
    Message("The whole server"),
)
THIS_CHANNEL = Message("This channel")
NOW = Message("Now: {lines}")
SAVE = Message("Save")
NOT_SET = Message("Not set here")
ADMINS_ONLY = Message("Only an admin may set me up. Whoever runs me says who is one.")
DONE = Message("Set. It holds from the next question on.")
EXPLAINED = Message(
    "What is set for a channel goes before what is set for everything around it; what is set here goes before the "
    "operator's file. Collections are never more than everyone who reads along may see."
)
WRONG = Message("“{label}” cannot be that. {hint}.")
OFFERED = Message("There are: {names}.")
UNCHANGED = Message("Nothing was changed.")
LINE = Message("{label}: {value}")
_YES = {"true": Message("Yes"), "false": Message("No")}
_LEVELS = {
    Level.LOW.value: Message("Low"),
    Level.MEDIUM.value: Message("Medium"),
    Level.HIGH.value: Message("High"),
}
_WRITERS = {
    WhoWrites.MODEL.value: Message("A model"),
    WhoWrites.EXTRACT.value: Message("The documents"),
}


class Field(NamedTuple):
    """One thing that can be set."""

    label: Message
    hint: Message
    options: Mapping[str, Message] = {}
    """Value -> how it is named; empty where it is typed."""


FIELDS: Mapping[str, Field] = {
    "auto": Field(Message("Answer unasked"), Message("Answer questions that do not mention me"), _YES),
    "auto_level": Field(Message("Unasked, from confidence"), Message("Below it I say nothing"), _LEVELS),
    "auto_per_hour": Field(Message("Unasked, an hour"), Message("How many I answer at most, 1 to 1,000")),
    "auto_wait": Field(Message("Unasked, after seconds"), Message("How long people have to answer first, 0 to 840")),
    "collections": Field(Message("Collections"), Message("Which I search, such as: handbook, hr")),
    "style": Field(Message("Style"), Message("How much I say"), words.STYLES),
    "language": Field(
        Message("Language"),
        Message("The language of my answers"),
        {language: Message(name) for language, name in LANGUAGES.items()},
    ),
    "writer": Field(Message("Who writes"), Message("A model, or the documents' own words"), _WRITERS),
    "ask": Field(Message("Ask people in"), Message("The channel where people are asked what I cannot answer")),
    "ask_name": Field(Message("Who is asked"), Message("How the button names them, in 40 characters at most")),
    "teach": Field(Message("Keep replies in"), Message("The collection that people's replies may be kept in")),
    "silent": Field(Message("Silence"), Message("Say nothing here, even when mentioned"), _YES),
    "retract": Field(Message("Deleted questions"), Message("Take my answer away when its question is deleted"), _YES),
    "index": Field(Message("Source"), Message("What people say here becomes a source of my answers"), _YES),
    "index_days": Field(Message("Source, for days"), Message("How long what was said is kept as that, 1 to 3,650")),
    "threads": Field(
        Message("Threads"),
        Message("Answer in a thread, or in place"),
        {"true": Message("In a thread"), "false": Message("In place")},
    ),
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


def lines(place: Place, speech: Words) -> list[str]:
    """What holds in a place, a line a setting; what is left to the operator's settings for all is left out."""
    shown = []
    for name, field in FIELDS.items():
        value = written(place, name)
        if value != AS_SET:
            named = speech(field.options[value]) if value in field.options else value
            shown.append(speech(LINE, label=speech(field.label), value=named))
    return shown


def refusal(error: WrongSetting, speech: Words) -> str:
    """What whoever chose it is told."""
    field = FIELDS[error.name]
    wrong = speech(WRONG, label=speech(field.label), hint=speech(field.hint))
    offered = [speech(OFFERED, names=", ".join(error.offered))] if error.offered else []
    return " ".join([wrong, *offered, speech(UNCHANGED)])


def form(about: str, here: Place, fields: Mapping[str, Field], speech: Words) -> Form:
    """What is set for a place itself, to be changed."""
    asked = tuple(_field(name, field, written(here, name), speech) for name, field in fields.items())
    return Form("setup", about, speech(TITLE), speech(SAVE), speech(words.CLOSE), asked)


def given(filled: Filled, names: Iterable[str]) -> dict[str, str]:
    """What the form says, by name."""
    return {name: "".join(filled.get(name, ())) or AS_SET for name in names}


def _field(name: str, field: Field, value: str, speech: Words) -> TextField | ChoiceField:
    label, hint = speech(field.label), speech(field.hint)
    if not field.options:
        return TextField(name, label, hint, value="" if value == AS_SET else value)
    options = {AS_SET: speech(NOT_SET), **{key: speech(text) for key, text in field.options.items()}}
    return ChoiceField(name, label, options, (value if value in options else AS_SET,), hint, folded=True)
