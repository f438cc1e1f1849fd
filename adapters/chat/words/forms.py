"""Forms as data: their fields, and their submitted values. Pure."""

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
"""Typed or chosen values by field name. An empty field is empty or missing."""


class TextField(NamedTuple):
    """A text input."""

    name: str
    label: str
    hint: str = ""
    max_length: int = 500
    """Characters."""
    is_multiline: bool = False
    """True for several lines."""
    value: str = ""
    required: bool = False


class ChoiceField(NamedTuple):
    """An input with options."""

    name: str
    label: str
    options: Mapping[str, str]
    """Labels by value."""
    initial: tuple[str, ...] = ()
    """The values chosen when the form opens."""
    hint: str = ""
    is_multiple: bool = False
    is_collapsed: bool = False
    """True where the options show only when the field is opened."""
    required: bool = False


class Form(NamedTuple):
    name: str
    """The name, which comes back with the submitted values, as does `subject_id`."""
    subject_id: str
    title: str
    """At most 24 characters in every language: Slack takes no more."""
    submit_label: str
    cancel_label: str
    fields: tuple[TextField | ChoiceField, ...]


def reason_form(answer_id: str, translator: Translator = ENGLISH_TRANSLATOR) -> Form:
    """Return the form behind the thumbs-down."""
    reasons = {reason.value: translator(text) for reason, text in wording.FEEDBACK_REASONS.items()}
    return Form(
        REASON_FORM,
        answer_id,
        translator(words.REASON_TITLE),
        translator(words.FEEDBACK_SEND_LABEL),
        translator(words.FEEDBACK_CLOSE_LABEL),
        (
            ChoiceField("reason", translator(words.REASON_LABEL), reasons),
            TextField(COMMENT_FIELD, translator(words.COMMENT_LABEL), max_length=MAX_COMMENT_LENGTH, is_multiline=True),
        ),
    )


def add_reason(rating: Rating, values: FormValues) -> Rating:
    """Return `rating` with the reason and the comment of the form."""
    reason = "".join(values.get("reason", ()))
    comment = "".join(values.get(COMMENT_FIELD, ()))[:MAX_COMMENT_LENGTH]
    return replace(rating, reason=RatingReason(reason) if reason in tuple(RatingReason) else None, comment=comment)
