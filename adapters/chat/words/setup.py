"""Settings that admins set for a place in chat: names, choices and how they are shown. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from adapters.chat.reply import labels as words
from adapters.chat.words.forms import ChoiceField, Form, FormValues, TextField
from pipeline.errors import InvalidPlaceSetting
from pipeline.translations import LANGUAGES, TranslatableText, Translator
from pipeline.values import USE_DEFAULT, ConfidenceLevel, PlaceSettings, WriterKind

SETUP_TITLE = TranslatableText("How I behave here")
SETUP_BUTTON = TranslatableText("Set me up")
A_CHANNEL, WHOLE_WORKSPACE, WHOLE_SERVER = (
    TranslatableText("A channel"),
    TranslatableText("The whole workspace"),
    TranslatableText("The whole server"),
)
THIS_CHANNEL = TranslatableText("This channel")
CURRENT_SETTINGS = TranslatableText("Now: {lines}")
SAVE_LABEL = TranslatableText("Save")
NOT_SET = TranslatableText("Not set here")
SETUP_ADMINS_ONLY = TranslatableText("Only an admin may set me up. Whoever runs me says who is one.")
SETUP_DONE = TranslatableText("Set. It holds from the next question on.")
SETUP_PRECEDENCE = TranslatableText(
    "What is set for a channel goes before what is set for everything around it; what is set here goes before the "
    "operator's file. Collections are never more than everyone who reads along may see."
)
INVALID_SETTING = TranslatableText("“{label}” cannot be that. {hint}.")
AVAILABLE_NAMES = TranslatableText("There are: {names}.")
UNCHANGED = TranslatableText("Nothing was changed.")
SETTING_LINE = TranslatableText("{label}: {value}")
_YES = {"true": TranslatableText("Yes"), "false": TranslatableText("No")}
_LEVELS = {
    ConfidenceLevel.LOW.value: TranslatableText("Low"),
    ConfidenceLevel.MEDIUM.value: TranslatableText("Medium"),
    ConfidenceLevel.HIGH.value: TranslatableText("High"),
}
_WRITERS = {
    WriterKind.MODEL.value: TranslatableText("A model"),
    WriterKind.EXTRACT.value: TranslatableText("The documents"),
}


class SetupField(NamedTuple):
    """One setting that can be set in chat."""

    label: TranslatableText
    hint: TranslatableText
    options: Mapping[str, TranslatableText] = {}
    """Labels by value; empty where the value is typed."""


SETUP_FIELDS: Mapping[str, SetupField] = {
    "auto": SetupField(
        TranslatableText("Answer unasked"), TranslatableText("Answer questions that do not mention me"), _YES
    ),
    "auto_level": SetupField(
        TranslatableText("Unasked, from confidence"), TranslatableText("Below it I say nothing"), _LEVELS
    ),
    "auto_per_hour": SetupField(
        TranslatableText("Unasked, an hour"), TranslatableText("How many I answer at most, 1 to 1,000")
    ),
    "auto_wait": SetupField(
        TranslatableText("Unasked, after seconds"), TranslatableText("How long people have to answer first, 0 to 840")
    ),
    "collections": SetupField(
        TranslatableText("Collections"), TranslatableText("Which I search, such as: handbook, hr")
    ),
    "style": SetupField(TranslatableText("Style"), TranslatableText("How much I say"), words.STYLE_NAMES),
    "language": SetupField(
        TranslatableText("Language"),
        TranslatableText("The language of my answers"),
        {language: TranslatableText(name) for language, name in LANGUAGES.items()},
    ),
    "writer": SetupField(
        TranslatableText("Who writes"), TranslatableText("A model, or the documents' own words"), _WRITERS
    ),
    "ask": SetupField(
        TranslatableText("Ask people in"), TranslatableText("The channel where people are asked what I cannot answer")
    ),
    "ask_name": SetupField(
        TranslatableText("Who is asked"), TranslatableText("How the button names them, in 40 characters at most")
    ),
    "teach": SetupField(
        TranslatableText("Keep replies in"), TranslatableText("The collection that people's replies may be kept in")
    ),
    "silent": SetupField(TranslatableText("Silence"), TranslatableText("Say nothing here, even when mentioned"), _YES),
    "retract": SetupField(
        TranslatableText("Deleted questions"),
        TranslatableText("Take my answer away when its question is deleted"),
        _YES,
    ),
    "index": SetupField(
        TranslatableText("Source"), TranslatableText("What people say here becomes a source of my answers"), _YES
    ),
    "index_days": SetupField(
        TranslatableText("Source, for days"), TranslatableText("How long what was said is kept as that, 1 to 3,650")
    ),
    "threads": SetupField(
        TranslatableText("Threads"),
        TranslatableText("Answer in a thread, or in place"),
        {"true": TranslatableText("In a thread"), "false": TranslatableText("In place")},
    ),
}
"""Fields by the names of `PlaceSettings`."""


def setting_value(place: PlaceSettings, name: str) -> str:
    """Return a setting as it is chosen or typed; `default` where it is not set."""
    value = getattr(place, name)
    if value is None:
        return USE_DEFAULT
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def setting_lines(place: PlaceSettings, translator: Translator) -> list[str]:
    """Return the settings in force in a place, one a line, without those left to the operator."""
    lines = []
    for name, field in SETUP_FIELDS.items():
        value = setting_value(place, name)
        if value != USE_DEFAULT:
            label = translator(field.options[value]) if value in field.options else value
            lines.append(translator(SETTING_LINE, label=translator(field.label), value=label))
    return lines


def invalid_setting_text(error: InvalidPlaceSetting, translator: Translator) -> str:
    """Return why a setting was refused."""
    field = SETUP_FIELDS[error.name]
    problem = translator(INVALID_SETTING, label=translator(field.label), hint=translator(field.hint))
    names = [translator(AVAILABLE_NAMES, names=", ".join(error.offered))] if error.offered else []
    return " ".join([problem, *names, translator(UNCHANGED)])


def setup_form(
    subject_id: str, settings: PlaceSettings, fields: Mapping[str, SetupField], translator: Translator
) -> Form:
    """Return the form with the place's own settings."""
    inputs = tuple(_field(name, field, setting_value(settings, name), translator) for name, field in fields.items())
    return Form(
        "setup",
        subject_id,
        translator(SETUP_TITLE),
        translator(SAVE_LABEL),
        translator(words.FEEDBACK_CLOSE_LABEL),
        inputs,
    )


def parse_setup_form(values: FormValues, names: Iterable[str]) -> dict[str, str]:
    """Return the submitted settings by name."""
    return {name: "".join(values.get(name, ())) or USE_DEFAULT for name in names}


def _field(name: str, field: SetupField, value: str, translator: Translator) -> TextField | ChoiceField:
    label, hint = translator(field.label), translator(field.hint)
    if not field.options:
        return TextField(name, label, hint, value="" if value == USE_DEFAULT else value)
    options = {USE_DEFAULT: translator(NOT_SET), **{key: translator(text) for key, text in field.options.items()}}
    return ChoiceField(name, label, options, (value if value in options else USE_DEFAULT,), hint, is_collapsed=True)
