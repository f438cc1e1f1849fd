"""What the documents say about a question that they may not answer: the nearest passages, in their own words."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.check.judge import judge
from pipeline.compose.cite import Numbering
from pipeline.read.evidence import Candidate, Evidence, best_of
from pipeline.read.excerpt import excerpt
from pipeline.values import BlockKind, Judgement, Sentence

SHOWN = 2
"""Of 60 questions of newcomers 19 were declined that the documents answer: one passage has the facts of 8, two of 10,
three of 11, and three are more than a person reads in a chat."""
NEAREST_FROM = 0.2
"""The score below which a passage is about something else: over the example handbook, questions that it is silent about
reach .1 to .25 with what has nothing to do with them, and .3 to .5 with what a person would look through."""


def nearest(evidence: Evidence) -> Numbering:
    """The best passages in their order, numbered, each with what it says around its best unit, checked as an answer is;
    nothing where none comes near. Of a flagged document nothing is quoted: it is only named."""
    numbering = Numbering(evidence.passages)
    for best in _best(evidence):
        if best.passage.document.flagged:
            numbering.number((best.chunk_id,))
            continue
        for sentence, judgement in _checked(best):
            numbering.cite(sentence, judgement)
    return numbering


def _best(evidence: Evidence) -> list[Candidate]:
    """The unit that fits best of each of the nearest passages, those first."""
    found = [one for units in evidence.units if (one := best_of([units])) and one.passage.score >= NEAREST_FROM]
    return sorted(found, key=lambda one: -one.passage.score)[:SHOWN]


def _checked(best: Candidate) -> Iterator[tuple[Sentence, Judgement]]:
    """What stands of an excerpt; an instruction to an assistant does not."""
    judged = [(sentence, judge(sentence, [best.passage])) for sentence in excerpt(best)]
    stands = [(sentence, judgement) for sentence, judgement in judged if judgement.supported]
    if any(sentence.kind not in (BlockKind.HEADING, BlockKind.HEADER) for sentence, _ in stands):
        yield from stands
