"""What people say in channels that are read as a source, and how far such a channel is read."""

from __future__ import annotations

from datetime import datetime, timedelta

from pipeline.values.base import Value
from pipeline.values.ids import PlaceId
from pipeline.values.people import Attachment

KEPT_OUT = "#offrecord"
"""The word that keeps a message from being read."""


class Said(Value):
    """One message of a person, in a channel that is read."""

    channel: PlaceId
    thread: str
    """The message that its thread begins with; itself where it begins one or stands alone."""
    message: str
    author: str
    """The `PersonId` as text."""
    name: str = ""
    """What its author is called there."""
    at: datetime
    edited: datetime | None = None
    """When it was edited last: an event that comes late tells an earlier text."""
    text: str
    url: str = ""
    """Where it is read; empty where the platform did not say."""
    title: str = ""
    """Of the forum's post or the thread that it was said in."""
    files: tuple[Attachment, ...] = ()
    accepted: bool = False
    """It was marked as what solved it, or its thread was."""


class Stretch(Value):
    """A part of a channel's history, read in one go."""

    said: tuple[Said, ...]
    position: str
    """Where the next one begins, in the platform's own words; empty once all is read."""
    name: str = ""
    """What the channel is called."""
    since: datetime
    """When it was made."""


class ChannelLook(Value):
    """How far a channel is read."""

    name: str = ""
    position: str = ""
    """As in `Stretch`."""
    begun: datetime
    """When reading the history began."""
    read: int = 0
    """Messages that were taken in from it."""
    back_to: datetime | None = None
    """The oldest that was seen so far."""
    since: datetime | None = None
    """When the channel was made."""
    complete: datetime | None = None
    """When all of it was read; None while it is not."""
    closed: bool = False
    """It could not be read: nothing of it is kept."""

    def left(self, now: datetime) -> timedelta | None:
        """How long reading the rest takes, if people wrote as much then as since; None where that cannot be told."""
        if self.back_to is None or self.since is None or not self.back_to < self.begun:
            return None
        return (now - self.begun) * ((self.back_to - self.since) / (self.begun - self.back_to))
