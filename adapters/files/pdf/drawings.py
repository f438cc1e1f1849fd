"""Drawings on a PDF page beside its letters: rules, pictures, bullets, and values filled into forms."""

from __future__ import annotations

import ctypes
from bisect import bisect
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from adapters.files.pdf.page_elements import FORM_ORDER, PdfSpan, PdfStyle, RulingLine

_MAX_PATHS = 6_000
"""Paths and segments of a page that are examined: maps and plots have more."""
_THIN = 2.6
_STACK = 4
"""Filled boxes one below the other that are cells. Fewer may be every other row, below a header."""
_HIDDEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
_TYPED = PdfStyle(0, False, False, False, False, 0)


class PageDrawings(NamedTuple):
    horizontal: list[RulingLine]
    vertical: list[RulingLine]
    bullet_dots: list[tuple[float, float]]
    """Middles of small round shapes: bullets of lists that are no letters."""
    box_edges: list[RulingLine]
    """Left and right edges of filled boxes."""
    has_pictures: bool


def extract_drawings(page: Any) -> PageDrawings:
    drawings = PageDrawings([], [], [], [], False)
    pictures, room = False, _MAX_PATHS
    for index in range(min(pdfium.FPDFPage_CountObjects(page), 200_000)):
        part = pdfium.FPDFPage_GetObject(page, index)
        kind = pdfium.FPDFPageObj_GetType(part)
        if kind in {pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_FORM}:
            pictures = True
        elif kind == pdfium.FPDF_PAGEOBJ_PATH and room > 0:
            room -= 1 + _add_path(part, drawings)
    if room <= 0:
        return PageDrawings([], [], [], [], has_pictures=True)
    if len(drawings.vertical) < 2:
        drawings.vertical.extend(_stacked_edges(drawings.box_edges))
    return drawings._replace(has_pictures=pictures)


def _stacked_edges(sides: list[RulingLine]) -> Iterator[RulingLine]:
    """Yield the edges of boxes that are filled one below the other without a gap, as cells of a table are."""
    stack_start, count = 0.0, 0
    for side, after in pairwise([*sorted(set(sides)), RulingLine(0, 0, 0)]):
        stack_start, count = (stack_start, count + 1) if count else (side.start, 1)
        if side.position != after.position or abs(after.start - side.end) > 1.5:
            if count >= _STACK:
                yield RulingLine(side.position, stack_start, side.end)
            count = 0


def _add_path(part: Any, drawings: PageDrawings) -> int:
    """Add the straight sides of a visible path. Return the number of its segments."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(part, fill, stroke)
    if not (fill.value or stroke.value):
        return 0
    x0, y0, x1, y1 = (ctypes.c_float() for _ in range(4))
    pdfium.FPDFPageObj_GetBounds(part, x0, y0, x1, y1)
    left, low, right, high = x0.value, y0.value, x1.value, y1.value
    if not stroke.value and _is_white(part):
        return 0
    if high - low <= _THIN:
        if right - left > _THIN:
            drawings.horizontal.append(RulingLine((low + high) / 2, left, right))
        return 0
    if right - left <= _THIN:
        drawings.vertical.append(RulingLine((left + right) / 2, low, high))
        return 0
    count = int(pdfium.FPDFPath_CountSegments(part))
    if right - left < 8 and 0.8 < (right - left) / (high - low) < 1.25:
        drawings.bullet_dots.append(((left + right) / 2, (low + high) / 2))
        return count
    if not stroke.value:
        drawings.horizontal.extend((RulingLine(low, left, right), RulingLine(high, left, right)))
        drawings.box_edges.extend((RulingLine(round(left), low, high), RulingLine(round(right), low, high)))
        return count
    for a, b, c, d in _path_segments(part, min(count, _MAX_PATHS)):
        if abs(b - d) < 0.7 and abs(a - c) > _THIN:
            drawings.horizontal.append(RulingLine((b + d) / 2, min(a, c), max(a, c)))
        elif abs(a - c) < 0.7 and abs(b - d) > _THIN:
            drawings.vertical.append(RulingLine((a + c) / 2, min(b, d), max(b, d)))
    return count


def _path_segments(part: Any, count: int) -> Iterator[tuple[float, float, float, float]]:
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(part, matrix)
    x, y = ctypes.c_float(), ctypes.c_float()
    path_start = current = (0.0, 0.0)
    for index in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(part, index)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            path_start = point
        elif kind == pdfium.FPDF_SEGMENT_LINETO:
            yield (*current, *point)
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield (*point, *path_start)
        current = point


def _is_white(part: Any) -> bool:
    colour = [ctypes.c_uint() for _ in range(4)]
    pdfium.FPDFPageObj_GetFillColor(part, *colour)
    return all(channel.value >= 252 for channel in colour[:3]) or colour[3].value == 0


def form_field_spans(page: Any, forms: Any, size: float) -> Iterator[PdfSpan]:
    """Yield the values of form fields, and the texts typed onto the page, at their places."""
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page), 5_000)):
        note = pdfium.FPDFPage_GetAnnot(page, index)
        try:
            text = "" if pdfium.FPDFAnnot_GetFlags(note) & _HIDDEN else _annotation_value(note, forms)
            box = pdfium.FS_RECTF()
            pdfium.FPDFAnnot_GetRect(note, box)
            low, high = min(box.bottom, box.top), max(box.bottom, box.top)
            lines = text.splitlines()
            base = (low + high) / 2 - 0.3 * size if len(lines) == 1 else high - size
            for number, line in enumerate(lines):
                style = _TYPED._replace(size=size)
                y = base - 1.2 * size * number
                yield PdfSpan(line, min(box.left, box.right), max(box.left, box.right), y, style, FORM_ORDER + index)
        finally:
            pdfium.FPDFPage_CloseAnnot(note)


def strikeout_rules(page: Any) -> Iterator[RulingLine]:
    """Yield the lines through text that a reviewer struck."""
    corners = pdfium.FS_QUADPOINTSF()
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page), _MAX_PATHS)):
        note = pdfium.FPDFPage_GetAnnot(page, index)
        if pdfium.FPDFAnnot_GetSubtype(note) == pdfium.FPDF_ANNOT_STRIKEOUT:
            for count in range(min(pdfium.FPDFAnnot_CountAttachmentPoints(note), 100)):
                pdfium.FPDFAnnot_GetAttachmentPoints(note, count, corners)
                xs = corners.x1, corners.x2, corners.x3, corners.x4
                ys = corners.y1, corners.y2, corners.y3, corners.y4
                yield RulingLine(min(ys) + 0.42 * (max(ys) - min(ys)), min(xs), max(xs))
        pdfium.FPDFPage_CloseAnnot(note)


def _annotation_value(note: Any, forms: Any) -> str:
    kind = pdfium.FPDFAnnot_GetSubtype(note)
    if kind == pdfium.FPDF_ANNOT_FREETEXT:
        return _read_string(pdfium.FPDFAnnot_GetStringValue, note, b"Contents")
    if kind != pdfium.FPDF_ANNOT_WIDGET or not forms:
        return ""
    field = pdfium.FPDFAnnot_GetFormFieldType(forms, note)
    if field == pdfium.FPDF_FORMFIELD_CHECKBOX:
        return "yes" if pdfium.FPDFAnnot_IsChecked(forms, note) else "no"
    if field == pdfium.FPDF_FORMFIELD_RADIOBUTTON:
        return "(x)" if pdfium.FPDFAnnot_IsChecked(forms, note) else ""
    if field in {pdfium.FPDF_FORMFIELD_TEXTFIELD, pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX}:
        return _read_string(pdfium.FPDFAnnot_GetFormFieldValue, forms, note)
    return ""


def _read_string(function: Any, *arguments: Any) -> str:
    size = min(function(*arguments, None, 0), 1_000_000)
    buffer = ctypes.create_string_buffer(size + 2)
    function(*arguments, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return " \n".join(buffer.raw[:size].decode("utf-16-le", "replace").rstrip("\0").splitlines())


def blank_struck_spans(pieces: list[PdfSpan], rules: list[RulingLine]) -> list[PdfSpan]:
    """Remove the letters that a line runs through, but keep their place."""
    if not rules or len(rules) > 400:
        return pieces
    lines = sorted(rules)
    heights = [rule.position for rule in lines]

    def is_struck(piece: PdfSpan) -> bool:
        size = piece.style.size
        near = lines[bisect(heights, piece.y + 0.16 * size) : bisect(heights, piece.y + 0.42 * size)]
        return any(rule.start < piece.x0 + 0.2 * size and rule.end > piece.x1 - 0.2 * size for rule in near)

    return [
        piece._replace(text="") if not piece.style.quarter_turns and is_struck(piece) else piece for piece in pieces
    ]
