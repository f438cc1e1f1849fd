"""What the documents say about a question that they may not answer: the nearest passages, in their own words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.check.judge import judge
from pipeline.compose.cite import Numbering
from pipeline.compose.compose import Checked, Drafted
from pipeline.compose.confidence import EXTRACTIVE, Assessment
from pipeline.drafting.task import Task
from pipeline.read.evidence import Evidence, best_of
from pipeline.read.excerpt import Excerpt, excerpts
from pipeline.values import BlockKind, Judgement, Level, Sentence
from pipeline.write.extract import UNRULED, Extract

SHOWN = 3
"""Stretches that are shown where nothing answers, or an answer is of low confidence; one below other answers that are
not sure. Of 56 questions of newcomers the facts are then in the reply to 47; with two and one 43."""
NEAREST_FROM = 0.2
"""The score below which a passage is about something else: over the example handbook, questions that it is silent about
reach .1 to .25 with what has nothing to do with them, and .3 to .5 with what a person would look through."""


def beside(evidence: Evidence, written: Numbering, drafted: Drafted) -> Numbering:
    """What the documents say where nothing is `written`; below an extract that is not sure, what it does not say of
    that."""
    if not written.sentences:
        return nearest(evidence)
    level = drafted.assessment.confidence.level
    if drafted.usage.writer != EXTRACTIVE or level is Level.HIGH:
        return Numbering(())
    return nearest(evidence, SHOWN if level is Level.LOW else 1, after=written)


def whole(task: Task, said: Sequence[Checked], drafted: Extract, assessment: Assessment) -> list[Checked]:
    """What the nearest passage says in the place of an extract that is not sure, with what is `said`, where all of that
    stands in this passage; a part of a list, a comparison and what was asked for in a form of its own stay as they
    are."""
    shaped = task.brief.format not in (None, *UNRULED) or task.brief.sides or drafted.extent or assessment.differing
    if shaped or assessment.confidence.level is Level.HIGH:
        return list(said)
    best = next(iter(_excerpts(task.evidence, 1)), None)
    if best is None or best.passage.document.flagged:
        return list(said)
    places = {one.text: one.index for one in reversed(best.units)}
    inside = all(one.judgement.chunk_ids[0] == best.passage.chunk.id and one.sentence.text in places for one in said)
    if not inside or any(best.units[places[one.sentence.text]].kind is BlockKind.HEADING for one in said):
        return list(said)  # a heading is the answer where its date is
    around = [Checked(sentence, judgement) for sentence, judgement in _checked(best)]
    told = {one.sentence.text: one for one in (*said, *around)}
    return sorted(told.values(), key=lambda one: places[one.sentence.text])


def nearest(evidence: Evidence, shown: int = SHOWN, after: Numbering | None = None) -> Numbering:
    """The `shown` best stretches, numbered by their passages, each checked as an answer is; not those that were said
    `after` which they stand; nothing where none comes near. Of a flagged document nothing is quoted: it is only
    named."""
    numbering = Numbering(evidence.passages, after)
    said = {one.text for one in after.sentences} if after else set[str]()
    for one in _excerpts(evidence, shown):
        if one.passage.document.flagged:
            numbering.number((one.passage.chunk.id,))
            continue
        told = list(_checked(one))
        if {sentence.text for sentence, _ in told} - said:
            for sentence, judgement in told:
                numbering.cite(sentence, judgement)
    return numbering


def _excerpts(evidence: Evidence, shown: int) -> list[Excerpt]:
    near = [units for units in evidence.units if best_of([units]) and units[0].passage.score >= NEAREST_FROM]
    return excerpts(near, evidence.weights, shown)


def _checked(one: Excerpt) -> Iterator[tuple[Sentence, Judgement]]:
    """What stands of an excerpt; an instruction to an assistant does not."""
    judged = [(sentence, judge(sentence, [one.passage])) for sentence in one.sentences()]
    stands = [(sentence, judgement) for sentence, judgement in judged if judgement.supported]
    if any(sentence.kind not in (BlockKind.HEADING, BlockKind.HEADER) for sentence, _ in stands):
        yield from stands
