"""Lines of a PDF's pages -> paragraphs, headings and lists, told by place and size of the letters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from adapters.files.outline import Outline
from pipeline.values import BlockKind

_LARGER = 1.12
"""A heading's letters are this much larger than those of the text, or bold."""
_GAP = 1.45
"""Lines further apart than this many usual distances belong to different paragraphs."""
_ITEM = re.compile(r"[•●▪◦‣·–—*-]\s+(?=\S)")
_STEP = re.compile(r"\(?\d{1,2}[.)]\s+(?=\S)")
_NUMBER = re.compile(r"\d+\s+(?=\S)")
_ONLY_MARK = re.compile(r"(?:[•●▪◦‣·–—*-]|\(?\d{1,2}[.)]?)")
_SENTENCE_END = (".", "!", "?", ":", ";", ",", "…")
_EDGE = 2
"""Lines at the top and bottom of a page that may be a running header or footer."""
_REPEATED = 3
"""Pages at whose edge a line stands before it is taken for one; fewer in a short document."""
_PAGE_NUMBER = re.compile(r"\d{1,4}|[ivxlc]{1,6}")


@dataclass(frozen=True)
class Line:
    """One line of a page; `y` falls from top to bottom."""

    text: str
    y: float
    size: float
    bold: bool
    page: int


def without_running(pages: list[list[Line]]) -> list[list[Line]]:
    """Pages without page numbers and without what stands at the edge of several, but for lines in large letters."""
    body = _most_common_size([line for lines in pages for line in lines])
    edges = [{shape(line.text) for line in (*lines[:_EDGE], *lines[-_EDGE:])} for lines in pages]
    counts = Counter(shape for edge in edges for shape in edge)
    needed = max(2, min(_REPEATED, 0.6 * sum(map(bool, pages))))

    def runs(line: Line, place: int, last: int) -> bool:
        if _PAGE_NUMBER.fullmatch(line.text):
            return place in {0, last}
        at_edge = place < _EDGE or place > last - _EDGE
        return at_edge and counts[shape(line.text)] >= needed and line.size < _LARGER * body

    return [[line for place, line in enumerate(lines) if not runs(line, place, len(lines) - 1)] for lines in pages]


def largest(lines: list[Line]) -> str:
    """The one line in the largest letters, if it is on the first page."""
    largest = max((line.size for line in lines), default=0)
    found = [line for line in lines if line.size == largest]
    alone = len(found) == 1 and found[0].page == 1 and largest >= _LARGER * _most_common_size(lines)
    return found[0].text if alone else ""


def fill(outline: Outline, lines: list[Line], bookmarks: dict[str, int], title: str) -> None:
    body = _most_common_size(lines)
    sizes = sorted({line.size for line in lines if line.size >= _LARGER * body}, reverse=True)
    for paragraph in _paragraphs(lines, body):
        text = _unhyphenated([line.text for line in paragraph])
        outline.page = paragraph[0].page
        if level := _heading_level(paragraph, text, body, sizes, bookmarks):
            outline.heading(level, text, title=_same(text, title))
        elif match := _ITEM.match(text):
            outline.add(BlockKind.ITEM, text[match.end() :])
        elif match := _STEP.match(text) or (_ONLY_MARK.fullmatch(paragraph[0].text) and _NUMBER.match(text)):
            outline.add(BlockKind.STEP, text[match.end() :])
        else:
            outline.add(BlockKind.PROSE, text)


def _most_common_size(lines: list[Line]) -> float:
    letters: Counter[float] = Counter()
    for line in lines:
        letters[line.size] += len(line.text)
    return max(letters, key=letters.__getitem__, default=1.0) or 1.0


def _paragraphs(lines: list[Line], body: float) -> Iterator[list[Line]]:
    """Lines that follow each other closely in letters of one size; a bullet or number opens a new one."""
    gaps = [a.y - b.y for a, b in pairwise(lines) if a.page == b.page and 0 < a.y - b.y < 4 * body]
    usual = median(gaps) if gaps else 1.2 * body
    widest = max((len(line.text) for line in lines), default=0)
    paragraph: list[Line] = []
    for line in lines:
        if paragraph and _breaks(paragraph, line, usual, widest):
            yield paragraph
            paragraph = []
        paragraph.append(line)
    if paragraph:
        yield paragraph


def _breaks(paragraph: list[Line], line: Line, usual: float, widest: int) -> bool:
    before = paragraph[-1]
    if len(paragraph) == 1 and _ONLY_MARK.fullmatch(before.text) and before.page == line.page:
        return False
    if line.size != before.size or line.bold != before.bold:
        return True
    if _ITEM.match(line.text) or _STEP.match(line.text) or _ONLY_MARK.fullmatch(line.text):
        return True
    ends = before.text.endswith((".", "!", "?", ":"))
    if line.page != before.page:
        return ends or not line.text[:1].islower()
    return not 0 < before.y - line.y <= _GAP * usual or (ends and len(before.text) < 0.6 * widest)


def _heading_level(paragraph: list[Line], text: str, body: float, sizes: list[float], bookmarks: dict[str, int]) -> int:
    """1 for the largest letters. Bookmarks are believed; without, a heading is short, larger or bold, no sentence."""
    if level := bookmarks.get(shape(text)):
        return level
    size = paragraph[0].size
    stands_out = size >= _LARGER * body or (paragraph[0].bold and size >= body)
    short = len(paragraph) <= 2 and len(text.split()) <= 14 and any(c.isalpha() for c in text)
    if not (stands_out and short) or text.endswith(_SENTENCE_END) or _ITEM.match(text):
        return 0
    return sizes.index(size) + 1 if size in sizes else len(sizes) + 1


def _unhyphenated(lines: list[str]) -> str:
    """Lines as one; a word broken at a line end is joined if its rest begins in lower case."""
    text = lines[0]
    for line in lines[1:]:
        if re.search(r"[^\W\d_]-$", text) and line[:1].islower():
            text = text[:-1] + line
        else:
            text += " " + line
    return text


def shape(text: str) -> str:
    return re.sub(r"\d+", "0", text.lower())


def _same(text: str, title: str) -> bool:
    return bool(title) and shape(text) == shape(title)
