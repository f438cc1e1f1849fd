"""Lines and tables in reading order as paragraphs, headings, lists and code, by the place and style of their
letters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median

from adapters.files.content import OutlineBuilder
from adapters.files.pdf.line_text import PdfVocabulary, resolve_note_marks
from adapters.files.pdf.lines import CAPTION, DOT_LEADERS, RAISED_START, has_dot_leaders
from adapters.files.pdf.page_elements import PdfLine, PdfTable
from pipeline.values import BlockKind

# --- Which lines are headings ---------------------------------------------------------------------

HEADING_SIZE_RATIO = 1.12
"""Ratio of a heading's letters to those of the text, unless they are bold."""
BULLET_ITEM = re.compile(r"(?:[•●▪◦‣·–—*○■□➢►▶➤-]|o(?= \S)|§(?= \D))\s+(?=\S)|(?=[☐☑☒✓✔✗✘]\s*\S)")
NUMBERED_ITEM = re.compile(r"\(?(\d{1,3})[.)]\s+(?=\S)|\(?([a-z]|[ivx]{2,4})[.)]\s+(?=\S)")
_SENTENCE_END = (".", "!", "?", ":", ";", ",", "…")


def heading_key(text: str) -> str:
    return re.sub(r"\d+", "0", " ".join(text.lower().split()))


def largest_line(lines: Sequence[PdfLine], body: float) -> str:
    """Return the text of the single largest line, if it is on the first page."""
    size = max((line.style.size for line in lines), default=0)
    largest = [line for line in lines if line.style.size == size]
    is_together = len(largest) == 1 or (len(largest) == 2 and 0 < largest[0].y - largest[1].y < 1.6 * size)
    alone = is_together and largest[0].page == largest[-1].page == 1 and size >= HEADING_SIZE_RATIO * body
    return " ".join(line.text for line in largest) if alone else ""


class HeadingClassifier:
    """A classifier of the headings of a document. `bookmarks` are titles with their levels."""

    def __init__(self, parts: Sequence[PdfLine | PdfTable], bookmarks: Mapping[str, int], body: float) -> None:
        self._bookmarks, self._body = bookmarks, body
        lines = [part for part in parts if isinstance(part, PdfLine)]
        cells = [
            text for part in parts if isinstance(part, PdfTable) for row in part.rows for cell in row for text in cell
        ]
        letters = sum(len(line.text) for line in lines)
        bold = sum(len(line.text) for line in lines if line.style.bold)
        self._is_mostly_bold = 2 * bold > letters > sum(map(len, cells))
        self._sizes = _distinct_sizes(
            sorted({line.style.size for line in lines if line.style.size >= HEADING_SIZE_RATIO * body}, reverse=True)
        )
        self._steps = {id(line) for pair in pairwise(parts) if _are_steps(*pair) for line in pair}

    def classify(self, lines: list[PdfLine], text: str) -> int:
        """Return the level of a heading, 1 for the largest letters, or 0 for text. Bookmarks are trusted. Without them,
        a heading is short, larger, bold or in italics, and no sentence."""
        if level := self._bookmarks.get(heading_key(text)):
            return level
        style = lines[0].style
        words = len(text.split())
        if len(lines) > 3 or words > 16 or not any(c.isalpha() for c in text) or CAPTION.match(text):
            return 0
        if text.endswith(_SENTENCE_END) and not (style.size > 1.3 * self._body and text[-1] in "?!"):
            return 0
        if BULLET_ITEM.match(text) or has_dot_leaders(lines[-1].text) or text[-1] in "-–":
            return 0
        rank = next((n for n, size in enumerate(self._sizes, 1) if style.size > size - 0.3), 0)
        if id(lines[0]) in self._steps:
            return 0
        if rank:
            return rank
        dots = min(text.split()[0].rstrip(".").count("."), 4) if text[0].isdigit() else 0
        if style.bold and not self._is_mostly_bold and style.size > 0.9 * self._body:
            return len(self._sizes) + 1 + dots
        if style.italic and len(lines) == 1 and words <= 10 and style.size > 0.97 * self._body and text[0].isupper():
            return len(self._sizes) + 2 + dots
        return 0


def _are_steps(before: PdfLine | PdfTable, line: PdfLine | PdfTable) -> bool:
    """Return whether two lines are numbered entries of a list, one below the other."""
    if isinstance(before, PdfTable) or isinstance(line, PdfTable) or before.style.size != line.style.size:
        return False
    is_near = 0 < before.y - line.y < 3 * line.style.size
    return is_near and bool(NUMBERED_ITEM.match(before.text) and NUMBERED_ITEM.match(line.text))


def _distinct_sizes(sizes: Sequence[float]) -> list[float]:
    """Return the sizes that differ visibly, from the largest."""
    distinct: list[float] = []
    for size in sizes:
        if not distinct or size < distinct[-1] - 0.35:
            distinct.append(size)
    return distinct


# --- Paragraphs, headings, lists and code ---------------------------------------------------------

_GAP = 1.45
"""Ratio to the usual distance above which lines belong to different paragraphs."""
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10}


class PdfBlockBuilder:
    """A builder that fills an outline from the elements of the pages."""

    def __init__(
        self,
        outline: OutlineBuilder,
        lines: Sequence[PdfLine],
        vocabulary: PdfVocabulary,
        headings: HeadingClassifier,
        title: str,
        body: float,
    ) -> None:
        self._outline, self._vocabulary, self._headings, self._title = outline, vocabulary, headings, heading_key(title)
        self._body = body
        self._usual_distance = _line_distance(lines, self._body)
        self._indents: list[float] = []

    def add_page_elements(self, parts: Sequence[PdfLine | PdfTable], notes: Mapping[int, Mapping[str, str]]) -> None:
        paragraph: list[PdfLine] = []
        for part in parts:
            if paragraph and (isinstance(part, PdfTable) or self._starts_paragraph(paragraph, part)):
                self._add_paragraph(paragraph, notes)
                paragraph = []
            if isinstance(part, PdfTable):
                self._add_table(part, notes)
            else:
                paragraph.append(part)
        if paragraph:
            self._add_paragraph(paragraph, notes)

    def _add_table(self, table: PdfTable, notes: Mapping[int, Mapping[str, str]]) -> None:
        self._indents = []
        texts = []
        for row, page in zip(table.rows, table.pages, strict=True):
            page_notes = notes.get(page, {})
            texts.append(
                [resolve_note_marks(self._vocabulary.join_lines(cell), page_notes)[0] if cell else "" for cell in row]
            )
        self._outline.page = table.page
        self._outline.add_table(texts[: table.header], header=table.header)
        for cells, page in list(zip(texts, table.pages, strict=True))[table.header :]:
            self._outline.page = page
            self._outline.add_row(BlockKind.ROW, cells)

    def _add_paragraph(self, lines: list[PdfLine], notes: Mapping[int, Mapping[str, str]]) -> None:
        self._outline.page = lines[0].page
        if lines[0].style.mono:
            self._outline.add(BlockKind.CODE, _join_code(lines))
            return
        page_notes = notes.get(lines[0].page, {})
        text, _ = resolve_note_marks(self._vocabulary.join_lines([line.text for line in lines]), page_notes)
        text = " ".join(DOT_LEADERS.sub(" ", text).split()) if has_dot_leaders(text) else text.strip()
        if level := self._headings.classify(lines, text):
            self._indents = []
            self._outline.add_heading(level, text, title=bool(self._title) and heading_key(text) == self._title)
        elif match := BULLET_ITEM.match(text):
            self._outline.add(BlockKind.ITEM, text[match.end() :], depth=self._list_depth(lines[0]))
        elif match := NUMBERED_ITEM.match(text):
            letter = match.group(2)
            number = int(match.group(1)) if not letter else _ROMAN.get(letter) or ord(letter[0]) - 96
            self._outline.add(BlockKind.STEP, text[match.end() :], depth=self._list_depth(lines[0]), number=number)
        else:
            if lines[0].x0 <= min(self._indents, default=0) + 2:
                self._indents = []
            self._outline.add(BlockKind.PROSE, text)

    def _list_depth(self, line: PdfLine) -> int:
        """Return the number of list entries around a line, by its indent."""
        while self._indents and self._indents[-1] > line.x0 + 3:
            self._indents.pop()
        if not self._indents or self._indents[-1] < line.x0 - 3:
            self._indents.append(line.x0)
        return min(len(self._indents) - 1, 8)

    def _starts_paragraph(self, paragraph: list[PdfLine], line: PdfLine) -> bool:
        before, first = paragraph[-1], paragraph[0]
        size = line.style.size
        distance = before.y - line.y
        if line.style.mono != before.style.mono or line.has_rule_above:
            return True
        if line.style.mono:
            return not 0 < distance < 3.2 * size or line.page != before.page
        if abs(size - before.style.size) > 0.6:
            return True
        if (
            line.style.bold != before.style.bold
            and size < HEADING_SIZE_RATIO * self._body
            and not line.text[:1].islower()
        ):
            return True
        step = NUMBERED_ITEM.match(line.text)
        lettered = bool(step and step.group(2) and not NUMBERED_ITEM.match(first.text))
        if BULLET_ITEM.match(line.text) or (step and not lettered) or has_dot_leaders(before.text):
            return True
        ends = before.text.endswith((".", "!", "?", ":"))
        if lettered and ends:
            return True
        if line.page != before.page or distance < -2 * size:
            return ends or not (line.text[:1].islower() or before.text.endswith("-"))
        usual = (
            min(self._usual_distance, 1.5 * size) if size > HEADING_SIZE_RATIO * self._body else self._usual_distance
        )
        if not -0.5 * size < distance <= max(_GAP * usual, 1.3 * size):
            return True
        if len(paragraph) > 1 and distance > 1.3 * (paragraph[-2].y - before.y) > 0:
            return True
        if line.style.italic != before.style.italic and (ends or len(paragraph) == 1) and line.style.italic is False:
            return len(before.text) < 60
        return self._is_short(before, line, ends=ends) or self._changes_indent(first, before, line, ends=ends)

    def _is_short(self, before: PdfLine, line: PdfLine, *, ends: bool) -> bool:
        """Return whether the next word would have fitted, so that the line ends on purpose."""
        word = line.text.split(" ", 1)[0]
        needed = (len(word) * 0.6 + 0.6) * line.style.size
        if before.x1 + needed < line.x1 and not before.text.endswith("-"):
            return True
        return ends and before.x1 + needed + 2 * line.style.size < before.column_right

    def _changes_indent(self, first: PdfLine, before: PdfLine, line: PdfLine, *, ends: bool) -> bool:
        if BULLET_ITEM.match(first.text) or NUMBERED_ITEM.match(first.text):
            return line.x0 < first.x0 - 2 or (line.x0 < first.x0 + 1 and (ends or before.x0 > first.x0 + 1))
        size = line.style.size
        centred = abs(line.x0 + line.x1 - before.x0 - before.x1) < 2 * size
        if line.x0 < before.x0 - 2.4 * size and not centred:
            return True
        return ends and line.x0 > before.x0 + 0.8 * size


def _line_distance(lines: Sequence[PdfLine], body: float) -> float:
    """Return the distance between the lines of a paragraph, where most lines continue in the next one: otherwise every
    line may be a paragraph of its own."""
    below = [(a, b) for a, b in pairwise(lines) if a.page == b.page and 0 < a.y - b.y < 4 * body]
    gaps = sorted(a.y - b.y for a, b in below)
    if not gaps:
        return 1.2 * body
    usual = median(gaps)
    wide = [a for a, b in below if a.y - b.y > 1.6 * body]
    goes_on = sum(not a.text.endswith((".", "!", "?", ":")) and len(a.text) > 40 for a in wide)
    return usual if usual <= 1.6 * body or 2 * goes_on > len(wide) else min(gaps[len(gaps) // 4], 1.25 * body)


def _join_code(lines: Sequence[PdfLine]) -> str:
    """Join lines with their indentation. An empty line separates those that are further apart than a line."""
    left = min(line.x0 for line in lines)
    widths = [(line.x1 - line.x0) / len(line.text) for line in lines if len(line.text) > 4]
    width = median(widths) if widths else 0.6 * lines[0].style.size
    pitches = [a.y - b.y for a, b in pairwise(lines)]
    pitch = median(pitches) if pitches else 0
    text = ""
    for before, line in zip([lines[0], *lines], lines, strict=False):
        empty = before.y - line.y > 1.6 * pitch > 0
        text += ("\n\n" if empty else "\n") + " " * round((line.x0 - left) / (width or 1)) + line.text
    return text.replace(RAISED_START, "").strip("\n")
