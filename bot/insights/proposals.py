"""What could be written, so that a gap closes: what comes closest, and a draft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bot.documents.scales import Scales
from pipeline.drafting.proposal import Drafter
from pipeline.errors import Unavailable
from pipeline.find.scale import Scale
from pipeline.ports import Embedder, Vectors
from pipeline.values import Audience, RetrievedChunk
from pipeline.values.insights import Closest, Paper, Proposal
from pipeline.words.text import query_terms
from storage.open import Storage

READ = 3
"""Passages that a draft is made from."""
LONG = 300
"""Characters of what comes closest."""


@dataclass(frozen=True)
class Proposals:
    """Made from what `audience` may see."""

    storage: Storage
    embedder: Embedder | None
    scales: Scales
    audience: Audience
    drafter: Drafter | None = None

    async def of(self, question: str, *, by_model: bool) -> Proposal:
        """For `question`; by a model only where one is set."""
        known = await self._meaning(question)
        hits = await self.storage.index.nearest(known[0], self.audience, READ) if known else []
        hits = hits or (await self.storage.index.lexical(query_terms(question), self.audience, READ)).hits
        found, vectors = await self.storage.library.read([hit.chunk_id for hit in hits])
        passages = [RetrievedChunk(chunk=chunk, document=document, score=0.0) for chunk, document in found]
        closest = None
        if passages:
            rows = vectors.rows.get(passages[0].chunk.id)
            own = vectors.matrix[rows] if rows is not None else None
            closest = _closest(passages[0], _fits(own, *known) if known and own is not None else ())
        drafted = await self.drafter.draft(question, passages) if by_model and self.drafter and passages else Proposal()
        return drafted.model_copy(update={"closest": closest})

    async def _meaning(self, question: str) -> tuple[Vectors, Scale] | None:
        if self.embedder is None:
            return None
        try:
            scale = await self.scales.now()
            return scale.question(await self.embedder.embed_question(question)), scale
        except Unavailable:
            return None


def _fits(units: Vectors, question: Vectors, scale: Scale) -> Sequence[float]:
    found: list[float] = (scale.passages(units) @ question).tolist()
    return found


def _closest(passage: RetrievedChunk, fits: Sequence[float]) -> Closest:
    """The unit that fits best, or the first words."""
    chunk, document = passage.chunk, passage.document
    text = chunk.text_of(int(np.argmax(fits))) if len(fits) == len(chunk.units) else chunk.text
    paper = Paper(id=document.id, title=document.title, collection=document.collection)
    return Closest(paper=paper, quote=" ".join(text.split())[:LONG])
