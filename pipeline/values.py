"""The values that travel through Citewell: frozen, complete, and free of behaviour.

"Passage" always means retrieved text. Scores lie between 0 and 1 unless a field says otherwise.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from urllib.parse import quote, unquote

from pydantic import BaseModel, ConfigDict, Field


class Value(BaseModel):
    """Frozen, and refuses fields it does not know; what does not fit is not repeated in the error."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


# --- Who asks, and where ---------------------------------------------------------------------


class ConversationId(Value):
    """Where a conversation lives: one Slack thread, one Discord thread or DM, one console thread."""

    platform: str
    space: str
    """Slack team, Discord guild, or `dm`."""
    channel: str
    thread: str = ""

    def __str__(self) -> str:
        """`slack:T1:C2:1712.3`; a colon inside a part is percent-encoded."""
        return ":".join(quote(part, safe=" ./@#+-") for part in (self.platform, self.space, self.channel, self.thread))

    @classmethod
    def parse(cls, text: str) -> ConversationId:
        """The inverse of `str()`. Raises ValueError for anything that has not four parts."""
        platform, space, channel, thread = (unquote(part) for part in text.split(":"))
        return cls(platform=platform, space=space, channel=channel, thread=thread)


class Attachment(Value):
    """A file that came with a question."""

    name: str
    media_type: str = ""
    size: int = 0
    url: str = ""


class Manner(StrEnum):
    """How the bot was addressed."""

    MENTION = "mention"
    DIRECT = "direct"
    THREAD = "thread"
    COMMAND = "command"


class IncomingMessage(Value):
    """One message addressed to the bot, the same from every platform."""

    key: str
    """Logical identity: `platform:space:channel:message id`. The same message always has the same key."""
    conversation: ConversationId
    author: str
    """The asker as `platform:space:user id` (Discord: `discord:user id`)."""
    text: str
    attachments: tuple[Attachment, ...] = ()
    sent_at: datetime
    manner: Manner
    external: bool = False
    """People outside the organisation can read the conversation (Slack Connect)."""
    event_id: str = ""
    """The platform's id of the delivery, kept for tracing; never used to tell messages apart."""
    reply_to: str = ""
    """For commands: the short-lived address of the private reply (response URL, interaction token)."""


class Readers(Value):
    """Who will read the reply, told by the groups that every single reader belongs to."""

    groups: frozenset[str]
    """Such as `slack:T1`, `slack:T1:C2` (a channel), `slack:T1:U3` (one person), `discord:G1:role:R4` (a role)."""
    external: bool = False


class Audience(Value):
    """The collections that everyone who will read the reply may see."""

    collections: frozenset[str]


class Style(StrEnum):
    """How much is said."""

    CONCISE = "concise"
    DETAILED = "detailed"
    BULLET = "bullet"


class CitationStyle(StrEnum):
    """How citations are marked in the text."""

    NUMBERED = "numbered"
    INLINE = "inline"
    FOOTNOTE = "footnote"
    ENDNOTE = "endnote"


class Preferences(Value):
    """What one person chose; None leaves the operator's setting in force."""

    style: Style | None = None
    citations: CitationStyle | None = None
    language: str | None = None


class Turn(Value):
    """One question of a conversation with the answer given."""

    question: str
    answer: str
    """The body that was shown."""
    chunk_ids: tuple[str, ...] = ()
    asked_at: datetime
    standalone: str = ""
    """The question as completed from the conversation; empty when it stood alone."""
    author: str = ""


class Conversation(Value):
    id: ConversationId
    turns: tuple[Turn, ...] = ()
    """Oldest first."""


# --- Documents -------------------------------------------------------------------------------


class BlockKind(StrEnum):
    """What a piece of text is on its page."""

    HEADING = "heading"
    PROSE = "prose"
    ITEM = "item"
    STEP = "step"
    HEADER = "header"
    """The header row of a table."""
    ROW = "row"
    CODE = "code"


class Block(Value):
    """A run of text of one kind, as a parser found it."""

    kind: BlockKind
    text: str
    """Plain text. A table row is its cells joined by ` | `; a step and an item come without their marker."""
    heading: tuple[str, ...] = ()
    """The path of headings above, outermost first."""
    page: int | None = None
    """1-based page or slide."""
    sheet: str | None = None
    row: int | None = None
    """1-based row of a sheet or CSV file."""
    depth: int = 0
    """How many lists an item stands within besides its own."""


class Document(Value):
    id: str
    collection: str = "default"
    filename: str
    title: str
    product: str = ""
    document_type: str = ""
    source: str = ""
    """What it was indexed from (a folder, a file, an upload): documents of one source are pruned together."""
    url: str = ""
    """The address a reader can open, exactly as it may be linked; empty when there is none."""
    version: str = ""
    """SHA-256 of the content that was parsed."""
    metadata: dict[str, str] = Field(default_factory=dict)
    flagged: bool = False
    """The text holds instructions addressed to an assistant."""


class Parsed(Value):
    """A document and its blocks in reading order."""

    document: Document
    blocks: tuple[Block, ...]


class Unit(Value):
    """One sentence, item, step, row or code block of a chunk: the grain of citing and of sentence vectors."""

    start: int
    end: int
    kind: BlockKind


class Chunk(Value):
    """A piece of one document that is searched and cited as a whole."""

    id: str
    document_id: str
    text: str
    units: tuple[Unit, ...]
    """In order, not overlapping, covering all text but the white space between."""
    heading: tuple[str, ...] = ()
    page: int | None = None
    sheet: str | None = None
    row: int | None = None
    position: int = 0
    """0-based place in the document."""
    overlap: int = 0
    """How many leading characters repeat the end of the chunk before."""


class RetrievedChunk(Value):
    """A passage: a chunk with its document and how well it fits the question."""

    chunk: Chunk
    document: Document
    score: float
    """0 to 1, calibrated: comparable between questions."""
    ranks: dict[str, int] = Field(default_factory=dict)
    """1-based rank by retriever: `lexical`, `vector`."""
    unit_scores: tuple[float, ...] = ()
    """Cosine of each unit with the question; empty when there are no vectors."""
    query: int = 0
    """Which of the plan's queries found it."""


# --- Planning --------------------------------------------------------------------------------


class Intent(StrEnum):
    FACTUAL = "factual"
    COMPARISON = "comparison"
    PROCEDURE = "procedure"
    LIST = "list"
    SUMMARY = "summary"
    AGGREGATION = "aggregation"


class Format(StrEnum):
    PROSE = "prose"
    BULLETS = "bullets"
    TABLE = "table"
    STEPS = "steps"
    PLAIN = "plain"


class Search(Value):
    """Look it up: `question` is complete by itself, `queries` are what is searched, one per part or side."""

    question: str
    queries: tuple[str, ...]
    sides: tuple[str, ...] = ()
    """What each query is about, for a comparison: `("full-time staff", "contractors")`."""
    intent: Intent = Intent.FACTUAL
    format: Format = Format.PROSE
    flags: tuple[str, ...] = ()
    context: str = ""
    """Words of the conversation that help retrieval without being part of the question."""
    tokens: int = 0
    """What a model used to plan it."""


class Reply(Value):
    """Say `text` without looking anything up: greeting, help, nothing indexed."""

    text: str
    flags: tuple[str, ...] = ()


class Clarify(Value):
    """Ask the person for more; `reason` is shown."""

    reason: str
    flags: tuple[str, ...] = ()


class Decline(Value):
    """Refuse; `reason` is shown."""

    reason: str
    flags: tuple[str, ...]


Plan = Search | Reply | Clarify | Decline


class Retrieval(Value):
    """What was found for a search, best first."""

    passages: tuple[RetrievedChunk, ...]
    """At or above the relevance floor, near-duplicates collapsed."""
    nearest: tuple[RetrievedChunk, ...] = ()
    """The best few whatever their score: what is shown when nothing answers."""
    documents: tuple[str, ...] = ()
    """Distinct document ids before the floor, best first."""
    degraded: tuple[str, ...] = ()
    """What did not work: `embedder`, `vector`, `lexical`."""


# --- Writing and judging ---------------------------------------------------------------------


class Brief(Value):
    """What a writer is asked for."""

    question: str
    queries: tuple[str, ...] = ()
    sides: tuple[str, ...] = ()
    intent: Intent = Intent.FACTUAL
    format: Format = Format.PROSE
    style: Style = Style.CONCISE
    language: str = ""
    """ISO 639-1 code the answer should be in; empty: the question's own."""
    max_length: int = 1000
    """Characters."""


class Sentence(Value):
    """One sentence, item, step, row or code block of a draft, with the chunks it rests on."""

    text: str
    """Markdown without list markers, pipes at the ends, fences or citation marks."""
    kind: BlockKind = BlockKind.PROSE
    chunk_ids: tuple[str, ...] = ()
    """What the writer named. Empty, or an unknown id: unsupported."""
    opens: bool = False
    """Begins a new paragraph, list or table."""
    language: str = ""
    """For code: the fence's language."""
    section: str = ""
    """In a comparison: `similarities`, `differences`, `contradictions` or `conclusion`."""


class Usage(Value):
    """What an answer cost."""

    writer: str = "extractive"
    input_tokens: int = 0
    output_tokens: int = 0
    milliseconds: dict[str, float] = Field(default_factory=dict)
    """By stage: plan, retrieve, write, validate, compose, total."""
    notes: tuple[str, ...] = ()
    """How the answer came about where that is not the plain way (`model_unavailable`, `breaker_open`)."""


class Finished(Value):
    """The end of a draft. `complete` is False when the writer was cut off."""

    complete: bool = True
    reason: str = ""
    usage: Usage = Usage()
    missing: tuple[str, ...] = ()
    """Parts of the question that the passages do not hold, in the question's own words."""


class Judgement(Value):
    """Whether one sentence is supported by the passages it names."""

    supported: bool
    score: float
    chunk_ids: tuple[str, ...] = ()
    """The named chunks that do support it, best first."""
    quote: str = ""
    """The exact span of the best chunk that supports it."""
    reason: str = ""
    """Why not, in words: `number 30 is not in the passage`."""
    forbidden: bool = False
    """It is, or rests on, an instruction to an assistant: never shown, not even as unverified."""


class Claim(Value):
    claim: str
    supported: bool
    source: str = ""
    """Chunk id."""


# --- The answer ------------------------------------------------------------------------------


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
    score: float = 0.0
    """3 decimals."""
    positions: tuple[tuple[int, int], ...] = ()
    """Where the sentences that rest on it stand in the body: start, end."""
    flagged: bool = False
    """Its document holds instructions addressed to an assistant; none of them is in the answer."""


class CitedSentence(Value):
    """A checked sentence with its citation numbers."""

    text: str
    kind: BlockKind = BlockKind.PROSE
    numbers: tuple[int, ...] = ()
    opens: bool = False
    language: str = ""
    section: str = ""
    verified: bool = True
    """False only when the operator chose to show unverified claims, marked as such."""


class Level(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Factor(Value):
    """One part of a confidence score, in words."""

    name: str
    value: float
    """0 to 1."""
    text: str


class Confidence(Value):
    level: Level
    score: float
    reasons: tuple[Factor, ...] = ()


class Outcome(StrEnum):
    ANSWERED = "answered"
    PARTIAL = "partial"
    NOT_FOUND = "not_found"
    CLARIFY = "clarify"
    DECLINED = "declined"
    FAILED = "failed"


class Comparison(Value):
    """A comparison taken apart; every text is a checked sentence of the answer."""

    similarities: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()
    conclusion: str = ""


class Answer(Value):
    """What a person gets, whole: adapters render it and read nothing back out of text."""

    id: str
    question: str
    outcome: Outcome
    preface: str = ""
    """A line of ours above the sentences: `The closest passages say:`."""
    body: str
    """Markdown with citation marks: what is shown where there is only text, and what history keeps."""
    closing: str = ""
    """A line of ours below the sentences: why the answer is partial, what to try next."""
    sentences: tuple[CitedSentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    nearest: tuple[Citation, ...] = ()
    confidence: Confidence
    format: Format = Format.PROSE
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
    """What the answer leaves open, and why."""
    comparison: Comparison | None = None
    """Set when the question compares."""
    usage: Usage = Usage()
    incident: str = ""
    standalone: str = ""
    """The question as it was looked up, complete by itself; empty where nothing was looked up."""

    def turn(self, author: str, asked_at: datetime) -> Turn | None:
        """What a conversation recalls of it; None where nothing was looked up."""
        if not self.standalone:
            return None
        return Turn(
            question=self.question,
            answer=self.body if self.sentences else "",
            chunk_ids=tuple(citation.chunk_id for citation in self.citations),
            asked_at=asked_at,
            standalone=self.standalone if self.standalone != self.question else "",
            author=author,
        )


class Stage(StrEnum):
    PLANNING = "planning"
    SEARCHING = "searching"
    WRITING = "writing"


class Progress(Value):
    stage: Stage


class Written(Value):
    """A sentence that is already checked and will not be retracted."""

    sentence: CitedSentence
    preface: str = ""
    """Set on the first one when the answer has a preface."""


Event = Progress | Written | Answer
"""An answer's events end with exactly one `Answer`."""


# --- Work and feedback -----------------------------------------------------------------------


class Work(Value):
    """A leased message, with what is already known of its reply."""

    message: IncomingMessage
    attempt: int = 1
    last: bool = False
    """The message is given up after this attempt."""
    answer: Answer | None = None
    """Saved before a crash: deliver it, do not compute it again."""
    posting_since: datetime | None = None
    """When the intent to post was recorded: a reply may already be visible."""
    reference: str = ""
    """The platform's name of the reply, once known."""
    late: bool = False
    """Older than the age cap when it was reached."""


class Vote(StrEnum):
    HELPFUL = "helpful"
    UNHELPFUL = "unhelpful"


class Reason(StrEnum):
    """Why an answer did not help."""

    WRONG = "wrong"
    INCOMPLETE = "incomplete"
    OUTDATED = "outdated"
    NOT_FOUND = "not_found"
    UNCLEAR = "unclear"


class Rating(Value):
    answer_id: str
    person: str
    vote: Vote
    reason: Reason | None = None
    comment: str = ""


class Hit(NamedTuple):
    """A chunk id with a retriever's own score, best first and not comparable between retrievers."""

    chunk_id: str
    score: float
