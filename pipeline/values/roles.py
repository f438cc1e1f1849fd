"""Who may change things, and what was done or tried."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pipeline.values.base import Value


class Role(StrEnum):
    """What the operator lets people do; each role may all that the ones after it may."""

    ADMIN = "admin"
    CONTRIBUTOR = "contributor"


class Action(StrEnum):
    """What changes knowledge or settings, or shows what is kept about others."""

    SET_UP = "set up a place"
    TEACH = "keep an answer"
    ADD = "add a document"
    TAKE_BACK = "take back a document"
    TAKE_BACK_OTHERS = "take back another's document"
    INDEX = "index documents"
    REMOVE = "remove documents"
    READ_RATINGS = "read ratings"
    READ_INSIGHTS = "read insights"
    READ_PERSON = "read what is kept about a person"
    MAKE_KEY = "make a key"
    REVOKE_KEY = "revoke a key"
    ERASE_PERSON = "erase what is kept about a person"


class Actor(Value):
    """Who wants to do something, as the platform vouches for them: never from a name that people choose."""

    person: str
    """As `IncomingMessage.author`."""
    groups: frozenset[str] = frozenset()
    """What a role may be given to: `slack:T1:U3`, `slack:T1:group:S5`, `discord:user:3`, `discord:1:role:4`."""


class Decision(Value):
    """A row of the audit. It names people, places and collections; no question, answer or document."""

    at: datetime
    actor: str
    action: Action
    subject: str = ""
    """What it was about: a place, a collection, an answer's id, a person."""
    allowed: bool
