"""What was found, read once."""

from __future__ import annotations

from pipeline.evidence.gather import gather_evidence
from pipeline.evidence.question_analysis import analyze_question
from pipeline.evidence.scored_units import best_unit
from tests.doubles.samples import prose


def test_without_a_sentence_the_next_best_is_the_one_to_say() -> None:
    evidence = gather_evidence(
        analyze_question("When is lunch?"), [prose("a", "Lunch is at noon. Lunch is in the big hall.")]
    )
    best = best_unit(evidence.units)
    assert best is not None
    left = best_unit(evidence.without_texts([best.text]).units)
    assert left is not None
    assert {best.text, left.text} == {"Lunch is at noon.", "Lunch is in the big hall."}
    assert best_unit(evidence.without_texts([best.text, left.text]).units) is None
