"""The runs of a paragraph as one text, with what changes its meaning: notes, formulas, raised and lowered figures."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from adapters.files.inline import lowered, noted, raised
from pipeline.values import Link

RAISED, LOWERED, NOTE, FORMULA, CODE = "raised", "lowered", "note", "formula", "code"
_TAIL = 300
"""Characters before a note that its place is decided by."""
_kind, _url = attrgetter("kind"), attrgetter("url")


class Run(NamedTuple):
    text: str
    kind: str = ""
    url: str = ""
    """Where it leads."""


def text_of(runs: Iterable[Run], *, notes: bool = True) -> str:
    """All of them, with notes in their own words or without; programs cut words anywhere."""
    said: list[str] = [""]
    before = ""
    for kind, group in groupby(runs, key=_kind):
        texts = [run.text for run in group]
        if kind == NOTE:
            for text in texts if notes else ():
                tail = said.pop()
                said += (tail[:-_TAIL], noted(tail[-_TAIL:], text))
        elif kind == RAISED:
            said.append(raised("".join(texts), said[-1]))
        elif kind == LOWERED:
            said.append(lowered("".join(texts)))
        else:
            text = (" " if kind == FORMULA else "").join(texts)
            meet = text[:1].isdigit() and said[-1][-1:].isdigit()
            apart = meet and (FORMULA in {kind, before} or before == RAISED)  # 2 1/2 is not 21/2
            said.append(" " * apart + text)
        before = kind
    return "".join(said)


def links_of(runs: Iterable[Run]) -> list[Link]:
    return [Link(text=text_of(group, notes=False), url=url) for url, group in groupby(runs, key=_url) if url]


def code_of(runs: Iterable[Run]) -> list[str]:
    """What is set as code is, in order."""
    return ["".join(run.text for run in group) for kind, group in groupby(runs, key=_kind) if kind == CODE]
