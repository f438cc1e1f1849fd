"""The writer that needs no model: it chooses the sentences, items, steps and rows that answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from pipeline.asked import read
from pipeline.evidence import gather
from pipeline.values import BlockKind, Brief, Finished, RetrievedChunk, Sentence, Turn


class ExtractiveWriter:
    """Composes an answer from the passages' own words; nothing is reworded and nothing is cut."""

    async def write(
        self, brief: Brief, passages: Sequence[RetrievedChunk], history: Sequence[Turn]
    ) -> AsyncIterator[Sentence | Finished]:
        """Yield the chosen units in the order they are read, then one Finished. Never raises."""
        for sentence in compose(brief, passages):
            yield sentence
        yield Finished()


def compose(brief: Brief, passages: Sequence[RetrievedChunk]) -> list[Sentence]:
    """The extract for `brief`, of at most `brief.max_length` characters unless one unit alone is longer."""
    candidates = [one for units in gather(read(brief.question), passages) for one in units if one.says]
    if not candidates:
        return []
    first = max(candidates, key=lambda one: one.score)
    rest = [one for one in candidates if one is not first and one.text != first.text]
    chosen = [first, max(rest, key=lambda one: one.score)] if rest else [first]
    chosen.sort(key=lambda one: (one.place, one.index))
    return [
        Sentence(text=one.text, kind=BlockKind.PROSE, chunk_ids=(one.passage.chunk.id,), opens=number == 0)
        for number, one in enumerate(chosen)
    ]
