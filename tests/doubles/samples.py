"""Small real values for tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from pipeline.ports import Vectors
from pipeline.read.asked import read
from pipeline.read.evidence import Evidence, gather
from pipeline.values import (
    Answer,
    BlockKind,
    Brief,
    Chunk,
    Confidence,
    ConversationId,
    Document,
    IncomingMessage,
    Level,
    Manner,
    Outcome,
    RetrievedChunk,
    Unit,
)
from pipeline.write.extract import Extract, extract

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
    manner: Manner = Manner.MENTION,
    sent_at: datetime | None = None,
) -> IncomingMessage:
    return IncomingMessage(
        key=f"slack:{space}:{channel}:{number}",
        conversation=ConversationId(platform="slack", space=space, channel=channel, thread=thread or number),
        author=f"slack:{space}:{author}",
        text=text,
        sent_at=sent_at or datetime.now(UTC),
        manner=manner,
    )


def answer(name: str = "a1", body: str = "25 days. [1]") -> Answer:
    return Answer(
        id=name,
        question="How many vacation days?",
        outcome=Outcome.ANSWERED,
        body=body,
        confidence=Confidence(level=Level.HIGH, score=0.9),
    )


def evidence(brief: Brief, passages: Sequence[RetrievedChunk]) -> Evidence:
    """`passages` read for a brief, as the walk reads them."""
    return gather(read(brief.question, brief.topic), passages)


def extracted(brief: Brief, passages: Sequence[RetrievedChunk]) -> Extract:
    return extract(brief, evidence(brief, passages))
