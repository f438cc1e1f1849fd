"""Follow-ups are completed from the conversation; questions that stand alone are left alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.plan.followup import CONTEXT, complete
from pipeline.values import Turn

LISTED = """Three offices have a notice period of their own:

- **Berlin office**: three months [1]
- Paris office - two months [2]
- Madrid (since May): one month [2]"""


def turn(question: str, answer: str = "It is three months. [1]", standalone: str = "") -> Turn:
    return Turn(question=question, answer=answer, standalone=standalone, asked_at=datetime(2025, 1, 1, tzinfo=UTC))


NOTICE = (turn("What is the notice period for employees?"),)
OFFICES = (turn("Which offices have their own notice period?", LISTED),)


@pytest.mark.parametrize(
    "question",
    [
        "How do I reset my VPN password?",
        "What is SSO?",
        "Can I carry over vacation days?",
        "And how do I request parental leave in Germany?",
        "What happens after the first year of employment?",
        "Wie beantrage ich Elternzeit?",
        "Is there a canteen?",
        "To apply for a child",
    ],
)
def test_a_question_that_names_its_subject_is_left_alone(question: str) -> None:
    found = complete(question, NOTICE)
    assert (found.question, found.query, found.leans) == (question, question, False)


@pytest.mark.parametrize(
    ("question", "completed"),
    [
        ("and for contractors?", "What is the notice period for contractors?"),
        ("What about for interns in Spain?", "What is the notice period for interns in Spain?"),
        ("in Germany?", "What is the notice period for employees in Germany?"),
        ("And contractors?", "What is the notice period for contractors?"),
    ],
)
def test_an_elliptic_part_takes_its_place_in_the_last_question(question: str, completed: str) -> None:
    found = complete(question, NOTICE)
    assert (found.question, found.query, found.leans) == (completed, completed, True)


@pytest.mark.parametrize(
    ("topic", "question", "completed"),
    [
        ("How many days off do full-time employees get?", "And contractors?", "How many days off do contractors get?"),
        ("When does the northern office open?", "and the southern office?", "When does the southern office open?"),
        ("Does the company pay for lunch?", "And the union?", "Does the union pay for lunch?"),
        ("Can employees work abroad?", "What about interns?", "Can interns work abroad?"),
        ("Are dogs allowed in the office?", "What about cats?", "Are cats allowed in the office?"),
        ("Is remote work allowed?", "and working abroad?", "Is working abroad allowed?"),
        ("How many vacation days do I get?", "and contractors?", "How many vacation days do contractors get?"),
    ],
)
def test_a_name_takes_the_place_of_the_last_questions_subject(topic: str, question: str, completed: str) -> None:
    assert complete(question, (turn(topic),)).question == completed


@pytest.mark.parametrize(
    ("topic", "question", "completed"),
    [
        ("How many vacation days do I get?", "And sick days?", "How many sick days do I get?"),
        ("When is the northern office open?", "and the southern office?", "When is the southern office open?"),
        ("What does error code E3 mean?", "And E4?", "What does error code E4 mean?"),
        ("What is the pressure of machine 62?", "And machine 63?", "What is the pressure of machine 63?"),
        ("What is the pressure of machine 62?", "and 77?", "What is the pressure of machine 77?"),
        ("What is the daily rate for meals in France?", "And Spain?", "What is the daily rate for meals in Spain?"),
    ],
)
def test_a_name_takes_the_place_of_its_like(topic: str, question: str, completed: str) -> None:
    assert complete(question, (turn(topic),)).question == completed


@pytest.mark.parametrize(
    ("topic", "question", "completed"),
    [
        ("What is the hotel limit per night?", "and breakfast?", "What is the breakfast limit per night?"),
        ("Do I need a receipt for a taxi?", "What about a train?", "Do I need a receipt for a train?"),
        ("Who approves a flight?", "and a hotel?", "Who approves a hotel?"),
        ("How many sick days do I get?", "and for contractors?", "How many sick days do contractors get?"),
    ],
)
def test_a_name_takes_the_place_of_what_was_asked_about(topic: str, question: str, completed: str) -> None:
    assert complete(question, (turn(topic),)).question == completed


@pytest.mark.parametrize(
    ("topic", "question", "completed"),
    [
        (
            "What is the price of PortCall Business?",
            "and the setup fee?",
            "What is the setup fee of PortCall Business?",
        ),
        ("What's the price of the Starter plan?", "and its term?", "What's the term of the Starter plan?"),
        ("Who is the product manager of PortCall?", "and the tech lead?", "Who is the tech lead of PortCall?"),
        ("What is the notice period for employees?", "and the bonus?", "What is the bonus for employees?"),
        ("What is the strength of Acme?", "and Nord's?", "What is the strength of Nord?"),
        ("What is Ann's number?", "and Ben's?", "What is Ben's number?"),
        ("How much is the pension contribution?", "and the learning budget?", "How much is the learning budget?"),
        ("What is the pump pressure?", "and the voltage?", "What is the voltage?"),
        ("Who is the head of sales?", "and the CFO?", "Who is the CFO?"),
        ("What is demurrage?", "and detention?", "What is detention?"),
        ("Is there a canteen in Lyon?", "and parking?", "Is there parking in Lyon?"),
    ],
)
def test_another_thing_asked_about_keeps_what_it_is_asked_of(topic: str, question: str, completed: str) -> None:
    assert complete(question, (turn(topic),)).question == completed


@pytest.mark.parametrize(
    ("topic", "question", "completed"),
    [
        ("How do I restart the scheduler?", "and the database?", "How do I restart the database?"),
        ("How do I request parental leave?", "and a sabbatical?", "How do I request a sabbatical?"),
        ("How do I request parental leave?", "and interns?", "How do interns request parental leave?"),
        ("Can employees bring dogs to the office?", "and cats?", "Can employees bring cats to the office?"),
        ("Can employees bring dogs to the office?", "and guests?", "Can guests bring dogs to the office?"),
        ("Does the warranty cover water damage?", "and theft?", "Does the warranty cover theft?"),
        ("How do I upgrade Tidewell?", "and install it?", "How do I install Tidewell?"),
        ("Which laptops do we have in Lyon?", "and monitors?", "Which monitors do we have in Lyon?"),
        ("How many users does PortCall allow?", "and bookings?", "How many bookings does PortCall allow?"),
        ("How soon must incidents be reported?", "and losses?", "How soon must losses be reported?"),
        ("How long are access logs kept?", "and customer data?", "How long are customer data kept?"),
        ("Where is secret data stored?", "and internal?", "Where is internal data stored?"),
        ("When was 3.3.0 released?", "and 3.2.0?", "When was 3.2.0 released?"),
        ("Who approves a discount of 15 %?", "and 25 %?", "Who approves a discount of 25 %?"),
        ("Wo finde ich den Drucker?", "und die Küche?", "Wo finde ich die Küche?"),
        ("Wie beantrage ich Urlaub?", "und Elternzeit?", "Wie beantrage ich Elternzeit?"),
        ("Quand est versé le salaire ?", "et la prime ?", "Quand est versé la prime?"),
    ],
)
def test_a_thing_takes_the_place_of_a_thing_and_a_person_that_of_a_person(
    topic: str, question: str, completed: str
) -> None:
    assert complete(question, (turn(topic),)).question == completed


@pytest.mark.parametrize(
    ("topic", "question", "completed"),
    [
        ("What is the hotel limit in Paris?", "and in London?", "What is the hotel limit in London?"),
        ("Which printer is on floor 3 in Lyon?", "and on floor 2?", "Which printer is on floor 2 in Lyon?"),
        ("How long does shipping to Spain take?", "and to Italy?", "How long does shipping to Italy take?"),
        ("What is my notice during probation?", "and after probation?", "What is my notice after probation?"),
        ("Can I work from abroad?", "and outside the EU?", "Can I work outside the EU?"),
        ("Who approves my training?", "and above 500 euros?", "Who approves my training above 500 euros?"),
        ("What is the card limit?", "for department heads?", "What is the card limit for department heads?"),
        ("How much is the bonus?", "and for engineers?", "How much is the bonus for engineers?"),
        ("What is the SLA for Business?", "the same for Enterprise?", "What is the SLA for Enterprise?"),
        ("What is the gym subsidy?", "in Gdansk too?", "What is the gym subsidy in Gdansk?"),
        ("When is salary paid?", "what if it is a holiday?", "When is salary paid if it is a holiday?"),
        ("What happens if I am late?", "and if I am ill?", "What happens if I am ill?"),
        ("Wie lange ist die Probezeit?", "und für Praktikanten?", "Wie lange ist die Probezeit für Praktikanten?"),
    ],
)
def test_a_circumstance_takes_the_place_of_its_like_or_is_added(topic: str, question: str, completed: str) -> None:
    assert complete(question, (turn(topic),)).question == completed


@pytest.mark.parametrize(
    ("topic", "question", "completed"),
    [
        ("Can I work from abroad?", "for how long?", "For how long can I work from abroad?"),
        ("Are dogs allowed in the office?", "on which days?", "On which days are dogs allowed in the office?"),
        ("When is the summer party?", "where?", "Where is the summer party?"),
        ("Is Safari supported?", "since when?", "Since when is Safari supported?"),
        ("What is the gym subsidy?", "how much then?", "How much is the gym subsidy?"),
        ("Are there discounts for schools?", "how much?", "how much (Are there discounts for schools)?"),
    ],
)
def test_a_question_word_alone_asks_the_last_question_with_it(topic: str, question: str, completed: str) -> None:
    assert complete(question, (turn(topic),)).question == completed


def test_what_was_said_before_goes_with_a_completed_question_where_it_names_what_is_asked_now() -> None:
    limits = turn("What is the hotel limit in Paris?", "It is 190 euros in Paris and London. [1]")
    assert complete("and in London?", (limits,)).context == limits.answer
    assert complete("and in Madrid?", (limits,)).context == ""


def test_a_question_that_was_followed_by_another_one_is_not_followed_by_both() -> None:
    asked = turn("who pays?", standalone="who pays (When does the office move)?")
    assert complete("who packs?", (asked,)).question == "who packs (When does the office move)?"


@pytest.mark.parametrize(
    ("topic", "completed"),
    [
        ("What is the hotel limit per night?", "Why is the hotel limit per night what it is?"),
        ("How soon must a lost device be reported?", "Why must a lost device be reported that soon?"),
        ("Can employees work abroad?", "Why can employees work abroad?"),
        ("Who approves a flight?", "Why (Who approves a flight)?"),
    ],
)
@pytest.mark.parametrize("question", ["Why?", "why is that?", "But why"])
def test_why_asks_for_the_reason_of_what_was_asked_last(topic: str, question: str, completed: str) -> None:
    found = complete(question, (turn(topic),))
    assert found.question.replace(question.rstrip("?"), "Why") == completed
    assert found.leans


@pytest.mark.parametrize(
    "question", ["How long does it take?", "Tell me more", "Who approves that?", "What are the terms?"]
)
def test_what_misses_its_subject_is_understood_with_the_last_question_and_searched_as_it_is(question: str) -> None:
    found = complete(question, NOTICE)
    assert found.leans
    assert found.query == question
    assert found.question.startswith(question.rstrip("?"))
    assert "the notice period for employees" in found.question


@pytest.mark.parametrize(
    ("question", "completed"),
    [
        ("What about the second one?", "What about Paris office?"),
        ("Does the last one apply to interns?", "Does Madrid apply to interns?"),
        ("Tell me about the first office", "Tell me about Berlin office"),
    ],
)
def test_an_ordinal_means_an_item_of_the_last_answer(question: str, completed: str) -> None:
    assert complete(question, OFFICES).question == completed


def test_the_references_of_an_answer_are_no_items_of_it() -> None:
    answered = turn("Who is in?", "Ann and Ben. [1][2]\n\nSources:\n1. Berlin office\n2. Paris office")
    assert complete("Who runs the second one?", [answered]).question != "Who runs Paris office?"


def test_an_ordinal_without_such_an_item_stays() -> None:
    assert "the fifth one" in complete("What about the fifth one?", OFFICES).question


def test_the_subject_outlives_questions_that_only_lean_on_it() -> None:
    turns = (*NOTICE, turn("why?", "Because of the law. [1]"), turn("ok thanks", "You are welcome."))
    assert "notice period" in complete("And how long?", turns).question


def test_a_completed_question_of_the_thread_counts_as_asked() -> None:
    turns = (turn("and for contractors?", standalone="What is the notice period for contractors?"),)
    assert "contractors" in complete("why?", turns).question


def test_without_a_conversation_nothing_is_completed() -> None:
    found = complete("and for contractors?", ())
    assert (found.question, found.context, found.leans) == ("and for contractors?", "", False)


def test_context_is_what_was_said_newest_first() -> None:
    turns = (turn("First?", "One."), turn("Second?", "Two."))
    assert complete("Third thing about parking spaces?", turns).context == "Two.\nSecond?\nOne.\nFirst?"


@given(
    st.text(max_size=80),
    st.lists(st.tuples(st.text(max_size=200), st.text(max_size=2000)), max_size=5),
)
def test_any_text_is_completed_to_something_that_holds_it_within_bounds(
    question: str, said: list[tuple[str, str]]
) -> None:
    found = complete(question, [turn(asked, answer) for asked, answer in said])
    assert len(found.context) <= CONTEXT
    assert found.leans or (found.question == question == found.query)


@pytest.mark.parametrize(
    "item",
    [
        "Paris office [1]",
        "Paris office [1] [2]",
        "Paris office[1][23]  ",
        "  \t**Paris office** [2]",
        "Paris office [1]\r",
    ],
)
def test_an_item_that_is_counted_off_loses_its_marks(item: str) -> None:
    asked = (turn("Which offices are there?", f"There are two:\n- Berlin [1]\n-  {item}\n\nNo more."),)
    assert complete("Who runs the second one?", asked).question == "Who runs Paris office?"


@pytest.mark.parametrize("run", ["x" + " " * 99 + "x", "[1] ", "[1 ", "\n", "- ", "- \n"])
def test_an_answer_of_whatever_shape_is_read_once(run: str) -> None:
    """What goes through a run of characters again and again would need hours for these."""
    asked = (turn("Which offices are there?", "- Berlin [1]\n- Paris" + run * 50_000 + "x\n- Madrid"),)
    assert complete("Who runs the first one?", asked).question == "Who runs Berlin?"
