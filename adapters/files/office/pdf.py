"""PDF -> blocks: lines as they stand on the page, put back into paragraphs, headings and lists."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from adapters.files.office.pdf_layout import Line, fill, largest, shape, without_running
from adapters.files.outline import Content, Outline, Progress, given_title, unheard
from pipeline.errors import Refused

_BULLET = "\x7f"
"""What pypdf makes of the bullet of the usual Windows encoding."""
_LEADERS = re.compile(r"(?:\.\s?){5,}|(?:…\s?){3,}")


def read_pdf(content: bytes, on_pages: Progress = unheard) -> Content:
    """Running headers and footers left out, words broken at line ends joined; `on_pages` hears of each page.

    Raises Refused for what is encrypted, damaged or holds pictures only.
    """
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Refused("the PDF is protected by a password", what_to_do="Remove the password.")
        pages: list[list[Line]] = []
        for number, page in enumerate(reader.pages, 1):
            pages.append(list(_lines(page, number)))
            on_pages(number, len(reader.pages))
        title = given_title(str((reader.metadata and reader.metadata.title) or ""))
        bookmarks = _bookmarks(reader)
    except PyPdfError as error:
        raise Refused("the PDF is damaged", what_to_do="Print it to a new PDF and retry.") from error
    if not any(pages):
        raise Refused("the PDF holds no text, only pictures", what_to_do="Run text recognition (OCR) on it first.")
    outline = Outline()
    lines = [line for lines in without_running(pages) for line in lines if not _LEADERS.search(line.text)]
    title = title if _is_title(title) else largest(lines)
    fill(outline, lines, bookmarks, title)
    return outline.content(title=title)


def _lines(page: Any, number: int) -> Iterator[Line]:
    """Fragments of text in the order of the file, put together where they stand at the same height."""
    fragments: list[tuple[str, float, float, bool]] = []

    def visit(text: str, cm: Sequence[float], tm: Sequence[float], font: dict[str, Any] | None, size: float) -> None:
        if text:
            height = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
            scale = abs(tm[3] * cm[3]) or abs(tm[1] * cm[2]) or 1.0
            bold = "bold" in str((font or {}).get("/BaseFont", "")).lower()
            fragments.append((text, height, size * scale, bold))

    page.extract_text(visitor_text=visit)
    pending: list[tuple[str, float, float, bool]] = []
    for fragment in fragments:
        for index, part in enumerate(fragment[0].split("\n")):
            if index and pending:
                yield from _joined(pending, number)
                pending = []
            if part.strip():
                pending.append((part, *fragment[1:]))
    yield from _joined(pending, number)


def _joined(fragments: list[tuple[str, float, float, bool]], page: int) -> Iterator[Line]:
    text = " ".join(
        unicodedata.normalize("NFKC", "".join(part for part, *_ in fragments)).replace(_BULLET, "•").split()
    )
    if text:
        letters = [len(part.strip()) for part, *_ in fragments]
        size = fragments[letters.index(max(letters))][2]
        bold = sum(n for n, part in zip(letters, fragments, strict=True) if part[3]) > 0.9 * sum(letters)
        yield Line(text, fragments[0][1], round(size, 1), bold, page)


def _bookmarks(reader: PdfReader) -> dict[str, int]:
    """Title -> level of the document's outline."""
    found: dict[str, int] = {}

    def collect(entries: Any, level: int) -> None:
        for entry in entries:
            if isinstance(entry, list):
                collect(entry, level + 1)
            elif title := " ".join(str(entry.title or "").split()):
                found.setdefault(shape(title), level)

    try:
        collect(reader.outline, 1)
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return found


def _is_title(title: str) -> bool:
    """Programs write file names into the title, too."""
    return bool(title) and not re.search(r"\.\w{2,4}$|^(untitled|microsoft )", title.lower())
