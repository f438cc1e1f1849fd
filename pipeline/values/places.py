"""How Citewell behaves in a workspace, a server or a channel."""

from __future__ import annotations

import re
from enum import StrEnum

from pydantic import Field, field_validator

from pipeline.values.answers import ConfidenceLevel
from pipeline.values.base import Value, replace
from pipeline.values.ids import PlaceId
from pipeline.values.people import AnswerStyle, Preferences


class WriterKind(StrEnum):
    """Who writes the answers."""

    MODEL = "model"
    EXTRACT = "extract"


class PlaceSettings(Value):
    """What is set for one place; None leaves in force what is set for the place around it, or for all.

    A thread, a forum post or a channel is in its server; a post and a thread are in their channel, too."""

    auto: bool | None = None
    """Answer questions that do not mention the bot."""
    auto_level: ConfidenceLevel | None = None
    """The least confidence at which it does; below, it says nothing."""
    auto_per_hour: int | None = Field(default=None, ge=1, le=1000)
    """How many such questions it answers in an hour at most."""
    auto_wait: int | None = Field(default=None, ge=0, le=840)
    """Seconds that people have to answer first; then it says nothing. Less than what counts as late."""
    collections: tuple[str, ...] | None = None
    """Search these only. Never more than the readers may see."""
    style: AnswerStyle | None = None
    language: str | None = None
    """Such as `de`: that of all answers here."""
    writer: WriterKind | None = None
    silent: bool | None = None
    """Say nothing here, even when mentioned; answers that only their asker sees are given."""
    threads: bool | None = None
    """Answer in a thread of its own, or in place."""
    retract: bool | None = None
    """Take an answer away when its question is deleted."""
    index: bool | None = None
    """What people say here is a source of answers, for those who may read it here. Set for a channel alone."""
    index_days: int | None = Field(default=None, ge=1, le=3650)
    """How long what was said is kept as that."""

    ask: PlaceId | None = None
    """The channel where people are asked what the documents do not answer: `slack:T0123:C0456`."""
    ask_name: str | None = Field(default=None, min_length=1, max_length=40)
    """Who is asked there, as the button names them."""
    teach: str | None = None
    """The collection that people's replies may be kept in, as answers."""

    @field_validator("ask")
    @classmethod
    def _channel(cls, value: PlaceId | None) -> PlaceId | None:
        if value is not None and not value.channel:
            raise ValueError("a channel, not all of a workspace or server")
        return value

    @field_validator("language")
    @classmethod
    def _code(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch("[a-z]{2}", value):
            raise ValueError("the two letters of a language, such as en or de")
        return value

    @field_validator("collections")
    @classmethod
    def _some(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if value == ():
            raise ValueError("at least one collection; leave it out for all")
        return value

    def merged_over(self, around: PlaceSettings) -> PlaceSettings:
        """What holds here, where `around` holds around it."""
        return replace(around, **{name: value for name, value in self if value is not None})


class AnswerSettings(Value):
    """What decides how a message is answered, and in which language."""

    preferences: Preferences
    """Its asker's."""
    place: PlaceSettings
    """What holds where it was said."""

    @property
    def language(self) -> str | None:
        return self.preferences.language or self.place.language


DEFAULT_PLACE_SETTINGS = PlaceSettings(
    auto=False,
    auto_level=ConfidenceLevel.MEDIUM,
    auto_per_hour=20,
    auto_wait=0,
    silent=False,
    retract=False,
    index=False,
    index_days=365,
)
"""What holds where nothing is set."""
