"""What the people in a channel are told, once."""

from __future__ import annotations

from enum import StrEnum

from pipeline.values.ids import PlaceId
from pipeline.values.posting.outgoing import Outgoing


class Topic(StrEnum):
    SOURCE = "source"
    """The channel is read as a source."""


class Bulletin(Outgoing):
    topic: Topic
    to: PlaceId
    number: int = 0
    """Of the days that what was said is kept."""

    @property
    def key(self) -> str:
        return f"{self.topic}:{self.to}"

    @property
    def platform(self) -> str:
        return self.to.platform

    @property
    def space(self) -> str:
        return self.to.space
