"""The selection of passages for a prompt: the best that fit, and no text of a document twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from pipeline.values import BlockKind, RetrievedChunk, Unit, Value, replace
from pipeline.words.text import estimate_tokens

_MAX_REPEATABLE = 25
"""Units shorter than this many characters may appear again: `None.` can mean two things in two places."""
_MIN_TOKENS = 30
"""Minimum number of tokens of a cut passage that is worth its header."""


class PackedPassage(Value):
    """One numbered passage of a prompt."""

    number: int
    passage: RetrievedChunk
    text: str
    tokens: int = 0
    """Tokens of the passage as it is shown."""


def pack_passages(
    passages: Sequence[RetrievedChunk], budget: int, render: Callable[[PackedPassage], str], *, first: int = 1
) -> tuple[PackedPassage, ...]:
    """Return the passages that fit into `budget` tokens as they are shown, numbered from `first`.

    The queries take turns, so that no side of a comparison is crowded out; none takes more than half of the budget
    while others wait. The last one is cut at the end of a unit, around its best one."""
    packed: list[PackedPassage] = []
    packed_keys: set[tuple[str, str]] = set()
    per_document = Counter(passage.document.id for passage in passages)
    remaining = budget
    for position, passage in enumerate(_take_turns(passages)):
        empty = PackedPassage(number=first + len(packed), passage=passage, text="")
        header = estimate_tokens(render(empty))
        allowed = remaining if position or len(passages) == 1 else min(remaining, max(remaining // 2, _MIN_TOKENS))
        new_indexes = (
            _new_units(passage, packed_keys) if per_document[passage.document.id] > 1 else range(len(_units(passage)))
        )
        units = _fit_units(passage, new_indexes, allowed - header)
        if not units:
            continue
        text = _join_units(passage.chunk.text, units)
        cost = header + estimate_tokens(text)
        if cost <= remaining:
            remaining -= cost
            if per_document[passage.document.id] > 1:
                packed_keys.update(_unit_key(passage, unit) for unit in units)
            packed.append(replace(empty, text=text, tokens=cost))
    return tuple(packed)


def _take_turns(passages: Sequence[RetrievedChunk]) -> list[RetrievedChunk]:
    rank: dict[int, int] = {}
    places: list[tuple[int, int]] = []
    for position, passage in enumerate(passages):
        rank[passage.query_index] = rank.get(passage.query_index, 0) + 1
        places.append((rank[passage.query_index], position))
    return [passages[position] for _, position in sorted(places)]


def _new_units(passage: RetrievedChunk, packed_keys: set[tuple[str, str]]) -> list[int]:
    """Return the indexes of the units whose text is not in the prompt yet; a table's header row may repeat."""
    return [
        index
        for index, unit in enumerate(_units(passage))
        if unit.kind is BlockKind.HEADER
        or unit.end - unit.start < _MAX_REPEATABLE
        or _unit_key(passage, unit) not in packed_keys
    ]


def _fit_units(passage: RetrievedChunk, indexes: Sequence[int], budget: int) -> list[Unit]:
    """Return the units at `places` if they fit, else a run of them around the best-scored one."""
    units = _units(passage)
    costs = {index: _cost(passage.chunk.unit_text(units[index])) + 1 for index in indexes}
    if sum(costs.values()) <= budget:
        return [units[index] for index in indexes]
    if budget < _MIN_TOKENS:
        return []
    scores = passage.unit_scores if len(passage.unit_scores) == len(units) else (0.0,) * len(units)
    best = max(range(len(indexes)), key=lambda n: scores[indexes[n]])
    first = last = best
    remaining = budget - costs[indexes[best]]
    while remaining >= 0:
        after = costs[indexes[last + 1]] if last + 1 < len(indexes) else budget + 1
        before = costs[indexes[first - 1]] if first else budget + 1
        if min(after, before) > remaining:
            return [units[index] for index in indexes[first : last + 1]]
        if after <= remaining:
            last, remaining = last + 1, remaining - after
        else:
            first, remaining = first - 1, remaining - before
    return []


def best_unit_text(passage: RetrievedChunk) -> str:
    """Return the text of the unit that fits the question best; the first where there are no scores."""
    units = _units(passage)
    scores = passage.unit_scores if len(passage.unit_scores) == len(units) else (0.0,) * len(units)
    return passage.chunk.unit_text(units[max(range(len(units)), key=scores.__getitem__)]).strip()


_cost = lru_cache(maxsize=4096)(estimate_tokens)
"""Cached token estimate: many prompts have the same units."""


def _join_units(text: str, units: Sequence[Unit]) -> str:
    """Return the text of `units`, unchanged where they follow each other, with ` … ` at a gap."""
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


def _unit_key(passage: RetrievedChunk, unit: Unit) -> tuple[str, str]:
    return passage.document.id, " ".join(passage.chunk.unit_text(unit).split())
