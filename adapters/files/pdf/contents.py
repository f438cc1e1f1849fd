"""Tables of contents, which are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from adapters.files.pdf.lines import LEADERS, led
from adapters.files.pdf.parts import Line, Table

_CONTENTS = re.compile(
    r"(?:table of )?contents|inhalt(?:sverzeichnis)?|sommaire|table des matières|índice|indice|contenido|sumário",
    re.IGNORECASE,
)
_ENDS_IN_NUMBER = re.compile(r"(?:\d{1,4}|[ivxlc]{1,6})")


def contents_left_out(parts: Sequence[Line | Table], pages: int) -> Iterator[Line | Table]:
    """Without the entries of a table of contents: lines with leaders to the number of a page, and below its heading
    all that end in one."""
    listed: list[Line | Table] = []
    under = False
    for part in parts:
        leads = isinstance(part, Line) and led(part.text)
        if leads or (under and all(map(_ENDS_IN_NUMBER.fullmatch, _ends(part)))):
            listed.append(part)
            continue
        yield from _kept(listed, pages, under=under)
        if listed or isinstance(part, Table) or not under or len(part.text.split()) > 8:
            under = isinstance(part, Line) and bool(_CONTENTS.fullmatch(part.text.strip()))
        listed = []
        yield part
    yield from _kept(listed, pages, under=under)


def _ends(part: Line | Table) -> list[str]:
    texts = [part.text] if isinstance(part, Line) else [" ".join(row[-1]) for row in part.rows]
    return [(LEADERS.split(text)[-1].split() or [""])[-1] for text in texts]


def _kept(listed: Sequence[Line | Table], pages: int, *, under: bool) -> Sequence[Line | Table]:
    ends = [end for part in listed for end in _ends(part)]
    numbered = all(_ENDS_IN_NUMBER.fullmatch(end) for end in ends)
    figures = [int(end) for end in ends if end.isdecimal()]
    rises = figures == sorted(figures) and (not figures or figures[-1] <= pages + 20)
    within = len(ends) > 1 and pages > 1 and (not figures or figures[-1] <= pages)
    alone = isinstance(listed[0], Line) and LEADERS.split(listed[0].text)[-1].strip() == ends[0] if listed else False
    return () if listed and numbered and rises and (under or (within and alone)) else listed
