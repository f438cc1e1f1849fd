"""Insights that are posted by the week."""

from __future__ import annotations

from pipeline.values.insights import Insights
from pipeline.values.posting.bulletin import Bulletin
from pipeline.values.posting.handoff import Notice
from pipeline.values.posting.outgoing import Outgoing


class Digest(Outgoing):
    """One week's, posted once."""

    week: str
    """As ISO 8601 counts them: `2026-W47`."""
    to: str
    """A channel (`slack:T1:C2`, `discord:1:2`) or a person (`slack:T1:U3`, `discord:user:3`)."""
    seen: Insights | None = None
    """What its readers may see."""

    @property
    def key(self) -> str:
        return f"digest:{self.week}"

    @property
    def platform(self) -> str:
        return self.to.partition(":")[0]

    @property
    def space(self) -> str:
        """Of a person on Discord `user`."""
        return self.to.split(":")[1]


Announcement = Notice | Digest | Bulletin
"""What the bot posts by itself."""
