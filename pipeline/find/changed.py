"""The documents of a day or later, newest first."""

from __future__ import annotations

from pipeline.find.near_copies import further
from pipeline.ports import Passages, Retriever
from pipeline.values import Audience, Changes, RetrievedChunk, Search

SHOWN = 10
"""Documents that are named, unless all are asked for."""
MOST = 100
NEAR = 0.75
"""The score from which what was read besides the best few is about a topic: for ten questions over a handbook of
246 pages 22 of the 24 that are listed are, and with these 32 of 36."""


async def changed(search: Search, audience: Audience, library: Passages, retriever: Retriever) -> Changes | None:
    """What is new since `search.since`, each document by one passage: the best of those that are about `search.about`,
    or its first. None where a topic is asked for of which no dated document says anything: then the question is one as
    any other. Raises Unavailable."""
    most = MOST if search.everything else SHOWN
    if search.about:
        about = Search(question=search.about, context=search.context)
        found = await retriever.retrieve(about, audience)
        best: dict[str, RetrievedChunk] = {}
        for passage in (*found.passages, *(one for one in further(found) if one.score >= NEAR)):
            if passage.document.dated:
                best.setdefault(passage.document.id, passage)
        new = [one for one in best.values() if one.document.dated >= search.since]
        new.sort(key=lambda one: one.document.dated, reverse=True)
        return Changes(passages=tuple(new[:most]), total=len(new), dated=True) if best else None
    rows, total = await library.dated(search.since, audience, most)
    first = (RetrievedChunk(chunk=chunk, document=document, score=1.0) for chunk, document in rows)
    dated = total or (await library.dated("0", audience, 0))[1]
    return Changes(passages=tuple(first), total=total, dated=bool(dated))
