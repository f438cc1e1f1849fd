"""Small real values for tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from pipeline.evidence.gather import Evidence, gather_evidence
from pipeline.evidence.question_analysis import analyze_question
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from pipeline.ports import Vectors
from pipeline.values import (
    Answer,
    AnswerOutcome,
    Block,
    BlockKind,
    ChannelMessage,
    Chunk,
    Confidence,
    ConfidenceLevel,
    ConversationId,
    Document,
    IncomingMessage,
    MessageTrigger,
    ParsedDocument,
    PlaceId,
    RetrievedChunk,
    Unit,
    WritingBrief,
)
from pipeline.words.text import sentence_spans
from pipeline.write.extractive import ExtractiveDraft, write_extract

DIMENSIONS = 16


def document(name: str, *, collection: str = "default", source: str = "folder", version: str = "1") -> Document:
    return Document(
        id=name, collection=collection, filename=f"{name}.md", title=f"About {name}", source=source, version=version
    )


def chunks(name: str, texts: Sequence[str]) -> list[Chunk]:
    """One chunk a text, with one unit each."""
    return [
        Chunk(
            id=f"{name}#{position}",
            document_id=name,
            text=text,
            units=(Unit(start=0, end=len(text), kind=BlockKind.PROSE),),
            position=position,
        )
        for position, text in enumerate(texts)
    ]


def said(text: str, *, name: str = "Ana", at: datetime, url: str = "") -> ChannelMessage:
    """What somebody said in a thread."""
    place = PlaceId(platform="slack", space="T1", channel="C1")
    return ChannelMessage(
        channel=place, thread="1", message=url, author="slack:T1:U1", name=name, at=at, text=text, url=url
    )


def prose(name: str, text: str, cosine: float | None = 0.9, *, flagged: bool = False) -> RetrievedChunk:
    """A passage whose sentences all have the same cosine with the question; None is without vectors."""
    units = tuple(Unit(start=start, end=end, kind=BlockKind.PROSE) for start, end in sentence_spans(text))
    return RetrievedChunk(
        chunk=Chunk(id=name, document_id=name, text=text, units=units),
        document=Document(id=name, filename=f"{name}.md", title=name, flagged=flagged),
        score=0.7,
        unit_scores=() if cosine is None else (cosine,) * len(units),
    )


def indexed(
    document: Document, *blocks: str | Block | tuple[BlockKind, str], tokens: int = 500, query: int = 0
) -> list[RetrievedChunk]:
    """The passages of a document, cut as they are when it is indexed. No vectors: words alone must do."""
    parsed = ParsedDocument(document=document, blocks=tuple(map(_block, blocks)))
    found = TokenSplitter(WordTokenizer(), tokens=tokens).split(parsed)
    return [RetrievedChunk(chunk=chunk, document=document, score=0.8, query_index=query) for chunk in found]


def _block(given: str | Block | tuple[BlockKind, str]) -> Block:
    if isinstance(given, Block):
        return given
    kind, text = (BlockKind.PROSE, given) if isinstance(given, str) else given
    return Block(kind=kind, text=text)


def rows(count: int, seed: int = 0, dimensions: int = DIMENSIONS) -> Vectors:
    """Unit vectors that are always the same for a seed."""
    drawn = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    unit: Vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return unit


def matrices(count: int, seed: int = 0) -> list[Vectors]:
    """One matrix of one unit vector for each of `count` chunks."""
    return [row[None, :] for row in rows(count, seed)]


def message(
    number: str = "1.0",
    *,
    channel: str = "C1",
    space: str = "T1",
    author: str = "U1",
    thread: str | None = None,
    text: str = "How many vacation days?",
    manner: MessageTrigger = MessageTrigger.MENTION,
    sent_at: datetime | None = None,
) -> IncomingMessage:
    return IncomingMessage(
        place=f"slack:{space}:{channel}:{number}",
        conversation=ConversationId(platform="slack", space=space, channel=channel, thread=thread or number),
        asker=f"slack:{space}:{author}",
        text=text,
        sent_at=sent_at or datetime.now(UTC),
        manner=manner,
    )


def answer(name: str = "a1", body: str = "25 days. [1]") -> Answer:
    return Answer(
        id=name,
        question="How many vacation days?",
        outcome=AnswerOutcome.ANSWERED,
        body=body,
        confidence=Confidence(level=ConfidenceLevel.HIGH, score=0.9),
    )


def evidence(brief: WritingBrief, passages: Sequence[RetrievedChunk]) -> Evidence:
    """`passages` read for a brief, as the walk reads them."""
    return gather_evidence(analyze_question(brief.question, brief.topic), passages)


def extracted(brief: WritingBrief, passages: Sequence[RetrievedChunk]) -> ExtractiveDraft:
    return write_extract(brief, evidence(brief, passages))
