"""Pieces of a page as lines of letters side by side, with raised and lowered figures marked."""

from __future__ import annotations

import itertools
import re
import unicodedata
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from adapters.files.inline_marks import format_subscript
from adapters.files.pdf.page_elements import PdfLine, PdfSpan

# --- Scripts that run from right to left, put into the order in which they are read ---------------

_WORD, _COLUMN = 0.16, 0.7
"""Gaps between letters, in sizes, that separate words and columns."""
_LIGATURE = re.compile("([اأإآ])(ل)")
_LEFT = r"[^\W\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
_FORWARDS = re.compile(rf"{_LEFT}(?:{_LEFT}|[%$€.,:/@+&'-]|\s(?=[A-Za-z\d]))*")
_GLUED = re.compile(r"(?<=[A-Za-z])(?=[\u0620-\u064a])")
_SWAPPED = re.compile(r"(?<!\S)[)\]]|[(\[](?=[\s.,;:!?،]|$)")
"""Brackets that stand the wrong way round, as they are drawn from right to left."""
_MIRRORED = str.maketrans("()[]", ")(][")

Glyph = tuple[float, float, str]
"""Left end, right end and text."""


def is_right_to_left(text: str) -> bool:
    """Return whether most letters run from right to left."""
    directions = [unicodedata.bidirectional(letter) for letter in text]
    return directions.count("R") + directions.count("AL") > directions.count("L")


def reorder_right_to_left(glyphs: Sequence[Glyph], size: float) -> Iterator[Glyph]:
    """Yield the texts between wide gaps, from right to left."""
    text, left, right, last = "", 0.0, 0.0, 0.0
    for x0, x1, letters in sorted(_join_ligatures(glyphs), key=lambda glyph: -(glyph[0] + glyph[1])):
        gap = last - x1
        if text and gap > _COLUMN * size:
            yield left, right, _reverse_foreign_runs(text)
            text = ""
        if not text:
            left, right = x0, x1
        text += (" " if text and gap > _WORD * size else "") + letters
        left, right, last = min(left, x0), max(right, x1), x0
    if text:
        yield left, right, _reverse_foreign_runs(text)


def _join_ligatures(glyphs: Sequence[Glyph]) -> Iterator[Glyph]:
    """Yield the letters that one glyph draws together, in reading order, and marks with their letter."""
    glyph: Glyph | None = None
    for x0, x1, letter in glyphs:
        if glyph and (
            unicodedata.combining(letter[:1] or " ") or (abs(x0 - glyph[0]) < 0.01 and abs(x1 - glyph[1]) < 0.01)
        ):
            glyph = glyph[0], glyph[1], _LIGATURE.sub(r"\2\1", glyph[2] + letter)
            continue
        if glyph:
            yield glyph
        glyph = x0, x1, letter
    if glyph:
        yield glyph


def _reverse_foreign_runs(text: str) -> str:
    """Turn figures and words of other scripts from left to right. Behind them stands a blank, printed or not."""
    text = _GLUED.sub(" ", _FORWARDS.sub(lambda match: _reverse_run(match.group()), text))
    return text.translate(_MIRRORED) if _SWAPPED.search(text) else text


def _reverse_run(text: str) -> str:
    ends = text[len(text.rstrip(".,:'-")) :]
    return text[: len(text) - len(ends)][::-1] + ends


# --- Lines ----------------------------------------------------------------------------------------

RAISED_START, RAISED_END = "\ue710", "\ue711"
"""Marks around raised letters, until it is known whether they call a note."""
BULLETS = "•●▪◦‣·○■□➢►▶➤✓"
DOT_LEADERS = re.compile(r"(?:(?:\.\s?){4,}|(?:…\s?){2,}|(?:·\s?){4,}|_{4,})\s*")
CAPTION = re.compile(r"(?:table|figure|fig\.|tabelle|abbildung|abb\.|tableau|tabla|figura)\s*\d", re.IGNORECASE)
LIST_MARKER = re.compile(
    r"(?:[•●▪◦‣·–—*○■□➢►▶➤✓-]|[o§]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]|\d{1,2}(?:\.\d{1,2})+\.?)"
)
"""Bullet, letter or number of a list entry."""


_MAX_CANDIDATES = 200
"""Letters ending at one place that are examined; a page has fewer."""


def attach_scripts(pieces: Sequence[PdfSpan]) -> list[PdfSpan]:
    """Move raised and lowered figures that the file holds elsewhere behind the pieces that they belong to."""
    ends = sorted((piece.x1, index) for index, piece in enumerate(pieces))
    moved: dict[int, list[int]] = {}
    for index, piece in enumerate(pieces):
        if len(piece.text) > 3 or not piece.text.strip("+-−").isdecimal():
            continue
        around = itertools.pairwise(pieces[max(index - 1, 0) : index + 2])
        if any(_is_same_line([before], after) for before, after in around):
            continue
        for _, other in ends[bisect(ends, (piece.x0 - 3, -1)) : bisect(ends, (piece.x0 + 1, -1))][:_MAX_CANDIDATES]:
            size, rise = pieces[other].style.size, abs(piece.y - pieces[other].y)
            if piece.style.size < 0.85 * size and 0.1 * size < rise < 0.6 * size:
                moved.setdefault(other, []).append(index)
                break
    moved_indexes = {index for indexes in moved.values() for index in indexes}
    return [
        pieces[n] for index in range(len(pieces)) if index not in moved_indexes for n in (index, *moved.get(index, ()))
    ]


def build_lines(pieces: Iterable[PdfSpan]) -> list[PdfLine]:
    """Build lines in the order of the file. A line ends where the next letters stand elsewhere."""
    lines: list[PdfLine] = []
    together: list[PdfSpan] = []
    for piece in pieces:
        if together and not _is_same_line(together, piece):
            lines.append(_build_line(together))
            together = []
        elif together and piece.style.is_unmapped:
            continue
        together.append(piece)
    if together:
        lines.append(_build_line(together))
    return [line for line in lines if line.text.strip()]


def _is_same_line(together: Sequence[PdfSpan], piece: PdfSpan) -> bool:
    before = together[-1]
    size = max(before.style.size, piece.style.size)
    if len(together) > 1:
        size = max(size, together[0].style.size)
    if abs(piece.y - before.y) > 0.6 * size:
        return False
    gap = max(piece.x0 - before.x1, before.x0 - piece.x1)
    marks = (
        len(together) == 1
        and len(before.text) < 3
        and (before.text.isdigit() or before.style.symbol or before.text == "•")
    )
    reach = (0.8 if before.style.size < 0.8 * piece.style.size else 0.45) if marks else piece.join_distance
    return -0.7 * size < gap < reach * size


def _build_line(pieces: Sequence[PdfSpan]) -> PdfLine:
    if len(pieces) == 1:
        only = pieces[0]
        return PdfLine(only.text, only.x0, only.x1, only.y, only.style, only.order, max(only.join_distance, 0.5))
    letters = sum(len(piece.text) for piece in pieces)
    of_size = Counter[int]()
    for piece in pieces:
        of_size[round(piece.style.size)] += len(piece.text)
    large = max(size for size, count in of_size.items() if 5 * count >= letters)
    usual = max(of_size, key=lambda size: of_size[size] if 0.85 * large < size <= large else 0)
    base = max(pieces, key=lambda piece: (round(piece.style.size) == usual, len(piece.text)))
    style = base.style._replace(
        bold=sum(len(piece.text) for piece in pieces if piece.style.bold) > 0.9 * letters,
        italic=sum(len(piece.text) for piece in pieces if piece.style.italic) > 0.9 * letters,
        mono=sum(len(piece.text) for piece in pieces if piece.style.mono) > 0.9 * letters,
    )
    text, before = "", pieces[0]
    for piece in sorted(pieces, key=lambda piece: -piece.x1) if is_right_to_left(pieces[0].text) else pieces:
        piece_text, size = piece.text, base.style.size
        if piece.style.size < 0.93 * size or len(piece_text) < 4:
            if piece.y - base.y > 0.14 * size and len(piece_text) < 12 and piece_text not in BULLETS:
                piece_text = f"{RAISED_START}{piece_text}{RAISED_END}"
            elif base.y - piece.y > 0.08 * size and piece.style.size < 0.93 * size:
                piece_text = format_subscript(piece_text)
        tight = piece.x0 - before.x1 < 0.12 * size
        spaced = (
            min(len(piece_text), len(before.text)) == 1
            and piece_text.isascii()
            and piece_text[0].isalnum()
            and piece.y == before.y
        )
        glued = piece.is_glued or (tight and (piece.style.size != before.style.size or spaced))
        text += piece_text if glued or not text else f" {piece_text}"
        before = piece
    text = text.replace(f"{RAISED_END}{RAISED_START}", "")
    x0, x1 = min(piece.x0 for piece in pieces), max(piece.x1 for piece in pieces)
    return PdfLine(text, x0, x1, base.y, style, pieces[0].order, max(piece.join_distance for piece in pieces))


def group_rows(lines: Iterable[PdfLine]) -> list[list[PdfLine]]:
    """Group lines of the same height, from top to bottom, each row in reading order."""
    grouped: list[list[PdfLine]] = []
    for line in sorted(lines, key=lambda line: -line.y):
        if grouped and _is_level(grouped[-1], line):
            grouped[-1].append(line)
        else:
            grouped.append([line])
    return [_order_row(row) if len(row) > 1 else row for row in grouped]


def _is_level(row: list[PdfLine], line: PdfLine) -> bool:
    """Return whether a line stands at the height of a row, or somewhat lower, as raised letters make it, where there is
    room."""
    size = max(row[0].style.size, line.style.size)
    lower = row[0].y - line.y
    room = all(line.x0 > other.x1 + size or line.x1 < other.x0 - size for other in row)
    return lower < 0.35 * size or (lower < 0.5 * size and len(row) > 1 and room)


def _order_row(row: list[PdfLine]) -> list[PdfLine]:
    from_right = is_right_to_left("".join(line.text for line in row))
    row.sort(key=lambda line: -line.x1 if from_right else line.x0)
    if _is_justified(row):
        return [join_row(row)]
    joined = row[:1]
    for line in row[1:]:
        before = joined[-1]
        gap = max(line.x0 - before.x1, before.x0 - line.x1)
        marked = (
            (len(row) == 2 or before.text in BULLETS) and gap < 5 * line.style.size and _is_list_marker(before, line)
        )
        follows = line.order - before.order <= len(before.text) + 4
        if gap < (line.join_distance if follows else 0.2) * max(line.style.size, before.style.size) or marked:
            joined[-1] = join_row([before, line])
        else:
            joined.append(line)
    return joined


def _is_justified(row: list[PdfLine]) -> bool:
    """Return whether these are the words of a justified line, with blanks of one width."""
    gaps = [b.x0 - a.x1 for a, b in itertools.pairwise(row)]
    size = row[0].style.size
    words = sum(line.text.isalpha() for line in row)
    return len(gaps) > 2 and 2 * words > len(row) and max(gaps) < 1.3 * size and max(gaps) - min(gaps) < 0.1 * size


def _is_list_marker(before: PdfLine, line: PdfLine) -> bool:
    """Return whether it is the bullet or number of an entry. A number alone gets its stop."""
    if re.fullmatch(r"\d{1,2}", before.text) and line.text[:1].isupper() and " " in line.text:
        before.text += "."
    words = before.text in BULLETS or any(map(str.isalpha, line.text))
    return words and bool(LIST_MARKER.fullmatch(before.text))


def has_dot_leaders(text: str) -> bool:
    """Return whether dots lead from one end of a line to the other."""
    return (".." in text or ". ." in text or "…" in text or "··" in text or "__" in text) and bool(
        DOT_LEADERS.search(text)
    )


def join_row(row: Sequence[PdfLine]) -> PdfLine:
    """Join lines side by side into one."""
    if len(row) == 1:
        return row[0]
    longest = max(row, key=lambda line: len(line.text))
    style = longest.style._replace(
        bold=all(line.style.bold or LIST_MARKER.fullmatch(line.text) for line in row),
        mono=all(line.style.mono for line in row),
    )
    text = " ".join(line.text for line in row)
    x0, x1 = min(line.x0 for line in row), max(line.x1 for line in row)
    return PdfLine(
        text, x0, x1, longest.y, style, longest.order, longest.join_distance, row[0].page, row[0].column_right
    )
