"""What is asked for is said first, and nothing that needs what stands before it is torn from it."""

from __future__ import annotations

import pytest

from pipeline.compose.answer import CheckedSentence
from pipeline.drafting.draft import lead_with_answer
from pipeline.values import BlockKind, Document, DraftSentence, Judgement, SupportBasis, WritingBrief
from tests.doubles.samples import evidence, indexed

STANDS = Judgement(support=SupportBasis.VERBATIM, score=1.0)
PLAN = (
    "The old plan began in 2019 and has served many offices. The plan costs 40 euros a month. It is paid in advance.",
    "Guests are welcome in the plan.",
)
NOTHING = ("Nothing. The plan costs you no fee for the first 3 months.",)
OPENED = ("The plan may:", "Cost 40 euros a month.", "Be ended at any time.")


def first(question: str, *paragraphs: str, decided: bool = False) -> list[str]:
    passages = indexed(Document(id="plan", filename="plan.md", title="Plan"), *paragraphs)
    found = evidence(WritingBrief(question=question), passages)
    said = [
        CheckedSentence(DraftSentence(text=one.text, kind=one.kind, chunk_ids=(one.chunk_id,)), STANDS)
        for units in found.units
        for one in units
        if one.kind is BlockKind.PROSE
    ]
    return [one.sentence.text for one in lead_with_answer(found, said, decided=decided)]


def test_the_sentence_with_the_figure_comes_first_and_what_goes_on_from_it_next() -> None:
    begins, costs, paid, guests = first("Tell me about the plan", *PLAN)
    assert first("How much does the plan cost?", *PLAN) == [costs, paid, guests, begins]


@pytest.mark.parametrize(
    "question",
    ["How does the plan cost money?", "Does the plan cost money?", "Why is it paid?", "What if the plan has a cost?"],
)
def test_what_asks_for_no_one_thing_is_read_in_its_order(question: str) -> None:
    assert first(question, *PLAN) == first("Tell me about the plan", *PLAN)


def test_what_decides_comes_first_where_a_yes_or_no_is_said() -> None:
    assert first("Does the plan cost money?", *PLAN, decided=True)[0] == "The plan costs 40 euros a month."


@pytest.mark.parametrize("paragraphs", [NOTHING, OPENED])
def test_what_leads_in_and_what_is_an_answer_by_itself_stay_in_front(paragraphs: tuple[str, ...]) -> None:
    assert first("How much does the plan cost?", *paragraphs) == first("Tell me about the plan", *paragraphs)
