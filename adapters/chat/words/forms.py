"""Forms as data: what one asks for, and what was filled in. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from adapters.chat.reply import labels as words
from pipeline.translations import ENGLISH, Words
from pipeline.values import Rating, Reason, replace
from pipeline.words import wording

REASON = "reason"
COMMENT_FIELD = "comment"
COMMENT = 1_000
"""Characters."""
Filled = Mapping[str, tuple[str, ...]]
"""What was typed or chosen, by the name of the field; what was left empty is empty, or not there."""


class TextField(NamedTuple):
    """A field for words."""

    name: str
    label: str
    hint: str = ""
    most: int = 500
    """Characters."""
    lines: bool = False
    """More than one."""
    value: str = ""
    required: bool = False


class ChoiceField(NamedTuple):
    """A field to choose in."""

    name: str
    label: str
    options: Mapping[str, str]
    """Value -> how it is named."""
    first: tuple[str, ...] = ()
    """What is chosen when the form opens."""
    hint: str = ""
    several: bool = False
    folded: bool = False
    """The options are seen when somebody opens them."""
    required: bool = False


class Form(NamedTuple):
    name: str
    """Comes back with what was filled in, as does `about`."""
    about: str
    title: str
    """At most 24 characters in every language: Slack takes no more."""
    send: str
    close: str
    fields: tuple[TextField | ChoiceField, ...]


def reason_form(answer_id: str, speech: Words = ENGLISH) -> Form:
    """The one behind the thumbs-down."""
    reasons = {reason.value: speech(text) for reason, text in wording.REASONS.items()}
    return Form(
        REASON,
        answer_id,
        speech(words.REASON_TITLE),
        speech(words.SEND),
        speech(words.CLOSE),
        (
            ChoiceField("reason", speech(words.REASON_LABEL), reasons),
            TextField(COMMENT_FIELD, speech(words.COMMENT_LABEL), most=COMMENT, lines=True),
        ),
    )


def with_reason(rating: Rating, filled: Filled) -> Rating:
    """`rating` with what the form says."""
    given = "".join(filled.get("reason", ()))
    comment = "".join(filled.get(COMMENT_FIELD, ()))[:COMMENT]
    return replace(rating, reason=Reason(given) if given in tuple(Reason) else None, comment=comment)
