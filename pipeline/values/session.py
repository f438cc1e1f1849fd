"""Who signed in to the page."""

from __future__ import annotations

from datetime import datetime

from pipeline.values.base import Value


class SignedIn(Value):
    """A person, as whoever vouches for them told it when they signed in."""

    person: str
    """As the ports name people: `web:ann`, `slack:T1:U3`."""
    name: str
    groups: tuple[str, ...] = ()
    """As rules name them: `web:group:staff`."""


class Session(Value):
    who: SignedIn
    at: datetime
    """When they signed in."""
