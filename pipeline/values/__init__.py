"""The values that travel through Citewell: frozen, complete, and free of behaviour.

"Passage" always means retrieved text. Scores lie between 0 and 1 unless a field says otherwise.
"""

from __future__ import annotations

from pipeline.values.answers import (
    Answer,
    Citation,
    CitedSentence,
    Comparison,
    Confidence,
    Event,
    Factor,
    Level,
    Outcome,
    Progress,
    Stage,
    Written,
)
from pipeline.values.base import Value
from pipeline.values.documents import Block, BlockKind, Chunk, Document, Hit, Parsed, RetrievedChunk, Unit
from pipeline.values.people import (
    AS_SET,
    Attachment,
    Audience,
    CitationStyle,
    Conversation,
    ConversationId,
    IncomingMessage,
    Manner,
    Preferences,
    Readers,
    Style,
    Turn,
)
from pipeline.values.planning import Clarify, Correction, Decline, Format, Intent, Plan, Reply, Retrieval, Search
from pipeline.values.request import Limits, Options, Request
from pipeline.values.work import Rating, Reason, Vote, Work
from pipeline.values.writing import Brief, Claim, Extent, Finished, Judgement, Sentence, Support, Usage

__all__ = [
    "AS_SET",
    "Answer",
    "Attachment",
    "Audience",
    "Block",
    "BlockKind",
    "Brief",
    "Chunk",
    "Citation",
    "CitationStyle",
    "CitedSentence",
    "Claim",
    "Clarify",
    "Comparison",
    "Confidence",
    "Conversation",
    "ConversationId",
    "Correction",
    "Decline",
    "Document",
    "Event",
    "Extent",
    "Factor",
    "Finished",
    "Format",
    "Hit",
    "IncomingMessage",
    "Intent",
    "Judgement",
    "Level",
    "Limits",
    "Manner",
    "Options",
    "Outcome",
    "Parsed",
    "Plan",
    "Preferences",
    "Progress",
    "Rating",
    "Readers",
    "Reason",
    "Reply",
    "Request",
    "Retrieval",
    "RetrievedChunk",
    "Search",
    "Sentence",
    "Stage",
    "Style",
    "Support",
    "Turn",
    "Unit",
    "Usage",
    "Value",
    "Vote",
    "Work",
    "Written",
]
