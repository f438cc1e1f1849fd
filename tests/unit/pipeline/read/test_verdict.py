"""Yes, no, or neither: what a passage says to a yes-or-no question."""

import pytest

from pipeline.evidence.gather import gather_evidence
from pipeline.evidence.question_analysis import analyze_question
from pipeline.evidence.scored_units import best_unit
from pipeline.evidence.yes_no import decide_yes_no
from tests.doubles.samples import prose


@pytest.mark.parametrize(
    ("question", "text", "says"),
    [
        ("Are lockers available to all members?", "Lockers are available to all members of the club.", True),
        ("May dogs use the lift?", "Dogs must not use the lift.", False),
        ("Can guests use the lift at night?", "Guests must not use the lift.", False),
        ("Are dogs allowed in May?", "In May, no dogs are allowed.", False),
        ("Are guests not charged for parking?", "Guests are not charged for parking.", None),
        ("Can guests park in the yard?", "Guests can park in the street.", None),
        ("Is the report public?", "Drafts of the report are not public.", None),
        ("Is parking forbidden in the yard?", "Parking is not allowed in the yard.", None),
        ("Can guests park in the yard?", "Guests can park in the yard if a member comes along.", None),
        ("Can guests park in the yard?", "The yard was paved last year.", None),
        ("Can guests park in the yard?", "Yes, guests can park in the yard.", None),
        ("Is the yard open or closed?", "The yard is open.", None),
        ("When is the yard open?", "The yard is open on Mondays.", None),
    ],
)
def test_yes_or_no_is_said_only_where_the_passage_decides(question: str, text: str, says: bool | None) -> None:
    asked = analyze_question(question)
    best = best_unit(gather_evidence(asked, [prose("p", text)]).units)
    assert best
    assert decide_yes_no(asked, [best]) is says
