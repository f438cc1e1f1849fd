"""Passages to assess."""

from __future__ import annotations

from pipeline.text import sentences
from pipeline.values import BlockKind, Chunk, Document, RetrievedChunk, Unit


def passage(name: str, text: str) -> RetrievedChunk:
    units = tuple(Unit(start=start, end=end, kind=BlockKind.PROSE) for start, end in sentences(text))
    return RetrievedChunk(
        chunk=Chunk(id=name, document_id=name, text=text, units=units),
        document=Document(id=name, filename=f"{name}.md", title=name),
        score=0.7,
        unit_scores=(0.8,) * len(units),
    )
