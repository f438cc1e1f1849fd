"""What admins set for a place in chat: its names, what can be chosen, and how it is shown. Pure."""

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
    """One thing that can be set."""

    label: TranslatableText
    hint: TranslatableText
    options: Mapping[str, TranslatableText] = {}
    """Value -> how it is named; empty where it is typed."""


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
"""By the names of `Place`."""


def setting_value(place: PlaceSettings, name: str) -> str:
    """A setting as it is chosen or typed; `default` where it is not set."""
    value = getattr(place, name)
    if value is None:
        return USE_DEFAULT
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def setting_lines(place: PlaceSettings, speech: Translator) -> list[str]:
    """What holds in a place, a line a setting; what is left to the operator's settings for all is left out."""
    shown = []
    for name, field in SETUP_FIELDS.items():
        value = setting_value(place, name)
        if value != USE_DEFAULT:
            named = speech(field.options[value]) if value in field.options else value
            shown.append(speech(SETTING_LINE, label=speech(field.label), value=named))
    return shown


def invalid_setting_text(error: InvalidPlaceSetting, speech: Translator) -> str:
    """What whoever chose it is told."""
    field = SETUP_FIELDS[error.name]
    wrong = speech(INVALID_SETTING, label=speech(field.label), hint=speech(field.hint))
    offered = [speech(AVAILABLE_NAMES, names=", ".join(error.offered))] if error.offered else []
    return " ".join([wrong, *offered, speech(UNCHANGED)])


def setup_form(about: str, here: PlaceSettings, fields: Mapping[str, SetupField], speech: Translator) -> Form:
    """What is set for a place itself, to be changed."""
    asked = tuple(_field(name, field, setting_value(here, name), speech) for name, field in fields.items())
    return Form("setup", about, speech(SETUP_TITLE), speech(SAVE_LABEL), speech(words.FEEDBACK_CLOSE_LABEL), asked)


def parse_setup_form(filled: FormValues, names: Iterable[str]) -> dict[str, str]:
    """What the form says, by name."""
    return {name: "".join(filled.get(name, ())) or USE_DEFAULT for name in names}


def _field(name: str, field: SetupField, value: str, speech: Translator) -> TextField | ChoiceField:
    label, hint = speech(field.label), speech(field.hint)
    if not field.options:
        return TextField(name, label, hint, value="" if value == USE_DEFAULT else value)
    options = {USE_DEFAULT: speech(NOT_SET), **{key: speech(text) for key, text in field.options.items()}}
    return ChoiceField(name, label, options, (value if value in options else USE_DEFAULT,), hint, is_collapsed=True)
