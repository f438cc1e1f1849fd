"""One question, and everything that decides how it is answered."""

from __future__ import annotations

from pipeline.values.answers import ConfidenceLevel
from pipeline.values.base import Value
from pipeline.values.documents import ParsedDocument
from pipeline.values.ids import ConversationId, PlaceId
from pipeline.values.people import AnswerStyle, Audience, CitationStyle, ThreadContext, Turn
from pipeline.values.planning import AnswerFormat


class AnswerLimits(Value):
    """When to stop waiting for a model, and what an answer needs to be shown."""

    first_sentence_seconds: float = 10.0
    total_seconds: float = 30.0
    abstain: bool = True
    minimum_sources: int = 1
    minimum_citations: int = 1


class AutoAnswerPolicy(Value):
    """What nobody asked is answered here."""

    place: PlaceId
    """The channel or forum that it is counted for."""
    minimum_level: ConfidenceLevel
    """The confidence below which nothing is said."""
    per_hour: int


class AnswerRequest(Value):
    """One question, with everything that decides how it is answered. None leaves the operator's choice in force."""

    text: str
    audience: Audience
    conversation: ConversationId | None = None
    """None: nothing is recalled and nothing is kept."""
    save_turn: bool = True
    """False: the turn is kept by whoever asks, with the answer."""
    turns: tuple[Turn, ...] = ()
    """What was said before, where there is no `conversation` to recall it from."""
    around: ThreadContext = ThreadContext()
    thread: ParsedDocument | None = None
    """What is to be summed up, in the place of the documents."""
    author: str = ""
    style: AnswerStyle | None = None
    format: AnswerFormat | None = None
    citation_style: CitationStyle | None = None
    language: str = ""
    """That of the answer, where one was chosen."""
    locale: str = ""
    """The language that the asker chose on the platform, where it tells: `de`, `es-419`."""
    wants_all: bool = False
    """All entries of a list, table, script or procedure, however many."""
    ask: str | None = None
    """Who can be asked where nothing answers; empty where they have no name, None where there is nobody."""
    extract: bool = False
    """No model is asked, whatever is set."""
    is_unprompted: bool = False
    """Nobody asks the bot now: the outcome is an answer that is worth it, or SILENT."""
    known_chunk_ids: frozenset[str] | None = None
    """Somebody wants to be told once it can be answered, by more than these passages; None: nobody does."""
    auto: AutoAnswerPolicy | None = None
    """It begins a conversation in a place where that is wanted; None: only where the bot takes part already."""
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
