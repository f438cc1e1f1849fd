"""Finding the words of a question in a text agrees with reading every word of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.find.fusion import TermMatcher
from pipeline.words.text import content_terms

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
    wanted = list(dict.fromkeys(content_terms(" ".join(asked))))
    found = {wanted[number] for _, number in TermMatcher(wanted).find(text)}
    assert found == set(wanted) & set(content_terms(text))


def test_an_occurrence_is_told_by_where_it_starts() -> None:
    text = "The period of notice; notices are given."
    assert TermMatcher(content_terms("notice period")).find(text) == [(14, 0), (22, 0), (4, 1)]
