"""The last stage: checked sentences become one `Answer`, with its outcome, citations and reasoning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pipeline.compose.body import body
from pipeline.compose.cite import Numbering, listed, reference
from pipeline.compose.confidence import EXTRACTIVE, Assessment
from pipeline.read.evidence import Evidence
from pipeline.translations import ENGLISH, Message, Words
from pipeline.values import (
    Answer,
    BlockKind,
    Brief,
    CannedReply,
    CitationStyle,
    CitedSentence,
    Claim,
    Clarify,
    Comparison,
    Confidence,
    Decline,
    Format,
    Judgement,
    Level,
    Outcome,
    RetrievedChunk,
    Sentence,
    Usage,
)
from pipeline.words import wording
from pipeline.words.text import terms

CAPTIONS = frozenset({BlockKind.HEADER, BlockKind.HEADING})
"""What stands above sentences and is none."""
NO_CONFIDENCE = Confidence(level=Level.LOW, score=0.0)
NO_USAGE = Usage()
NOTHING = Assessment(confidence=NO_CONFIDENCE, sufficient=False, abstain=True)
NUMBERED = CitationStyle.NUMBERED
"""How passages are marked that nothing was written from."""
ABOUT_PASSAGES = ("answers", "relevance", "terms")
"""The parts of a confidence that are about what was found, not about what was written."""
_FACTS = 5
_DEFINITE = re.compile(r"\d")


class Checked(NamedTuple):
    """One sentence of a draft, and what the check thinks of it."""

    sentence: Sentence
    judgement: Judgement
    preface: str = ""
    """What is said above it: set on the first sentence of an extract that needs a word of introduction."""


@dataclass(frozen=True)
class Drafted:
    """How a draft ended."""

    checked: tuple[Checked, ...] = ()
    """Every claim drafted, shown or not; captions aside."""
    assessment: Assessment = NOTHING
    usage: Usage = NO_USAGE
    tokens: int | None = 0
    """What a model used; None when it did not come to saying so."""
    failure: str = ""
    """Why a model's draft is not the answer, or not the whole of it; for the operator."""
    instead: Message | None = None
    """The same for whoever reads the extract that stands in for it."""
    preface: str = ""
    missing: tuple[str, ...] = ()
    """What a model did not find, in the question's words."""
    flags: tuple[str, ...] = ()
    too_few: str = ""
    """Why what is supported rests on too little."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(
            Claim(
                claim=sentence.text,
                supported=judgement.supported,
                source=judgement.chunk_ids[0] if judgement.supported and judgement.chunk_ids else "",
                support=judgement.support,
            )
            for sentence, judgement, _ in self.checked
        )


def compose(
    answer_id: str,
    question: str,
    brief: Brief,
    drafted: Drafted,
    numbering: Numbering,
    near: Numbering,
    evidence: Evidence,
    *,
    style: CitationStyle,
    flags: tuple[str, ...] = (),
    words: Words = ENGLISH,
) -> Answer:
    """An answer written from passages: answered, partial, or not found; with what those that are `near` say."""
    shown, provided = tuple(numbering.sentences), evidence.passages
    assessment = drafted.assessment
    quotes = tuple(near.sentences)
    text, positions = body(shown, numbering.citations(), style, words) if shown else body(quotes, (), NUMBERED, words)
    unsure = drafted.usage.writer == EXTRACTIVE and assessment.confidence.level is not Level.HIGH
    citations = numbering.citations(positions, whole=unsure)
    claims = tuple(claim for claim in drafted.claims if shown or not claim.supported)
    supported = sum(claim.supported for claim in claims)
    closing = _closing(brief, drafted, shown, provided, words)
    told_why = "" if shown else assessment.abstain_reason or drafted.too_few
    why = "" if shown else told_why or words(wording.NOTHING_CLOSE)
    told = [sentence for sentence in shown if sentence.kind not in CAPTIONS] or shown
    said = {sentence.text for sentence in shown}
    left_out = any(not claim.supported and claim.claim not in said for claim in claims)
    return Answer(
        id=answer_id,
        question=question,
        outcome=(Outcome.PARTIAL if closing else Outcome.ANSWERED) if shown else Outcome.NOT_FOUND,
        language=words.language,
        preface=words(wording.ABOUT) if quotes and not shown else drafted.preface,
        body=text or wording.not_found(told_why, words),
        closing=closing,
        sentences=shown,
        citations=citations,
        nearest=near.citations(positions, whole=True),
        quoted=quotes,
        confidence=assessment.confidence if shown else _unanswered(assessment.confidence),
        format=brief.format or Format.PROSE,
        citation_style=style,
        safety_flags=flags,
        abstain_reason=why,
        reasoning=wording.reasoning(
            passages=len(citations) or len(provided),
            documents=len({citation.document_id for citation in citations}),
            kept=sum(sentence.verified for sentence in told),
            drafted=max(len(claims), len(told)),
            left_out=left_out,
            confirmed=max((citation.confirmed for citation in citations), default=0),
            words=words,
        ),
        sources_used=len(citations),
        sources_provided=len(provided),
        has_sufficient_context=assessment.sufficient and bool(shown),
        grounding_score=round(supported / len(claims), 3) if claims else 0.0,
        ungrounded_claims=tuple(claim.claim for claim in claims if not claim.supported),
        key_facts=key_facts(shown),
        limitations=limitations(closing=closing, abstain_reason=why, left_out=left_out, words=words),
        comparison=comparison(shown, brief.sides),
        claims=claims,
        usage=drafted.usage,
    )


def _closing(
    brief: Brief,
    drafted: Drafted,
    shown: Sequence[CitedSentence],
    provided: Sequence[RetrievedChunk],
    words: Words,
) -> str:
    """Why the answer is partial; empty when it is whole."""
    if not shown:
        return ""
    if drafted.failure and not drafted.preface:
        return words(wording.PARTIAL_CUT)
    if sides := drafted.missing or _unanswered_sides(brief.sides, drafted, shown, provided):
        return wording.unanswered_side(sides, words)
    return wording.shown_of(drafted.assessment.extent, words) if drafted.assessment.extent else ""


def _unanswered_sides(
    sides: Sequence[str], drafted: Drafted, shown: Sequence[CitedSentence], provided: Sequence[RetrievedChunk]
) -> tuple[str, ...]:
    """Sides that nothing shown is about: found for another side only, and named by no sentence or column."""
    cited = {chunk_id for one in drafted.checked for chunk_id in one.judgement.chunk_ids if one.judgement.supported}
    found = {passage.query for passage in provided if passage.chunk.id in cited}
    said = {term for sentence in shown for term in terms(sentence.text)}
    return tuple(side for number, side in enumerate(sides) if number not in found and said.isdisjoint(terms(side)))


def _unanswered(confidence: Confidence) -> Confidence:
    """Where nothing is shown, nothing is said of the sentences that were not."""
    reasons = tuple(factor for factor in confidence.reasons if factor.name in ABOUT_PASSAGES)
    return Confidence(level=Level.LOW, score=confidence.score, reasons=reasons)


def without_search(
    answer_id: str, question: str, plan: CannedReply | Clarify | Decline, usage: Usage, words: Words = ENGLISH
) -> Answer:
    """The answer to what needs no documents: a greeting, a question to ask back, a refusal."""
    match plan:
        case CannedReply():
            outcome, text = Outcome.ANSWERED, plan.text
        case Clarify():
            outcome, text = Outcome.CLARIFY, plan.reason
        case Decline():
            outcome, text = Outcome.DECLINED, plan.reason
    return Answer(
        id=answer_id,
        question=question,
        outcome=outcome,
        language=words.language,
        body=text,
        confidence=NO_CONFIDENCE,
        safety_flags=plan.flags,
        abstain_reason="" if outcome is Outcome.ANSWERED else text,
        reasoning=words(wording.UNSEARCHED),
        usage=usage,
        named=plan.named if isinstance(plan, CannedReply) else {},
    )


def failed(answer_id: str, question: str, incident: str, words: Words = ENGLISH, *, text: str = "") -> Answer:
    """The answer when something unexpected happened: an incident id (or `text`), and nothing of the error."""
    return Answer(
        id=answer_id,
        question=question,
        outcome=Outcome.FAILED,
        language=words.language,
        body=text or wording.failure(incident, words),
        confidence=NO_CONFIDENCE,
        reasoning=words(wording.UNSEARCHED),
        incident=incident,
    )


def told(answer_id: str, question: str, text: str, words: Words) -> Answer:
    """What is said of the bot itself, in the place of an answer."""
    return without_search(answer_id, question, CannedReply(text=text), NO_USAGE, words)


def format_response(answer: Answer, *, include_citations: bool = True, include_confidence: bool = True) -> str:
    """The whole answer as text: its words, its sources as a list, its badge and reasoning; for whoever calls Citewell
    from Python. What documents say is not escaped: show it as text, not as Markdown with working links."""
    words = Words(answer.language)
    parts = [answer.preface, answer.body, answer.closing]
    if answer.sentences and answer.quoted:
        parts += [words(wording.CLOSEST), body(answer.quoted, (), NUMBERED, words)[0]]
    shown = answer.sources
    if include_citations and shown and answer.citation_style is not CitationStyle.ENDNOTE:
        title = words(wording.SOURCES)
        style = answer.citation_style if answer.citations else NUMBERED
        lines = [f"{listed(c.number, style)} {reference(c, words)}" for c in shown]
        parts.append(f"{title}:\n" + "\n".join(lines))
    if include_confidence and answer.sentences:
        parts.append(f"{wording.badge(answer.confidence, words)}: {answer.reasoning}")
    return "\n\n".join(part for part in parts if part)


def key_facts(sentences: Sequence[CitedSentence]) -> tuple[str, ...]:
    """Up to five sentences in their order: those with a figure first, and the first sentence always."""
    facts = [s for s in sentences if s.verified and s.kind not in (BlockKind.HEADER, BlockKind.HEADING, BlockKind.CODE)]
    ranked = sorted(range(len(facts)), key=lambda place: (place > 0, not _DEFINITE.search(facts[place].text), place))
    return tuple(facts[place].text for place in sorted(ranked[:_FACTS]))


def limitations(*, closing: str, abstain_reason: str, left_out: bool, words: Words = ENGLISH) -> tuple[str, ...]:
    """Why the answer is not all that was asked for, in the words that are shown."""
    dropped = words(wording.PARTIAL_DROPPED) if left_out else ""
    return tuple(dict.fromkeys(line for line in (abstain_reason, closing, dropped) if line))


def comparison(sentences: Sequence[CitedSentence], sides: Sequence[str]) -> Comparison | None:
    """The parts of a comparison: as the writer labelled them, and the rows of a table with a column for each side.

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
            cells = sentence.cells[-len(sides) :] if _heads(columns, sides) else ()
            same = len({" ".join(cell.lower().split()) for cell in cells}) == 1
            parts["similarities" if same else "differences"].append(_told(cells, sides) or sentence.text)
    return Comparison(
        similarities=tuple(parts["similarities"]),
        differences=tuple(parts["differences"]),
        contradictions=tuple(parts["contradictions"]),
        conclusion=" ".join(parts["conclusion"]),
    )


def _heads(columns: Sequence[str], sides: Sequence[str]) -> bool:
    """Whether the columns of a table are the sides."""
    paired = zip(columns, sides, strict=False)
    return len(columns) == len(sides) > 0 and all(set(terms(column)) & set(terms(side)) for column, side in paired)


def _told(cells: Sequence[str], sides: Sequence[str]) -> str:
    return "; ".join(f"{side}: {cell}" for side, cell in zip(sides, cells, strict=False))
