"""Text that does not belong to its page: running heads and feet, and tables of contents."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median

from adapters.files.pdf.lines import DOT_LEADERS, group_rows, has_dot_leaders, join_row
from adapters.files.pdf.page_elements import PdfLine, PdfPage, PdfTable

# --- Heads and feet -------------------------------------------------------------------------------

_EDGE = 3
"""Lines at the top and at the bottom of a page that may be a running head or foot."""
_SEPARATE_MARK = "\1"
_NUMBER = re.compile(r"\d{1,4}")
_NUMBERED = re.compile(r"(?:\d{1,4}|[ivxlc]{1,7})\.?\s+(\D+ \D+)|(.+ .*?)\s+(?:\d{1,4}|[ivxlc]{1,7})")
"""Words with a number before or behind them, in small letters. Where pages were taken out, it is not the number of
their page."""
_ROMAN = re.compile(r"[ivxlc]{1,7}")
_PAGE_WORD = re.compile(
    r"\b(?:page|seite|p|pg|s|página|pagina|pág|blatt|sheet|sida|side|strona|стр|stranica|sayfa)\b\.?|[|/–—·-]|\bof\b|\bvon\b|\bsur\b|\bde\b",
    re.IGNORECASE,
)
"""Words and signs beside a page number."""

_THIS_PAGE = re.compile(
    r"\b(page|seite|pag\.?|página|blatt|sheet)\s+(\d{1,4})\b|(?:^|\s)(\d{1,4})/(\d{1,4})$", re.IGNORECASE
)
"""Number of a page behind its word, or before the number of all pages."""
_PRINTED = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}, \d{1,2}:\d\d\b")


def drop_running_heads(pages: Sequence[PdfPage], body: float) -> None:
    """Remove text that stands at the same height of most pages, alike or but for the page's number."""
    edges = [list(_edge_rows(page)) for page in pages]
    filled = sum(1 for edge in edges if edge)
    positions: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for page, edge in zip(pages, edges, strict=True):
        for row, is_separate in edge:
            for key in _row_keys(row, page.number, is_separate=is_separate, body=body):
                positions[key].append((page.number, row[0].y))
    running = {
        key
        for key, places in positions.items()
        if _is_running(places, filled, is_separate=key.startswith(_SEPARATE_MARK))
    }
    for page, edge in zip(pages, edges, strict=True):
        removed = {
            id(line)
            for row, is_separate in edge
            if _is_page_number(row, page, body)
            or (is_separate and _has_page_number(row, page.number, len(pages)))
            or any(
                key in running
                for key in _row_keys(row, page.number, is_separate=is_separate, body=body)
                if join_row(row).style.size < (1.12 if "\0" in key else 1.4) * body
            )
            for line in row
        }
        page.lines[:] = [line for line in page.lines if id(line) not in removed]


def _edge_rows(page: PdfPage) -> Iterator[tuple[list[PdfLine], bool]]:
    """Yield the rows at the top and at the bottom, and whether each is the outermost and stands apart from the text."""
    rows = group_rows(page.lines)
    last = len(rows) - 1
    heights = [row[0].y for row in rows]
    for index, row in enumerate(rows):
        near = [
            other
            for other in rows[max(index - 1, 0) : index + 2]
            if abs(other[0].y - row[0].y) < 1.6 * row[0].style.size
        ]
        in_table = len(near) > 1 and any(len(other) > 2 for other in near)
        if not in_table and (index < _EDGE or index > last - _EDGE):
            step = 1 if index == 0 else -1 if index == last else 0
            gap = abs(heights[index + step] - heights[index]) if step and last else 0
            yield row, gap > 2.5 * row[0].style.size


def _row_keys(row: list[PdfLine], number: int, *, is_separate: bool, body: float) -> Iterator[str]:
    """Yield the row itself, and the row with each number as its distance from the page's number."""
    text = join_row(row).text if len(row) > 1 else row[0].text
    yield text
    if is_separate:
        yield _SEPARATE_MARK + text
        numbered = _NUMBERED.fullmatch(text)
        if numbered and join_row(row).style.size < 0.95 * body:
            yield f"{_SEPARATE_MARK}\0{numbered.group(1) or numbered.group(2)}"
    matches = list(_NUMBER.finditer(text))
    for match in matches if len(matches) < 9 else ():
        if is_separate or _PAGE_WORD.search(text[: match.start()] + text[match.end() :]):
            yield f"{text[: match.start()]}\0{int(match.group()) - number}\0{text[match.end() :]}"


def _is_running(places: list[tuple[int, float]], filled: int, *, is_separate: bool) -> bool:
    """Return whether a row stands on most pages. A row that stands apart may run through a chapter."""
    on = len({number for number, _ in places})
    if on < 2 or on < (max(3, 0.02 * filled) if is_separate and filled >= 6 else 0.5 * filled):
        return False
    usual = median(y for _, y in places)
    return sum(abs(y - usual) < 3 for _, y in places) >= 0.7 * len(places)


def _has_page_number(row: list[PdfLine], number: int, count: int) -> bool:
    """Return whether a row gives the number of this page, as `Page 1 of 2` or `1/2`, or the time when a browser printed
    it."""
    text = join_row(row).text
    match = _THIS_PAGE.search(text)
    if match and int(match.group(2) or match.group(3)) == number:
        return match.group(3) is None or int(match.group(4)) == count
    return bool(_PRINTED.match(text))


def _is_page_number(row: list[PdfLine], page: PdfPage, body: float) -> bool:
    """Return whether a row is a page number alone, apart from the text."""
    text = original = join_row(row).text if len(row) > 1 else row[0].text
    if len(text) > 25 or (original.isdigit() and row[0].style.size > 1.12 * body):
        return False
    text = _PAGE_WORD.sub("", text).strip()
    alone = bool(re.fullmatch(r"\d{1,4}(?:\s+\d{1,4})?", text) or _ROMAN.fullmatch(text)) or not text
    others = [line.y for line in page.lines if line not in row]
    distance = 1.5 * row[0].style.size
    return alone and (not others or row[0].y < min(others) - distance or row[0].y > max(others) + distance)


# --- Tables of contents, which are left out -------------------------------------------------------

_CONTENTS = re.compile(
    r"(?:table of )?contents|inhalt(?:sverzeichnis)?|sommaire|table des matières|índice|indice|contenido|sumário",
    re.IGNORECASE,
)
_ENDS_IN_NUMBER = re.compile(r"(?:\d{1,4}|[ivxlc]{1,6})")


def drop_contents_table(parts: Sequence[PdfLine | PdfTable], pages: int) -> Iterator[PdfLine | PdfTable]:
    """Yield the parts without the entries of a table of contents: lines with leaders to a page number, and below its
    heading all that end in one."""
    entries: list[PdfLine | PdfTable] = []
    under_heading = False
    for part in parts:
        leads = isinstance(part, PdfLine) and has_dot_leaders(part.text)
        if leads or (under_heading and all(map(_ENDS_IN_NUMBER.fullmatch, _last_words(part)))):
            entries.append(part)
            continue
        yield from _keep_unless_contents(entries, pages, under_heading=under_heading)
        if entries or isinstance(part, PdfTable) or not under_heading or len(part.text.split()) > 8:
            under_heading = isinstance(part, PdfLine) and bool(_CONTENTS.fullmatch(part.text.strip()))
        entries = []
        yield part
    yield from _keep_unless_contents(entries, pages, under_heading=under_heading)


def _last_words(part: PdfLine | PdfTable) -> list[str]:
    texts = [part.text] if isinstance(part, PdfLine) else [" ".join(row[-1]) for row in part.rows]
    return [(DOT_LEADERS.split(text)[-1].split() or [""])[-1] for text in texts]


def _keep_unless_contents(
    entries: Sequence[PdfLine | PdfTable], pages: int, *, under_heading: bool
) -> Sequence[PdfLine | PdfTable]:
    ends = [end for part in entries for end in _last_words(part)]
    numbered = all(_ENDS_IN_NUMBER.fullmatch(end) for end in ends)
    figures = [int(end) for end in ends if end.isdecimal()]
    rises = figures == sorted(figures) and (not figures or figures[-1] <= pages + 20)
    within = len(ends) > 1 and pages > 1 and (not figures or figures[-1] <= pages)
    alone = (
        isinstance(entries[0], PdfLine) and DOT_LEADERS.split(entries[0].text)[-1].strip() == ends[0]
        if entries
        else False
    )
    return () if entries and numbered and rises and (under_heading or (within and alone)) else entries
