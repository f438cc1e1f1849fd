"""What could be written, so that a gap closes: what comes closest, and a draft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.documents.scales import Scales
from pipeline.compose.compose import CAPTIONS
from pipeline.drafting.proposal import Drafter
from pipeline.errors import Unavailable
from pipeline.find.scale import Scale
from pipeline.ports import Embedder, Vectors
from pipeline.values import Audience, Hit, RetrievedChunk, replace
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
        known, hits = await self._by_meaning(question)
        hits = hits or (await self.storage.index.lexical(query_terms(question), self.audience, READ)).hits
        found, vectors = await self.storage.library.read([hit.chunk_id for hit in hits])
        passages = [RetrievedChunk(chunk=chunk, document=document, score=0.0) for chunk, document in found]
        closest = None
        if passages:
            rows = vectors.rows.get(passages[0].chunk.id)
            own = vectors.matrix[rows] if rows is not None else None
            fits = known[1].compared(known[0], own).tolist() if known and own is not None else ()
            closest = _closest(passages[0], fits)
        drafted = await self.drafter.draft(question, passages) if by_model and self.drafter and passages else Proposal()
        return replace(drafted, closest=closest)

    async def _by_meaning(self, question: str) -> tuple[tuple[Vectors, Scale] | None, list[Hit]]:
        """Its vector and how it is compared, with what is nearest; nothing where that is not to be had."""
        if self.embedder is None:
            return None, []
        try:
            scale = await self.scales.now()
            vector = await self.embedder.embed_question(question)
            return (vector, scale), await self.storage.index.nearest(scale.question(vector), self.audience, READ)
        except Unavailable:
            return None, []


def _closest(passage: RetrievedChunk, fits: Sequence[float]) -> Closest:
    """The unit that fits best and is no caption, or the first words."""
    chunk, document = passage.chunk, passage.document
    says = [place for place, unit in enumerate(chunk.units) if unit.kind not in CAPTIONS]
    known = says and len(fits) == len(chunk.units)
    text = chunk.text_of(max(says, key=fits.__getitem__)) if known else chunk.text
    paper = Paper(id=document.id, title=document.title, collection=document.collection)
    return Closest(paper=paper, quote=" ".join(text.split())[:LONG])
