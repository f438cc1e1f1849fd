"""One question, and everything that decides how it is answered."""

from __future__ import annotations

from pipeline.values.answers import Level
from pipeline.values.base import Value
from pipeline.values.documents import Parsed
from pipeline.values.ids import ConversationId, PlaceId
from pipeline.values.people import Around, Audience, CitationStyle, Style, Turn
from pipeline.values.planning import Format


class Limits(Value):
    """When to stop waiting for a model, and what an answer needs to be shown."""

    first_sentence_seconds: float = 10.0
    total_seconds: float = 30.0
    abstain: bool = True
    minimum_sources: int = 1
    minimum_citations: int = 1


class Auto(Value):
    """What nobody asked is answered here."""

    place: PlaceId
    """The channel or forum that it is counted for."""
    least: Level
    """The confidence below which nothing is said."""
    per_hour: int


class Request(Value):
    """One question, with everything that decides how it is answered. None leaves the operator's choice in force."""

    text: str
    audience: Audience
    conversation: ConversationId | None = None
    """None: nothing is recalled and nothing is kept."""
    records: bool = True
    """False: the turn is kept by whoever asks, with the answer."""
    turns: tuple[Turn, ...] = ()
    """What was said before, where there is no `conversation` to recall it from."""
    around: Around = Around()
    thread: Parsed | None = None
    """What is to be summed up, in the place of the documents."""
    author: str = ""
    style: Style | None = None
    format: Format | None = None
    citation_style: CitationStyle | None = None
    language: str = ""
    """That of the answer, where one was chosen."""
    locale: str = ""
    """The language that the asker chose on the platform, where it tells: `de`, `es-419`."""
    everything: bool = False
    """All entries of a list, table, script or procedure, however many."""
    ask: str | None = None
    """Who can be asked where nothing answers; empty where they have no name, None where there is nobody."""
    extract: bool = False
    """No model is asked, whatever is set."""
    unasked: bool = False
    """Nobody asks the bot now: the outcome is an answer that is worth it, or SILENT."""
    awaited: frozenset[str] | None = None
    """Somebody wants to be told once it can be answered, by more than these passages; None: nobody does."""
    auto: Auto | None = None
    """It begins a conversation in a place where that is wanted; None: only where the bot takes part already."""
    always: bool = False
    """Give the best extract even where it does not answer (`citewell eval qa --answer-always`)."""


class Options(Value):
    """The operator's choices for every answer."""

    style: Style = Style.CONCISE
    citation_style: CitationStyle = CitationStyle.NUMBERED
    max_length: int = 1000
    history_turns: int = 6
    require_grounding: bool = True
    limits: Limits = Limits()
