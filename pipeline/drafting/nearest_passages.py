"""What the documents say about a question that they may not answer: the nearest passages, in their own words."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.check.word_check import judge_sentence
from pipeline.compose.answer import CAPTION_KINDS, CheckedSentence, DraftResult
from pipeline.compose.citations import CitationRegistry, build_citation, citation_reference
from pipeline.compose.confidence import EXTRACTIVE_WRITER, Assessment
from pipeline.drafting.task import DraftTask
from pipeline.evidence.conflicts import conflict_dates, find_conflict
from pipeline.evidence.excerpts import PassageExcerpt, select_excerpts
from pipeline.evidence.gather import Evidence
from pipeline.evidence.other_entities import other_entity_units
from pipeline.evidence.scored_units import best_unit
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import (
    LIST_KINDS,
    BlockKind,
    ConfidenceLevel,
    DraftSentence,
    Judgement,
    RetrievedChunk,
    SupportBasis,
    replace,
)
from pipeline.write.extractive import FORMATS_WITHOUT_TABLES, ExtractiveDraft

MAX_NEAREST_EXCERPTS, LOW_CONFIDENCE_EXCERPTS, EXCERPTS_BELOW_ANSWER = 4, 3, 2
"""Stretches that are shown where nothing answers, as an answer of low confidence, and below other answers that are
not sure. Of 126 questions of newcomers the facts are then in the reply to 97; with three, three and one to 92."""
MIN_NEAREST_SCORE = 0.2
"""The score below which a passage is about something else: over the example handbook, questions that it is silent about
reach .1 to .25 with what has nothing to do with them, and .3 to .5 with what a person would look through."""


def choose_shown_sentences(
    task: DraftTask, said: Sequence[CheckedSentence], drafted: ExtractiveDraft, assessment: Assessment
) -> list[CheckedSentence]:
    """What is shown of an extract of which `said` stands. Of low confidence, it is what the nearest passages say; of
    medium, all that the nearest says, if it stands there. Rows, a comparison, a list and what was asked for in a form
    of its own stay as they are, and so does what stands in a flagged document where that is nearest.

    Of 56 questions of newcomers 15 are answered at low confidence: the sentences chosen have the facts of eight, the
    passages of 14; of 468 such of doc2dial, clapnq and squad2 the former have the gold of .77, the latter of .86."""
    level = assessment.confidence.level
    kinds = {one.sentence.kind for one in said}
    shaped = BlockKind.ROW in kinds or (task.brief.format not in (None, *FORMATS_WITHOUT_TABLES) and kinds & LIST_KINDS)
    if (
        level is ConfidenceLevel.HIGH
        or task.brief.sides
        or assessment.conflict
        or shaped
        or _headed(task.evidence, said)
    ):
        return list(said)
    if level is ConfidenceLevel.LOW:
        near = _excerpts(task.evidence, LOW_CONFIDENCE_EXCERPTS)
        if any(one.passage.document.flagged for one in near[:1]):
            return list(said)
        clean = [one for one in near if not one.passage.document.flagged]
        return [piece for one in clean for piece in _checked(one, task.words)] or list(said)
    return list(said) if drafted.extent else _around(task.evidence, said)


def _around(evidence: Evidence, said: Sequence[CheckedSentence]) -> list[CheckedSentence]:
    """What is `said` with the rest of the nearest stretch of text, if all of it stands in that passage."""
    best = next(iter(_excerpts(evidence, 1)), None)
    if best is None or best.passage.document.flagged:
        return list(said)
    places = {one.text: one.unit_index for one in reversed(best.units)}
    inside = all(one.judgement.chunk_ids[0] == best.passage.chunk.id and one.sentence.text in places for one in said)
    if not inside:
        return list(said)
    every = {one.sentence.text: one for one in (*said, *_checked(best)[1:])}
    return sorted(every.values(), key=lambda one: places[one.sentence.text])


def _headed(evidence: Evidence, said: Sequence[CheckedSentence]) -> bool:
    """Whether a heading is the answer, as where its date is."""
    headings = {one.text for units in evidence.units for one in units if one.kind is BlockKind.HEADING}
    return any(one.sentence.text in headings for one in said)


def cite_nearest(
    evidence: Evidence, written: CitationRegistry, drafted: DraftResult, translator: Translator = ENGLISH_TRANSLATOR
) -> CitationRegistry:
    """What the documents say where nothing is `written`; below an extract that is not sure the nearest stretch, unless
    the extract says all of that. Of a flagged document nothing is quoted: it is only named. Below what a model wrote
    stands what its judge rested on where that says more."""
    if written.sentences and drafted.usage.writer != EXTRACTIVE_WRITER:
        return _rested_on(evidence, written, drafted, translator)
    unsure = (
        drafted.usage.writer == EXTRACTIVE_WRITER and drafted.assessment.confidence.level is not ConfidenceLevel.HIGH
    )
    if written.sentences and not unsure:
        return CitationRegistry(())
    near = CitationRegistry(evidence.passages, written)
    said = {one.text for one in written.sentences}
    apart = find_conflict(evidence.question, evidence.units)
    days_of = {one.chunk_id: day for one, day in zip(apart, conflict_dates(apart), strict=True)}
    excerpts = _excerpts(evidence, EXCERPTS_BELOW_ANSWER if written.sentences else MAX_NEAREST_EXCERPTS)
    for one in sorted(excerpts, key=lambda one: days_of.get(one.passage.chunk.id, ""), reverse=True):
        if one.passage.document.flagged:
            near.assign_numbers((one.passage.chunk.id,))
            continue
        pieces = _checked(one, translator, days_of.get(one.passage.chunk.id, ""))
        if not said.issuperset(piece.sentence.text for piece in pieces[1:]):
            for piece in pieces:
                near.cite(piece.sentence, piece.judgement)
    return near


def _rested_on(
    evidence: Evidence, written: CitationRegistry, drafted: DraftResult, translator: Translator
) -> CitationRegistry:
    near = CitationRegistry(evidence.passages, written)
    passages = {passage.chunk.id: passage for passage in evidence.passages}
    shown = {one.text for one in written.sentences}
    for sentence, judgement, _ in drafted.checked:
        if judgement.omitted_conditions and judgement.is_supported and sentence.text in shown:
            passage = passages[judgement.chunk_ids[0]]
            said = DraftSentence(text=judgement.omitted_conditions, chunk_ids=(passage.chunk.id,), opens=True)
            for one in (_path(passage, [judgement.quote], translator), said):
                near.cite(
                    one,
                    Judgement(support=SupportBasis.VERBATIM, score=1.0, chunk_ids=one.chunk_ids, quote=judgement.quote),
                )
    return near


def _excerpts(evidence: Evidence, shown: int) -> list[PassageExcerpt]:
    """Of another customer, country or product than the one that is asked about nothing is shown."""
    best = best_unit(evidence.units)
    near = [units for units in evidence.units if best_unit([units]) and units[0].passage.score >= MIN_NEAREST_SCORE]
    if best is None:
        return []
    without = {units[0].passage_index: other_entity_units(evidence.question, best, units) for units in near}
    about = [
        units
        for units in near
        if any(one.can_answer and one.unit_index not in without[one.passage_index] for one in units)
    ]
    return [
        replace(one, excluded_units=without[one.units[0].passage_index])
        for one in select_excerpts(about, evidence.term_weights, shown)
    ]


def _checked(
    one: PassageExcerpt, translator: Translator = ENGLISH_TRANSLATOR, as_of: str = ""
) -> list[CheckedSentence]:
    """What stands of an excerpt, under the path of its headings, its document and the day that it is of named first; an
    instruction to an assistant does not. Empty where nothing is left but captions."""
    judged = [CheckedSentence(sentence, judge_sentence(sentence, [one.passage])) for sentence in one.sentences()]
    stands = [piece for piece in judged if piece.judgement.is_supported]
    if all(piece.sentence.kind in CAPTION_KINDS for piece in stands):
        return []
    first, *rest = stands
    opened = first._replace(sentence=replace(first.sentence, opens=True))
    path = _path(one.passage, [piece.judgement.quote for piece in stands], translator)
    path = replace(path, as_of=as_of)
    judgement = Judgement(support=SupportBasis.VERBATIM, score=1.0, chunk_ids=path.chunk_ids)
    return [CheckedSentence(path, judgement), opened, *rest]


def _path(passage: RetrievedChunk, quotes: Sequence[str], translator: Translator) -> DraftSentence:
    """Where in its document something stands, as a heading above it."""
    place = citation_reference(build_citation(passage, 0, quotes=quotes), translator)
    return DraftSentence(text=place, kind=BlockKind.HEADING, chunk_ids=(passage.chunk.id,), opens=True)
