"""Finding the words of a question in a text agrees with reading every word of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.find.occurrences import Wanted, pairs
from pipeline.text import terms

WORDS = st.sampled_from(
    """happy happily filing files filed use used user bus agreed agreement sky skies dying die universities Müller's
    café cafés naïve policies policy VPN vpn's don't 2,5 5 step-by-step of the and not office offices 東京のオフィス
    東京 İstanbul ﬁnance straße running ran a.b c/d e""".split()
)
TEXTS = st.lists(st.tuples(WORDS, st.sampled_from([" ", ", ", "\n", " (", ". "])), max_size=30).map(
    lambda found: "".join(word + gap for word, gap in found)
)


@given(TEXTS, st.lists(WORDS, min_size=1, max_size=6))
def test_a_term_is_found_exactly_when_it_is_among_the_terms_of_the_text(text: str, asked: list[str]) -> None:
    wanted = list(dict.fromkeys(terms(" ".join(asked))))
    found = {wanted[number] for _, _, number in Wanted(wanted).find(text)}
    assert found == set(wanted) & set(terms(text))


@given(TEXTS, st.lists(WORDS, min_size=1, max_size=6))
def test_occurrences_come_in_order_and_lie_inside_the_text(text: str, asked: list[str]) -> None:
    found = Wanted(dict.fromkeys(terms(" ".join(asked)))).find(text)
    assert found == sorted(found)
    assert all(0 <= start < end <= len(text) for start, end, _ in found)


def test_a_pair_is_two_terms_of_the_question_side_by_side_with_only_stop_words_between() -> None:
    text = "The notice of a period differs from the period of grace."
    found = Wanted(terms("notice period grace")).find(text)
    assert pairs(text, found) == {0, 1}


def test_terms_apart_or_in_the_other_order_are_no_pair() -> None:
    text = "A period without notice; notice is given before a trial period."
    found = Wanted(terms("notice period")).find(text)
    assert pairs(text, found) == set()
