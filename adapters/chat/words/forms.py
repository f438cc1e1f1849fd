"""Forms as data: what one asks for, and what was filled in. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from adapters.chat.reply import labels as words
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import Rating, RatingReason, replace
from pipeline.words import wording

REASON_FORM = "reason"
COMMENT_FIELD = "comment"
MAX_COMMENT_LENGTH = 1_000
"""Characters."""
FormValues = Mapping[str, tuple[str, ...]]
"""What was typed or chosen, by the name of the field; what was left empty is empty, or not there."""


class TextField(NamedTuple):
    """A field for words."""

    name: str
    label: str
    hint: str = ""
    max_length: int = 500
    """Characters."""
    is_multiline: bool = False
    """More than one."""
    value: str = ""
    required: bool = False


class ChoiceField(NamedTuple):
    """A field to choose in."""

    name: str
    label: str
    options: Mapping[str, str]
    """Value -> how it is named."""
    initial: tuple[str, ...] = ()
    """What is chosen when the form opens."""
    hint: str = ""
    is_multiple: bool = False
    is_collapsed: bool = False
    """The options are seen when somebody opens them."""
    required: bool = False


class Form(NamedTuple):
    name: str
    """Comes back with what was filled in, as does `about`."""
    subject_id: str
    title: str
    """At most 24 characters in every language: Slack takes no more."""
    submit_label: str
    cancel_label: str
    fields: tuple[TextField | ChoiceField, ...]


def reason_form(answer_id: str, speech: Translator = ENGLISH_TRANSLATOR) -> Form:
    """The one behind the thumbs-down."""
    reasons = {reason.value: speech(text) for reason, text in wording.FEEDBACK_REASONS.items()}
    return Form(
        REASON_FORM,
        answer_id,
        speech(words.REASON_TITLE),
        speech(words.FEEDBACK_SEND_LABEL),
        speech(words.FEEDBACK_CLOSE_LABEL),
        (
            ChoiceField("reason", speech(words.REASON_LABEL), reasons),
            TextField(COMMENT_FIELD, speech(words.COMMENT_LABEL), max_length=MAX_COMMENT_LENGTH, is_multiline=True),
        ),
    )


def add_reason(rating: Rating, filled: FormValues) -> Rating:
    """`rating` with what the form says."""
    given = "".join(filled.get("reason", ()))
    comment = "".join(filled.get(COMMENT_FIELD, ()))[:MAX_COMMENT_LENGTH]
    return replace(rating, reason=RatingReason(given) if given in tuple(RatingReason) else None, comment=comment)
