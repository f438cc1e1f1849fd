"""Statistics of questions, gaps in the documents, and the state of sources, for the command, the page and the chat."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum

from pipeline.values.answers import Answer
from pipeline.values.base import Value
from pipeline.values.chunks import Chunk
from pipeline.values.documents import Document
from pipeline.values.planning import SearchPlan


class QuestionCounts(Value):
    """Questions that were searched for, by outcome."""

    asked: int = 0
    answered: int = 0
    partial: int = 0
    not_found: int = 0
    failed: int = 0
    unhelpful: int = 0
    """Number rated as not helpful by somebody."""


class PlaceCounts(Value):
    """Questions of one place."""

    place: str
    """A channel as `slack:T1:C2`, or `slack: direct messages`."""
    counts: QuestionCounts


class WeekCounts(Value):
    """Questions of one week."""

    monday: date
    counts: QuestionCounts


class DocumentRef(Value):
    """A document by name."""

    id: str
    title: str
    collection: str


class QuestionGroup(Value):
    """Questions with the same meaning."""

    question: str
    """The most central question."""
    count: int
    people: int
    private: bool
    """True where one person asked it, in direct messages and private commands only: not to be shown among people."""


class GapKind(StrEnum):
    """The problem of most answers to a group of questions."""

    NOT_ANSWERED = "not answered"
    UNHELPFUL = "rated not helpful"
    LOW = "answered with low confidence"


class ClosestPassage(Value):
    """The passage that comes closest to a question."""

    paper: DocumentRef
    quote: str
    """Exact words of the passage."""


class DocumentationProposal(Value):
    """A draft of what could be written to answer a question; somebody who knows has to check it."""

    closest: ClosestPassage | None = None
    says: tuple[str, ...] = ()
    """Sentences of the documents, word for word."""
    unsure: tuple[str, ...] = ()
    """A model's summary of what they mean."""
    open: tuple[str, ...] = ()
    """Questions that they leave open; the question itself where there are none."""


class KnowledgeGap(Value):
    """Questions with the same meaning that were not answered well; one may be counted in several of the three ways."""

    group: QuestionGroup
    lack: GapKind
    not_answered: int
    unhelpful: int
    low: int
    waiting: int
    """Number of subscriptions to it."""
    nearest: DocumentRef | None
    """Document that an answer could be added to."""
    proposal: DocumentationProposal = DocumentationProposal()


class Contradiction(Value):
    """Documents that an answer showed side by side because they do not agree."""

    papers: tuple[DocumentRef, ...]
    count: int
    question: str
    private: bool


class CitedDocument(Value):
    """A document and how often answers cite it."""

    paper: DocumentRef
    count: int
    changed: str
    """Day of its last change or review, as the document says: `2024-11-22`."""


class Insights(Value):
    """Usage insights of a period."""

    since: date
    until: date
    counts: QuestionCounts
    places: tuple[PlaceCounts, ...]
    """Places, most questions first."""
    weeks: tuple[WeekCounts, ...]
    """Weeks, oldest first, those without a question included."""
    most_asked: tuple[QuestionGroup, ...]
    gaps: tuple[KnowledgeGap, ...]
    contradictions: tuple[Contradiction, ...]
    never_cited: tuple[DocumentRef, ...]
    """All documents that no answer cited."""
    outdated: tuple[CitedDocument, ...]
    """Documents older than a year, most cited first."""


class SourceStatus(Value):
    """A source of documents, and how fresh they are."""

    kind: str
    name: str
    collection: str
    documents: int
    last: str
    """Time and result of the last run."""
    due: str
    """Time of the next run while `citewell run` is up."""
    failed: bool
    """True where not all of it was indexed."""
    unread: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Names of documents with parts that could not be read, and the parts."""


class RejectedAnswer(Value):
    """An answer with sentences that the check rejected."""

    question: str
    at: datetime
    sentences: tuple[str, ...]
    """The rejected sentences."""
    answer: Answer


class CollectionVisibility(Value):
    """The decision if an audience sees a collection, and the rule behind it."""

    collection: str
    allowed: bool
    because: str


class DryRunPassage(Value):
    """A passage that a dry run found."""

    chunk: Chunk
    document: Document
    score: float
    by_words: int | None
    """Rank in the lexical search; None where that did not find it."""
    by_meaning: int | None
    read: bool
    """True where it was given to the writer."""


class DryRun(Value):
    """A question that nobody asked, followed stage by stage."""

    sees: tuple[CollectionVisibility, ...]
    search: SearchPlan | None
    """Plan of the search; None where nothing was searched."""
    corrections: tuple[str, ...]
    found: tuple[DryRunPassage, ...]
    """Passages, best first."""
    degraded: tuple[str, ...]
    answer: Answer


class DocumentChunks(Value):
    """A document as it was split."""

    document: Document
    chunks: tuple[Chunk, ...]
    total: int
