"""What people confirmed comes further up, no further than it may, and lets nothing else pass."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipeline.evidence.gather import gather_evidence
from pipeline.evidence.question_analysis import analyze_question
from pipeline.find.rank import RankedPassage
from pipeline.find.rerank import CONFIRMED_BOOST, boost_confirmed
from pipeline.values import Document, replace
from tests.doubles.samples import document, prose


def ranked(scores: list[tuple[float, int]]) -> list[RankedPassage]:
    """Best first."""
    return [
        RankedPassage(
            prose(str(number), "A text.").chunk, document(str(number)), score, 0, np.zeros(0, np.float32), people
        )
        for number, (score, people) in enumerate(sorted(scores, reverse=True))
    ]


found = st.lists(st.tuples(st.floats(0.0, 1.0), st.integers(0, 3)), max_size=12).map(ranked)


@given(found)
def test_there_are_the_same_passages_and_the_same_scores(before: list[RankedPassage]) -> None:
    after = boost_confirmed(before)
    assert [one.score for one in after] == [one.score for one in before]
    assert {one.chunk.id for one in after} == {one.chunk.id for one in before}


@given(found)
def test_nothing_passes_what_fits_better_by_more_than_the_raise(before: list[RankedPassage]) -> None:
    own = {one.chunk.id: one for one in before}
    after = [own[one.chunk.id] for one in boost_confirmed(before)]
    for place, above in enumerate(after):
        for below in after[place + 1 :]:
            if below.score > above.score:
                assert above.confirmed
                assert not below.confirmed
                assert below.score <= above.score + CONFIRMED_BOOST


@given(found)
def test_how_well_each_fits_by_itself_is_known(before: list[RankedPassage]) -> None:
    own = {one.chunk.id: one.score for one in before}
    assert all(abs(one.score - one.confirmation_boost - own[one.chunk.id]) < 1e-9 for one in boost_confirmed(before))


def test_a_thread_that_was_solved_comes_before_an_open_one_that_fits_hardly_better() -> None:
    said = document("thread", collection="slack:T1:C1")
    solved = replace(said, metadata={"solved": "yes"})

    def found(about: Document, score: float) -> RankedPassage:
        return RankedPassage(prose(f"{about.is_solved}", "A text.").chunk, about, score, 0, np.zeros(0, np.float32))

    for near, first in ((0.68, True), (0.6, False)):
        assert boost_confirmed([found(said, 0.7), found(solved, near)])[0].document.is_solved is first


def test_evidence_tells_how_it_would_be_had_nobody_confirmed_any_of_it() -> None:
    first, second = prose("first", "Leave is 30 days."), prose("second", "Leave is asked for in the portal.")
    up = replace(second, score=0.7, confirmation_boost=0.05, confirmed=2)
    down = replace(first, score=0.65, confirmation_boost=-0.05)
    entered = replace(prose("third", "Leave is for staff."), score=0.6, confirmation_boost=0.6)
    plain = gather_evidence(analyze_question("How much leave?"), [up, down, entered]).without_confirmations()
    assert [(one.chunk.id, round(one.score, 9)) for one in plain.passages] == [("first", 0.7), ("second", 0.65)]
    assert plain.without_confirmations() is plain
