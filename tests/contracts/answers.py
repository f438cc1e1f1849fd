"""Answers to deliver, as the pipeline would make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.compose.answer import NO_CONFIDENCE, failed_answer
from pipeline.compose.body import render_body
from pipeline.values import (
    Answer,
    AnswerOutcome,
    BlockKind,
    Chunk,
    Citation,
    CitationStyle,
    CitedSentence,
    Confidence,
    ConfidenceFactor,
    ConfidenceLevel,
    Document,
    Unit,
)
from pipeline.words import wording

if TYPE_CHECKING:
    from storage.open import Storage

URL = "https://wiki.acme.example/leave?lang=en&v=2"


def citation(
    number: int = 1, *, title: str = "Leave policy", url: str = URL, quote: str = "", **more: object
) -> Citation:
    """A numbered source."""
    given = {
        "number": number,
        "document_id": f"doc-{number}",
        "chunk_id": f"chunk-{number}",
        "title": title,
        "filename": "leave.md",
        "page": 3,
        "heading": ("Leave", "Annual leave"),
        "url": url,
        "quote": quote or "Full-time staff get 30 days of annual leave.",
        "snippet": quote or "Full-time staff get 30 days of annual leave.",
        "score": 0.875,
    }
    return Citation.model_validate(given | more)


def cited(
    *texts: str,
    question: str = "How much leave do I get?",
    sentences: Sequence[CitedSentence] = (),
    citations: Sequence[Citation] = (),
    answer_id: str = "a1b2c3",
    **more: object,
) -> Answer:
    """An answered question: every text a sentence that rests on source 1, unless `sentences` are given."""
    shown = tuple(sentences) or tuple(CitedSentence(text=text, numbers=(1,)) for text in texts)
    sources = tuple(citations) or (citation(),)
    style = CitationStyle.NUMBERED
    given = {
        "id": answer_id,
        "question": question,
        "outcome": AnswerOutcome.ANSWERED,
        "body": render_body(shown, sources, style)[0],
        "sentences": shown,
        "citations": sources,
        "confidence": Confidence(
            level=ConfidenceLevel.HIGH,
            score=0.91,
            reasons=(ConfidenceFactor(name="retrieval", value=0.9, text="The best passage fits the question well."),),
        ),
        "reasoning": "Used 1 passage from 1 document; the one sentence is supported.",
        "sources_used": 1,
        "sources_provided": 5,
        "has_sufficient_context": True,
        "grounding_score": 1.0,
    }
    return Answer.model_validate(given | more)


def not_found(question: str = "Who won the cup?") -> Answer:
    """Nothing in the documents answers; two come closest."""
    nearest = (citation(1, quote=""), citation(2, title="Travel policy", url="", quote="Trips are booked early."))
    quoted = (
        CitedSentence(text="Travel policy - Booking", kind=BlockKind.HEADING, numbers=(2,), opens=True),
        CitedSentence(text="Trips are booked early.", numbers=(2,), opens=True),
        CitedSentence(text="By train", kind=BlockKind.ITEM, numbers=(2,)),
    )
    return Answer(
        id="n0n0n0",
        question=question,
        outcome=AnswerOutcome.NOT_FOUND,
        preface=str(wording.RELATED_PASSAGES),
        body=render_body(quoted, (), CitationStyle.NUMBERED)[0],
        nearest=nearest,
        quoted=quoted,
        confidence=NO_CONFIDENCE,
        abstain_reason=wording.ANSWER_NOT_FOUND,
        reasoning="read 2 passages; none of them answers the question",
    )


def broken(question: str = "How?") -> Answer:
    """Something unforeseen happened."""
    return failed_answer("f0f0f0", question, "1nc1dent")


async def hold(storage: Storage, answer: Answer) -> None:
    """What an answer shows is in the library, where the test has put nothing else there under that name."""
    for shown in (*answer.citations, *answer.nearest):
        if not await storage.library.get_chunks([shown.chunk_id]):
            known = await storage.library.document(shown.document_id)
            name = f"holds {shown.chunk_id}" if known else shown.document_id
            unit = Unit(start=0, end=len(shown.quote), kind=BlockKind.PROSE)
            chunk = Chunk(id=shown.chunk_id, document_id=name, text=shown.quote, units=(unit,))
            await storage.library.replace_document(
                Document(id=name, filename=shown.filename, title=shown.title), [chunk], None, ""
            )
