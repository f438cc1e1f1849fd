"""PDF -> blocks: letters as they stand on the page, put back into paragraphs, headings, lists and tables."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from adapters.files.outline import Content, Outline, Progress, given_title, unheard
from adapters.files.pdf.chars import Letters, turned
from adapters.files.pdf.columns import columns
from adapters.files.pdf.drawn import drawn, filled_in, struck_by_notes, without_struck
from adapters.files.pdf.fill import Filler, contents_left_out, largest, shape
from adapters.files.pdf.footnotes import notes_of
from adapters.files.pdf.grids import grids, merged
from adapters.files.pdf.lines import attached, lines, rows, together
from adapters.files.pdf.parts import Line, Page, Piece, Rule, Table
from adapters.files.pdf.running import without_running
from adapters.files.pdf.tables import placed, ruled
from adapters.files.pdf.words import Words
from pipeline.errors import Refused

_BY_CELL = re.compile(
    r"reportlab|libreoffice|openoffice|weasyprint|skia|typst|microsoft|cairo|qt |fpdf|word|wkhtml|prince|pdfkit|itext|"
    r"apache fop|quartz|tcpdf|mpdf|dompdf",
    re.IGNORECASE,
)
"""Programs that draw each cell of a table by itself."""
_MOST_PAGES = 20_000
_FAR = 100_000.0
"""Points; no page is that large."""


def read_pdf(content: bytes, on_pages: Progress = unheard) -> Content:
    """Running heads and feet left out, words broken at line ends joined; `on_pages` hears of each page.

    Raises Refused for what is encrypted, damaged or holds pictures only.
    """
    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        if raw.FPDF_GetLastError() == raw.FPDF_ERR_PASSWORD or "password" in str(error).lower():
            raise Refused("the PDF is protected by a password", what_to_do="Remove the password.") from error
        raise Refused("the PDF is damaged", what_to_do="Print it to a new PDF and retry.") from error
    try:
        return _read(document, on_pages)
    finally:
        document.close()


def _read(document: Any, on_pages: Progress) -> Content:
    outline = Outline()
    sizes: Counter[float] = Counter()
    pages = _pages(document, outline, on_pages, sizes)
    body = max(sizes, key=sizes.__getitem__, default=1.0) or 1.0
    without_running(pages, body)
    _without_typewriter([line for page in pages for line in page.lines])
    for page in pages:
        if page.pictures and not page.lines and not page.tables:
            outline.unread(f"page {page.number}: no text, only a picture")
    notes: dict[int, dict[str, str]] = {}
    read: list[Line | Table] = []
    for page in pages:
        try:
            in_columns = list(columns(page.lines))
            notes[page.number] = notes_of(in_columns, body)
            read.extend(_in_order(page, in_columns))
        except (ArithmeticError, LookupError, ValueError):
            outline.unread(f"page {page.number}: its layout is not understood")
    parts = _over_pages(read)
    parts = list(contents_left_out(parts, len(document))) or parts
    found = [part for part in parts if isinstance(part, Line)]
    if not parts:
        if any("damaged" in what for what in outline.content().unread):
            raise Refused("the PDF is damaged", what_to_do="Print it to a new PDF and retry.")
        raise Refused("the PDF holds no text, only pictures", what_to_do="Run text recognition (OCR) on it first.")
    metadata = given_title(document.get_metadata_value("Title"))
    title = metadata if _is_title(metadata) else largest(found, body)
    cells = (text for part in parts if isinstance(part, Table) for row in part.rows for cell in row for text in cell)
    words = Words([*(line.text for line in found), *cells])
    Filler(outline, found, words, _bookmarks(document), title, body).fill(parts, notes)
    return outline.content(title=title)


def _without_typewriter(found: list[Line]) -> None:
    """Where all is written in letters of one width, these are no sign of code."""
    if sum(len(line.text) for line in found if line.style.mono) > 0.85 * sum(len(line.text) for line in found):
        for line in found:
            line.style = line.style._replace(mono=False)


def _pages(document: Any, outline: Outline, on_pages: Progress, sizes: Counter[float]) -> list[Page]:
    """The lines and ruled tables of each page; what cannot be read is named."""
    fonts: dict[int, tuple[str, int]] = {}
    made_by = f"{document.get_metadata_value('Producer')} {document.get_metadata_value('Creator')}"
    by_word = not _BY_CELL.search(made_by) or bool(re.search(r"tex|ghostscript", made_by, re.IGNORECASE))
    forms = _forms(document)
    pages = []
    count = min(len(document), _MOST_PAGES)
    for number in range(1, count + 1):
        try:
            page = document[number - 1]
            pages.append(_page(page, number, fonts, forms, outline, sizes, by_word=by_word))
            page.close()
        except (pdfium.PdfiumError, ArithmeticError, LookupError, ValueError):
            outline.unread(f"page {number}: damaged")
        on_pages(number, count)
    return pages


def _forms(document: Any) -> Any:
    if document.get_formtype() == raw.FORMTYPE_NONE:
        return None
    with suppress(pdfium.PdfiumError):
        document.init_forms()
        return document.formenv and document.formenv.raw
    return None


def _page(
    page: Any, number: int, fonts: Any, forms: Any, outline: Outline, sizes: Counter[float], *, by_word: bool
) -> Page:
    letters = Letters(page.raw, fonts, by_word=by_word)
    try:
        pieces = list(letters.pieces())
    finally:
        letters.close()
    width, height = page.get_size()
    seen = drawn(page.raw, width, height)
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


def _in_order(page: Page, found: list[list[Line]]) -> list[Line | Table]:
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


def _over_pages(parts: list[Line | Table]) -> list[Line | Table]:
    """A table that goes on over the page's end as one, its header once."""
    found: list[Line | Table] = []
    for part in parts:
        last = found[-1] if found else None
        rows = _in_columns(last, part) if isinstance(part, Table) and isinstance(last, Table) else None
        if isinstance(part, Table) and isinstance(last, Table) and rows:
            again = rows[: last.header] == last.rows[: last.header]
            first = last.header if again else 0
            if _goes_on(last.rows, rows[first:]):
                for cell, more in zip(last.rows[-1], rows[first], strict=True):
                    cell.extend(more)
                first += 1
            last.rows.extend(rows[first:])
            last.pages.extend(part.pages[first:])
        else:
            found.append(part)
    return found


def _in_columns(last: Table, part: Table) -> list[list[list[str]]] | None:
    """The rows of a table in the columns of one that ends the page before, if it is more of that one."""
    if part.page <= last.pages[-1] or len(part.columns) > len(last.columns):
        return None
    places = []
    for x0, x1 in part.columns:
        shared = [min(x1, end) - max(x0, start) for start, end in last.columns]
        places.append(shared.index(max(shared)))
        if max(shared) <= 0:
            return None
    if places != sorted(set(places)) or 2 * len(places) < len(last.columns):
        return None
    rows: list[list[list[str]]] = [[[] for _ in last.columns] for _ in part.rows]
    for row, cells in zip(rows, part.rows, strict=True):
        for place, cell in zip(places, cells, strict=True):
            row[place] = cell
    return None if part.named and rows[: part.header] != last.rows[: part.header] else rows


def _goes_on(rows: list[list[list[str]]], more: list[list[list[str]]]) -> bool:
    """Whether the page ended within a row: the next one alone has no first cell, or begins within a sentence."""
    if not more or more[0][0] or not rows[-1][0]:
        return False
    pairs = [(cell[-1], rest[0]) for cell, rest in zip(rows[-1], more[0], strict=True) if cell and rest]
    if any(cell[-1:].isdigit() and rest[-1:].isdigit() for cell, rest in pairs):
        return False
    within = all(rest[:1].islower() or not cell.endswith((".", "!", "?")) for cell, rest in pairs)
    return bool(pairs) and (within or all(row[0] for row in rows))


def _bookmarks(document: Any) -> dict[str, int]:
    """Title -> level of the document's outline."""
    found: dict[str, int] = {}
    with suppress(pdfium.PdfiumError, ValueError, RecursionError):
        for count, entry in enumerate(document.get_toc(max_depth=8)):
            if count > 20_000:
                break
            if title := " ".join((entry.get_title() or "").split()):
                found.setdefault(shape(title), entry.level + 1)
    return found


def _is_title(title: str) -> bool:
    """Programs write file names into the title, too."""
    return bool(title) and not re.search(r"\.\w{2,4}$|^(untitled|microsoft )", title.lower())
