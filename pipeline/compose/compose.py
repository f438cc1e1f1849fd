"""The last stage: checked sentences become one `Answer`, with its outcome, citations and reasoning."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline import wording
from pipeline.compose.cite import Numbering, body, cite, closest, listed, reference
from pipeline.compose.outline import comparison, key_facts, limitations
from pipeline.values import (
    Answer,
    BlockKind,
    Citation,
    CitationStyle,
    CitedSentence,
    Claim,
    Clarify,
    Confidence,
    Decline,
    Format,
    Level,
    Outcome,
    Reply,
    RetrievedChunk,
    Usage,
    Value,
)

NEAREST_SHOWN = 3
NEAREST_FROM = 0.2
"""The score below which a passage is about something else: over the example handbook, questions that it is silent about
reach .1 to .25 with what has nothing to do with them, and .3 to .5 with what a person would look through."""
CAPTIONS = frozenset({BlockKind.HEADER, BlockKind.HEADING})
"""What stands above sentences and is none."""
NO_CONFIDENCE = Confidence(level=Level.LOW, score=0.0)


class Draft(Value):
    """What the walk has gathered when the writer has ended."""

    sentences: tuple[CitedSentence, ...] = ()
    claims: tuple[Claim, ...] = ()
    """Every drafted sentence, kept or not; where nothing is shown, those only that were not supported."""
    confidence: Confidence = NO_CONFIDENCE
    sufficient: bool = False
    outcome: Outcome
    preface: str = ""
    closing: str = ""
    abstain_reason: str = ""
    flags: tuple[str, ...] = ()
    usage: Usage = Usage()
    sides: tuple[str, ...] = ()
    format: Format = Format.PROSE
    style: CitationStyle = CitationStyle.NUMBERED


def compose(
    answer_id: str, question: str, draft: Draft, numbering: Numbering, provided: Sequence[RetrievedChunk]
) -> Answer:
    """An answer written from passages: answered, partial, or not found with what came closest."""
    citations = numbering.citations()
    text, positions = body(draft.sentences, citations, draft.style)
    citations = numbering.citations(positions)
    documents = {citation.document_id for citation in citations}
    supported = sum(claim.supported for claim in draft.claims)
    missing = not draft.sentences
    captions = sum(sentence.kind in CAPTIONS for sentence in draft.sentences)
    captions = 0 if captions == len(draft.sentences) else captions
    return Answer(
        id=answer_id,
        question=question,
        outcome=draft.outcome,
        preface=draft.preface,
        body=text or wording.not_found(draft.abstain_reason),
        closing=draft.closing,
        sentences=draft.sentences,
        citations=citations,
        nearest=nearest(provided) if missing else (),
        confidence=draft.confidence,
        format=draft.format,
        citation_style=draft.style,
        safety_flags=draft.flags,
        abstain_reason=draft.abstain_reason,
        reasoning=wording.reasoning(
            passages=len(citations) or len(provided),
            documents=len(documents),
            kept=len(draft.sentences) - captions,
            drafted=max(len(draft.claims), len(draft.sentences)) - captions,
        ),
        sources_used=len(citations),
        sources_provided=len(provided),
        has_sufficient_context=draft.sufficient,
        grounding_score=round(supported / len(draft.claims), 3) if draft.claims else 0.0,
        ungrounded_claims=tuple(claim.claim for claim in draft.claims if not claim.supported),
        key_facts=key_facts(draft.sentences),
        limitations=limitations(
            closing=draft.closing, abstain_reason=draft.abstain_reason, dropped=len(draft.claims) - supported
        ),
        comparison=comparison(draft.sentences, draft.sides),
        claims=draft.claims,
        usage=draft.usage,
    )


def nearest(passages: Sequence[RetrievedChunk]) -> tuple[Citation, ...]:
    """The best passage of each of the nearest documents, with what in it fits best, for a person to look through; none
    where nothing comes near."""
    best = {passage.document.id: passage for passage in reversed(passages) if passage.score >= NEAREST_FROM}
    ranked = sorted(best.values(), key=lambda passage: -passage.score)[:NEAREST_SHOWN]
    return tuple(cite(passage, number, quote=_closest(passage)) for number, passage in enumerate(ranked, start=1))


def _closest(passage: RetrievedChunk) -> str:
    """The sentence that fits the question best; empty where vectors do not say which."""
    scored = zip(passage.unit_scores, passage.chunk.units, strict=False)
    ranked = [(score, unit.start, unit.end) for score, unit in scored if unit.kind not in CAPTIONS]
    _, start, end = max(ranked, default=(0.0, 0, 0))
    return passage.chunk.text[start:end]


def without_search(answer_id: str, question: str, plan: Reply | Clarify | Decline, usage: Usage) -> Answer:
    """The answer to what needs no documents: a greeting, a question to ask back, a refusal."""
    match plan:
        case Reply():
            outcome, text = Outcome.ANSWERED, plan.text
        case Clarify():
            outcome, text = Outcome.CLARIFY, plan.reason
        case Decline():
            outcome, text = Outcome.DECLINED, plan.reason
    return Answer(
        id=answer_id,
        question=question,
        outcome=outcome,
        body=text,
        confidence=NO_CONFIDENCE,
        safety_flags=plan.flags,
        abstain_reason="" if outcome is Outcome.ANSWERED else text,
        reasoning=wording.UNSEARCHED,
        usage=usage,
    )


def failed(answer_id: str, question: str, incident: str, *, text: str = "") -> Answer:
    """The answer when something unexpected happened: an incident id (or `text`), and nothing of the error."""
    return Answer(
        id=answer_id,
        question=question,
        outcome=Outcome.FAILED,
        body=text or wording.failure(incident),
        confidence=NO_CONFIDENCE,
        reasoning=wording.UNSEARCHED,
        incident=incident,
    )


def format_response(answer: Answer, *, include_citations: bool = True, include_confidence: bool = True) -> str:
    """The whole answer as text: its words, its sources as a list, its badge and reasoning; for whoever calls Citewell
    from Python. What documents say is not escaped: show it as text, not as Markdown with working links."""
    parts = [answer.preface, answer.body, answer.closing]
    shown = answer.citations or answer.nearest
    if include_citations and shown and answer.citation_style is not CitationStyle.ENDNOTE:
        title = "Sources" if answer.citations else wording.NEAREST.rstrip(":")
        style = answer.citation_style if answer.citations else CitationStyle.NUMBERED
        lines = [f"{listed(c.number, style)} {reference(c)}" for c in shown]
        if answer.nearest:
            quotes = map(closest, shown)
            lines = [f"{line}: {quote}" if quote else line for line, quote in zip(lines, quotes, strict=True)]
        parts.append(f"{title}:\n" + "\n".join(lines))
    if include_confidence and answer.sentences:
        parts.append(f"{wording.badge(answer.confidence)}: {answer.reasoning}")
    return "\n\n".join(part for part in parts if part)
