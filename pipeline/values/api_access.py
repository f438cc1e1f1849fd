"""What programs call with, and who signed in to the page."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from pipeline.values.base import Value


class ApiKey(Value):
    """A key that an admin made; its secret is shown once and kept nowhere."""

    id: str
    name: str
    """What the admin calls the program."""
    collections: tuple[str, ...] = ()
    """What it may find, by the admin's grant; empty: what anyone inside may see."""
    per_minute: int = Field(60, ge=1, le=6000)
    """Calls at most."""
    at: datetime
    revoked: datetime | None = None

    @property
    def person(self) -> str:
        """As what it asks is kept and counted: its token budget is a person's."""
        return f"key:{self.id}"


class Passage(Value):
    """A passage for whoever reads on by themselves."""

    document: str
    """The id of its document."""
    position: int
    """0-based place in it."""
    title: str
    place: str
    """`Expenses > Travel, page 3`."""
    link: str = ""
    """Where it is opened; empty where nothing shows it."""
    score: float = 0.0
    """0 to 1; how well it fits what was searched for."""
    text: str


class Identity(Value):
    """A person, as whoever vouches for them told it when they signed in."""

    person: str
    """As the ports name people: `web:ann`, `slack:T1:U3`."""
    name: str
    groups: tuple[str, ...] = ()
    """As rules name them: `web:group:staff`."""


class LoginSession(Value):
    who: Identity
    at: datetime
    """When they signed in."""
