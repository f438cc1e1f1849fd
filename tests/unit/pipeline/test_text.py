"""What may be shown of a text."""

from __future__ import annotations

import random
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.words import text as text_module
from pipeline.words.text import (
    WORD,
    content_terms,
    label_terms,
    query_terms,
    sentence_spans,
    stem,
    stems,
    strip_accents,
    strip_invisible,
    word_terms,
)


@pytest.mark.parametrize("hidden", [*"\U000e0100\U000e0041\ufeff\u202e\u200b\u00ad\ue000\x1b\u3164\ufe01\u034f\u2066"])
def test_what_hides_is_not_shown(hidden: str) -> None:
    assert strip_invisible(f"thirty{hidden} days") == "thirty days"


def test_bytes_hidden_in_runs_of_joiners_or_selectors_are_not_shown() -> None:
    assert strip_invisible("a\u200c\u200d\u200b\u200d\u200cb ❤\ufe0f\ufe0f\ufe0e") == "a\u200cb ❤\ufe0f"


@pytest.mark.parametrize("text", ["👩\u200d💻", "❤\ufe0f", "می\u200cخواهم", "naïve\tcafé", "日本語\nです"])
def test_what_scripts_and_emoji_need_stays(text: str) -> None:
    assert strip_invisible(text) == text


def test_every_line_end_is_one() -> None:
    assert strip_invisible("a\r\nb\rc\u2028d\x85e") == "a\nb\nc\nd\ne"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Er verfällt am 31. März des Jahres. Danach nicht.", "Er verfällt am 31. März des Jahres."),
        ("Kontoret åbner den 3. august. Velkommen.", "Kontoret åbner den 3. august."),
        ("It is on floor 3. The lift is broken.", "It is on floor 3."),
        ("It was in 2019. may be so.", "It was in 2019."),
        ("البند 3. يحصل كل موظف", "البند 3."),
    ],
)
def test_an_ordinal_ends_no_sentence_that_goes_on(text: str, first: str) -> None:
    start, end = sentence_spans(text)[0]
    assert text[start:end] == first


STARTS = "tech bi ge assem no psycho log pos en sen vis tor ab ter ol um".split()
ENDINGS = "logy logies logi logical bly blies bli ably ing ies ed y ness ization ate s e".split()
WORDS = "technology assembly possibly biology apologies xs ms as is ay straße τησ ξένος naïve analogy 2s l".split()


def test_a_stem_is_that_of_the_tokenizer_of_fts5() -> None:
    made = random.Random(1)
    letters = (f"{made.choice(STARTS)}{made.choice(STARTS)}" for _ in range(4000))
    words = sorted(
        {strip_accents(word) for word in (*WORDS, "x" * 70 + "ing", *(one + made.choice(ENDINGS) for one in letters))}
    )
    with sqlite3.connect(":memory:") as db:
        db.execute("CREATE VIRTUAL TABLE word USING fts5(text, tokenize='porter unicode61')")
        db.execute("CREATE VIRTUAL TABLE term USING fts5vocab(word, 'instance')")
        db.executemany("INSERT INTO word (rowid, text) VALUES (?, ?)", enumerate(words))
        indexed = {words[row]: term for term, row in db.execute("SELECT term, doc FROM term")}
    assert {word: stem(word) for word in words} == indexed


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("When does building A open?", {"a"}),
        ("How long does a type I licence last?", {"i"}),
        ("Who is the head of IT?", {"it"}),
        ("What does tier 2 cost?", {"2"}),
        ("what is the warranty of product a?", {"a"}),
        ("is it in building a, or not", {"a"}),
        ("Is it a building or can I go in?", set()),
        ("A building is open. I know.", set()),
        ("WHEN IS IT OPEN?", set()),
        ("How many days can I take in 2026?", set()),
    ],
)
def test_what_names_one_of_a_kind_is_no_stop_word(text: str, named: set[str]) -> None:
    assert label_terms(text) == named
    assert named <= set(content_terms(text))


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("ライセンスを選べばいいですか？", ["ライ", "イセ", "セン", "ンス", "選べ"]),
        ("ごみはいつ出しますか", ["ごみ", "みは", "はい", "いつ", "つ出", "出し"]),
        ("BDFLとは何の略ですか", ["bdfl", "何の", "の略", "略で"]),
        ("ありがとう", ["あり", "りが", "がと", "とう"]),
        ("How many days?", ["many", "days"]),
    ],
)
def test_how_a_japanese_sentence_goes_on_is_not_looked_for(question: str, told: list[str]) -> None:
    assert query_terms(question) == told


PARTS = st.text(alphabet="abegilnoty", max_size=6)
ENDED = st.builds(
    "".join, st.tuples(PARTS, st.sampled_from(["", "log", "bl"]), st.sampled_from(["", "y", "ies", "ing"]))
)


@given(st.lists(ENDED | st.text(max_size=5) | st.sampled_from(["a" * 80, "straße", "technology", "possibly", "o's"])))
def test_many_words_have_the_stems_that_each_has(words: list[str]) -> None:
    assert stems(words) == [stem(word) for word in words]


@given(st.from_regex(WORD, fullmatch=True) | st.sampled_from(["IT", "Straße", "L'Oréal", "東京タワー", "v3.2.0"]))
def test_a_word_has_the_same_terms_in_and_out_of_the_cache(word: str) -> None:
    assert list(word_terms(word)) == list(word_terms(word)) == content_terms(word)


def test_a_word_longer_than_any_that_people_write_is_not_cached() -> None:
    caches = (text_module._cached_terms, text_module._cached_stems)
    for cache in caches:
        cache.cache_clear()
    longest = "x" * 41
    assert [*word_terms(longest), *content_terms(f"A building {longest}"), *content_terms(longest)].count(longest) == 3
    assert [cache.cache_info().currsize for cache in caches] == [0, 0]


@given(st.text(alphabet="aAIxv12 .,'-_\n?", max_size=20))
def test_words_of_plain_text_are_the_same_however_they_are_split(text: str) -> None:
    assert text_module._ascii_words(text) == WORD.findall(text.lower())
