"""The answer, and the events of its stream."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from enum import StrEnum

from pydantic import Field, model_validator

from pipeline.values.base import Value, replace
from pipeline.values.chunks import BlockKind, Cells, fill_cells
from pipeline.values.documents import Link
from pipeline.values.people import CitationStyle, Turn
from pipeline.values.planning import AnswerFormat, SpellingCorrection
from pipeline.values.writing import Claim, Usage


class QuotedBlock(Value):
    """A part of a passage in its own words: text, code, or rows of a table."""

    text: str = ""
    code: bool = False
    header: Cells = ()
    rows: tuple[Cells, ...] = ()


class Citation(Value):
    """One numbered source of an answer."""

    number: int
    document_id: str
    chunk_id: str
    title: str
    filename: str
    product: str = ""
    document_type: str = ""
    page: int | None = None
    sheet: str | None = None
    heading: tuple[str, ...] = ()
    url: str = ""
    quote: str = ""
    """The exact quoted spans, joined by ` … `."""
    snippet: str = ""
    """About 150 characters around the quote, cut at words."""
    passage: str = ""
    """Full text of the passage, where an answer is not sure: the button shows it."""
    score: float = 0.0
    """Score with 3 decimals."""
    confirmed: int = 0
    """Number of people who confirmed its passage for a similar question."""
    positions: tuple[tuple[int, int], ...] = ()
    """Start and end, in the body, of the sentences that rest on it."""
    date: str = ""
    """Day on which its document was last changed or reviewed, as the document says: `2026-11-22`."""
    stale: bool = False
    """True where that is longer ago than its source's `stale_after`."""
    parts: tuple[QuotedBlock, ...] = ()
    """Parts of `passage`, or without it of `quote`; none where it is plain text."""
    flagged: bool = False
    """True where its document holds instructions addressed to an assistant; none of them is in the answer."""
    said_in: str = ""
    """Name of the channel that it was said in, as `#ops`; empty for a document."""
    live: bool = False
    """True where a platform's own search found it: only its link is kept."""


class CitedSentence(Value):
    """A checked sentence with its citation numbers."""

    text: str
    kind: BlockKind = BlockKind.PROSE
    numbers: tuple[int, ...] = ()
    cell_numbers: tuple[int, ...] = ()
    """Citation number of each cell, for a row whose cells rest on different sources."""
    opens: bool = False
    number: int = 0
    """Number of a step, as its document counts it; 0 where it is counted here."""
    language: str = ""
    section: str = ""
    as_of: str = ""
    """Day of its document, where another document says otherwise."""
    verified: bool = True
    """False only when the operator chose to show unverified claims, marked as such."""
    links: tuple[Link, ...] = ()
    """Words of `text` that lead, in a passage that supports it, to an address on the host of that document."""
    cells: Cells = ()
    """Cells of a row or a header: one text a column, which `text` has with bars between them."""
    literal: bool = False
    """True where `text` is a document's own, in which no character is markup; else it is Markdown."""
    code: tuple[tuple[int, int], ...] = ()
    """Start and end of inline code in `text`: all of it in a literal sentence, in others what Markdown would
    misread."""
    depth: int = 0
    """Number of list entries that an item or a step stands in."""

    _split = model_validator(mode="before")(fill_cells)


class ConfidenceLevel(StrEnum):
    """A coarse confidence, as people see it."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class ConfidenceFactor(Value):
    """One part of a confidence score, in words."""

    name: str
    value: float
    """0 to 1."""
    text: str


class Confidence(Value):
    """The confidence of an answer, and its reasons."""

    level: ConfidenceLevel
    score: float
    reasons: tuple[ConfidenceFactor, ...] = ()


class AnswerOutcome(StrEnum):
    """How a question was answered."""

    ANSWERED = "answered"
    PARTIAL = "partial"
    NOT_FOUND = "not_found"
    CLARIFY = "clarify"
    DECLINED = "declined"
    FAILED = "failed"
    SILENT = "silent"
    """Nothing is said: nobody asked, and no answer is worth interrupting for."""


class Comparison(Value):
    """The parts of a comparison; every text is a checked sentence of the answer."""

    similarities: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()
    conclusion: str = ""


_ITEMS = (BlockKind.ITEM, BlockKind.STEP)


class Answer(Value):
    """The complete answer: adapters render it and read nothing back out of text."""

    id: str
    question: str
    outcome: AnswerOutcome
    language: str = "en"
    """Language of our own words in it."""
    preface: str = ""
    """A line of ours above the sentences: `The closest passages say:`."""
    body: str
    """Markdown with citation marks, for interfaces that only have text, and for the history. Text of documents is not
    escaped in it: programs get `compose.plain.plain_answer`."""
    closing: str = ""
    """A line of ours below the sentences: why the answer is partial, what to try next."""
    sentences: tuple[CitedSentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    nearest: tuple[Citation, ...] = ()
    """The closest passages, where nothing answers or the answer is not sure."""
    quoted: tuple[CitedSentence, ...] = ()
    """Sentences of `nearest`, each under the path of its headings, with their numbers: shown in place of an answer, or
    below it."""
    confidence: Confidence
    format: AnswerFormat = AnswerFormat.PROSE
    citation_style: CitationStyle = CitationStyle.NUMBERED
    safety_flags: tuple[str, ...] = ()
    abstain_reason: str = ""
    reasoning: str = ""
    sources_used: int = 0
    sources_provided: int = 0
    has_sufficient_context: bool = False
    grounding_score: float = 0.0
    ungrounded_claims: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    key_facts: tuple[str, ...] = ()
    """Up to five checked sentences that say something definite."""
    limitations: tuple[str, ...] = ()
    """Parts that the answer leaves open, and why."""
    comparison: Comparison | None = None
    """Set when the question compares."""
    ask: str = ""
    """Label of the button that hands the question to people; empty where there is none."""
    usage: Usage = Usage()
    incident: str = ""
    standalone: str = ""
    """The question in people's words, complete by itself; empty where nothing was searched."""
    corrections: tuple[SpellingCorrection, ...] = ()
    """Words of the question that no document holds, and the words that were searched for instead."""
    named: dict[str, str] = Field(default_factory=dict)
    """Titles of documents that it names and does not quote, by their ids."""
    topic: str = ""
    """The earlier question that it leaned on, for the next one that leans."""
    alone: bool = False
    """True where nobody asked, and it is not sure enough for everybody: only the author of the message may want to see
    it."""
    of_thread: bool = False
    """True where it sums up the thread that it stands in: its sources are messages there, not indexed passages."""

    @property
    def sources(self) -> tuple[Citation, ...]:
        """Citations to list, by number: the passages that it rests on, and those quoted beside it."""
        numbered = {citation.number: citation for citation in (*self.nearest, *self.citations)}
        return tuple(numbered[number] for number in sorted(numbered))

    def without_live_content(self, instead: str) -> Answer:
        """Return the answer as it may be kept: only the links of messages that a platform's own search found, and
        `instead` in place of words that rest on them."""
        return self.without_sources(lambda citation: citation.live, instead)

    def without_sources(self, gone: Callable[[Citation], bool], instead: str) -> Answer:
        """Return the answer without the words of sources that are `gone`, and with `instead` of those that rest on
        them; unchanged where it has no such source."""
        if not any(map(gone, (*self.citations, *self.nearest))):
            return self

        def strip(citations: tuple[Citation, ...]) -> tuple[Citation, ...]:
            return tuple(_without_words(citation) if gone(citation) else citation for citation in citations)

        return replace(
            self,
            preface="",
            body=instead,
            closing="",
            sentences=(),
            quoted=(),
            comparison=None,
            confidence=replace(self.confidence, reasons=()),
            citations=strip(self.citations),
            nearest=strip(self.nearest),
            claims=(),
            ungrounded_claims=(),
            key_facts=(),
            limitations=(),
            corrections=(),
        )

    @property
    def document_ids(self) -> frozenset[str]:
        """Ids of all documents whose words are in it: not of messages that it sums up, or that a platform's search
        found."""
        corrected = (document_id for correction in self.corrections for document_id in correction.documents)
        cited = (
            citation.document_id
            for citation in (*self.citations, *self.nearest)
            if not (citation.live or self.of_thread)
        )
        return frozenset((*cited, *self.named, *corrected))

    def without_documents(self, documents: Collection[str], instead: str) -> Answer:
        """Return the answer without any word of these documents, and with `instead` of what rests on them."""
        reduced = self.without_sources(lambda citation: citation.document_id in documents, instead)
        if any(document in documents for document in self.named):
            reduced = replace(reduced, body=instead, named={})
        if any(document in documents for correction in self.corrections for document in correction.documents):
            reduced = reduced.without_corrections()
        return reduced

    def question_only(self, instead: str) -> Answer:
        """Return the question without its answer, and with `instead` as the body."""
        confidence = Confidence(level=self.confidence.level, score=self.confidence.score)
        question_fields = self.model_dump(include={"id", "question", "outcome", "language"})
        return Answer(**question_fields, body=instead, confidence=confidence)

    def without_corrections(self) -> Answer:
        """Return the answer without its spelling corrections."""
        return replace(self, preface="", corrections=())

    @property
    def as_of(self) -> str:
        """Day that it holds for, where that matters: the newer one of documents that disagree, the oldest one of
        sources that may be out of date."""
        newest = max((sentence.as_of for sentence in self.sentences), default="")
        return newest or min((citation.date for citation in self.citations if citation.stale), default="")

    def with_handoff_button(self, button: str) -> Answer:
        """Return the answer with the `button` that hands the question to people, where nothing answers."""
        return replace(self, ask=button) if self.outcome is AnswerOutcome.NOT_FOUND else self

    def to_turn(self, author: str, asked_at: datetime) -> Turn | None:
        """Return the turn that a conversation recalls; None where nothing was searched."""
        if not self.standalone:
            return None
        return Turn(
            question=self.question,
            answer=self.body if self.sentences else "",
            said="\n".join(sentence.text for sentence in self.sentences),
            items=tuple(sentence.text for sentence in self.sentences if sentence.kind in _ITEMS),
            chunk_ids=tuple(citation.chunk_id for citation in self.citations),
            asked_at=asked_at,
            standalone=self.standalone if self.standalone != self.question else "",
            topic=self.topic,
            author=author,
        )


def _without_words(citation: Citation) -> Citation:
    """Remove the words of a source; its document stays known."""
    return replace(
        citation,
        title=citation.said_in or citation.filename,
        heading=(),
        quote="",
        snippet="",
        passage="",
        parts=(),
        positions=(),
        product="",
        document_type="",
        sheet=None,
    )


class AnswerStage(StrEnum):
    """A stage of answering that people see."""

    PLANNING = "planning"
    SEARCHING = "searching"
    WAITING = "waiting"
    """Other questions are before this one at the language model."""
    WRITING = "writing"


class ProgressEvent(Value):
    """The begin of a stage, or a new place in the queue while waiting."""

    stage: AnswerStage
    ahead: int = 0
    """Number of questions before this one, while it waits for the language model."""


class SentenceEvent(Value):
    """A sentence that is already checked and will not be retracted."""

    sentence: CitedSentence
    preface: str = ""
    """Set on the first sentence when the answer has a preface."""


AnswerEvent = ProgressEvent | SentenceEvent | Answer
"""One event of an answer's stream, which ends with exactly one `Answer`."""
