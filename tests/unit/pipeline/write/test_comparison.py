"""A comparison puts side by side what is said of each side, about what they are compared in, and nothing else."""

from __future__ import annotations

from pipeline.plan.rule_planner import split_comparison
from pipeline.values import AnswerFormat, BlockKind, Document, Intent, RetrievedChunk, WritingBrief
from tests.doubles.samples import extracted, indexed

PROSE, HEADING, ITEM, HEADER, ROW = (
    BlockKind.PROSE,
    BlockKind.HEADING,
    BlockKind.ITEM,
    BlockKind.HEADER,
    BlockKind.ROW,
)
Said = list[tuple[BlockKind, str]]


def passage(name: str, *blocks: tuple[BlockKind, str]) -> RetrievedChunk:
    (found,) = indexed(Document(id=name, filename=f"{name}.md", title="Handbook"), *blocks)
    return found


def table(question: str, *passages: RetrievedChunk) -> Said:
    sides = split_comparison(question)
    brief = WritingBrief(
        question=question,
        queries=tuple(query for _, query in sides),
        sides=tuple(side for side, _ in sides),
        intent=Intent.COMPARISON,
        format=AnswerFormat.TABLE,
    )
    return [(sentence.kind, sentence.text) for sentence in extracted(brief, passages).sentences]


TRAVEL = passage(
    "travel",
    (HEADING, "Pensions"),
    (PROSE, "Full employees may join the pension plan after a year."),
    (HEADING, "Meal allowance"),
    (PROSE, "The meal allowance is 20 euros a day. Trainees have a meal allowance of 12 euros."),
)
VERSIONS = passage(
    "versions",
    (HEADING, "Version 2.1.0"),
    (ITEM, "The tablet needs system 9."),
    (ITEM, "The scanner loses its settings, mended in version 2.2.0."),
    (HEADING, "Version 2.2.0"),
    (ITEM, "The tablet needs system 10."),
)
RATES = passage(
    "rates",
    (HEADING, "Leave at birth"),
    (HEADER, "Group | Paid weeks | Unpaid weeks"),
    (ROW, "Mothers | 20 | 30"),
    (ROW, "Fathers | 10 | 30"),
    (ROW, "Carers | 5 | 5"),
)


def test_a_cell_is_about_what_is_compared_and_may_be_the_rule_for_all_beside_it() -> None:
    assert table("Compare the meal allowance for employees and trainees", TRAVEL) == [
        (HEADER, "employees | trainees"),
        (ROW, "The meal allowance is 20 euros a day. | Trainees have a meal allowance of 12 euros."),
    ]


def test_nothing_of_another_matter_is_put_beside_it() -> None:
    found = table("Compare the parking permits for employees and trainees", TRAVEL)
    assert HEADER not in [kind for kind, _ in found]


def test_what_stands_under_the_heading_of_one_side_is_not_said_of_the_other() -> None:
    assert table("What is the difference between 2.1.0 and 2.2.0?", VERSIONS) == [
        (HEADER, "2.1.0 | 2.2.0"),
        (ROW, "The tablet needs system 9. | The tablet needs system 10."),
    ]


def test_rows_of_one_table_stand_under_its_header() -> None:
    assert table("Compare leave at birth for mothers and fathers", RATES) == [
        (HEADER, "Group | Paid weeks | Unpaid weeks"),
        (ROW, "Mothers | 20 | 30"),
        (ROW, "Fathers | 10 | 30"),
    ]


def test_a_sentence_that_compares_both_is_the_answer() -> None:
    both = "The old plan keeps files for 30 days, while the new plan keeps them for a year."
    plans = passage(
        "plans", (PROSE, f"The old plan has storage for files. {both} Ask about the new plan and its files.")
    )
    assert table("How does the old plan differ from the new plan in files?", plans) == [(PROSE, both)]
