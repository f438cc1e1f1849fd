"""Quotes of the passages nearest to a question, which they may not answer."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.check.word_check import judge_unit
from pipeline.compose.answer import CAPTION_KINDS, CheckedSentence, DraftResult
from pipeline.compose.citations import CitationRegistry, citation_reference, cited_place
from pipeline.compose.confidence import EXTRACTIVE_WRITER, Assessment
from pipeline.drafting.task import DraftTask
from pipeline.evidence.conflicts import conflict_dates
from pipeline.evidence.excerpts import PassageExcerpt, select_excerpts
from pipeline.evidence.gather import Evidence
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
"""Number of excerpts that are shown where nothing answers, as an answer of low confidence, and below other answers that
are not sure. Of 126 questions of newcomers the facts are then in the reply to 97; with three, three and one to 92."""
MIN_NEAREST_SCORE = 0.2
"""Score below which a passage is about something else: over the example handbook, questions that it does not cover
reach .1 to .25 with unrelated passages, and .3 to .5 with those that a person would look through."""


def choose_shown_sentences(
    task: DraftTask, sentences: Sequence[CheckedSentence], extract: ExtractiveDraft, assessment: Assessment
) -> list[CheckedSentence]:
    """Choose the shown sentences of an extract with these supported ones.

    At low confidence they are the nearest passages; at medium, the whole nearest excerpt, if the sentences stand there.
    Rows, a comparison, a list and a requested format stay unchanged, and so do sentences of a flagged document where
    that is nearest.

    Of 56 questions of newcomers 15 are answered at low confidence: the sentences chosen have the facts of eight, the
    passages of 14; of 468 such of doc2dial, clapnq and squad2 the former have the gold of .77, the latter of .86."""
    level = assessment.confidence.level
    kinds = {piece.sentence.kind for piece in sentences}
    has_format = BlockKind.ROW in kinds or (
        task.brief.format not in (None, *FORMATS_WITHOUT_TABLES) and kinds & LIST_KINDS
    )
    if (
        level is ConfidenceLevel.HIGH
        or task.brief.sides
        or assessment.conflict
        or has_format
        or _has_heading(task.evidence, sentences)
    ):
        return list(sentences)
    if level is ConfidenceLevel.LOW:
        nearest = _select_nearest(task.evidence, LOW_CONFIDENCE_EXCERPTS)
        if any(excerpt.passage.document.flagged for excerpt in nearest[:1]):
            return list(sentences)
        clean = [excerpt for excerpt in nearest if not excerpt.passage.document.flagged]
        return [piece for excerpt in clean for piece in _check_excerpt(excerpt, task.translator)] or list(sentences)
    return list(sentences) if extract.extent else _complete_excerpt(task.evidence, sentences)


def _complete_excerpt(evidence: Evidence, sentences: Sequence[CheckedSentence]) -> list[CheckedSentence]:
    """Return the sentences with the rest of the nearest excerpt, if all of them stand in that passage."""
    best = next(iter(_select_nearest(evidence, 1)), None)
    if best is None or best.passage.document.flagged:
        return list(sentences)
    places = {unit.text: unit.unit_index for unit in reversed(best.units)}
    inside = all(
        piece.judgement.chunk_ids[0] == best.passage.chunk.id and piece.sentence.text in places for piece in sentences
    )
    if not inside:
        return list(sentences)
    all_sentences = {piece.sentence.text: piece for piece in (*sentences, *_check_excerpt(best)[1:])}
    return sorted(all_sentences.values(), key=lambda piece: places[piece.sentence.text])


def _has_heading(evidence: Evidence, sentences: Sequence[CheckedSentence]) -> bool:
    """Tell whether a heading is the answer, as where its date is."""
    headings = {unit.text for units in evidence.units for unit in units if unit.kind is BlockKind.HEADING}
    return any(piece.sentence.text in headings for piece in sentences)


def cite_nearest(
    evidence: Evidence, registry: CitationRegistry, draft: DraftResult, translator: Translator = ENGLISH_TRANSLATOR
) -> CitationRegistry:
    """Cite the nearest passages where the `registry` of the answer is empty.

    Below an unsure extract stands the nearest excerpt, unless the extract has all of it; below a model's answer the
    sources of its judge where they say more. A flagged document is named, but not quoted."""
    if registry.sentences and draft.usage.writer != EXTRACTIVE_WRITER:
        return _cite_judge_sources(evidence, registry, draft, translator)
    unsure = draft.usage.writer == EXTRACTIVE_WRITER and draft.assessment.confidence.level is not ConfidenceLevel.HIGH
    if registry.sentences and not unsure:
        return CitationRegistry(())
    nearest = CitationRegistry(evidence.passages, registry)
    shown_texts = {sentence.text for sentence in registry.sentences}
    days = conflict_dates(evidence.conflict)
    days_of = {unit.chunk_id: day for unit, day in zip(evidence.conflict, days, strict=True)}
    excerpts = _select_nearest(evidence, EXCERPTS_BELOW_ANSWER if registry.sentences else MAX_NEAREST_EXCERPTS)
    for excerpt in sorted(excerpts, key=lambda excerpt: days_of.get(excerpt.passage.chunk.id, ""), reverse=True):
        if excerpt.passage.document.flagged:
            nearest.assign_numbers((excerpt.passage.chunk.id,))
            continue
        pieces = _check_excerpt(excerpt, translator, days_of.get(excerpt.passage.chunk.id, ""))
        if not shown_texts.issuperset(piece.sentence.text for piece in pieces[1:]):
            for piece in pieces:
                nearest.cite(piece.sentence, piece.judgement)
    return nearest


def _cite_judge_sources(
    evidence: Evidence, registry: CitationRegistry, draft: DraftResult, translator: Translator
) -> CitationRegistry:
    nearest = CitationRegistry(evidence.passages, registry)
    passages = {passage.chunk.id: passage for passage in evidence.passages}
    shown_texts = {sentence.text for sentence in registry.sentences}
    for sentence, judgement, _ in draft.checked:
        if judgement.omitted_conditions and judgement.is_supported and sentence.text in shown_texts:
            passage = passages[judgement.chunk_ids[0]]
            source = DraftSentence(text=judgement.omitted_conditions, chunk_ids=(passage.chunk.id,), opens=True)
            for sentence_to_cite in (_location_heading(passage, [judgement.quote], translator), source):
                nearest.cite(
                    sentence_to_cite,
                    Judgement(
                        support=SupportBasis.VERBATIM,
                        score=1.0,
                        chunk_ids=sentence_to_cite.chunk_ids,
                        quote=judgement.quote,
                    ),
                )
    return nearest


def _select_nearest(evidence: Evidence, limit: int) -> list[PassageExcerpt]:
    """Return excerpts of the nearest passages, without those about another customer, country or product than the
    question's."""
    entities = evidence.entities
    if entities is None:
        return []
    nearest = [units for units in evidence.units if units and units[0].passage.score >= MIN_NEAREST_SCORE]
    excluded = {units[0].passage_index: entities.other_units(units) for units in nearest}
    relevant = [
        units
        for units in nearest
        if any(unit.can_answer and unit.unit_index not in excluded[unit.passage_index] for unit in units)
    ]
    return [
        replace(excerpt, excluded_units=excluded[excerpt.units[0].passage_index])
        for excerpt in select_excerpts(relevant, evidence.term_weights, limit)
    ]


def _check_excerpt(
    excerpt: PassageExcerpt, translator: Translator = ENGLISH_TRANSLATOR, as_of: str = ""
) -> list[CheckedSentence]:
    """Return the supported sentences of an excerpt, without instructions to an assistant, below the path of its
    headings, its document and its day. Empty where only captions are left."""
    pieces = [CheckedSentence(sentence, judge_unit(sentence, excerpt.passage)) for sentence in excerpt.sentences()]
    supported = [piece for piece in pieces if piece.judgement.is_supported]
    if all(piece.sentence.kind in CAPTION_KINDS for piece in supported):
        return []
    first, *rest = supported
    opened = first._replace(sentence=replace(first.sentence, opens=True))
    path = _location_heading(excerpt.passage, [piece.judgement.quote for piece in supported], translator)
    path = replace(path, as_of=as_of)
    judgement = Judgement(support=SupportBasis.VERBATIM, score=1.0, chunk_ids=path.chunk_ids)
    return [CheckedSentence(path, judgement), opened, *rest]


def _location_heading(passage: RetrievedChunk, quotes: Sequence[str], translator: Translator) -> DraftSentence:
    """Return the place in its document as a heading."""
    place = citation_reference(cited_place(passage, quotes), translator)
    return DraftSentence(text=place, kind=BlockKind.HEADING, chunk_ids=(passage.chunk.id,), opens=True)
