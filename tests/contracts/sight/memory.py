"""What is known by everybody who attacks, over all starts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from pipeline.values import ConversationId
from tests.contracts.sight.model import Opened


@dataclass
class Linked:
    """A link to a document, as it was when it was made."""

    token: str
    word: str
    collection: str
    rule: Opened


@dataclass
class Memory:
    """Every id there is."""

    number: int = 0
    documents: dict[str, str] = field(default_factory=dict)
    """The word of each."""
    answers: list[str] = field(default_factory=list)
    handoffs: list[str] = field(default_factory=list)
    talks: list[tuple[ConversationId, str]] = field(default_factory=list)
    links: list[Linked] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)
    """The secret of each, by whom it is."""
    revoked: list[str] = field(default_factory=list)
    replies: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    """Of each handoff its asker, its author and where they are told."""
    surfaces: Counter[str] = field(default_factory=Counter)
    """How many words were rightly given there."""

    def next(self) -> int:
        self.number += 1
        return self.number
