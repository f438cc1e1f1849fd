"""Notes at the foot of a page, with the marks that call them."""

from __future__ import annotations

import math
import re

from adapters.files.pdf.lines import ENDED, RAISED, rows, together
from adapters.files.pdf.parts import Line

_MARK = r"(\d{1,3}|[*∗†‡§¶]{1,3}|[a-z])"
_CALLED = re.compile(rf"{RAISED}\s?{_MARK}[.)]?{ENDED}")
_NOTE = re.compile(rf"(?:{RAISED}\s?{_MARK}[.)]?{ENDED}[.)]?|{_MARK}[.)]?(?=\s))\s*(?=\S)")


def notes_of(columns: list[list[Line]], body: float) -> dict[str, str]:
    """Mark -> note, for those that a page calls; their lines are taken out of its columns."""
    lines = [line for column in columns for line in column]
    called = {match.group(1) for line in lines for match in _CALLED.finditer(line.text) if match.start() > 0}
    if not called:
        return {}
    found: dict[str, str] = {}
    middle = (min(line.y for line in lines if line.y > -1e6) + max(line.y for line in lines)) / 2
    for column in columns:
        if not any(-1e6 < line.y <= middle for line in column):
            continue
        mark = ""
        top = -math.inf
        low = 0.0
        for row in _foot(column, body):
            line = together(row)
            if mark and low - line.y > 1.8 * line.style.size:
                break
            low = line.y
            match = _NOTE.match(line.text)
            begun = match and (match.group(1) or match.group(2))
            if match and begun in called and begun not in found:
                mark = str(begun)
                top = max(top, line.y + 0.36 * line.style.size)
                found[mark] = line.text[match.end() :]
            elif mark:
                found[mark] += f" {line.text}"
        column[:] = [line for line in column if line.y > top or line.y < low - 1]
    return found


def _foot(column: list[Line], body: float) -> list[list[Line]]:
    """The last rows of a column: in small letters, or below one that begins with a raised mark."""
    found = rows(column)
    at = len(found)
    for place in range(len(found) - 1, -1, -1):
        row = found[place]
        if max(line.style.size for line in row) <= 0.95 * body or row[0].text.startswith(RAISED):
            at = place
        elif len(found) - place > 12 or row[0].style.size > 1.05 * body:
            break
    return found[at:]
