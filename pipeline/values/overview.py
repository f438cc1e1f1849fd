"""How it goes, for admins."""

from __future__ import annotations

from datetime import datetime

from pipeline.values.answers import Answer
from pipeline.values.base import Value
from pipeline.values.chunks import Chunk
from pipeline.values.documents import Document
from pipeline.values.planning import Search


class SourceState(Value):
    """Where documents come from, and how fresh they are."""

    kind: str
    name: str
    collection: str
    documents: int
    last: str
    """When it was looked at last, and how that ended."""
    due: str
    """When it is looked at next while `citewell run` is up."""
    failed: bool
    """Not all of it was taken in."""
    unread: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The names of documents of which a part could not be read, and which parts."""


class Left(Value):
    """An answer whose sentences did not all pass the check."""

    question: str
    at: datetime
    sentences: tuple[str, ...]
    """What was left out."""
    answer: Answer


class Seen(Value):
    """Whether an audience sees a collection, and which rule decides it."""

    collection: str
    allowed: bool
    because: str


class Place(Value):
    """A passage that a trial found."""

    chunk: Chunk
    document: Document
    score: float
    by_words: int | None
    """Its rank in the search for words; None where that did not find it."""
    by_meaning: int | None
    read: bool
    """It was given to whoever wrote the answer."""


class Trial(Value):
    """A question, asked by nobody, stage by stage."""

    sees: tuple[Seen, ...]
    search: Search | None
    """What was looked for; None where nothing was."""
    corrections: tuple[str, ...]
    found: tuple[Place, ...]
    """Best first."""
    degraded: tuple[str, ...]
    answer: Answer


class Passages(Value):
    """A document as it was split."""

    document: Document
    chunks: tuple[Chunk, ...]
    total: int
