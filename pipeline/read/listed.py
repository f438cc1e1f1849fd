"""Whether a list is what was asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.read.asked import AUXILIARIES, Question
from pipeline.read.candidates import Candidate
from pipeline.read.evidence import Evidence
from pipeline.values import BlockKind
from pipeline.words.text import terms

_SMALL = rf"(?:{'|'.join(sorted(AUXILIARIES))})\b"
_SEVERAL = re.compile(
    rf"^\W*(?:(?:what|which|who) (?:are|were)\b|(?:what|which) (?:(?!{_SMALL})\w+ ){{0,2}}(?!{_SMALL})\w+[^s\W]s\b)",
    re.IGNORECASE,
)
"""Asks for several: `what are the steps`, `which optional parts does it have`."""


def titled(evidence: Evidence, one: Candidate) -> bool:
    """Whether the list, procedure or table that `one` is an entry of is what was asked for: its headings, the title of
    its document and the rows that the question names hold most of the question, and its passage the rest; the word for
    an entry aside."""
    asked, entries = evidence.asked, evidence.wholes[one.place_in_text]
    wanted = frozenset(asked.terms) - frozenset(terms(one.kind.value))
    over = frozenset(terms(f"{one.passage.document.title} {one.passage.chunk.above(one.index)}"))
    over = wanted & over.union(*(row.near[0] for row in named(asked, entries)))
    inside = (other.near[0] for other in (*entries, *evidence.units[one.place]))
    return 2 * len(over) > len(wanted) and wanted <= over.union(*inside)


def headed(evidence: Evidence, one: Candidate) -> bool:
    """Whether the question asks for several things, and all of it stands over the list that `one` is an entry of: in
    the title, the headings and the lead-in."""
    asked, opening = evidence.asked, one.passage.chunk.opening(one.index)
    lead = evidence.units[one.place][opening].text if opening is not None else ""
    over = frozenset(terms(f"{one.passage.document.title} {one.passage.chunk.above(one.index)} {lead}"))
    several = bool(_SEVERAL.search(asked.text)) and not asked.figure
    return several and len(asked.terms) > 1 and over.issuperset(asked.terms)


def named(asked: Question, entries: Sequence[Candidate]) -> list[Candidate]:
    """The rows that the question names; not those of which it names less than of others."""
    rows = [one for one in entries if one.kind is BlockKind.ROW and one.named]
    held = [one.near[0].intersection(asked.terms) for one in rows]
    return [one for one, found in zip(rows, held, strict=True) if not any(found < other for other in held)]


def needed(asked: Question, opening: Candidate, entry: Candidate) -> bool:
    """Whether what opens a list must be said: not a heading that mostly repeats the question or the entry."""
    if not opening.passage.chunk.heads(opening.index):
        return True
    found = opening.near[0]
    return 2 * len(found.difference(asked.terms, entry.near[0])) > len(found)
