"""A request for an answer, with everything that decides how it is answered."""

from __future__ import annotations

from pipeline.values.answers import ConfidenceLevel
from pipeline.values.base import Value
from pipeline.values.documents import ParsedDocument
from pipeline.values.ids import ConversationId, PlaceId
from pipeline.values.people import AnswerStyle, Audience, CitationStyle, ThreadContext, Turn
from pipeline.values.planning import AnswerFormat


class AnswerLimits(Value):
    """Deadlines of models, and minimum requirements of an answer."""

    first_sentence_seconds: float = 10.0
    total_seconds: float = 30.0
    abstain: bool = True
    minimum_sources: int = 1
    minimum_citations: int = 1


class AutoAnswerPolicy(Value):
    """The place's policy for answering questions that nobody addressed to the bot."""

    place: PlaceId
    """Channel or forum that such answers are counted for."""
    minimum_level: ConfidenceLevel
    """Confidence below which nothing is said."""
    per_hour: int


class AnswerRequest(Value):
    """One question, with everything that decides how it is answered. None leaves the operator's choice in force."""

    text: str
    audience: Audience
    conversation: ConversationId | None = None
    """Conversation whose turns are recalled; None: nothing is recalled and nothing is kept."""
    save_turn: bool = True
    """False where the caller saves the turn, with the answer."""
    turns: tuple[Turn, ...] = ()
    """Earlier turns, where there is no `conversation` to recall them from."""
    around: ThreadContext = ThreadContext()
    thread: ParsedDocument | None = None
    """A thread to sum up, in place of the documents."""
    author: str = ""
    style: AnswerStyle | None = None
    format: AnswerFormat | None = None
    citation_style: CitationStyle | None = None
    language: str = ""
    """Language of the answer, where one was chosen."""
    locale: str = ""
    """Language that the asker chose on the platform, where it is known: `de`, `es-419`."""
    wants_all: bool = False
    """All entries of a list, table, script or procedure, however many."""
    ask: str | None = None
    """Name of the people who can be asked where nothing answers; empty where they have no name, None where there is
    nobody."""
    extract: bool = False
    """No model is asked, whatever is set."""
    is_unprompted: bool = False
    """True where nobody asks the bot now: the outcome is a worthwhile answer, or SILENT."""
    known_chunk_ids: frozenset[str] | None = None
    """For a subscription: the chunks of the earlier answer, which are not enough to notify; else None."""
    auto: AutoAnswerPolicy | None = None
    """Policy for a message that begins a conversation in a place with automatic answers; None: the bot answers
    unprompted only where it takes part already."""
    force_extract: bool = False
    """Give the best extract even where it does not answer (`citewell eval qa --answer-always`)."""


class AnswerOptions(Value):
    """The operator's choices for every answer."""

    style: AnswerStyle = AnswerStyle.CONCISE
    citation_style: CitationStyle = CitationStyle.NUMBERED
    max_length: int = 1000
    history_turns: int = 6
    require_grounding: bool = True
    limits: AnswerLimits = AnswerLimits()
