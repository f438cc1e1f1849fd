"""In which order the shapes of a slide are read: by place, and a column's heading before its body."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from lxml import etree

_LONGEST_TITLE = 80
_TALLER = 1.5
"""So much taller than what stands above it is the body of a column."""
_MOST_LINES = 3
"""Boxes of a card below its first: more in columns are a table."""
_HALF = 0.5
_ALIKE = 0.8
"""Of the widest card at least the width of the others."""
_APART = 2.2
"""So much farther than the boxes of a card stand from each other stand the cards."""


@dataclass(frozen=True)
class Box:
    """A shape and where it stands, in the slide's units from above left."""

    shape: etree._Element
    x: int
    y: int
    width: int
    height: int
    heads: bool = False
    """Whether it is the heading of the column that follows it."""


def titled(boxes: Sequence[Box], lines: Callable[[etree._Element], list[str]]) -> etree._Element | None:
    """Of a slide without a title the shape that stands above all others and says one short line."""
    first = min(boxes, key=lambda box: box.y, default=None)
    others = [box for box in boxes if box is not first]
    if first is None or not first.height or not others or any(box.y < first.y + first.height // 2 for box in others):
        return None
    said = [line for line in lines(first.shape) if line.strip()]
    fits = len(said) == 1 and len(said[0]) <= _LONGEST_TITLE and any(map(str.isalpha, said[0]))
    return first.shape if fits and said[0].strip()[-1] not in ".,;:" else None


def in_order(boxes: Iterable[Box]) -> Iterator[Box]:
    """From above to below and in a row from left to right; where boxes stand below others in columns, one column after
    the other."""
    rows: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: (box.y, box.x)):
        first = rows[-1][0] if rows else None
        if first and box.y <= first.y + min(first.height, box.height) // 2:
            rows[-1].append(box)
        else:
            rows.append([box])
    rows = [sorted(row, key=lambda box: box.x) for row in rows]
    while rows:
        columns = [[box] for box in rows.pop(0)]
        bodies = _below(columns, rows[0]) if rows else []
        headed = len(columns) > 1 and any(bodies) and _are_bodies(columns, bodies)
        taken = 0
        while headed or (bodies and taken < _MOST_LINES and _are_cards(columns, bodies)):
            for column, body in zip(columns, bodies, strict=True):
                column += [body] if body else []
            rows.pop(0)
            taken += 1
            bodies = _below(columns, rows[0]) if rows and not headed else []
            if headed:
                break
        for column in columns:
            heads = headed and len(column) > 1
            yield replace(column[0], heads=heads)
            yield from column[1:]


def _below(columns: list[list[Box]], row: list[Box]) -> list[Box | None]:
    """What of `row` stands below each of the columns; empty where `row` stands otherwise."""
    found: list[Box | None] = [None] * len(columns)
    for box in row:
        above = [place for place, column in enumerate(columns) if _shared(column[0], box) > _HALF]
        if len(above) != 1 or found[above[0]]:
            return []
        found[above[0]] = box
    return found if sum(map(bool, found)) > 1 else []


def _shared(one: Box, other: Box) -> float:
    """How much of the narrower of two stands above the other."""
    both = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    return both / max(min(one.width, other.width), 1)


def _are_bodies(columns: list[list[Box]], bodies: list[Box | None]) -> bool:
    """Whether all are far taller than what stands above them."""
    return all(
        not body or body.height >= _TALLER * column[0].height for column, body in zip(columns, bodies, strict=True)
    )


def _are_cards(columns: list[list[Box]], bodies: list[Box | None]) -> bool:
    """Whether each goes on with the column above it: nearer to that than the columns are to each other."""
    widths = [column[0].width for column in columns]
    if not all(bodies) or min(widths) < _ALIKE * max(widths):
        return False
    ends = [column[-1] for column in columns]
    between = min(right.x - left.x - left.width for left, right in pairwise(column[0] for column in columns))
    down = [body.y - end.y - end.height for end, body in zip(ends, bodies, strict=True) if body]
    before = [below.y - box.y - box.height for column in columns for box, below in pairwise(column)]
    return _APART * max(down) < between and (not before or max(down) <= max(2 * max(before), between // 2))
