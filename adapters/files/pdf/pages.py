"""A page of a PDF: its lines and its tables with ruling lines, and then all of it in the order in which it is read."""

from __future__ import annotations

import itertools
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from typing import Any

from adapters.files.outline import Outline
from adapters.files.pdf.cells import Cells, rowed, table_of
from adapters.files.pdf.chars import Letters, turned
from adapters.files.pdf.drawn import drawn, filled_in, struck_by_notes, without_struck
from adapters.files.pdf.grids import Grid, cells_of, grids, merged
from adapters.files.pdf.lines import attached, lines, rows, together
from adapters.files.pdf.parts import Line, Page, Piece, Rule, Table
from adapters.files.pdf.tables import placed

# --- Tables whose cells ruling lines enclose ------------------------------------------------------


def ruled(grid: Grid, pieces: Sequence[Piece], page: int) -> Table | None:
    cells = cells_of(grid, pieces)
    if cells is None or (len(cells) == 1 and len(cells[0]) < 3):
        return None
    split: list[Cells] = []
    for row in cells:
        split.extend(_split(row) if len(cells) <= 3 else [row])
    return table_of(split, page, grid.xs[0], grid.ys[-1], list(itertools.pairwise(grid.xs)))


def _split(cells: Cells) -> list[Cells]:
    """What stands between two ruling lines as rows, where its lines were drawn one after another."""
    levels: list[tuple[float, Cells]] = []
    for line, column in sorted(((line, c) for c, cell in enumerate(cells) for line in cell), key=lambda one: -one[0].y):
        if not levels or levels[-1][0] - line.y > 0.35 * line.style.size:
            levels.append((line.y, [[] for _ in cells]))
        levels[-1][1][column].append(line)
    rows = [row for _, row in levels]
    first = next((n for n, cell in enumerate(cells) if cell), 0)
    if not all(row[first] for row in rows):
        return [cells]
    return [[[]] * first + row for row in rowed([row[first:] for row in rows], ())]


# --- Pages ----------------------------------------------------------------------------------------

_FAR = 100_000.0
"""Points; no page is that large."""


def page_of(
    page: Any, number: int, fonts: Any, forms: Any, outline: Outline, sizes: Counter[float], *, by_word: bool
) -> Page:
    letters = Letters(page.raw, fonts, by_word=by_word)
    try:
        pieces = list(letters.pieces())
    finally:
        letters.close()
    seen = drawn(page.raw)
    for piece in pieces:
        sizes[piece.style.size] += len(piece.text)
    typed = list(filled_in(page.raw, forms, max(sizes, key=sizes.__getitem__, default=10.0)))
    if letters.unreadable > 3:
        outline.unread(f"page {number}: {letters.unreadable} letters of a font that does not say what they are")
    box = page.get_bbox()
    pieces = [piece for piece in (*pieces, *typed) if _is_seen(piece, box)]
    if not pieces:
        return Page(number, [], [], [], seen.pictures)
    pieces = without_struck(pieces, [*seen.horizontal, *struck_by_notes(page.raw)])
    laid_out = _laid_out(pieces, seen.horizontal, seen.vertical, seen.dots, number)
    laid_out.pictures = seen.pictures
    return laid_out


def _is_seen(piece: Piece, box: tuple[float, float, float, float]) -> bool:
    """Whether it stands on the page, not beside it."""
    if piece.style.turn:
        return max(abs(piece.x0), abs(piece.y)) < _FAR
    left, low, right, high = box
    return left - 9 < piece.x1 < _FAR and -_FAR < piece.x0 < right + 9 and low - 9 < piece.y < high + 9


def _laid_out(
    pieces: list[Piece], flat: list[Rule], steep: list[Rule], dots: Sequence[tuple[float, float]], number: int
) -> Page:
    turn = Counter(piece.style.turn for piece in pieces).most_common(1)[0][0]
    upright = [piece for piece in pieces if piece.style.turn == turn]
    turned_lines = lines(piece._replace(reach=0.6) for piece in pieces if piece.style.turn not in {turn, 4})
    aside = [Piece(line.text, line.x0, line.x1, line.y, line.style, line.order) for line in turned_lines]
    if turn in {1, 2, 3}:
        flat, steep = _turned(flat, steep, turn)
    upright.extend(_bullets(upright, dots))
    tables = []
    for grid in grids(flat, steep):
        inside = [piece for piece in [*upright, *map(_stood_up, aside)] if grid.cell(piece)]
        if inside and (table := ruled(grid, inside, number)):
            tables.append(table)
            gone = {piece.order for piece in inside}
            upright = [piece for piece in upright if piece.order not in gone]
            aside = [piece for piece in aside if piece.order not in gone]
    found = lines(attached(upright))
    for count, p in enumerate(aside):  # at the end, in letters too small for a heading
        found.append(Line(p.text, p.x0, p.x1, -1e6 - 100 * count, p.style._replace(size=1.0), p.order))
    for line in found:
        line.page = number
    return Page(number, found, tables, merged(flat))


def _stood_up(piece: Piece) -> Piece:
    """A text that is written upwards or downwards in a cell, as if it stood upright there."""
    x, y = (-piece.y, piece.x0) if piece.style.turn == 1 else (piece.y, -piece.x1)
    return piece._replace(x0=x - 1, x1=x + 1, y=y) if piece.style.turn in {1, 3} else piece._replace(y=-1e9)


def _turned(flat: list[Rule], steep: list[Rule], turn: int) -> tuple[list[Rule], list[Rule]]:
    ends = [((r.start, r.at), (r.end, r.at)) for r in flat] + [((r.at, r.start), (r.at, r.end)) for r in steep]
    moved = [(turned(*a, turn), turned(*b, turn)) for a, b in ends]
    across = [Rule(a[1], min(a[0], b[0]), max(a[0], b[0])) for a, b in moved if abs(a[1] - b[1]) < 1]
    down = [Rule(a[0], min(a[1], b[1]), max(a[1], b[1])) for a, b in moved if abs(a[1] - b[1]) >= 1]
    return across, down


def _bullets(pieces: Sequence[Piece], dots: Sequence[tuple[float, float]]) -> list[Piece]:
    """Bullets that are drawn, not written: left of a line's first letters."""
    found = []
    for x, y in dots[:500]:
        near = [
            p
            for p in pieces
            if 0 < p.x0 - x < 2.5 * p.style.size and abs(y - p.y - 0.3 * p.style.size) < 0.4 * p.style.size
        ]
        if near and not any(p.x1 > x - 20 and p.x0 < x and abs(p.y - near[0].y) < 2 for p in pieces):
            first = min(near, key=lambda p: p.x0)
            found.append(Piece("•", x - 2, x + 2, first.y, first.style, first.order))
    return found


def in_order(page: Page, found: list[list[Line]]) -> list[Line | Table]:
    """What stands on a page as it is read: column by column, tables where they stand."""
    parts: list[Line | Table] = []
    rest = sorted(page.tables, key=lambda table: -table.y)
    for column in found:
        if not column:
            continue
        right, left = max(line.x1 for line in column), min(line.x0 for line in column)
        for row in placed(rows(column), page.horizontal, page.number):
            height = row.y if isinstance(row, Table) else row[0].y
            while (
                rest
                and rest[0].y > height
                and (len(found) == 1 or (rest[0].x0 < right and rest[0].columns[-1][0] > left))
            ):
                parts.append(rest.pop(0))
            if isinstance(row, Table):
                parts.append(row)
            else:
                line = together(row)
                line.right = right
                before = parts[-1] if parts and isinstance(parts[-1], Line) else None
                line.parted = before is not None and _parted(before, line, page.horizontal)
                parts.append(line)
    parts.extend(rest)
    return parts


def _parted(before: Line, line: Line, rules: list[Rule]) -> bool:
    """Whether a ruling line, and no underline, stands between two lines."""
    high, low = before.y - 0.35 * before.style.size, line.y + 0.75 * line.style.size
    between = rules[bisect(rules, low, key=_height) : bisect(rules, high, key=_height)]
    return any(rule.start < line.x0 + 9 and rule.end > line.x0 + 9 for rule in between)


def _height(rule: Rule) -> float:
    return rule.at
