"""Insights that are posted by the week."""

from __future__ import annotations

from datetime import datetime

from pipeline.values.base import Value


class Digest(Value):
    """One week's, posted once."""

    week: str
    """As ISO 8601 counts them: `2026-W47`."""
    to: str
    """A channel (`slack:T1:C2`, `discord:1:2`) or a person (`slack:T1:U3`, `discord:user:3`)."""
    posting_since: datetime | None = None
    """When the intent to post was recorded: it may be there already."""
    attempt: int = 0

    @property
    def platform(self) -> str:
        return self.to.partition(":")[0]

    @property
    def space(self) -> str:
        """Slack's workspace, Discord's server; of a person on Discord `user`."""
        return self.to.split(":")[1]

    @property
    def key(self) -> str:
        """By which it is found again."""
        return f"digest:{self.week}"

    @property
    def personal(self) -> bool:
        """It goes to one person."""
        around, name = self.to.split(":")[1:]
        return around == "user" or name[0] in "UW"

    @property
    def target(self) -> str:
        """The platform's id of the channel or person."""
        return self.to.rpartition(":")[2]
