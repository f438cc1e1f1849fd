"""What the documents say about a question that they may not answer: the nearest passages, in their own words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pipeline.check.judge import judge
from pipeline.compose.cite import Numbering
from pipeline.compose.compose import Checked, Drafted
from pipeline.compose.confidence import EXTRACTIVE, Assessment
from pipeline.drafting.task import Task
from pipeline.read.evidence import Candidate, Evidence, best_of
from pipeline.read.excerpt import excerpt
from pipeline.values import BlockKind, Judgement, Level, Sentence
from pipeline.write.extract import UNRULED, Extract

SHOWN = 2
"""Of 60 questions of newcomers 19 were declined that the documents answer: one passage has the facts of 8, two of 10,
three of 11, and three are more than a person reads in a chat."""
NEAREST_FROM = 0.2
"""The score below which a passage is about something else: over the example handbook, questions that it is silent about
reach .1 to .25 with what has nothing to do with them, and .3 to .5 with what a person would look through."""


def beside(evidence: Evidence, written: Numbering, drafted: Drafted) -> Numbering:
    """What the documents say where nothing is `written`; below an extract that is not sure the nearest passage, unless
    the extract says all of that."""
    if not written.sentences:
        return nearest(evidence)
    if drafted.usage.writer == EXTRACTIVE and drafted.assessment.confidence.level is not Level.HIGH:
        closest = nearest(evidence, 1, after=written)
        if {one.text for one in closest.sentences} - {one.text for one in written.sentences}:
            return closest
    return Numbering(())


def whole(task: Task, said: Sequence[Checked], drafted: Extract, assessment: Assessment) -> list[Checked]:
    """What the nearest passage says in the place of an extract that is not sure, with what is `said`, where all of that
    stands in this passage; a part of a list, a comparison and what was asked for in a form of its own stay as they
    are."""
    shaped = task.brief.format not in (None, *UNRULED) or task.brief.sides or drafted.extent or assessment.differing
    best = _best(task.evidence)
    if shaped or not best or assessment.confidence.level is Level.HIGH or best[0][0].passage.document.flagged:
        return list(said)
    places = {one.text: one.index for one in reversed(best[0])}
    if not all(one.judgement.chunk_ids[0] == best[0][0].chunk_id and one.sentence.text in places for one in said):
        return list(said)
    if any(best[0][places[one.sentence.text]].kind is BlockKind.HEADING for one in said):  # a date is the answer
        return list(said)
    around = [Checked(sentence, judgement) for sentence, judgement in _checked(best[0], task.evidence.weights)]
    told = {one.sentence.text: one for one in (*said, *around)}
    return sorted(told.values(), key=lambda one: places[one.sentence.text])


def nearest(evidence: Evidence, shown: int = SHOWN, after: Numbering | None = None) -> Numbering:
    """The `shown` best passages in their order, numbered, each with what it says about the question, checked as an
    answer is; nothing where none comes near. Of a flagged document nothing is quoted: it is only named."""
    numbering = Numbering(evidence.passages, after)
    for units in _best(evidence)[:shown]:
        passage = units[0].passage
        if passage.document.flagged:
            numbering.number((passage.chunk.id,))
            continue
        for sentence, judgement in _checked(units, evidence.weights):
            numbering.cite(sentence, judgement)
    return numbering


def _best(evidence: Evidence) -> list[Sequence[Candidate]]:
    found = [units for units in evidence.units if best_of([units]) and units[0].passage.score >= NEAREST_FROM]
    return sorted(found, key=lambda units: -units[0].passage.score)


def _checked(units: Sequence[Candidate], weights: Mapping[str, float]) -> Iterator[tuple[Sentence, Judgement]]:
    """What stands of an excerpt; an instruction to an assistant does not."""
    judged = [(sentence, judge(sentence, [units[0].passage])) for sentence in excerpt(units, weights)]
    stands = [(sentence, judgement) for sentence, judgement in judged if judgement.supported]
    if any(sentence.kind not in (BlockKind.HEADING, BlockKind.HEADER) for sentence, _ in stands):
        yield from stands
