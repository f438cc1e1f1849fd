"""What was found, read once."""

from __future__ import annotations

from pipeline.read.asked import read
from pipeline.read.candidates import best_of
from pipeline.read.evidence import gather
from tests.doubles.samples import prose


def test_without_a_sentence_the_next_best_is_the_one_to_say() -> None:
    evidence = gather(read("When is lunch?"), [prose("a", "Lunch is at noon. Lunch is in the big hall.")])
    best = best_of(evidence.units)
    assert best is not None
    left = best_of(evidence.without([best.text]).units)
    assert left is not None
    assert {best.text, left.text} == {"Lunch is at noon.", "Lunch is in the big hall."}
    assert best_of(evidence.without([best.text, left.text]).units) is None
