"""Lines of a page in reading order: beside each other in columns, or across all of them."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence

from adapters.files.pdf.lines import is_right_to_left
from adapters.files.pdf.page_elements import FORM_ORDER, PdfLine

_MIN_LINES = 2
"""Lines that a column has at least."""
_MIN_GAP = 5
"""Points between two columns."""
_HANGS = 6
"""Points by which a quotation mark or the like may stand out to the left of its column."""


def split_columns(lines: Sequence[PdfLine], depth: int = 3) -> Iterator[list[PdfLine]]:
    """Yield the lines that stand below each other, column after column."""
    split = _find_bands(lines) if depth and len(lines) >= 2 * _MIN_LINES else None
    if split is None:
        yield list(lines)
        return
    across: list[PdfLine] = []
    for band, parted in split:
        if not parted:
            across.extend(band)
            continue
        if across:
            yield from split_columns(across, depth - 1)
            across = []
        left, right = parted
        yield from split_columns(left, depth - 1)
        yield from split_columns(right, depth - 1)
    if across:
        yield from split_columns(across, depth - 1)


_Bands = list[tuple[list[PdfLine], tuple[list[PdfLine], list[PdfLine]] | None]]


def _find_bands(lines: Sequence[PdfLine]) -> _Bands | None:
    """Split lines into bands from top to bottom, divided where two columns stand beside each other."""
    lines = sorted(lines, key=lambda line: -line.y)
    starts = Counter(round(line.x0 / 2) for line in lines)
    best: tuple[int, _Bands] | None = None
    ends = sorted(line.x1 for line in lines)
    for start, _ in starts.most_common(14):
        divider = start * 2 - 2.0
        if bisect(ends, divider) < _MIN_LINES:
            continue
        bands = list(_split_bands(lines, divider))
        parted = sum(len(band) for band, sides in bands if sides)
        if parted and (best is None or parted > best[0]):
            best = parted, bands
    return best and best[1]


def _split_bands(
    lines: Sequence[PdfLine], divider: float
) -> Iterator[tuple[list[PdfLine], tuple[list[PdfLine], list[PdfLine]] | None]]:
    band: list[PdfLine] = []
    for line in lines:
        if line.x0 < divider - _HANGS and line.x1 > divider:
            yield from _cut_band(band, divider)
            band = []
            yield [line], None
        else:
            band.append(line)
    yield from _cut_band(band, divider)


def _cut_band(
    band: list[PdfLine], divider: float
) -> Iterator[tuple[list[PdfLine], tuple[list[PdfLine], list[PdfLine]] | None]]:
    """Cut a band where its right column ends, if the file continues there with the lines below both."""
    right = [line for line in band if line.x1 > divider]
    low, last = min((line.y for line in right), default=0), max((line.order for line in right), default=0)
    upper: list[PdfLine] = []
    tail: list[PdfLine] = []
    for line in band:
        below = bool(right) and line.y < low - line.style.size and line.order > last
        (tail if below else upper).append(line)
    if upper:
        yield upper, _band_columns(upper, divider)
    if tail:
        yield tail, None


def _band_columns(band: list[PdfLine], divider: float) -> tuple[list[PdfLine], list[PdfLine]] | None:
    """Return the two columns of a band. They are drawn one after the other, or have long lines; otherwise the lines are
    those of a table."""
    left = [line for line in band if line.x1 <= divider]
    right = [line for line in band if line.x1 > divider]
    if len(left) < _MIN_LINES or len(right) < _MIN_LINES:
        return None
    if min(line.x0 for line in right) - max(line.x1 for line in left) < _MIN_GAP:
        return None
    if min(line.y for line in left) > max(line.y for line in right):
        return None
    words = all(2 * sum(len(line.text) > 4 for line in side) > len(side) for side in (left, right))
    written = not any(line.style.is_ocr for line in band)  # else the file's order says nothing
    drawn = written and (_is_drawn_before(left, right) or (words and _is_drawn_before(right, left)))
    if drawn or (_is_prose(left) and _is_prose(right)):
        return (right, left) if is_right_to_left("".join(line.text for line in right)) else (left, right)
    return None


def _is_drawn_before(first: Sequence[PdfLine], then: Sequence[PdfLine]) -> bool:
    """Return whether the file holds all of one column, but for a few lines, before the other."""
    orders, others = sorted(line.order for line in first), sorted(line.order for line in then)
    return (
        orders[len(orders) * 9 // 10 - 1] < others[len(others) // 10]
        and others[-1] < FORM_ORDER
        and (len(orders) + len(others) > 20 or orders[-1] < others[0])
    )


def _is_prose(side: Sequence[PdfLine]) -> bool:
    """Return whether most lines are prose that fills its column."""
    width = max(line.x1 for line in side) - min(line.x0 for line in side)
    full = sum(line.x1 - line.x0 > 0.7 * width and len(line.text) > 25 for line in side)
    return 2 * full > len(side) and len(side) > 6
