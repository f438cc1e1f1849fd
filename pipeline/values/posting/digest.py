"""What is posted to people and channels that asked nothing: insights by the week, that a place has had its answers,
that a channel is read, an answer that somebody shares, what comes of what somebody adds to the documents."""

from __future__ import annotations

from pipeline.values.answers import Answer
from pipeline.values.ids import PlaceId, parts_of
from pipeline.values.insights import Insights
from pipeline.values.posting.handoff import Notice
from pipeline.values.posting.outgoing import Outgoing


class Report(Outgoing):
    """Anything of that kind."""

    to: str
    """A channel (`slack:T1:C2`, `discord:1:2`) or a person (`slack:T1:U3`, `discord:user:3`)."""

    @property
    def platform(self) -> str:
        return parts_of(self.to)[0]

    @property
    def space(self) -> str:
        """Of a person on Discord `user`."""
        return parts_of(self.to)[1]


class Digest(Report):
    """One week's, posted once."""

    week: str
    """As ISO 8601 counts them: `2026-W47`."""
    seen: Insights | None = None
    """What its readers may see."""

    @property
    def key(self) -> str:
        return f"digest:{self.week}"

    @property
    def mark(self) -> str:
        """By which it is found again where nothing else marks it."""
        return self.week


class Spent(Report):
    """A place has had all the answers of an hour that nobody asked the bot for; told once a day."""

    day: str
    """`2026-11-27`"""
    place: PlaceId
    per_hour: int = 0
    """How many answers that is, as far as is known."""

    @property
    def key(self) -> str:
        return f"spent:{self.day}:{self.place}"

    @property
    def mark(self) -> str:
        """As `Digest.mark`."""
        return f"{self.day} · {self.place}"


class SourceNotice(Report):
    """Those in a channel are told, once, that it is read as a source."""

    days: int = 0
    """That what was said is kept."""

    @property
    def key(self) -> str:
        return f"source:{self.to}"


class Share(Report):
    """An answer that somebody had alone, for everyone in a channel; in the language of whoever shares it."""

    answer_id: str
    person: str
    """Who shares it, as `IncomingMessage.author`."""
    name: str
    """What they are called there."""
    answer: Answer | None = None
    """If everyone there may see it."""

    @property
    def key(self) -> str:
        return f"share:{self.answer_id}:{self.to}"


class Adding(Report):
    """What comes of something that somebody adds to the documents: first that it is read."""

    id: str
    person: str
    """Who adds it, as `IncomingMessage.author`."""
    thread: str = ""
    """Where in a channel it is said."""
    text: str
    small: str = ""
    """In small print."""
    document: str = ""
    """Its id, where it can be taken back."""
    back: str = ""
    """What the button says that takes it back."""

    @property
    def key(self) -> str:
        return f"adding:{self.id}"


Announcement = Notice | Digest | Spent | SourceNotice | Share | Adding
"""What is posted once, and is no reply."""
