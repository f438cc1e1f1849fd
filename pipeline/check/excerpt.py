"""What a judge gets to read: the units of the named passages that have most of the claim's words."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.check.sources import ordered
from pipeline.read import layout
from pipeline.text import terms
from pipeline.tokens import estimate, shorten
from pipeline.values import BlockKind, RetrievedChunk

FEW = 3
_TITLE_TOKENS = 20


def excerpts(claim: str, passages: Sequence[RetrievedChunk], tokens: int) -> list[tuple[str, str]]:
    """Title and text of each passage, cut to about `tokens` together; what it orders an assistant to do is left out.

    The unit with most of the claim's words comes first, with the one before it; then the next while there is room,
    and while it has at least a third as many."""
    wanted = set(terms(claim))
    texts = {
        (passage.chunk.id, place): _text(passage, place)
        for passage in passages
        for place in range(len(passage.chunk.units))
    }
    named = {passage.chunk.id: passage for passage in passages}
    left = tokens - sum(estimate(_title(passage)) for passage in passages)
    kept: set[tuple[str, int]] = set()
    shared = {key: len(wanted & set(terms(text))) for key, text in texts.items()}
    most = max(shared.values(), default=0)
    for chunk_id, place in sorted(texts, key=lambda key: -shared[key]):
        if kept and shared[chunk_id, place] * FEW < most:
            break
        for key in ((chunk_id, place), (chunk_id, place - 1)):
            if key not in texts or key in kept or ordered(named[chunk_id], key[1]):
                continue
            cost = estimate(texts[key])
            if cost <= left or not kept:
                texts[key] = shorten(texts[key], max(left, 1)) if cost > left else texts[key]
                kept.add(key)
                left -= cost
    return [(_title(passage), _joined(passage, texts, kept)) for passage in passages if _has(passage, kept)]


def _has(passage: RetrievedChunk, kept: set[tuple[str, int]]) -> bool:
    return any(chunk_id == passage.chunk.id for chunk_id, _ in kept)


def _joined(passage: RetrievedChunk, texts: dict[tuple[str, int], str], kept: set[tuple[str, int]]) -> str:
    places = sorted(place for chunk_id, place in kept if chunk_id == passage.chunk.id)
    parts = [
        ("" if not number else "\n" if place == places[number - 1] + 1 else " … ") + texts[passage.chunk.id, place]
        for number, place in enumerate(places)
    ]
    return "".join(parts)


def _text(passage: RetrievedChunk, place: int) -> str:
    row = passage.chunk.units[place].kind is BlockKind.ROW
    return layout.spelled_out(passage.chunk, place) if row else layout.text_of(passage.chunk, place)


def _title(passage: RetrievedChunk) -> str:
    return shorten(" > ".join((passage.document.title, *passage.chunk.heading)), _TITLE_TOKENS)
