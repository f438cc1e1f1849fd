"""What a judge gets to read: the units of the named passages that have most of the claim's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from pipeline.check.sources import ordered
from pipeline.read import layout
from pipeline.text import terms
from pipeline.tokens import estimate, shorten
from pipeline.values import BlockKind, RetrievedChunk

FEW = 3
FENCE = 24
"""Tokens around each source of a prompt, at most."""
_TITLE_TOKENS = 20


def excerpts(claim: str, passages: Sequence[RetrievedChunk], tokens: int) -> list[tuple[str, str]]:
    """Title and text of the passages that have most of the claim's words, cut to `tokens` together, titles and fences
    included; what a passage orders an assistant to do is left out.

    The unit with most of the words comes first, with the one before it; then the next, while there is room and while
    it has at least a third as many."""
    wanted = set(terms(claim))
    named = {passage.chunk.id: passage for passage in passages}
    texts = {(name, place): _text(one, place) for name, one in named.items() for place in range(len(one.chunk.units))}
    shared = {key: len(wanted & set(terms(text))) for key, text in texts.items()}
    kept: dict[tuple[str, int], str] = {}
    left = tokens
    for name, best in sorted(texts, key=lambda key: -shared[key]):
        if kept and shared[name, best] * FEW < max(shared.values()):
            break
        for place in (best, best - 1):
            text = texts.get((name, place), "")
            if not text or (name, place) in kept or ordered(named[name], place):
                continue
            cost = 0 if any(name == one for one, _ in kept) else estimate(_title(named[name])) + FENCE
            text = text if kept else shorten(text, left - cost)
            cost += estimate(text) + 1
            if cost <= left:
                kept[name, place] = text
                left -= cost
    return [(_title(one), _joined(name, kept)) for name, one in named.items() if any(name == key for key, _ in kept)]


def _joined(name: str, kept: Mapping[tuple[str, int], str]) -> str:
    places = sorted(place for key, place in kept if key == name)
    gaps = ["", *("\n" if after == place + 1 else " … " for place, after in pairwise(places))]
    return "".join(gap + kept[name, place] for gap, place in zip(gaps, places, strict=True))


def _text(passage: RetrievedChunk, place: int) -> str:
    row = passage.chunk.units[place].kind is BlockKind.ROW
    return layout.spelled_out(passage.chunk, place) if row else layout.text_of(passage.chunk, place)


def _title(passage: RetrievedChunk) -> str:
    return shorten(" > ".join((passage.document.title, *passage.chunk.heading)), _TITLE_TOKENS)
