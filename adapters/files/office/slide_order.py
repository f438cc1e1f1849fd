"""In which order the shapes of a slide are read: by place, and a column's heading before its body."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

_LONGEST_TITLE = 80
_TALLER = 1.5
"""So much taller than what stands above it is the body of a column."""


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
    """From above to below and in a row from left to right; where bodies stand below their headings side by side, one
    column after the other."""
    rows: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: (box.y, box.x)):
        first = rows[-1][0] if rows else None
        if first and box.y <= first.y + min(first.height, box.height) // 2:
            rows[-1].append(box)
        else:
            rows.append([box])
    rows = [sorted(row, key=lambda box: box.x) for row in rows]
    while rows:
        row = rows.pop(0)
        bodies = _bodies(row, rows[0]) if rows else {}
        if not bodies:
            yield from row
            continue
        rows.pop(0)
        for place, box in enumerate(row):
            body = bodies.get(place)
            yield Box(box.shape, box.x, box.y, box.width, box.height, heads=body is not None)
            if body:
                yield body


def _bodies(row: list[Box], below: list[Box]) -> dict[int, Box]:
    """By the place of the heading in `row`, what stands below it; empty where `below` is no row of bodies."""
    found: dict[int, Box] = {}
    for body in below:
        heads = [place for place, head in enumerate(row) if _above(head, body)]
        if len(heads) != 1 or heads[0] in found:
            return {}
        found[heads[0]] = body
    return found if len(found) > 1 else {}


def _above(head: Box, body: Box) -> bool:
    shared = min(head.x + head.width, body.x + body.width) - max(head.x, body.x)
    return shared > min(head.width, body.width) // 2 and body.height >= _TALLER * head.height
