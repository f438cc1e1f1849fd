"""The answer to what changed since a day: the documents, each with its day and its link."""

from __future__ import annotations

from pipeline.compose.body import body
from pipeline.compose.cite import Numbering
from pipeline.translations import Words
from pipeline.values import (
    Answer,
    BlockKind,
    Changes,
    Citation,
    CitationStyle,
    CitedSentence,
    Confidence,
    Extent,
    Factor,
    Level,
    Link,
    Outcome,
    Search,
    replace,
)
from pipeline.words import wording

ALL = Confidence(level=Level.HIGH, score=1.0)
ABOUT = Confidence(level=Level.MEDIUM, score=0.6)
"""Whether a document is about a topic is what the search thinks."""


def changes(
    answer_id: str,
    question: str,
    search: Search,
    found: Changes,
    numbering: Numbering,
    *,
    style: CitationStyle,
    words: Words,
) -> Answer:
    """One item for each document, newest first. Nothing new is an answer, too; no document with a day is none."""
    numbering.number([passage.chunk.id for passage in found.passages])
    citations = numbering.citations()
    items = tuple(map(_item, citations))
    text, positions = body(items, citations, style, words)
    new, none = (wording.NEW_ABOUT, wording.NOTHING_NEW_ABOUT) if search.about else (wording.NEW, wording.NOTHING_NEW)
    nothing = words(none, date=search.since, topic=search.about) if found.dated else words(wording.NOTHING_DATED)
    confidence = ABOUT if search.about else ALL
    extent = Extent(shown=len(items), total=found.total, kind=BlockKind.ITEM)
    closing = wording.shown_of(extent, words) if extent.total > extent.shown else ""
    told = Factor(name="days", value=1.0, text=words(wording.DAYS_TOLD))
    return Answer(
        id=answer_id,
        question=question,
        outcome=Outcome.ANSWERED if found.dated else Outcome.NOT_FOUND,
        language=words.language,
        preface=words(new, date=search.since, topic=search.about) if items else "",
        body=text or nothing,
        closing=closing,
        sentences=items,
        citations=numbering.citations(positions),
        confidence=replace(confidence, reasons=(told,)),
        citation_style=style,
        abstain_reason="" if found.dated else nothing,
        reasoning=wording.reasoning(
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
        standalone=search.said or search.question,
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
