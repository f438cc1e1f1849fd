"""Settings of a workspace, a server or a channel."""

from __future__ import annotations

import re
from enum import StrEnum

from pydantic import Field, field_validator

from pipeline.values.answers import ConfidenceLevel
from pipeline.values.base import Value, replace
from pipeline.values.ids import PlaceId
from pipeline.values.people import AnswerStyle, Preferences


class WriterKind(StrEnum):
    """The kind of writer that drafts answers."""

    MODEL = "model"
    EXTRACT = "extract"


class PlaceSettings(Value):
    """Settings of one place; None leaves the setting of the enclosing place, or the default, in force.

    A thread, a forum post and a channel are in their server; a post and a thread are in their channel, too."""

    auto: bool | None = None
    """Answer questions that do not mention the bot."""
    auto_level: ConfidenceLevel | None = None
    """Least confidence of such an answer; below it the bot stays silent."""
    auto_per_hour: int | None = Field(default=None, ge=1, le=1000)
    """Greatest number of such answers in an hour."""
    auto_wait: int | None = Field(default=None, ge=0, le=840)
    """Seconds that people have to answer first; then the bot stays silent. Less than the age at which a question is
    late."""
    collections: tuple[str, ...] | None = None
    """Collections that are searched, among those that the readers may see."""
    style: AnswerStyle | None = None
    language: str | None = None
    """Language of all answers here, such as `de`."""
    writer: WriterKind | None = None
    silent: bool | None = None
    """Say nothing here, even when mentioned; answers that only their asker sees are given."""
    threads: bool | None = None
    """Answer in a thread of its own, or in place."""
    retract: bool | None = None
    """Take an answer away when its question is deleted."""
    index: bool | None = None
    """Index what people say here as a source of answers, for those who may read it here. Set for a channel alone."""
    index_days: int | None = Field(default=None, ge=1, le=3650)
    """Days that indexed messages are kept."""

    ask: PlaceId | None = None
    """Channel where people are asked what the documents do not answer: `slack:T0123:C0456`."""
    ask_name: str | None = Field(default=None, min_length=1, max_length=40)
    """Name, on the button, of the people who are asked there."""
    teach: str | None = None
    """Collection that people's replies may be kept in, as answers."""

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
        """Return these settings with those of the enclosing place `around` where they are None."""
        return replace(around, **{name: value for name, value in self if value is not None})


class AnswerSettings(Value):
    """Preferences and place settings that decide how a message is answered."""

    preferences: Preferences
    """Preferences of the asker."""
    place: PlaceSettings
    """Settings in force where the message was sent."""

    @property
    def language(self) -> str | None:
        """Language of the answer, where one was chosen."""
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
"""Settings in force where nothing is set."""
