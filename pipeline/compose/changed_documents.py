"""The answer to what changed since a day: the documents, each with its day and its link."""

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
"""Whether a document is about a topic is what the search thinks."""


def compose_changes(
    answer_id: str,
    question: str,
    search: SearchPlan,
    found: ChangedDocuments,
    numbering: CitationRegistry,
    *,
    style: CitationStyle,
    words: Translator,
) -> Answer:
    """One item for each document, newest first. Nothing new is an answer, too; no document with a day is none."""
    numbering.assign_numbers([passage.chunk.id for passage in found.passages])
    citations = numbering.citations()
    items = tuple(map(_item, citations))
    text, positions = render_body(items, citations, style, words)
    new, none = (
        (wording.CHANGED_SINCE_ABOUT, wording.NO_CHANGES_ABOUT)
        if search.about
        else (wording.CHANGED_SINCE, wording.NO_CHANGES_SINCE)
    )
    nothing = words(none, date=search.since, topic=search.about) if found.dated else words(wording.NO_DATED_DOCUMENTS)
    confidence = TOPIC_CHANGES_CONFIDENCE if search.about else ALL_CHANGES_CONFIDENCE
    extent = ShownExtent(shown=len(items), total=found.total, kind=BlockKind.ITEM)
    closing = wording.extent_line(extent, words) if extent.total > extent.shown else ""
    told = ConfidenceFactor(name="days", value=1.0, text=words(wording.DATES_EXPLAINED))
    return Answer(
        id=answer_id,
        question=question,
        outcome=AnswerOutcome.ANSWERED if found.dated else AnswerOutcome.NOT_FOUND,
        language=words.language,
        preface=words(new, date=search.since, topic=search.about) if items else "",
        body=text or nothing,
        closing=closing,
        sentences=items,
        citations=numbering.citations(positions),
        confidence=replace(confidence, reasons=(told,)),
        citation_style=style,
        abstain_reason="" if found.dated else nothing,
        reasoning=wording.reasoning_line(
            passages=len(items),
            documents=len(items),
            kept=len(items),
            drafted=len(items),
            left_out=False,
            confirmed=0,
            words=words,
        ),
        sources_used=len(items),
        sources_provided=len(items),
        has_sufficient_context=bool(items),
        grounding_score=float(bool(items)),
        standalone=search.user_wording or search.question,
        topic=search.topic,
    )


def _item(citation: Citation) -> CitedSentence:
    title = citation.title or citation.filename
    return CitedSentence(
        text=f"{title} ({citation.date})",
        kind=BlockKind.ITEM,
        numbers=(citation.number,),
        links=(Link(text=title, url=citation.url),) if citation.url else (),
    )
