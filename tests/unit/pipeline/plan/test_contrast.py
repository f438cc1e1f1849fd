"""A follow-up that changes one thing takes its place in the question before it."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.plan.follow_up import substitute_phrase
from pipeline.words.text import STOP_WORDS, WORD

NOTICE = "What is the notice period for employees?"
TYRES = "How much is a tyre change for the Osprey 5?"
PORT = "What is the port of the gateway?"
TRAVEL = "Who approves travel above 500 euros?"
HOURS = "When does the Berlin office open on Mondays?"


@pytest.mark.parametrize(
    ("phrase", "question", "meant"),
    [
        ("for contractors", NOTICE, "What is the notice period for contractors?"),
        ("a service", TYRES, "How much is a service for the Osprey 5?"),
        ("for the Kestrel 3", TYRES, "How much is a tyre change for the Kestrel 3?"),
        ("long term", "How long is the wait for short term cover?", "How long is the wait for long term cover?"),
        (
            "the secondary carer",
            "How much leave does a primary carer get?",
            "How much leave does a secondary carer get?",
        ),
        ("court leave", "How much is disabled veteran leave?", "How much is court leave?"),
        ("sick days", "How many vacation days are there?", "How many sick days are there?"),
        ("level 4", "What is the award for a level 5 rating?", "What is the award for a level 4 rating?"),
        ("a distant family member", "Is a close family member covered?", "Is a distant family member covered?"),
        ("the pool one", "What does the read timeout do?", "What does the pool timeout do?"),
        ("the canteen", "When does the office open?", "When does the canteen open?"),
        ("Denmark", "How many days are there in France?", "How many days are there in Denmark?"),
        ("3.12", "When does Python 3.11 reach its end?", "When does Python 3.12 reach its end?"),
        ("in France", "What does Globex pay in Spain for rent?", "What does Globex pay in France for rent?"),
        ("sick leave", "How do I book parental leave?", "How do I book sick leave?"),
        ("paid parental leave", "How do I book sick leave?", "How do I book paid parental leave?"),
        ("sick leave", "How do I book leave?", "How do I book sick leave?"),
        ("travel comp time", "Does comp time expire?", "Does travel comp time expire?"),
        ("below 200 euros", TRAVEL, "Who approves travel below 200 euros?"),
        ("200 euros", TRAVEL, "Who approves travel above 200 euros?"),
        ("under 100 euros", "Who signs bills over 500 euros?", "Who signs bills under 100 euros?"),
        ("Paris", HOURS, "When does the Paris office open on Mondays?"),
        ("Tuesdays", HOURS, "When does the Berlin office open on Tuesdays?"),
        ("the big gateway", PORT, "What is the port of the big gateway?"),
        ("the setup fee", "What is the price of Harbour?", "What is the setup fee of Harbour?"),
        ("the wiki", "How do I reset the gateway?", "How do I reset the wiki?"),
        ("micro versions", "How often are new minor versions released?", "How often are micro versions released?"),
    ],
)
def test_what_is_changed_stands_beside_the_same_words(phrase: str, question: str, meant: str) -> None:
    assert substitute_phrase(phrase, question) == meant


@pytest.mark.parametrize(
    ("phrase", "question"),
    [
        ("Spain", NOTICE),
        ("overtime", "Do credit hours expire?"),
        ("if I forget", TYRES),
        ("how is it paid for contractors", NOTICE),
        ("for employees", NOTICE),
        ("Hebrew", "how many skills can I create?"),
        ("the database", PORT),
        ("the port", PORT),
        ("the port of the gateway", PORT),
        ("the timeout", "What is the default port?"),
        ("the canteen", "When does the main office open?"),
        ("a truck", "How much is a tyre change for a car?"),
        ("sick leave", "Do employees accrue leave?"),
        ("the gateway port", "Does the gateway restart?"),
        ("the wiki", "How do I reset the admin password?"),
        ("for contractors", "Do managers qualify for parental leave?"),
        ("for sick leave", "How do I book parental leave?"),
        ("Madrid", "How far is Berlin from Paris?"),
        ("", NOTICE),
        ("for contractors", ""),
    ],
)
def test_what_changes_nothing_that_is_plain_changes_nothing(phrase: str, question: str) -> None:
    assert substitute_phrase(phrase, question) == ""


HEADS = {
    "How do I book": "",
    "Who approves": "",
    "Where can I request": "",
    "How much is": "",
    "What is": "",
    "Do employees accrue": "",
    "When does": "expire",
    "Can managers from abroad use": "",
}
NOUNS = ("leave", "sick leave", "paid parental leave", "port", "admin password", "Harbour", "3 days", "gateway")
PHRASES = ("sick leave", "unpaid leave", "database", "guest password", "Osprey", "4 days", "long wait", "gateway port")
BEFORE = ("", "a ", "the ", "for ", "for the ", "of ", "of the ", "in ", "above ")


@given(
    st.sampled_from(sorted(HEADS)),
    st.lists(st.tuples(st.sampled_from(BEFORE), st.sampled_from(NOUNS)), min_size=1, max_size=3),
    st.sampled_from(BEFORE),
    st.sampled_from(PHRASES),
)
def test_what_is_changed_keeps_its_question_word_and_verb_and_says_what_is_new_once(
    head: str, parts: list[tuple[str, str]], before: str, words: str
) -> None:
    question = " ".join([head, *(small + noun for small, noun in parts), HEADS[head]]).strip() + "?"
    meant = substitute_phrase(before + words, question)
    asked, said = (Counter(WORD.findall(text)) for text in (question, meant))
    assert not meant or (meant.startswith(head) and meant.endswith(f"{HEADS[head]}?"))
    assert not meant or all(0 < said[word] <= max(asked[word], 1) for word in WORD.findall(words))
    content = [word for word in said if word not in STOP_WORDS and f"{word} " not in BEFORE]
    assert all(said[word] <= max(asked[word], 1) for word in content)


TEXT = st.text(alphabet=" abdefinorst.,?'-AF15", max_size=120)


@given(TEXT, TEXT)
def test_any_text_changes_into_words_of_both(phrase: str, question: str) -> None:
    meant = substitute_phrase(phrase, question)
    assert {*WORD.findall(meant)} <= {*WORD.findall(phrase), *WORD.findall(question)}
    assert not meant or meant.lower() != question.lower()
