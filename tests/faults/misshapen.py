"""What a platform sends, with something in it that is not as it should be."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

MISSING = object()
ODD: tuple[Any, ...] = (
    *(MISSING, None, True, 0, -1, 1.5, 1e308, 10**50, [], [[]], [None], {}, {"id": None}, {"a": {"b": [1]}}),
    *("", "x", "\x00", "\ud83d", "9" * 400, "a" * 20_000, "1.0", "nan", "-inf", "1e400", "a:b:c:d", "../..", "%00"),
)
"""What stands in the place of something else."""


def misshapen(body: Any, dice: random.Random) -> Any:
    """`body` with one to three odd things in it, anywhere."""
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        body = _with(body, dice.choice(list(_ways(body))), dice.choice(ODD))
    return None if body is MISSING else body


def _ways(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Of each thing in `value`, the steps that lead there."""
    yield way
    for step, inner in _steps(value):
        yield from _ways(inner, (*way, step))


def _with(value: Any, way: Sequence[Any], odd: Any) -> Any:
    if not way:
        return odd
    changed = {step: _with(inner, way[1:], odd) if step == way[0] else inner for step, inner in _steps(value)}
    kept = {step: inner for step, inner in changed.items() if inner is not MISSING}
    return kept if isinstance(value, dict) else list(kept.values())


def _steps(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []
