"""Where rows of a page that may be a table begin and end."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.files.pdf.lines import led
from adapters.files.pdf.parts import Line, Rule


def in_paragraph(rows: list[list[Line]], at: int, end: int) -> bool:
    """Whether a line above or below them reaches from the same left to the same right edge: they are justified."""
    left, right = rows[at][0].x0, max(line.x1 for row in rows[at:end] for line in row)
    around = [(rows[at - 1], rows[at])] if at else []
    around += [(rows[end - 1], rows[end])] if end < len(rows) else []
    return any(
        len(row) == 1
        and abs(row[0].x0 - left) < 3
        and abs(row[0].x1 - right) < 3
        and a[0].y - b[0].y < 1.8 * row[0].style.size
        for a, b in around
        for row in (a, b)
    )


def run_of(rows: list[list[Line]], at: int, rules: Sequence[Rule]) -> int:
    """Where rows of several texts, with what hangs in between, end."""
    if not _several(rows[at]):
        spans = at + 1 < len(rows) and _several(rows[at + 1]) and rows[at][0].x0 > rows[at + 1][0].x1
        if not spans or rows[at][0].y - rows[at + 1][0].y > 2 * rows[at][0].style.size:
            return at
    end = last = at + 1
    starts = [line.x0 for line in rows[at]]
    while end < len(rows):
        above, row = rows[end - 1], rows[end]
        size = max(line.style.size for line in row)
        apart = above[0].y - row[0].y
        between_rules = any(row[0].y < rule.at < above[0].y for rule in rules)
        if apart > 3.4 * size and not between_rules:
            break
        if row[0].style.size > 1.25 * max(line.style.size for line in above):
            break
        if _several(row) and apart > 1.4 * size and not _aligns(row, rows[at:end]):
            break
        if _several(row):
            last = end + 1
            starts.extend(line.x0 for line in row)
        elif not _hangs(row[0], above, rows[end + 1] if end + 1 < len(rows) else None, starts, apart, size):
            break
        else:
            within = row[0].x0 > min(starts) + size or above[0].text.endswith("-")
            last = end + 1 if apart < 1.5 * size and within else last
        end += 1
    return last


def _aligns(row: list[Line], above: list[list[Line]]) -> bool:
    """Whether at least half of its texts begin, end or are centred where one above does."""
    places = [place for one in above for line in one for place in (line.x0, line.x1, (line.x0 + line.x1) / 2)]
    near = [
        any(abs(place - mine) < 4 for place in places for mine in (line.x0, line.x1, (line.x0 + line.x1) / 2))
        for line in row
    ]
    return 2 * sum(near) >= len(row)


def _hangs(
    line: Line, above: list[Line], below: list[Line] | None, starts: list[float], apart: float, size: float
) -> bool:
    """Whether a lone text is the rest of a cell, or one cell of a row."""
    later = [start for start in starts if start > line.x0 + size]
    if later and line.x1 > min(later) + size:
        return False
    near = min(abs(line.x0 - start) for start in starts) < 2 or any(
        one.x0 - 2 <= line.x0 and line.x1 <= one.x1 + 2 for one in above
    )
    return near and (apart < 1.6 * size or (below is not None and _several(below) and apart < 3.4 * size))


def _several(row: list[Line]) -> bool:
    if len(row) < 2 or all(line.style.mono for line in row):
        return False
    return not any(led(line.text) for line in row)
