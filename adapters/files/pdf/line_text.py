"""Lines as one text: words broken at a line's end are joined, notes stand in the sentence that calls them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from adapters.files.inline_marks import format_superscript, insert_footnote
from adapters.files.pdf.lines import RAISED_END, RAISED_START, group_rows, join_row
from adapters.files.pdf.page_elements import PdfLine

# --- Words ----------------------------------------------------------------------------------------

_TOKEN = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_CHINESE = re.compile("[\u3001-\u9fff\uff00-\uffef]{2}")
"""Chinese and Japanese, which have no blanks between words."""
_HYPHENS = ("-", "\u00ad", "\u2010")
_WORD = re.compile(r"[^\W\d_]+")
_SIGN = re.compile(f"(?<={RAISED_START})([-–−]){RAISED_END} ?{RAISED_START}(?=\\d)")
_RAISED = re.compile(f"\\s?{RAISED_START}([^{RAISED_END}]*){RAISED_END}")
_FRACTION = re.compile(
    rf"(\d|\s|^)\s?{RAISED_START}(\d{{1,3}}){RAISED_END}\s?(?:⁄\s?([\d₀-₉]{{1,3}})|/?\s?([₀-₉]{{1,3}}))"
)
"""A raised figure with a lowered one behind it, with or without a stroke between them."""
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SOFT = "\u00ad\u2010"
_HALVES = frozenset(
    "self non well long short part full half high low ex all anti multi semi cross inter post pre sub co over under "
    "in up off on out to by of the and or at a day days week month year years hour time term end based free side "
    "level wide specific related only friendly ready made paid proof service sign site line mail person range scale "
    "in-house back front follow check stand".split()
)
"""Words that stand before or behind a hyphen of their own in English."""


class PdfVocabulary:
    """The words of a document, by which a hyphen at a line's end is judged."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: set[str] = set()
        for text in texts:
            tokens = _TOKEN.findall(text.lower())
            self._words.update(tokens[1:-1] if text.endswith(_HYPHENS) else tokens[1:])

    def join_lines(self, lines: Sequence[str]) -> str:
        text = lines[0]
        for line in lines[1:]:
            broken = _WORD.findall(text[-60:-1])[-1:] if text.endswith(_HYPHENS) and text[-2:-1].isalpha() else None
            if not broken:
                ranges = text[-1:] in "-–" and text[-2:-1].isdigit() and line[:1].isdigit()
                text = text + line if ranges or _CHINESE.fullmatch(text[-1:] + line[:1]) else f"{text} {line}"
            elif self._is_broken_word(text, broken[0], line):
                text = text[:-1] + line
            else:
                text = (
                    text[:-1] + "-" + line
                    if line[:1].isalnum() and not _is_suspended_hyphen(line)
                    else f"{text} {line}"
                )
        return text.replace("\u00ad", "")

    def _is_broken_word(self, text: str, first: str, line: str) -> bool:
        """Return whether the typesetter broke the word."""
        rest = _TOKEN.match(line)
        if rest is None or not line[:1].islower():
            return text[-1] == "\u00ad"
        a, b = first.lower(), rest.group().lower().split("-")[0]
        if _is_suspended_hyphen(line):
            return False
        if f"{a}-{b}" in self._words:
            return False
        if a + b in self._words or text[-1] in _SOFT:
            return True
        if a in _HALVES or b in _HALVES or re.search(rf"-{re.escape(first)}-$", text):
            return False
        return not (len(b) > 3 and len(a) > 3 and a in self._words and b in self._words)


def _is_suspended_hyphen(line: str) -> bool:
    """Return whether the hyphen stands for a word to come: `in- and outside`."""
    return bool(re.match(r"(?:and|or|und|oder|et|ou|y|o|e|bzw\.?|to|bis)\s", line))


def resolve_note_marks(text: str, notes: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return `text` with its raised letters marked, or replaced by the notes that they call, and the marks of those
    notes."""
    if RAISED_START not in text:
        return text, []
    text = _FRACTION.sub(_write_fraction, _SIGN.sub(r"\1", text))
    resolved, end, called = "", 0, []
    for match in _RAISED.finditer(text):
        resolved += text[end : match.start()]
        mark = match.group(1).strip().rstrip(".)")
        if mark in notes:
            resolved = insert_footnote(resolved, notes[mark])
            called.append(mark)
        else:
            rest = match.group(1).strip()[len(mark) :]
            resolved += format_superscript(match.group(1).replace("–", "−").removesuffix(rest), resolved) + rest
        end = match.end()
    return resolved + text[end:], called


def _write_fraction(match: re.Match[str]) -> str:
    """Write a fraction of raised and lowered figures behind a whole number: `7 1/4`."""
    before, above, below, lower = match.groups()
    return f"{before.strip()} {above}/{(below or lower).translate(_LOWERED)}".lstrip(" " if not before else "")


# --- Notes at the foot of a page, with the marks that call them -----------------------------------

_MARK = r"(\d{1,3}|[*∗†‡§¶]{1,3}|[a-z])"
_CALLED = re.compile(rf"{RAISED_START}\s?{_MARK}[.)]?{RAISED_END}")
_NOTE = re.compile(rf"(?:{RAISED_START}\s?{_MARK}[.)]?{RAISED_END}[.)]?|{_MARK}[.)]?(?=\s))\s*(?=\S)")


def extract_footnotes(columns: list[list[PdfLine]], body: float) -> dict[str, str]:
    """Return the notes that a page calls by their marks. Remove their lines from its columns."""
    lines = [line for column in columns for line in column]
    called = {match.group(1) for line in lines for match in _CALLED.finditer(line.text) if match.start() > 0}
    if not called:
        return {}
    notes: dict[str, str] = {}
    middle = (min(line.y for line in lines if line.y > -1e6) + max(line.y for line in lines)) / 2
    for column in columns:
        if not any(-1e6 < line.y <= middle for line in column):
            continue
        mark = ""
        top = -math.inf
        low = 0.0
        for row in _foot_rows(column, body):
            line = join_row(row)
            if mark and low - line.y > 1.8 * line.style.size:
                break
            low = line.y
            match = _NOTE.match(line.text)
            note_mark = match and (match.group(1) or match.group(2))
            if match and note_mark in called and note_mark not in notes:
                mark = str(note_mark)
                top = max(top, line.y + 0.36 * line.style.size)
                notes[mark] = line.text[match.end() :]
            elif mark:
                notes[mark] += f" {line.text}"
        column[:] = [line for line in column if line.y > top or line.y < low - 1]
    return notes


def _foot_rows(column: list[PdfLine], body: float) -> list[list[PdfLine]]:
    """Return the last rows of a column: in small letters, or below one that begins with a raised mark."""
    rows = group_rows(column)
    start = len(rows)
    for index in range(len(rows) - 1, -1, -1):
        row = rows[index]
        if max(line.style.size for line in row) <= 0.95 * body or row[0].text.startswith(RAISED_START):
            start = index
        elif len(rows) - index > 12 or row[0].style.size > 1.05 * body:
            break
    return rows[start:]
