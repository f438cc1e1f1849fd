"""What the documents say about a question that they may not answer: the nearest passages, in their own words."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.check.judge import judge
from pipeline.compose.cite import Numbering, cite, reference
from pipeline.compose.compose import CAPTIONS, Checked, Drafted
from pipeline.compose.confidence import EXTRACTIVE, Assessment
from pipeline.drafting.task import Task
from pipeline.read.candidates import best_of
from pipeline.read.differing import days, differing
from pipeline.read.evidence import Evidence
from pipeline.read.excerpt import Excerpt, excerpts
from pipeline.read.siblings import others
from pipeline.translations import ENGLISH, Words
from pipeline.values import LISTED, BlockKind, Judgement, Level, RetrievedChunk, Sentence, Support, replace
from pipeline.write.extract import UNRULED, Extract

SHOWN, LOW, BELOW = 4, 3, 2
"""Stretches that are shown where nothing answers, as an answer of low confidence, and below other answers that are
not sure. Of 126 questions of newcomers the facts are then in the reply to 97; with three, three and one to 92."""
NEAREST_FROM = 0.2
"""The score below which a passage is about something else: over the example handbook, questions that it is silent about
reach .1 to .25 with what has nothing to do with them, and .3 to .5 with what a person would look through."""


def told(task: Task, said: Sequence[Checked], drafted: Extract, assessment: Assessment) -> list[Checked]:
    """What is shown of an extract of which `said` stands. Of low confidence, it is what the nearest passages say; of
    medium, all that the nearest says, if it stands there. Rows, a comparison, a list and what was asked for in a form
    of its own stay as they are, and so does what stands in a flagged document where that is nearest.

    Of 56 questions of newcomers 15 are answered at low confidence: the sentences chosen have the facts of eight, the
    passages of 14; of 468 such of doc2dial, clapnq and squad2 the former have the gold of .77, the latter of .86."""
    level = assessment.confidence.level
    kinds = {one.sentence.kind for one in said}
    shaped = BlockKind.ROW in kinds or (task.brief.format not in (None, *UNRULED) and kinds & LISTED)
    if level is Level.HIGH or task.brief.sides or assessment.differing or shaped or _headed(task.evidence, said):
        return list(said)
    if level is Level.LOW:
        near = _excerpts(task.evidence, LOW)
        if any(one.passage.document.flagged for one in near[:1]):
            return list(said)
        clean = [one for one in near if not one.passage.document.flagged]
        return [piece for one in clean for piece in _checked(one, task.words)] or list(said)
    return list(said) if drafted.extent else _around(task.evidence, said)


def _around(evidence: Evidence, said: Sequence[Checked]) -> list[Checked]:
    """What is `said` with the rest of the nearest stretch of text, if all of it stands in that passage."""
    best = next(iter(_excerpts(evidence, 1)), None)
    if best is None or best.passage.document.flagged:
        return list(said)
    places = {one.text: one.index for one in reversed(best.units)}
    inside = all(one.judgement.chunk_ids[0] == best.passage.chunk.id and one.sentence.text in places for one in said)
    if not inside:
        return list(said)
    every = {one.sentence.text: one for one in (*said, *_checked(best)[1:])}
    return sorted(every.values(), key=lambda one: places[one.sentence.text])


def _headed(evidence: Evidence, said: Sequence[Checked]) -> bool:
    """Whether a heading is the answer, as where its date is."""
    headings = {one.text for units in evidence.units for one in units if one.kind is BlockKind.HEADING}
    return any(one.sentence.text in headings for one in said)


def beside(evidence: Evidence, written: Numbering, drafted: Drafted, words: Words = ENGLISH) -> Numbering:
    """What the documents say where nothing is `written`; below an extract that is not sure the nearest stretch, unless
    the extract says all of that. Of a flagged document nothing is quoted: it is only named. Below what a model wrote
    stands what its judge rested on where that says more."""
    if written.sentences and drafted.usage.writer != EXTRACTIVE:
        return _rested_on(evidence, written, drafted, words)
    unsure = drafted.usage.writer == EXTRACTIVE and drafted.assessment.confidence.level is not Level.HIGH
    if written.sentences and not unsure:
        return Numbering(())
    near = Numbering(evidence.passages, written)
    said = {one.text for one in written.sentences}
    apart = differing(evidence.asked, evidence.units)
    days_of = {one.chunk_id: day for one, day in zip(apart, days(apart), strict=True)}
    excerpts = _excerpts(evidence, BELOW if written.sentences else SHOWN)
    for one in sorted(excerpts, key=lambda one: days_of.get(one.passage.chunk.id, ""), reverse=True):
        if one.passage.document.flagged:
            near.number((one.passage.chunk.id,))
            continue
        pieces = _checked(one, words, days_of.get(one.passage.chunk.id, ""))
        if not said.issuperset(piece.sentence.text for piece in pieces[1:]):
            for piece in pieces:
                near.cite(piece.sentence, piece.judgement)
    return near


def _rested_on(evidence: Evidence, written: Numbering, drafted: Drafted, words: Words) -> Numbering:
    near = Numbering(evidence.passages, written)
    passages = {passage.chunk.id: passage for passage in evidence.passages}
    shown = {one.text for one in written.sentences}
    for sentence, judgement, _ in drafted.checked:
        if judgement.beside and judgement.supported and sentence.text in shown:
            passage = passages[judgement.chunk_ids[0]]
            said = Sentence(text=judgement.beside, chunk_ids=(passage.chunk.id,), opens=True)
            for one in (_path(passage, [judgement.quote], words), said):
                near.cite(
                    one, Judgement(support=Support.VERBATIM, score=1.0, chunk_ids=one.chunk_ids, quote=judgement.quote)
                )
    return near


def _excerpts(evidence: Evidence, shown: int) -> list[Excerpt]:
    """Of another customer, country or product than the one that is asked about nothing is shown."""
    best = best_of(evidence.units)
    near = [units for units in evidence.units if best_of([units]) and units[0].passage.score >= NEAREST_FROM]
    if best is None:
        return []
    without = {units[0].place: others(evidence.asked, best, units) for units in near}
    about = [units for units in near if any(one.says and one.index not in without[one.place] for one in units)]
    return [replace(one, without=without[one.units[0].place]) for one in excerpts(about, evidence.weights, shown)]


def _checked(one: Excerpt, words: Words = ENGLISH, as_of: str = "") -> list[Checked]:
    """What stands of an excerpt, under the path of its headings, its document and the day that it is of named first; an
    instruction to an assistant does not. Empty where nothing is left but captions."""
    judged = [Checked(sentence, judge(sentence, [one.passage])) for sentence in one.sentences()]
    stands = [piece for piece in judged if piece.judgement.supported]
    if all(piece.sentence.kind in CAPTIONS for piece in stands):
        return []
    first, *rest = stands
    opened = first._replace(sentence=replace(first.sentence, opens=True))
    path = _path(one.passage, [piece.judgement.quote for piece in stands], words)
    path = replace(path, as_of=as_of)
    judgement = Judgement(support=Support.VERBATIM, score=1.0, chunk_ids=path.chunk_ids)
    return [Checked(path, judgement), opened, *rest]


def _path(passage: RetrievedChunk, quotes: Sequence[str], words: Words) -> Sentence:
    """Where in its document something stands, as a heading above it."""
    place = reference(cite(passage, 0, quotes=quotes), words)
    return Sentence(text=place, kind=BlockKind.HEADING, chunk_ids=(passage.chunk.id,), opens=True)
