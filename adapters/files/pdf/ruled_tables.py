"""Tables with ruling lines, which enclose the cells."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence

from adapters.files.pdf.lines import build_lines, group_rows
from adapters.files.pdf.page_elements import PdfLine, PdfSpan, RulingLine

_TOUCH_DISTANCE = 3.0
"""Points within which lines touch."""
_MAX_RULES = 400
"""Ruling lines of one direction on a page."""


class RuledGrid:
    """Columns from left to right, rows from top to bottom, and the sides of its cells that are drawn."""

    def __init__(self, horizontal: Sequence[RulingLine], vertical: Sequence[RulingLine]) -> None:
        self._horizontal, self._vertical = horizontal, vertical
        ends = [place for rule in horizontal for place in (rule.start, rule.end)]
        tips = [place for rule in vertical for place in (rule.start, rule.end)]
        self.xs = _distinct_places([*(rule.position for rule in vertical), min(ends), max(ends)])
        self.ys = _distinct_places([*(rule.position for rule in horizontal), min(tips), max(tips)])
        self.width, self.height = len(self.xs) - 1, len(self.ys) - 1

    def locate(self, piece: PdfSpan) -> tuple[int, int] | None:
        """Return row and column of a piece inside, or None."""
        column = bisect(self.xs, (piece.x0 + min(piece.x1, piece.x0 + 400)) / 2) - 1
        row = self.height - bisect(self.ys, piece.y + 0.3 * piece.style.size)
        return (row, column) if 0 <= column < self.width and 0 <= row < self.height else None

    def is_closed_right(self, row: int, column: int) -> bool:
        height = (self.ys[self.height - row] + self.ys[self.height - row - 1]) / 2
        at = self.xs[column + 1]
        return any(
            abs(rule.position - at) < _TOUCH_DISTANCE and rule.start <= height <= rule.end for rule in self._vertical
        )

    def is_closed_below(self, row: int, column: int) -> bool:
        middle = (self.xs[column] + self.xs[column + 1]) / 2
        at = self.ys[self.height - row - 1]
        return any(
            abs(rule.position - at) < _TOUCH_DISTANCE and rule.start <= middle <= rule.end for rule in self._horizontal
        )


def find_grids(horizontal: Sequence[RulingLine], vertical: Sequence[RulingLine]) -> Iterator[RuledGrid]:
    """Yield the grids of ruling lines that touch, with at least two columns."""
    across, down = merge_rules(horizontal), merge_rules(vertical)
    if len(across) > _MAX_RULES or len(down) > _MAX_RULES:
        return
    for flat, steep in _group_touching(across, down):
        if flat and steep:
            grid = RuledGrid(flat, steep)
            if grid.width > 1 and grid.height > 0 and grid.width * grid.height <= 20_000:
                yield grid


def merge_rules(rules: Sequence[RulingLine]) -> list[RulingLine]:
    """Merge rules that continue where another ends, or lie upon it."""
    merged: list[RulingLine] = []
    level: list[RulingLine] = []
    for rule in [*sorted(rules), RulingLine(1e9, 0, 0)]:
        if level and rule.position - level[-1].position > 1.5:
            at = level[0].position
            start, end = None, 0.0
            for segment in sorted(level, key=lambda segment: segment.start):
                if start is None:
                    start, end = segment.start, segment.end
                elif segment.start <= end + _TOUCH_DISTANCE:
                    end = max(end, segment.end)
                else:
                    merged.append(RulingLine(at, start, end))
                    start, end = segment.start, segment.end
            merged.append(RulingLine(at, start or 0.0, end))
            level = []
        level.append(rule)
    return merged


def _group_touching(
    across: list[RulingLine], down: list[RulingLine]
) -> list[tuple[list[RulingLine], list[RulingLine]]]:
    groups: list[tuple[list[RulingLine], list[RulingLine]]] = []
    for rule in across:
        touched = [other for other in down if _do_cross(rule, other)]
        group_of_rule = ([rule], touched)
        separate = []
        for group in groups:
            if any(other in group[1] for other in touched):
                group_of_rule[0].extend(group[0])
                group_of_rule[1].extend(other for other in group[1] if other not in group_of_rule[1])
            else:
                separate.append(group)
        groups = [*separate, group_of_rule]
    return groups


def _do_cross(flat: RulingLine, steep: RulingLine) -> bool:
    return (
        flat.start - _TOUCH_DISTANCE <= steep.position <= flat.end + _TOUCH_DISTANCE
        and steep.start - _TOUCH_DISTANCE <= flat.position <= steep.end + _TOUCH_DISTANCE
    )


def _distinct_places(places: list[float]) -> list[float]:
    distinct: list[float] = []
    for place in sorted(places):
        if not distinct or place - distinct[-1] > _TOUCH_DISTANCE:
            distinct.append(place)
    return distinct


def grid_cells(grid: RuledGrid, pieces: Sequence[PdfSpan]) -> list[list[list[PdfLine]]] | None:
    """Return the lines in each cell. Those of a merged cell stand in each cell that it spans. None if it is no
    table."""
    by_place: dict[tuple[int, int], list[PdfSpan]] = {}
    for piece in pieces:
        if (place := grid.locate(piece)) is not None:
            by_place.setdefault(place, []).append(piece)
    group = _first_merged_cells(grid, by_place)
    merged: dict[tuple[int, int], list[PdfSpan]] = {}
    for place, inside in by_place.items():
        merged.setdefault(group[place], []).extend(inside)
    if len(merged) < 2 or (len(merged) < 0.25 * len(set(group.values()))):
        return None
    texts = {
        place: [line for row in group_rows(build_lines(sorted(inside, key=lambda p: p.order))) for line in row]
        for place, inside in merged.items()
    }
    return [[texts.get(group[row, column], []) for column in range(grid.width)] for row in range(grid.height)]


def _first_merged_cells(
    grid: RuledGrid, by_place: dict[tuple[int, int], list[PdfSpan]]
) -> dict[tuple[int, int], tuple[int, int]]:
    """Return, for each cell, the first cell that it is merged with: cells without a line between them."""
    first = {(row, column): (row, column) for row in range(grid.height) for column in range(grid.width)}
    for row in range(grid.height):
        for column in range(1, grid.width):
            open_left = not grid.is_closed_right(row, column - 1)
            if open_left and not _have_separate_texts(grid, by_place, row, column):
                first[row, column] = first[row, column - 1]
    for row in range(1, grid.height):
        for column in range(grid.width):
            above = first[row - 1, column]
            if not grid.is_closed_below(row - 1, column) and first[row, column][1] == above[1]:
                own_first = first[row, column]
                for place in [(row, other) for other in range(grid.width) if first[row, other] == own_first]:
                    first[place] = above
    return first


def _have_separate_texts(
    grid: RuledGrid, by_place: dict[tuple[int, int], list[PdfSpan]], row: int, column: int
) -> bool:
    """Return whether a cell and the one left of it hold texts that stand apart."""
    left, own = by_place.get((row, column - 1)), by_place.get((row, column))
    if not left or not own:
        return False
    nearest = max((piece.x1 for piece in left), default=0)
    begins = min(piece.x0 for piece in own)
    return begins - nearest > own[0].style.size and begins >= grid.xs[column]
