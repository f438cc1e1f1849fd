"""PDF as blocks: the letters of each page, put back into paragraphs, headings, lists and tables."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from adapters.files.content import OutlineBuilder, ParsedFile, ProgressCallback, drop_placeholder_title, ignore_progress
from adapters.files.pdf.block_builder import HeadingClassifier, PdfBlockBuilder, heading_key, largest_line
from adapters.files.pdf.characters import PdfFonts
from adapters.files.pdf.columns import split_columns
from adapters.files.pdf.line_text import PdfVocabulary, extract_footnotes
from adapters.files.pdf.page_elements import PdfLine, PdfPage, PdfTable
from adapters.files.pdf.pages import page_reading_order, read_pdf_page
from adapters.files.pdf.running_heads import drop_contents_table, drop_running_heads
from adapters.files.pdf.unruled_tables import join_split_tables
from pipeline.errors import Refused

_BY_CELL = re.compile(
    r"reportlab|libreoffice|openoffice|weasyprint|skia|typst|microsoft|cairo|qt |fpdf|word|wkhtml|prince|pdfkit|itext|"
    r"apache fop|quartz|tcpdf|mpdf|dompdf",
    re.IGNORECASE,
)
"""Programs that draw each cell of a table by itself."""
_MAX_PAGES = 20_000
_FAR = 100_000.0
"""Points; no page is that large."""


def read_pdf(content: bytes, on_pages: ProgressCallback = ignore_progress) -> ParsedFile:
    """Read a PDF without running heads and feet, with words joined that line ends broke. `on_pages` is called for each
    page.

    Raises Refused where it is encrypted, damaged or holds pictures only.
    """
    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        if raw.FPDF_GetLastError() == raw.FPDF_ERR_PASSWORD or "password" in str(error).lower():
            raise Refused("the PDF is protected by a password", what_to_do="Remove the password.") from error
        raise Refused("the PDF is damaged", what_to_do="Print it to a new PDF and retry.") from error
    try:
        return _read_document(document, on_pages)
    finally:
        document.close()


def _read_document(document: Any, on_pages: ProgressCallback) -> ParsedFile:
    outline = OutlineBuilder()
    sizes: Counter[float] = Counter()
    pages = _read_pages(document, outline, on_pages, sizes)
    body = max(sizes, key=sizes.__getitem__, default=1.0) or 1.0
    drop_running_heads(pages, body)
    _clear_typewriter([line for page in pages for line in page.lines])
    for page in pages:
        if page.has_pictures and not page.lines and not page.tables:
            outline.note_unread(f"page {page.number}: no text, only a picture")
    notes: dict[int, dict[str, str]] = {}
    read: list[PdfLine | PdfTable] = []
    for page in pages:
        try:
            in_columns = list(split_columns(page.lines))
            notes[page.number] = extract_footnotes(in_columns, body)
            read.extend(page_reading_order(page, in_columns))
        except (ArithmeticError, LookupError, ValueError):
            outline.note_unread(f"page {page.number}: its layout is not understood")
    parts = join_split_tables(read)
    parts = list(drop_contents_table(parts, len(document))) or parts
    lines = [part for part in parts if isinstance(part, PdfLine)]
    if not parts:
        if any("damaged" in description for description in outline.build().unread):
            raise Refused("the PDF is damaged", what_to_do="Print it to a new PDF and retry.")
        raise Refused("the PDF holds no text, only pictures", what_to_do="Run text recognition (OCR) on it first.")
    metadata = drop_placeholder_title(document.get_metadata_value("Title"))
    title = metadata if _is_title(metadata) else largest_line(lines, body)
    cells = (text for part in parts if isinstance(part, PdfTable) for row in part.rows for cell in row for text in cell)
    words = PdfVocabulary([*(line.text for line in lines), *cells])
    headings = HeadingClassifier(parts, _read_bookmarks(document), body)
    PdfBlockBuilder(outline, lines, words, headings, title, body).add_page_elements(parts, notes)
    return outline.build(title=title)


def _clear_typewriter(lines: list[PdfLine]) -> None:
    """Clear the mark of code where all text is written in letters of one width."""
    if sum(len(line.text) for line in lines if line.style.mono) > 0.85 * sum(len(line.text) for line in lines):
        for line in lines:
            line.style = line.style._replace(mono=False)


def _read_pages(
    document: Any, outline: OutlineBuilder, on_pages: ProgressCallback, sizes: Counter[float]
) -> list[PdfPage]:
    """Return the lines and ruled tables of each page. A page that cannot be read is noted as unread."""
    fonts = PdfFonts()
    made_by = f"{document.get_metadata_value('Producer')} {document.get_metadata_value('Creator')}"
    by_word = not _BY_CELL.search(made_by) or bool(re.search(r"tex|ghostscript", made_by, re.IGNORECASE))
    forms = _init_forms(document)
    pages = []
    count = min(len(document), _MAX_PAGES)
    for number in range(1, count + 1):
        try:
            page = document[number - 1]
            pages.append(read_pdf_page(page, number, fonts, forms, outline, sizes, by_word=by_word))
            page.close()
        except (pdfium.PdfiumError, ArithmeticError, LookupError, ValueError):
            outline.note_unread(f"page {number}: damaged")
        on_pages(number, count)
    return pages


def _init_forms(document: Any) -> Any:
    if document.get_formtype() == raw.FORMTYPE_NONE:
        return None
    with suppress(pdfium.PdfiumError):
        document.init_forms()
        return document.formenv and document.formenv.raw
    return None


def _read_bookmarks(document: Any) -> dict[str, int]:
    """Return the levels in the document's outline by title."""
    levels: dict[str, int] = {}
    with suppress(pdfium.PdfiumError, ValueError, RecursionError):
        for count, entry in enumerate(document.get_toc(max_depth=8)):
            if count > 20_000:
                break
            if title := " ".join((entry.get_title() or "").split()):
                levels.setdefault(heading_key(title), entry.level + 1)
    return levels


def _is_title(title: str) -> bool:
    """Return whether metadata hold a title. Some programs write file names there."""
    return bool(title) and not re.search(r"\.\w{2,4}$|^(untitled|microsoft )", title.lower())
