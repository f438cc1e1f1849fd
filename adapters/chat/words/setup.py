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
SETUP_BUTTON = TranslatableText("Change settings")
A_CHANNEL, WHOLE_WORKSPACE, WHOLE_SERVER = (
    TranslatableText("A channel"),
    TranslatableText("The whole workspace"),
    TranslatableText("The whole server"),
)
THIS_CHANNEL = TranslatableText("This channel")
CURRENT_SETTINGS = TranslatableText("Now: {lines}")
SAVE_LABEL = TranslatableText("Save")
NOT_SET = TranslatableText("Not set here")
SETUP_ADMINS_ONLY = TranslatableText("Only an admin may change my settings. The operator decides who is an admin.")
SETUP_DONE = TranslatableText("Saved. It applies from the next question on.")
SETUP_PRECEDENCE = TranslatableText(
    "Settings of a channel override those of the workspace or server around it. Settings made here "
    "override the operator's file. I never search more than everyone who reads along may see."
)
INVALID_SETTING = TranslatableText("“{label}” does not take that value. {hint}.")
AVAILABLE_NAMES = TranslatableText("You can choose: {names}.")
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
        TranslatableText("Answer without a mention"), TranslatableText("Answer questions that do not mention me"), _YES
    ),
    "auto_level": SetupField(
        TranslatableText("No mention: lowest confidence"),
        TranslatableText("Below this confidence I say nothing"),
        _LEVELS,
    ),
    "auto_per_hour": SetupField(
        TranslatableText("No mention: answers per hour"), TranslatableText("The most answers in an hour, 1 to 1,000")
    ),
    "auto_wait": SetupField(
        TranslatableText("No mention: seconds to wait"),
        TranslatableText("The seconds that people have to answer first, 0 to 840"),
    ),
    "collections": SetupField(
        TranslatableText("Collections"), TranslatableText("The collections that I search, such as: handbook, hr")
    ),
    "style": SetupField(TranslatableText("Style"), TranslatableText("How detailed my answers are"), words.STYLE_NAMES),
    "language": SetupField(
        TranslatableText("Language"),
        TranslatableText("The language of my answers"),
        {language: TranslatableText(name) for language, name in LANGUAGES.items()},
    ),
    "writer": SetupField(
        TranslatableText("Answers written by"), TranslatableText("A model, or the documents' own words"), _WRITERS
    ),
    "ask": SetupField(
        TranslatableText("Pass questions to"),
        TranslatableText("The channel where people get the questions that I cannot answer"),
    ),
    "ask_name": SetupField(
        TranslatableText("Who gets the questions"),
        TranslatableText("Their name on the button, in at most 40 characters"),
    ),
    "teach": SetupField(
        TranslatableText("Keep replies in"), TranslatableText("The collection that people's replies may be kept in")
    ),
    "silent": SetupField(TranslatableText("Silence"), TranslatableText("Say nothing here, even when mentioned"), _YES),
    "retract": SetupField(
        TranslatableText("Deleted questions"), TranslatableText("Delete my answer when its question is deleted"), _YES
    ),
    "index": SetupField(
        TranslatableText("Index this channel"), TranslatableText("Messages here become a source of my answers"), _YES
    ),
    "index_days": SetupField(
        TranslatableText("Index: days to keep"),
        TranslatableText("The days that I keep messages as a source, 1 to 3,650"),
    ),
    "threads": SetupField(
        TranslatableText("Threads"),
        TranslatableText("Answer in a thread, or in the channel itself"),
        {"true": TranslatableText("In a thread"), "false": TranslatableText("In the channel")},
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
