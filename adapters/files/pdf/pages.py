"""A page of a PDF: first its lines and its tables with ruling lines, then all of it in reading order."""

from __future__ import annotations

import itertools
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from typing import Any

from adapters.files.content import OutlineBuilder
from adapters.files.pdf.characters import PageCharacters, rotate_point
from adapters.files.pdf.drawings import blank_struck_spans, extract_drawings, form_field_spans, strikeout_rules
from adapters.files.pdf.lines import attach_scripts, build_lines, group_rows, join_row
from adapters.files.pdf.page_elements import PdfLine, PdfPage, PdfSpan, PdfTable, RulingLine
from adapters.files.pdf.ruled_tables import RuledGrid, find_grids, grid_cells, merge_rules
from adapters.files.pdf.table_cells import LineCells, build_pdf_table, merge_table_rows
from adapters.files.pdf.unruled_tables import find_tables

# --- Tables whose cells ruling lines enclose ------------------------------------------------------


def ruled_table(grid: RuledGrid, pieces: Sequence[PdfSpan], page: int) -> PdfTable | None:
    cells = grid_cells(grid, pieces)
    if cells is None or (len(cells) == 1 and len(cells[0]) < 3):
        return None
    split: list[LineCells] = []
    for row in cells:
        split.extend(_split_rows(row) if len(cells) <= 3 else [row])
    return build_pdf_table(split, page, grid.xs[0], grid.ys[-1], list(itertools.pairwise(grid.xs)))


def _split_rows(cells: LineCells) -> list[LineCells]:
    """Split the cells between two ruling lines into rows, where their lines were drawn one after another."""
    levels: list[tuple[float, LineCells]] = []
    for line, column in sorted(
        ((line, c) for c, cell in enumerate(cells) for line in cell), key=lambda pair: -pair[0].y
    ):
        if not levels or levels[-1][0] - line.y > 0.35 * line.style.size:
            levels.append((line.y, [[] for _ in cells]))
        levels[-1][1][column].append(line)
    rows = [row for _, row in levels]
    first = next((n for n, cell in enumerate(cells) if cell), 0)
    if not all(row[first] for row in rows):
        return [cells]
    return [[[]] * first + row for row in merge_table_rows([row[first:] for row in rows], ())]


# --- Pages ----------------------------------------------------------------------------------------

_MAX_COORDINATE = 100_000.0
"""Points; no page is that large."""


def read_pdf_page(
    page: Any, number: int, fonts: Any, forms: Any, outline: OutlineBuilder, sizes: Counter[float], *, by_word: bool
) -> PdfPage:
    letters = PageCharacters(page.raw, fonts, by_word=by_word)
    try:
        pieces = list(letters.spans())
    finally:
        letters.close()
    drawings = extract_drawings(page.raw)
    for piece in pieces:
        sizes[piece.style.size] += len(piece.text)
    typed = list(form_field_spans(page.raw, forms, max(sizes, key=sizes.__getitem__, default=10.0)))
    if letters.unreadable > 3:
        outline.note_unread(f"page {number}: {letters.unreadable} letters of a font that does not say what they are")
    box = page.get_bbox()
    pieces = [piece for piece in (*pieces, *typed) if _is_seen(piece, box)]
    if not pieces:
        return PdfPage(number, [], [], [], drawings.has_pictures)
    pieces = blank_struck_spans(pieces, [*drawings.horizontal, *strikeout_rules(page.raw)])
    laid_out = _lay_out(pieces, drawings.horizontal, drawings.vertical, drawings.bullet_dots, number)
    laid_out.has_pictures = drawings.has_pictures
    return laid_out


def _is_seen(piece: PdfSpan, box: tuple[float, float, float, float]) -> bool:
    """Return whether a piece stands on the page, not beside it."""
    if piece.style.quarter_turns:
        return max(abs(piece.x0), abs(piece.y)) < _MAX_COORDINATE
    left, low, right, high = box
    return (
        left - 9 < piece.x1 < _MAX_COORDINATE
        and -_MAX_COORDINATE < piece.x0 < right + 9
        and low - 9 < piece.y < high + 9
    )


def _lay_out(
    pieces: list[PdfSpan],
    flat: list[RulingLine],
    steep: list[RulingLine],
    dots: Sequence[tuple[float, float]],
    number: int,
) -> PdfPage:
    turn = Counter(piece.style.quarter_turns for piece in pieces).most_common(1)[0][0]
    upright = [piece for piece in pieces if piece.style.quarter_turns == turn]
    turned_lines = build_lines(
        piece._replace(join_distance=0.6) for piece in pieces if piece.style.quarter_turns not in {turn, 4}
    )
    aside = [PdfSpan(line.text, line.x0, line.x1, line.y, line.style, line.order) for line in turned_lines]
    if turn in {1, 2, 3}:
        flat, steep = _turn_rules(flat, steep, turn)
    upright.extend(_drawn_bullets(upright, dots))
    tables = []
    for grid in find_grids(flat, steep):
        inside = [piece for piece in [*upright, *map(_turn_upright, aside)] if grid.locate(piece)]
        if inside and (table := ruled_table(grid, inside, number)):
            tables.append(table)
            orders = {piece.order for piece in inside}
            upright = [piece for piece in upright if piece.order not in orders]
            aside = [piece for piece in aside if piece.order not in orders]
    lines = build_lines(attach_scripts(upright))
    for count, p in enumerate(aside):  # at the end, in letters too small for a heading
        lines.append(PdfLine(p.text, p.x0, p.x1, -1e6 - 100 * count, p.style._replace(size=1.0), p.order))
    for line in lines:
        line.page = number
    return PdfPage(number, lines, tables, merge_rules(flat))


def _turn_upright(piece: PdfSpan) -> PdfSpan:
    """Turn a text that is written upwards or downwards in a cell upright."""
    x, y = (-piece.y, piece.x0) if piece.style.quarter_turns == 1 else (piece.y, -piece.x1)
    return piece._replace(x0=x - 1, x1=x + 1, y=y) if piece.style.quarter_turns in {1, 3} else piece._replace(y=-1e9)


def _turn_rules(
    flat: list[RulingLine], steep: list[RulingLine], turn: int
) -> tuple[list[RulingLine], list[RulingLine]]:
    ends = [((r.start, r.position), (r.end, r.position)) for r in flat] + [
        ((r.position, r.start), (r.position, r.end)) for r in steep
    ]
    moved = [(rotate_point(*a, turn), rotate_point(*b, turn)) for a, b in ends]
    across = [RulingLine(a[1], min(a[0], b[0]), max(a[0], b[0])) for a, b in moved if abs(a[1] - b[1]) < 1]
    down = [RulingLine(a[0], min(a[1], b[1]), max(a[1], b[1])) for a, b in moved if abs(a[1] - b[1]) >= 1]
    return across, down


def _drawn_bullets(pieces: Sequence[PdfSpan], dots: Sequence[tuple[float, float]]) -> list[PdfSpan]:
    """Return bullets that are drawn, not written, left of a line's first letters."""
    bullets = []
    for x, y in dots[:500]:
        near = [
            p
            for p in pieces
            if 0 < p.x0 - x < 2.5 * p.style.size and abs(y - p.y - 0.3 * p.style.size) < 0.4 * p.style.size
        ]
        if near and not any(p.x1 > x - 20 and p.x0 < x and abs(p.y - near[0].y) < 2 for p in pieces):
            first = min(near, key=lambda p: p.x0)
            bullets.append(PdfSpan("•", x - 2, x + 2, first.y, first.style, first.order))
    return bullets


def page_reading_order(page: PdfPage, columns: list[list[PdfLine]]) -> list[PdfLine | PdfTable]:
    """Return the elements of a page in reading order: column by column, tables at their places."""
    parts: list[PdfLine | PdfTable] = []
    rest = sorted(page.tables, key=lambda table: -table.y)
    for column in columns:
        if not column:
            continue
        right, left = max(line.x1 for line in column), min(line.x0 for line in column)
        for row in find_tables(group_rows(column), page.horizontal, page.number):
            height = row.y if isinstance(row, PdfTable) else row[0].y
            while (
                rest
                and rest[0].y > height
                and (len(columns) == 1 or (rest[0].x0 < right and rest[0].columns[-1][0] > left))
            ):
                parts.append(rest.pop(0))
            if isinstance(row, PdfTable):
                parts.append(row)
            else:
                line = join_row(row)
                line.column_right = right
                before = parts[-1] if parts and isinstance(parts[-1], PdfLine) else None
                line.has_rule_above = before is not None and _is_divided(before, line, page.horizontal)
                parts.append(line)
    parts.extend(rest)
    return parts


def _is_divided(before: PdfLine, line: PdfLine, rules: list[RulingLine]) -> bool:
    """Return whether a ruling line, and no underline, stands between two lines."""
    high, low = before.y - 0.35 * before.style.size, line.y + 0.75 * line.style.size
    between = rules[bisect(rules, low, key=_rule_height) : bisect(rules, high, key=_rule_height)]
    return any(rule.start < line.x0 + 9 and rule.end > line.x0 + 9 for rule in between)


def _rule_height(rule: RulingLine) -> float:
    return rule.position
