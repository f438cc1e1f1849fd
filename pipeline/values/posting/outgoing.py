"""What is posted once, whatever happens meanwhile."""

from __future__ import annotations

from abc import abstractmethod
from datetime import datetime

from pipeline.values.base import Value


class Outgoing(Value):
    """Something that is posted, with what is recorded of that: after a crash it is completed, not repeated."""

    attempt: int = 1
    last: bool = False
    """It is given up after this attempt."""
    posting_since: datetime | None = None
    """When the intent to post was recorded: something may already be visible."""
    reference: str = ""
    """The platform's name of what was posted, once known."""
    language: str = "en"
    """That of our own words in it."""

    @property
    @abstractmethod
    def key(self) -> str:
        """By which it is found again."""

    @property
    @abstractmethod
    def platform(self) -> str:
        """Where it is posted."""

    @property
    @abstractmethod
    def space(self) -> str:
        """The platform's workspace or server."""
