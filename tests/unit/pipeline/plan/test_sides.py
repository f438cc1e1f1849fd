"""Comparisons are taken apart into sides, double questions into parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.plan.rule_planner import split_comparison, split_question


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        (
            "compare VPN and SSO for contractors",
            (("VPN", "VPN for contractors"), ("SSO for contractors", "SSO for contractors")),
        ),
        (
            "annual vs monthly billing for teams?",
            (("annual", "annual billing for teams"), ("monthly billing for teams", "monthly billing for teams")),
        ),
        (
            "compare the leave policies for interns and for managers",
            (("interns", "the leave policies for interns"), ("managers", "the leave policies for managers")),
        ),
        (
            "What is the difference in notice periods between interns and managers?",
            (("interns", "notice periods interns"), ("managers", "notice periods managers")),
        ),
        (
            "How do minor and micro versions differ?",
            (("minor", "minor versions"), ("micro versions", "micro versions")),
        ),
        (
            "How does the old plan differ from the new plan in storage?",
            (("the old plan", "storage the old plan"), ("the new plan", "storage the new plan")),
        ),
        ("Which is longer, a cycle or a cooldown?", (("a cycle", "a cycle"), ("a cooldown", "a cooldown"))),
        ("What if you have a licence, a permit or a card?", ()),
        ("Is SSO better than VPN?", ()),
        ("difference between leave and leave", ()),
    ],
)
def test_a_comparison_has_two_sides_and_a_query_each(question: str, sides: tuple[tuple[str, str], ...]) -> None:
    assert split_comparison(question) == sides


@pytest.mark.parametrize(
    ("question", "queries"),
    [
        (
            "How do I reset my VPN? What is the helpdesk number?",
            ["How do I reset my VPN?", "What is the helpdesk number?"],
        ),
        ("Can I bring my dog and do I need a permit?", ["Can I bring my dog?", "do I need a permit?"]),
        ("Where and when is the meeting?", []),
        ("Who is in charge and may sign contracts?", []),
        ("Is it a paid service and how much?", []),
        ("What is the function of insulin and where is it produced?", []),
        ("The Rhine forms a border between Switzerland and what other country?", []),
    ],
)
def test_a_double_question_has_parts_that_stand_alone(question: str, queries: list[str]) -> None:
    assert [query for _, query in split_question(question)] == queries


@given(st.text(alphabet=" abdefinorstvw.,?'-", max_size=400))
def test_any_question_has_no_or_nonempty_sides_and_parts(question: str) -> None:
    for side, query in (*split_comparison(question), *split_question(question)):
        assert side.strip()
        assert query.strip()
