"""What becomes of what a model writes, counted over answers."""

from __future__ import annotations

from bot.evaluation.golden import summarize_drafts
from pipeline.drafting.draft import DRAFT_UNSUPPORTED
from pipeline.values import Answer, AnswerOutcome, Claim, Confidence, ConfidenceLevel, SupportBasis, Usage


def answer(
    writer: str, *support: SupportBasis, note: str = "", level: ConfidenceLevel = ConfidenceLevel.MEDIUM
) -> Answer:
    kept = (SupportBasis.VERBATIM, SupportBasis.JUDGED)
    claims = tuple(Claim(claim=f"{n}", supported=one in kept, support=one) for n, one in enumerate(support))
    return Answer(
        id="1",
        question="How many?",
        outcome=AnswerOutcome.ANSWERED if any(one in kept for one in support) else AnswerOutcome.NOT_FOUND,
        body="",
        confidence=Confidence(level=level, score=0.7),
        claims=claims,
        ungrounded_claims=tuple(one.claim for one in claims if not one.supported),
        usage=Usage(writer=writer, input_tokens=90, output_tokens=10, notes=(note,) if note else ()),
    )


def test_answers_are_counted_by_how_much_of_them_is_shown_and_why_not_more() -> None:
    found = summarize_drafts(
        [
            answer("openai:m", SupportBasis.VERBATIM, SupportBasis.JUDGED, level=ConfidenceLevel.HIGH),
            answer("openai:m", SupportBasis.JUDGED, SupportBasis.REFUSED),
            answer("openai:m"),
            answer("extractive", SupportBasis.VERBATIM, note=f"model_failed: {DRAFT_UNSUPPORTED}"),
            answer("extractive", SupportBasis.VERBATIM, note="model_failed: status 500"),
        ]
    )
    assert found["answers shown whole"] == "1 of 5 (20%)"
    assert found["shown without some sentences"] == "1 of 5 (20%)"
    assert found["not in the documents, it says"] == "1 of 5 (20%)"
    assert found["replaced by the extract: what it wrote"] == "1 of 5 (20%)"
    assert found["replaced by the extract: it failed"] == "1 of 5 (20%)"
    assert found["at high"] == "1 of 2 (50%)"
    assert found["sentences found there by the judge"] == "2 of 4 (50%)"
    assert found["tokens an answer"] == "100"


def test_without_a_model_there_is_nothing_to_count() -> None:
    assert summarize_drafts([answer("extractive", SupportBasis.VERBATIM)]) == {}
