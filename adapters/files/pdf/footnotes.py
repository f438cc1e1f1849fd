"""Notes at the foot of a page, with the marks that call them."""

from __future__ import annotations

import re

from adapters.files.pdf.lines import ENDED, RAISED, rows, together
from adapters.files.pdf.parts import Line, Page

_CALLED = re.compile(f"{RAISED}([^{ENDED}]{{1,3}}){ENDED}")
_NOTE = re.compile(f"(?:{RAISED}([^{ENDED}]{{1,3}}){ENDED}|(\\d{{1,2}}|[*†‡§]{{1,3}}|[a-z])[.)]?(?=\\s))\\s*(?=\\S)")


def notes_of(page: Page, body: float) -> dict[str, str]:
    """Mark -> note, for those that the page calls; their lines are taken out of the page."""
    called = {
        match.group(1).strip() for line in page.lines for match in _CALLED.finditer(line.text) if match.start() > 0
    }
    if not called:
        return {}
    found: dict[str, str] = {}
    mark = ""
    taken: list[Line] = []
    for row in _foot(page, body):
        line = together(row)
        match = _NOTE.match(line.text)
        begun = match and (match.group(1) or match.group(2)).strip()
        if match and begun in called and begun not in found:
            mark = str(begun)
            found[mark] = line.text[match.end() :]
        elif mark:
            found[mark] += f" {line.text}"
        taken.extend(row if mark else ())
    gone = {id(line) for line in taken}
    page.lines[:] = [line for line in page.lines if id(line) not in gone]
    return found


def _foot(page: Page, body: float) -> list[list[Line]]:
    """The last rows of a page: in small letters, or below one that begins with a raised mark."""
    found = rows(page.lines)
    at = len(found)
    for place in range(len(found) - 1, -1, -1):
        row = found[place]
        if max(line.style.size for line in row) <= 0.95 * body or row[0].text.startswith(RAISED):
            at = place
        elif len(found) - place > 12 or row[0].style.size > 1.05 * body:
            break
    return found[at:]
