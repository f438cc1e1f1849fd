"""The answer to a question about changes since a day: the documents, each with its day and its link."""

from __future__ import annotations

from pipeline.compose.body import render_body
from pipeline.compose.citations import CitationRegistry
from pipeline.translations import Translator
from pipeline.values import (
    Answer,
    AnswerOutcome,
    BlockKind,
    ChangedDocuments,
    Citation,
    CitationStyle,
    CitedSentence,
    Confidence,
    ConfidenceFactor,
    ConfidenceLevel,
    Link,
    SearchPlan,
    ShownExtent,
    replace,
)
from pipeline.words import wording

ALL_CHANGES_CONFIDENCE = Confidence(level=ConfidenceLevel.HIGH, score=1.0)
TOPIC_CHANGES_CONFIDENCE = Confidence(level=ConfidenceLevel.MEDIUM, score=0.6)
"""Lower confidence, because only the search decides which documents are about a topic."""


def compose_changes(
    answer_id: str,
    question: str,
    search: SearchPlan,
    changes: ChangedDocuments,
    registry: CitationRegistry,
    *,
    style: CitationStyle,
    translator: Translator,
) -> Answer:
    """Compose a list with one item for each document, newest first. No changes is an answer, too; no document with a
    date is none."""
    registry.assign_numbers([passage.chunk.id for passage in changes.passages])
    citations = registry.citations()
    items = tuple(map(_document_item, citations))
    text, positions = render_body(items, citations, style, translator)
    heading, empty = (
        (wording.CHANGED_SINCE_ABOUT, wording.NO_CHANGES_ABOUT)
        if search.about
        else (wording.CHANGED_SINCE, wording.NO_CHANGES_SINCE)
    )
    no_changes = (
        translator(empty, date=search.since, topic=search.about)
        if changes.dated
        else translator(wording.NO_DATED_DOCUMENTS)
    )
    confidence = TOPIC_CHANGES_CONFIDENCE if search.about else ALL_CHANGES_CONFIDENCE
    extent = ShownExtent(shown=len(items), total=changes.total, kind=BlockKind.ITEM)
    closing = wording.extent_line(extent, translator) if extent.total > extent.shown else ""
    factor = ConfidenceFactor(name="days", value=1.0, text=translator(wording.DATES_EXPLAINED))
    return Answer(
        id=answer_id,
        question=question,
        outcome=AnswerOutcome.ANSWERED if changes.dated else AnswerOutcome.NOT_FOUND,
        language=translator.language,
        preface=translator(heading, date=search.since, topic=search.about) if items else "",
        body=text or no_changes,
        closing=closing,
        sentences=items,
        citations=registry.citations(positions),
        confidence=replace(confidence, reasons=(factor,)),
        citation_style=style,
        abstain_reason="" if changes.dated else no_changes,
        reasoning=wording.reasoning_line(
            passages=len(items),
            documents=len(items),
            kept=len(items),
            drafted=len(items),
            left_out=False,
            confirmed=0,
            translator=translator,
        ),
        sources_used=len(items),
        sources_provided=len(items),
        has_sufficient_context=bool(items),
        grounding_score=float(bool(items)),
        standalone=search.user_wording or search.question,
        topic=search.topic,
    )


def _document_item(citation: Citation) -> CitedSentence:
    title = citation.title or citation.filename
    return CitedSentence(
        text=f"{title} ({citation.date})",
        kind=BlockKind.ITEM,
        numbers=(citation.number,),
        links=(Link(text=title, url=citation.url),) if citation.url else (),
    )
