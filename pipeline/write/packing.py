"""Which passages a model gets to read, and how much of each: the best that fit, and no text of a document twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from pipeline.values import BlockKind, RetrievedChunk, Unit, Value, replace
from pipeline.words.text import estimate_tokens

_REPEATABLE = 25
"""Units shorter than this many characters may appear again: `None.` can mean two things in two places."""
_LEAST = 30
"""Tokens below which a cut passage is not worth its header."""


class PackedPassage(Value):
    """One numbered passage of a prompt."""

    number: int
    passage: RetrievedChunk
    text: str
    tokens: int = 0
    """Of the passage as it is shown."""


def pack_passages(
    passages: Sequence[RetrievedChunk], budget: int, show: Callable[[PackedPassage], str], *, first: int = 1
) -> tuple[PackedPassage, ...]:
    """The passages that fit into `budget` tokens as they are shown, numbered from `first`.

    The queries take turns, so that no side of a comparison is crowded out; none takes more than half of the budget
    while others wait. The last one is cut at the end of a unit, around its best one."""
    packed: list[PackedPassage] = []
    seen: set[tuple[str, str]] = set()
    each = Counter(passage.document.id for passage in passages)
    left = budget
    for position, passage in enumerate(_in_turns(passages)):
        empty = PackedPassage(number=first + len(packed), passage=passage, text="")
        header = estimate_tokens(show(empty))
        allowed = left if position or len(passages) == 1 else min(left, max(left // 2, _LEAST))
        fresh = _fresh(passage, seen) if each[passage.document.id] > 1 else range(len(_units(passage)))
        kept = _fitting(passage, fresh, allowed - header)
        if not kept:
            continue
        text = _joined(passage.chunk.text, kept)
        cost = header + estimate_tokens(text)
        if cost <= left:
            left -= cost
            if each[passage.document.id] > 1:
                seen.update(_key(passage, unit) for unit in kept)
            packed.append(replace(empty, text=text, tokens=cost))
    return tuple(packed)


def _in_turns(passages: Sequence[RetrievedChunk]) -> list[RetrievedChunk]:
    rank: dict[int, int] = {}
    places: list[tuple[int, int]] = []
    for position, passage in enumerate(passages):
        rank[passage.query_index] = rank.get(passage.query_index, 0) + 1
        places.append((rank[passage.query_index], position))
    return [passages[position] for _, position in sorted(places)]


def _fresh(passage: RetrievedChunk, seen: set[tuple[str, str]]) -> list[int]:
    """Places of the units whose text is not in the prompt yet; a table's header row may repeat."""
    return [
        place
        for place, unit in enumerate(_units(passage))
        if unit.kind is BlockKind.HEADER or unit.end - unit.start < _REPEATABLE or _key(passage, unit) not in seen
    ]


def _fitting(passage: RetrievedChunk, places: Sequence[int], budget: int) -> list[Unit]:
    """The units at `places` if they fit, else a run of them around the best-scored one."""
    units = _units(passage)
    costs = {place: _cost(passage.chunk.unit_text(units[place])) + 1 for place in places}
    if sum(costs.values()) <= budget:
        return [units[place] for place in places]
    if budget < _LEAST:
        return []
    scores = passage.unit_scores if len(passage.unit_scores) == len(units) else (0.0,) * len(units)
    best = max(range(len(places)), key=lambda n: scores[places[n]])
    first = last = best
    left = budget - costs[places[best]]
    while left >= 0:
        after = costs[places[last + 1]] if last + 1 < len(places) else budget + 1
        before = costs[places[first - 1]] if first else budget + 1
        if min(after, before) > left:
            return [units[place] for place in places[first : last + 1]]
        if after <= left:
            last, left = last + 1, left - after
        else:
            first, left = first - 1, left - before
    return []


_cost = lru_cache(maxsize=4096)(estimate_tokens)
"""Of units, which many prompts have."""


def _joined(text: str, units: Sequence[Unit]) -> str:
    """The text of `units`, as it stands where they follow each other, with ` … ` where something is left out."""
    parts: list[str] = []
    start, end = units[0].start, units[0].end
    for unit in units[1:]:
        if text[end : unit.start].strip():
            parts.append(text[start:end])
            start = unit.start
        end = unit.end
    parts.append(text[start:end])
    return " … ".join(part.strip() for part in parts)


def _units(passage: RetrievedChunk) -> Sequence[Unit]:
    return passage.chunk.units or (Unit(start=0, end=len(passage.chunk.text), kind=BlockKind.PROSE),)


def _key(passage: RetrievedChunk, unit: Unit) -> tuple[str, str]:
    return passage.document.id, " ".join(passage.chunk.unit_text(unit).split())
