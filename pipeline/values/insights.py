"""What people asked, what the documents lack, and how it goes: what the command, the page and the chat show."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum

from pipeline.values.answers import Answer
from pipeline.values.base import Value
from pipeline.values.chunks import Chunk
from pipeline.values.documents import Document
from pipeline.values.planning import SearchPlan


class QuestionCounts(Value):
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
    counts: QuestionCounts


class WeekCounts(Value):
    monday: date
    counts: QuestionCounts


class DocumentRef(Value):
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


class GapKind(StrEnum):
    """What is wrong with most answers of a gap."""

    NOT_ANSWERED = "not answered"
    UNHELPFUL = "rated not helpful"
    LOW = "answered with low confidence"


class ClosestPassage(Value):
    """What the documents say that comes closest to a question."""

    paper: DocumentRef
    quote: str
    """Its very words."""


class DocumentationProposal(Value):
    """What could be written to answer a question; somebody who knows has to check it."""

    closest: ClosestPassage | None = None
    says: tuple[str, ...] = ()
    """What the documents say already, word for word."""
    unsure: tuple[str, ...] = ()
    """What a model takes them to say."""
    open: tuple[str, ...] = ()
    """What they do not say, as questions; where there are none, the question itself."""


class KnowledgeGap(Value):
    """Questions that mean the same and were not answered well; one may be counted in several of the three ways."""

    group: QuestionGroup
    lack: GapKind
    not_answered: int
    unhelpful: int
    low: int
    waiting: int
    """How often somebody waits to be told once it is."""
    nearest: DocumentRef | None
    """Where an answer could be added."""
    proposal: DocumentationProposal = DocumentationProposal()


class Contradiction(Value):
    """Documents that an answer showed side by side because they do not agree."""

    papers: tuple[DocumentRef, ...]
    count: int
    question: str
    private: bool


class CitedDocument(Value):
    paper: DocumentRef
    count: int
    changed: str
    """The day of its last change or review, as the document says: `2024-11-22`."""


class Insights(Value):
    since: date
    until: date
    counts: QuestionCounts
    places: tuple[PlaceCounts, ...]
    """Most asked first."""
    weeks: tuple[WeekCounts, ...]
    """Oldest first, those without a question included."""
    most_asked: tuple[QuestionGroup, ...]
    gaps: tuple[KnowledgeGap, ...]
    contradictions: tuple[Contradiction, ...]
    never_cited: tuple[DocumentRef, ...]
    """All of them."""
    outdated: tuple[CitedDocument, ...]
    """Older than a year, most cited first."""


class SourceStatus(Value):
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


class RejectedAnswer(Value):
    """An answer whose sentences did not all pass the check."""

    question: str
    at: datetime
    sentences: tuple[str, ...]
    """What was left out."""
    answer: Answer


class CollectionVisibility(Value):
    """Whether an audience sees a collection, and which rule decides it."""

    collection: str
    allowed: bool
    because: str


class DryRunPassage(Value):
    """A passage that a trial found."""

    chunk: Chunk
    document: Document
    score: float
    by_words: int | None
    """Its rank in the search for words; None where that did not find it."""
    by_meaning: int | None
    read: bool
    """It was given to whoever wrote the answer."""


class DryRun(Value):
    """A question, asked by nobody, stage by stage."""

    sees: tuple[CollectionVisibility, ...]
    search: SearchPlan | None
    """What was looked for; None where nothing was."""
    corrections: tuple[str, ...]
    found: tuple[DryRunPassage, ...]
    """Best first."""
    degraded: tuple[str, ...]
    answer: Answer


class DocumentChunks(Value):
    """A document as it was split."""

    document: Document
    chunks: tuple[Chunk, ...]
    total: int
