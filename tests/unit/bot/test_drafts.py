"""What becomes of what a model writes, counted over answers."""

from __future__ import annotations

from bot.evaluation.golden import drafts
from pipeline.drafting.drafts import UNSUPPORTED
from pipeline.values import Answer, Claim, Confidence, Level, Outcome, Support, Usage


def answer(writer: str, *support: Support, note: str = "", level: Level = Level.MEDIUM) -> Answer:
    kept = (Support.VERBATIM, Support.JUDGED)
    claims = tuple(Claim(claim=f"{n}", supported=one in kept, support=one) for n, one in enumerate(support))
    return Answer(
        id="1",
        question="How many?",
        outcome=Outcome.ANSWERED if any(one in kept for one in support) else Outcome.NOT_FOUND,
        body="",
        confidence=Confidence(level=level, score=0.7),
        claims=claims,
        ungrounded_claims=tuple(one.claim for one in claims if not one.supported),
        usage=Usage(writer=writer, input_tokens=90, output_tokens=10, notes=(note,) if note else ()),
    )


def test_answers_are_counted_by_how_much_of_them_is_shown_and_why_not_more() -> None:
    found = drafts(
        [
            answer("openai:m", Support.VERBATIM, Support.JUDGED, level=Level.HIGH),
            answer("openai:m", Support.JUDGED, Support.REFUSED),
            answer("openai:m"),
            answer("extractive", Support.VERBATIM, note=f"model_failed: {UNSUPPORTED}"),
            answer("extractive", Support.VERBATIM, note="model_failed: status 500"),
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
    assert drafts([answer("extractive", Support.VERBATIM)]) == {}
