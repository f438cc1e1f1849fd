"""What people asked and what the documents lack: what the command, the page and the chat show."""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from pipeline.values.base import Value


class Counts(Value):
    """Questions that were looked up, by what came of them."""

    asked: int = 0
    answered: int = 0
    partial: int = 0
    not_found: int = 0
    failed: int = 0
    unhelpful: int = 0
    """Rated as not helpful by somebody."""


class PlaceCounts(Value):
    place: str
    """A channel as `slack:T1:C2`; `slack: direct messages`."""
    counts: Counts


class Week(Value):
    monday: date
    counts: Counts


class Paper(Value):
    """A document by name."""

    id: str
    title: str
    collection: str


class QuestionGroup(Value):
    """Questions that mean the same."""

    question: str
    """The most central one."""
    count: int
    people: int
    private: bool
    """One person asked it, in direct messages and private commands only: not to be shown among people."""


class Lack(StrEnum):
    """What is wrong with most answers of a gap."""

    NOT_ANSWERED = "not answered"
    UNHELPFUL = "rated not helpful"
    LOW = "answered with low confidence"


class Closest(Value):
    """What the documents say that comes closest to a question."""

    paper: Paper
    quote: str
    """Its very words."""


class Proposal(Value):
    """What could be written to answer a question; somebody who knows has to check it."""

    closest: Closest | None = None
    says: tuple[str, ...] = ()
    """What the documents say already, word for word."""
    unsure: tuple[str, ...] = ()
    """What a model takes them to say."""
    open: tuple[str, ...] = ()
    """What they do not say, as questions; where there are none, the question itself."""


class Gap(Value):
    """Questions that mean the same and were not answered well; one may be counted in several of the three ways."""

    group: QuestionGroup
    lack: Lack
    not_answered: int
    unhelpful: int
    low: int
    waiting: int
    """How often somebody waits to be told once it is."""
    nearest: Paper | None
    """Where an answer could be added."""
    proposal: Proposal = Proposal()


class Contradiction(Value):
    """Documents that an answer showed side by side because they do not agree."""

    papers: tuple[Paper, ...]
    count: int
    question: str
    private: bool


class Cited(Value):
    paper: Paper
    count: int
    changed: str
    """The day of its last change or review, as the document says: `2024-11-22`."""


class Insights(Value):
    since: date
    until: date
    counts: Counts
    places: tuple[PlaceCounts, ...]
    """Most asked first."""
    weeks: tuple[Week, ...]
    """Oldest first, those without a question included."""
    most_asked: tuple[QuestionGroup, ...]
    gaps: tuple[Gap, ...]
    contradictions: tuple[Contradiction, ...]
    never_cited: tuple[Paper, ...]
    """All of them."""
    outdated: tuple[Cited, ...]
    """Older than a year, most cited first."""
