"""What speaks for and against the passages holding the answer: a few numbers that the confidence is computed from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.opposites import opposed
from pipeline.phrases import AUXILIARIES, word_pattern
from pipeline.read import layout
from pipeline.read.asked import Asked, holds
from pipeline.read.evidence import Candidate, best_of
from pipeline.read.figures import names_another
from pipeline.text import STOP_WORDS, terms, words
from pipeline.values import BlockKind

HEADING = 0.7
"""What the cosine of a heading counts: it tells what its text is about, but does not answer. That of the
heading or lead-in of a list that answers counts in full."""
ROW = 0.85
"""What stands in for the cosine of a table row with a cell that the question names, times the share of the question's
terms in it and around it: a row is no sentence, and its vector says little."""
SHORT = 2
"""Terms of a short question."""
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|non|except|least|unable|rarely|hardly"
    r"|nicht|kein\w*|nie|ohne|pas|jamais|sans|sin|nunca)\b|n['’]t\b|ない|ません",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'’-]*")
_WHETHER = re.compile(
    rf"\W*(?:{AUXILIARIES})\s+"
    r"(?!(?:i|we|you|it|they|he|she|one|there|any(?:one|body|thing)|every(?:one|body|thing)|some(?:one|body|thing)"
    r"|people|nobody|nothing|this|that|these|those|(?:the |our |my )?(?:company|firm|organi[sz]ation|employer))\b)"
    r"(?P<rest>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_GERMAN = word_pattern(
    "der|das|eine?[rmns]?|wie|wer|wann|wo|warum|welche[rmns]?|ist|sind|hat|haben|und|im|für|kann|muss"
)


@dataclass(frozen=True, slots=True)
class Signals:
    """Numbers between 0 and 1 unless said otherwise."""

    cosine: float
    """Of the sentence nearest to the question, or of a heading that is nearer by far; see ROW for table rows."""
    topic: float
    """Mean cosine of the three nearest sentences of the best sentence's passage."""
    lead: float
    """How far the best sentence scores above the best one of any other passage; below 0 never, at most 1."""
    coverage: float
    """Weighted share of the question's terms in the best sentence and around it."""
    rarest_missing: float
    """Weight of the weightiest term of the question that the best sentence lacks."""
    missing: float
    """Share of the question's terms that stand neither in the best sentence nor around it."""
    names_missing: float
    """1 when a name of the question stands neither in the best sentence nor around it."""
    numbers_missing: float
    """1 when a number of the question stands neither in the best sentence nor around it."""
    negation: float
    """1 when the question is negated and the best sentence is not."""
    opposite: float
    """1 when the best sentence has the opposite of a word of the question in its place."""
    another: float
    """1 when it is about another one of what the question numbers: machine 74 for machine 77."""
    column_missing: float
    """1 when the best sentence is a table row that the question names, and something else that is asked for stands
    neither in it nor around it."""
    subject_missing: float
    """1 when what a yes-or-no question begins with stands in no passage."""
    titled: float
    """1 when the heading that the best sentence stands under holds all terms, two or more, or is the only one: of 75
    such questions of clapnq, mtrag_cloud and doc2dial 74 can be answered. For a question of at most SHORT terms, whose
    cosine says little, also 1 when the document's title holds them all, and the score of the passage when they stand in
    the sentence or the title. 0 without a thing of the wanted kind."""


def signals(asked: Asked, evidence: Sequence[Sequence[Candidate]], *, several: bool = False) -> Signals | None:
    """None when no passage says anything. A question about `several` things is answered by all passages together: its
    names and numbers may stand in any."""
    best = best_of(evidence)
    if best is None:
        return None
    units = evidence[best.place]
    around = _around(best, units)
    near = set(terms(around)).union(*best.near)
    others = (one for units in evidence for one in units if one.says and one.place != best.place)
    elsewhere = max((one.score for one in others), default=best.score - 1)
    nearest = sorted((one.cosine for one in units), reverse=True)[:3]
    before = units[best.index - 1].text if best.index else ""
    opening = _opening(best, units)
    said = f"{opening.text} {best.text}" if opening else best.text
    missing = sum(term not in near for term in asked.terms) / max(1, len(asked.terms))
    row = best.kind is BlockKind.ROW and best.named > 0
    subject = _subject(asked.text)
    everything = " ".join(one.text for passage in evidence for one in passage) if several or subject else ""
    anywhere = near | set(terms(everything))
    named = anywhere if several else near
    together = f"{best.text} {around} {everything if several else ''}"
    cosine = max(one.cosine * (1.0 if one.says else HEADING) for passage in evidence for one in passage)
    if cosine > 0:
        cosine = max(cosine, opening.cosine if opening else 0.0, ROW * (1 - missing) if row else 0.0)
    return Signals(
        cosine=cosine,
        topic=sum(nearest) / len(nearest),
        lead=min(max(best.score - elsewhere, 0.0), 1.0),
        coverage=best.coverage,
        rarest_missing=best.lacks,
        missing=missing,
        names_missing=float(any(not name <= named for name in _names(asked.text))),
        numbers_missing=float(not set(_NUMBER.findall(asked.text)) <= set(_NUMBER.findall(together))),
        negation=float(bool(_NEGATION.search(asked.text)) and not _NEGATION.search(said)),
        opposite=float(opposed(_content(asked.text), words(f"{before} {best.text}"))),
        another=float(names_another(asked.text, f"{around} {best.text}")),
        column_missing=float(row and missing > 0),
        subject_missing=float(not subject <= anywhere),
        titled=_titled(asked, best),
    )


def _subject(question: str) -> set[str]:
    """The first content word of a yes-or-no question that begins with its subject; empty for any other question."""
    found = _WHETHER.match(question)
    return set(terms(found["rest"])[:1]) if found else set()


def _titled(asked: Asked, best: Candidate) -> float:
    if asked.wanted is not None and not holds(asked.wanted, best.text):
        return 0.0
    title, wanted = set(terms(best.passage.document.title)), set(asked.terms) - asked.kind
    if len(wanted) > 1 and wanted <= set(terms(layout.above(best.passage.chunk, best.index))):
        return 1.0
    if wanted == best.near[2]:
        return 1.0
    if len(asked.terms) > SHORT:
        return 0.0
    if wanted <= title:
        return 1.0
    return best.passage.score if wanted <= {*title, *terms(best.text)} else 0.0


def _opening(best: Candidate, units: Sequence[Candidate]) -> Candidate | None:
    """What a list entry, a step or a table row cannot be understood without."""
    place = layout.opening(best.passage.chunk, best.index)
    return None if place is None else units[place]


def _around(best: Candidate, units: Sequence[Candidate]) -> str:
    """What is read together with a sentence: the one before, the header of its table, the heading above, the title."""
    chunk = best.passage.chunk
    before = units[best.index - 1].text if best.index else ""
    opening = _opening(best, units)
    return " ".join(
        (before, opening.text if opening else "", layout.above(chunk, best.index), best.passage.document.title)
    )


def _names(question: str) -> list[set[str]]:
    """Capitalised words inside a question; none in German, where every noun is capitalised."""
    if _GERMAN.search(question):
        return []
    return [name for name in (set(terms(found)) for found in _NAME.findall(question)) if name]


def _content(question: str) -> list[str]:
    return [word for word in words(question) if word not in STOP_WORDS]
