"""The last stage: it turns checked sentences into one `Answer`, with its outcome, citations and reasoning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pipeline.compose.body import render_body
from pipeline.compose.citations import CitationRegistry, citation_reference, list_mark
from pipeline.compose.confidence import EXTRACTIVE_WRITER, Assessment
from pipeline.evidence.gather import Evidence
from pipeline.translations import ENGLISH_TRANSLATOR, TranslatableText, Translator
from pipeline.values import (
    NOT_CHECKED,
    Answer,
    AnswerFormat,
    AnswerOutcome,
    BlockKind,
    CannedReply,
    CitationStyle,
    CitedSentence,
    Claim,
    ClarifyingReply,
    Comparison,
    Confidence,
    ConfidenceLevel,
    DeclinedReply,
    DraftSentence,
    Judgement,
    RetrievedChunk,
    Usage,
    WritingBrief,
)
from pipeline.words import wording
from pipeline.words.text import content_terms

CAPTION_KINDS = frozenset({BlockKind.HEADER, BlockKind.HEADING})
"""Kinds of captions, which stand above sentences and are none."""
NO_CONFIDENCE = Confidence(level=ConfidenceLevel.LOW, score=0.0)
NO_USAGE = Usage()
EMPTY_ASSESSMENT = Assessment(confidence=NO_CONFIDENCE, sufficient=False, abstain=True)
DEFAULT_CITATION_STYLE = CitationStyle.NUMBERED
"""Citation style of quoted passages from which nothing was written."""
STYLES_WITH_REFERENCES = frozenset({CitationStyle.INLINE, CitationStyle.ENDNOTE})
"""Styles whose body names its sources, not only their numbers."""
RETRIEVAL_FACTORS = ("answers", "relevance", "terms")
"""Confidence factors that depend on retrieval alone, not on the text of the answer."""
_MAX_FACTS = 5
_FIGURE = re.compile(r"\d")


class CheckedSentence(NamedTuple):
    """One sentence of a draft with its judgement."""

    sentence: DraftSentence
    judgement: Judgement
    preface: str = ""
    """Introduction above it: set on the first sentence of an extract that needs one."""


@dataclass(frozen=True)
class DraftResult:
    """The result of drafting: the checked claims and their assessment."""

    checked: tuple[CheckedSentence, ...] = ()
    """Every claim of the draft, shown or not; captions aside."""
    assessment: Assessment = EMPTY_ASSESSMENT
    usage: Usage = NO_USAGE
    failure: str = ""
    """Reason why a model's draft is not the answer, or not the whole of it; for the operator."""
    fallback_notice: TranslatableText | None = None
    """Notice of that failure for the readers of the extract that stands in for the draft."""
    preface: str = ""
    missing_parts: tuple[str, ...] = ()
    """Parts of the question that a model did not find, in the question's words."""
    flags: tuple[str, ...] = ()
    insufficient_sources: str = ""
    """Reason why the supported sentences have too few sources."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(
            Claim(
                claim=sentence.text,
                supported=judgement.is_supported,
                source=judgement.chunk_ids[0] if judgement.is_supported and judgement.chunk_ids else "",
                support=judgement.support,
            )
            for sentence, judgement, _ in self.checked
        )


def compose_answer(
    answer_id: str,
    question: str,
    brief: WritingBrief,
    draft: DraftResult,
    registry: CitationRegistry,
    nearest: CitationRegistry,
    evidence: Evidence,
    *,
    style: CitationStyle,
    flags: tuple[str, ...] = (),
    translator: Translator = ENGLISH_TRANSLATOR,
) -> Answer:
    """Compose an answer written from passages: answered, partial, or not found; with the quotes of the `near`
    passages."""
    shown, provided = tuple(registry.sentences), evidence.passages
    assessment = draft.assessment
    quotes = tuple(nearest.sentences)
    text, positions = (
        render_body(shown, registry.citations() if style in STYLES_WITH_REFERENCES else (), style, translator)
        if shown
        else render_body(quotes, (), DEFAULT_CITATION_STYLE, translator)
    )
    unsure = draft.usage.writer == EXTRACTIVE_WRITER and assessment.confidence.level is not ConfidenceLevel.HIGH
    citations = registry.citations(positions, full_text=unsure)
    claims = tuple(claim for claim in draft.claims if shown or not claim.supported)
    supported = sum(claim.supported for claim in claims)
    shown_texts = {sentence.text for sentence in shown}
    missing = [judgement for sentence, judgement, _ in draft.checked if sentence.text not in shown_texts]
    unchecked = any(judgement.is_unchecked for judgement in missing)
    rejected = any(not (judgement.is_supported or judgement.is_unchecked) for judgement in missing)
    closing = _partial_reason(brief, draft, shown, provided, translator, unchecked=unchecked)
    unread = translator(wording.MODEL_UNCHECKED) if draft.failure == NOT_CHECKED and not shown else ""
    reason = "" if shown else _join(unread, assessment.abstain_reason or draft.insufficient_sources)
    abstain_reason = "" if shown else reason or translator(wording.NOTHING_CLOSE)
    statements = [sentence for sentence in shown if sentence.kind not in CAPTION_KINDS] or shown
    left_out = any(not claim.supported and claim.claim not in shown_texts for claim in claims)
    return Answer(
        id=answer_id,
        question=question,
        outcome=(AnswerOutcome.PARTIAL if closing else AnswerOutcome.ANSWERED) if shown else AnswerOutcome.NOT_FOUND,
        language=translator.language,
        preface=_join(unread, translator(wording.RELATED_PASSAGES)) if quotes and not shown else draft.preface,
        body=text or wording.not_found_message(reason, translator),
        closing=closing,
        sentences=shown,
        citations=citations,
        nearest=nearest.citations(positions, full_text=True),
        quoted=quotes,
        confidence=assessment.confidence if shown else _retrieval_confidence(assessment.confidence),
        format=brief.format or AnswerFormat.PROSE,
        citation_style=style,
        safety_flags=flags,
        abstain_reason=abstain_reason,
        reasoning=wording.reasoning_line(
            passages=len(citations) or len(provided),
            documents=len({citation.document_id for citation in citations}),
            kept=sum(sentence.verified for sentence in statements),
            drafted=max(len(claims), len(statements)),
            left_out=left_out,
            confirmed=max((citation.confirmed for citation in citations), default=0),
            translator=translator,
        ),
        sources_used=len(citations),
        sources_provided=len(provided),
        has_sufficient_context=assessment.sufficient and bool(shown),
        grounding_score=round(supported / len(claims), 3) if claims else 0.0,
        ungrounded_claims=tuple(claim.claim for claim in claims if not claim.supported),
        key_facts=key_facts(shown),
        limitations=list_limitations(
            closing=closing,
            abstain_reason=abstain_reason,
            left_out=rejected,
            translator=translator,
        ),
        comparison=build_comparison(shown, brief.sides),
        claims=claims,
        usage=draft.usage,
    )


def _partial_reason(
    brief: WritingBrief,
    draft: DraftResult,
    shown: Sequence[CitedSentence],
    provided: Sequence[RetrievedChunk],
    translator: Translator,
    *,
    unchecked: bool,
) -> str:
    """Return the reason why the answer is partial; empty when it is complete. `unchecked`: a sentence was left out that
    nobody could check."""
    if not shown:
        return ""
    if draft.failure and not draft.preface:
        return translator(wording.PARTIAL_CUT)
    if unchecked:
        return translator(wording.PARTIAL_UNCHECKED)
    if sides := draft.missing_parts or _unanswered_sides(brief.sides, draft, shown, provided):
        return wording.unanswered_side_line(sides, translator)
    return wording.extent_line(draft.assessment.extent, translator) if draft.assessment.extent else ""


def _join(*sentences: str) -> str:
    """Return the sentences that are not empty, one behind the other."""
    return " ".join(filter(None, sentences))


def _unanswered_sides(
    sides: Sequence[str], draft: DraftResult, shown: Sequence[CitedSentence], provided: Sequence[RetrievedChunk]
) -> tuple[str, ...]:
    """Return the sides without a shown sentence: their passages are not cited, and no sentence or column names them."""
    cited = {
        chunk_id
        for checked in draft.checked
        for chunk_id in checked.judgement.chunk_ids
        if checked.judgement.is_supported
    }
    answered = {passage.query_index for passage in provided if passage.chunk.id in cited}
    shown_terms = {term for sentence in shown for term in content_terms(sentence.text)}
    return tuple(
        side
        for number, side in enumerate(sides)
        if number not in answered and shown_terms.isdisjoint(content_terms(side))
    )


def _retrieval_confidence(confidence: Confidence) -> Confidence:
    """Return the confidence of an answer without sentences: its factors of retrieval alone."""
    reasons = tuple(factor for factor in confidence.reasons if factor.name in RETRIEVAL_FACTORS)
    return Confidence(level=ConfidenceLevel.LOW, score=confidence.score, reasons=reasons)


def answer_without_search(
    answer_id: str,
    question: str,
    plan: CannedReply | ClarifyingReply | DeclinedReply,
    usage: Usage,
    translator: Translator = ENGLISH_TRANSLATOR,
) -> Answer:
    """Compose the answer to a question that needs no documents: a greeting, a question to ask back, a refusal."""
    match plan:
        case CannedReply():
            outcome, text = AnswerOutcome.ANSWERED, plan.text
        case ClarifyingReply():
            outcome, text = AnswerOutcome.CLARIFY, plan.reason
        case DeclinedReply():
            outcome, text = AnswerOutcome.DECLINED, plan.reason
    return Answer(
        id=answer_id,
        question=question,
        outcome=outcome,
        language=translator.language,
        body=text,
        confidence=NO_CONFIDENCE,
        safety_flags=plan.flags,
        abstain_reason="" if outcome is AnswerOutcome.ANSWERED else text,
        reasoning=translator(wording.UNSEARCHED),
        usage=usage,
        named=plan.named if isinstance(plan, CannedReply) else {},
    )


def failed_answer(
    answer_id: str, question: str, incident: str, translator: Translator = ENGLISH_TRANSLATOR, *, text: str = ""
) -> Answer:
    """Compose the answer after an unexpected error: an incident id (or `text`), and nothing of the error."""
    return Answer(
        id=answer_id,
        question=question,
        outcome=AnswerOutcome.FAILED,
        language=translator.language,
        body=text or wording.failure_message(incident, translator),
        confidence=NO_CONFIDENCE,
        reasoning=translator(wording.UNSEARCHED),
        incident=incident,
    )


def bot_answer(answer_id: str, question: str, text: str, translator: Translator) -> Answer:
    """Compose an answer about the bot itself."""
    return answer_without_search(answer_id, question, CannedReply(text=text), NO_USAGE, translator)


def render_answer_text(answer: Answer, *, include_citations: bool = True, include_confidence: bool = True) -> str:
    """Render the whole answer as text: its sentences, its sources as a list, its badge and reasoning; for callers from
    Python. The text of documents is not escaped: show it as text, not as Markdown with working links."""
    translator = Translator(answer.language)
    parts = [answer.preface, answer.body, answer.closing]
    if answer.sentences and answer.quoted:
        parts += [
            translator(wording.CLOSEST_PASSAGE),
            render_body(answer.quoted, (), DEFAULT_CITATION_STYLE, translator)[0],
        ]
    shown = answer.sources
    if include_citations and shown and answer.citation_style is not CitationStyle.ENDNOTE:
        title = translator(wording.SOURCES_TITLE)
        style = answer.citation_style if answer.citations else DEFAULT_CITATION_STYLE
        lines = [f"{list_mark(c.number, style)} {citation_reference(c, translator)}" for c in shown]
        parts.append(f"{title}:\n" + "\n".join(lines))
    if include_confidence and answer.sentences:
        parts.append(f"{wording.confidence_badge(answer.confidence, translator)}: {answer.reasoning}")
    return "\n\n".join(part for part in parts if part)


def key_facts(sentences: Sequence[CitedSentence]) -> tuple[str, ...]:
    """Return up to five sentences in their order: those with a figure first, and the first sentence always."""
    facts = [s for s in sentences if s.verified and s.kind not in (BlockKind.HEADER, BlockKind.HEADING, BlockKind.CODE)]
    ranked = sorted(range(len(facts)), key=lambda place: (place > 0, not _FIGURE.search(facts[place].text), place))
    return tuple(facts[place].text for place in sorted(ranked[:_MAX_FACTS]))


def list_limitations(
    *, closing: str, abstain_reason: str, left_out: bool, translator: Translator = ENGLISH_TRANSLATOR
) -> tuple[str, ...]:
    """Return the reasons why the answer is not complete, in the words that are shown."""
    dropped = translator(wording.PARTIAL_DROPPED) if left_out else ""
    return tuple(dict.fromkeys(line for line in (abstain_reason, closing, dropped) if line))


def build_comparison(sentences: Sequence[CitedSentence], sides: Sequence[str]) -> Comparison | None:
    """Return the parts of a comparison: the writer's labelled sections, and the rows of a table with a column for each
    side.

    None when nothing is labelled and there are no sides."""
    if not sides and not any(sentence.section for sentence in sentences):
        return None
    parts: dict[str, list[str]] = {"similarities": [], "differences": [], "contradictions": [], "conclusion": []}
    columns = tuple(sides)
    for sentence in sentences:
        columns = sentence.cells[-len(sides) :] if sentence.kind is BlockKind.HEADER else columns
        if not sentence.verified or sentence.kind is BlockKind.HEADER:
            continue
        if sentence.section:
            parts[sentence.section].append(sentence.text)
        elif sentence.kind is BlockKind.ROW:
            cells = sentence.cells[-len(sides) :] if _columns_are_sides(columns, sides) else ()
            is_same = len({" ".join(cell.lower().split()) for cell in cells}) == 1
            parts["similarities" if is_same else "differences"].append(_row_text(cells, sides) or sentence.text)
    return Comparison(
        similarities=tuple(parts["similarities"]),
        differences=tuple(parts["differences"]),
        contradictions=tuple(parts["contradictions"]),
        conclusion=" ".join(parts["conclusion"]),
    )


def _columns_are_sides(columns: Sequence[str], sides: Sequence[str]) -> bool:
    """Tell whether the columns of a table are the sides."""
    paired = zip(columns, sides, strict=False)
    return len(columns) == len(sides) > 0 and all(
        set(content_terms(column)) & set(content_terms(side)) for column, side in paired
    )


def _row_text(cells: Sequence[str], sides: Sequence[str]) -> str:
    return "; ".join(f"{side}: {cell}" for side, cell in zip(sides, cells, strict=False))
