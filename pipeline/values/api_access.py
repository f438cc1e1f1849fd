"""API keys, their callers, and sessions of the page."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from pipeline.values.base import Value


class ApiKey(Value):
    """A key that an admin made; its secret is shown once and kept nowhere."""

    id: str
    name: str
    """Name of the program, given by the admin."""
    collections: tuple[str, ...] = ()
    """Collections that it may search, granted by the admin; empty: those that anyone inside may see."""
    per_minute: int = Field(60, ge=1, le=6000)
    """Greatest number of calls in a minute."""
    at: datetime
    revoked: datetime | None = None

    @property
    def person(self) -> str:
        """Id under which its questions are kept and counted: it has the token budget of a person."""
        return f"key:{self.id}"


class Passage(Value):
    """A passage for a client that reads documents itself."""

    document: str
    """Id of its document."""
    position: int
    """0-based place in its document."""
    title: str
    place: str
    """Heading and page: `Expenses > Travel, page 3`."""
    link: str = ""
    """Address that opens it; empty where nothing shows it."""
    score: float = 0.0
    """0 to 1; how well it fits the search."""
    text: str


class Identity(Value):
    """A person, as their identity provider described them when they signed in."""

    person: str
    """Id of the person, as in the ports: `web:ann`, `slack:T1:U3`."""
    name: str
    groups: tuple[str, ...] = ()
    """Groups, as rules name them: `web:group:staff`."""


class LoginSession(Value):
    """A person's session on the page."""

    who: Identity
    at: datetime
    """Time of the sign-in."""
