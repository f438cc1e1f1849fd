"""What a model writes becomes sentences, whatever form it chose and wherever the stream is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.values import BlockKind
from pipeline.write.citation_marks import find_passage_marks
from pipeline.write.draft_parser import DraftParser, ParsedSentence

FRAGMENTS = [
    *("Staff get 25 days", "Dr. Mora agrees", "It costs 2.5 euro", "e.g. on Monday", "規定です", "Ünïted", "\u202e"),
    *("- ", "* ", "1. ", "12) ", "| a | b |", "|---|---|", "```sql\n", "```", "## Title", "> ", "---", "<br>"),
    *("\n", "\n\n", "\r\n", "\x00", " ", ". ", ".", "! ", "? ", "。", "…", ":", '"', ")", "[", "]", "[a", "**", "__"),
    *("[1]", "[2].", " [1, 3]", "[1-3].", "[Source 2]", "【4】", "【4†source】", "［５］。", "[^1]", "(source 1)"),
    *("[1](http://x.y)", "`x[1]`", "`", "NOT_IN_DOCUMENTS", "NOT IN DOCUMENTS: pay", "SIMILARITIES:"),
    *("**Differences:**", "Conclusion", "Sources:"),
]
texts = st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join) | st.text(max_size=120)


def read(text: str, *sizes: int) -> list[ParsedSentence]:
    parser, found, start = DraftParser(), [], 0
    for size in sizes:
        found += parser.feed(text[start : start + size])
        start += size
    return found + parser.feed(text[start:]) + parser.close()


def shown(text: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(sentence.text, sentence.numbers) for sentence in read(text)]


@given(texts, st.lists(st.integers(0, 9), max_size=60))
def test_where_the_stream_is_cut_changes_nothing(text: str, sizes: list[int]) -> None:
    assert read(text, *sizes) == read(text)


@given(texts)
def test_a_sentence_holds_only_letters_of_the_text_in_their_order(text: str) -> None:
    rest = iter(text)
    for sentence in read(text):
        if sentence.kind is not BlockKind.HEADER:
            assert all(letter in rest for letter in sentence.text if letter.isalnum())


@given(texts)
def test_no_control_or_direction_character_passes(text: str) -> None:
    assert not any(c in sentence.text for sentence in read(text) for c in "\x00\x1b\u202a\u202e\u2066\u200b\ufeff")


@pytest.mark.parametrize(
    ("written", "numbers"),
    [
        ("Leave is 25 days [1].", (1,)),
        ("Leave is 25 days. [1]", (1,)),
        ("Leave is 25 days [1][2].", (1, 2)),
        ("Leave is 25 days [1, 2].", (1, 2)),
        ("Leave is 25 days [1; 2 and 4].", (1, 2, 4)),
        ("Leave is 25 days [1-3].", (1, 2, 3)),
        ("Leave is 25 days [1–3].", (1, 2, 3)),
        ("Leave is 25 days [1-900].", (1, 900)),
        ("Leave is 25 days [Source 1].", (1,)),
        ("Leave is 25 days [source: 1, source: 2].", (1, 2)),
        ("Leave is 25 days [Passage 3].", (3,)),
        ("Leave is 25 days (Source 1).", (1,)),
        ("Leave is 25 days【1】.", (1,)),
        ("Leave is 25 days【1†handbook.md】.", (1,)),
        ("Leave is 25 days［１］.", (1,)),
        ("Leave is 25 days [^1].", (1,)),
        ("Leave is 25 days [1](https://evil.example/?q=x).", (1,)),
        ("[1] Leave is 25 days.", (1,)),
        ("Leave [1] is 25 days [2].", (1, 2)),
        ("Leave is 25 days.", ()),
        ("Leave is 25 days", ()),
    ],
)
def test_source_numbers_are_read_in_every_form_and_leave_the_text(written: str, numbers: tuple[int, ...]) -> None:
    [(text, found)] = shown(written)
    assert (text.rstrip("."), found) == ("Leave is 25 days", numbers)


def test_brackets_that_cite_nothing_stay() -> None:
    assert shown("Use `list[1]` or [a-z] from [2024] [3].") == [("Use `list[1]` or [a-z] from [2024].", (3,))]


def test_a_mark_that_a_passage_has_of_its_own_stays_in_parentheses_where_more_follows() -> None:
    parser = DraftParser(find_passage_marks("See the plan [2] for leads."))
    said = [*parser.feed("The plan [2] is for leads [1]. Leads have a plan [2]. See a form [2] here."), *parser.close()]
    assert [(one.text, one.numbers) for one in said] == [
        ("The plan (2) is for leads.", (1,)),
        ("Leads have a plan.", (2,)),
        ("See a form here.", (2,)),
    ]


def test_a_sentence_is_complete_with_the_full_stop_behind_its_number() -> None:
    parser = DraftParser()
    assert parser.feed("Leave is 25 days [1") == []
    assert [sentence.text for sentence in parser.feed("].")] == ["Leave is 25 days."]


def test_an_abbreviation_or_a_decimal_ends_no_sentence() -> None:
    assert shown("Ask Dr. Mora, e.g. about the 2.5 euro [1]. Then go [2].") == [
        ("Ask Dr. Mora, e.g. about the 2.5 euro.", (1,)),
        ("Then go.", (2,)),
    ]


def test_a_number_behind_a_paragraph_stands_for_its_uncited_sentences() -> None:
    assert shown("It is red. It is round [2].\n\nIt is old. It is new.") == [
        ("It is red.", (2,)),
        ("It is round.", (2,)),
        ("It is old.", ()),
        ("It is new.", ()),
    ]


def test_a_lead_in_rests_on_what_it_leads_to() -> None:
    assert shown("To sign up:\n1. Open the form [3].\n2. Send it.") == [
        ("To sign up:", (3,)),
        ("Open the form.", (3,)),
        ("Send it.", ()),
    ]


def test_items_and_steps_keep_their_kind_and_lose_their_marker() -> None:
    found = read("- red [1]\n* blue. And round [2]\n\n1. open [1]\n2) close [2]\n")
    assert [(s.kind.value, s.text, s.opens) for s in found] == [
        ("item", "red", True),
        ("item", "blue. And round", False),
        ("step", "open", True),
        ("step", "close", False),
    ]


def test_a_table_comes_whole_with_its_header_resting_on_all_rows() -> None:
    parser = DraftParser()
    assert parser.feed("| Who | Days |\n|:--|--:|\n| Staff | 25 [1] |\n| Interns [2] | 20 |\n") == []
    header, *rows = parser.feed("More [3].")[:3]
    assert (header.text, header.kind, header.numbers) == ("Who | Days", BlockKind.HEADER, (1, 2))
    assert [(row.text, row.numbers) for row in rows] == [("Staff | 25", (1,)), ("Interns | 20", (2,))]


def test_a_column_of_sources_becomes_the_numbers_of_the_rows() -> None:
    assert shown("| Who | Days | Source |\n|--|--|--|\n| Staff | 25 | 1, 2 |\n") == [
        ("Who | Days", (1, 2)),
        ("Staff | 25", (1, 2)),
    ]


def test_a_row_without_a_number_rests_on_what_its_table_rests_on() -> None:
    assert shown("| Who | Days |\n|--|--|\n| Staff | 25 |\n| Interns | 20 |\n| Others | 5 [1][3] |\n") == [
        ("Who | Days", (1, 3)),
        ("Staff | 25", (1, 3)),
        ("Interns | 20", (1, 3)),
        ("Others | 5", (1, 3)),
    ]


@pytest.mark.parametrize(
    ("led", "texts"),
    [
        ("- red\n- round\n", ["red", "round"]),
        ("1. open\n2. close\n", ["open", "close"]),
        ("| a | b |\n| c | d |\n", ["a | b", "c | d"]),
        ("```sh\nls -la\n```\n", ["ls -la"]),
    ],
)
def test_what_a_lead_in_leads_to_rests_on_its_number(led: str, texts: list[str]) -> None:
    assert shown(f"It is so [4]:\n{led}\nThe end.") == [
        ("It is so:", (4,)),
        *((text, (4,)) for text in texts),
        ("The end.", ()),
    ]


@pytest.mark.parametrize("answer", ["Yes.", "**No.**", "Nein.", "Sí!", "Não."])
@pytest.mark.parametrize("between", [" ", "\n", "\n\n", "\n\n- "])
def test_yes_or_no_by_itself_rests_on_what_follows(answer: str, between: str) -> None:
    first, second = read(f"{answer}{between}Contractors get none [2].")
    assert (first.numbers, first.leads_in, second.leads_in) == ((2,), True, False)


def test_code_comes_whole_and_untouched_with_the_number_below_it() -> None:
    code, after = read("```python\nx = a[1]\n\n# done. [2]\n```\n[3]\nThen stop [1].")
    assert (code.kind, code.language, code.numbers) == (BlockKind.CODE, "python", (3,))
    assert code.text == "x = a[1]\n\n# done. [2]"
    assert after.text == "Then stop."


@pytest.mark.parametrize("named", ["x```[click](http://evil.example)", "x```", "[a](b)", "`", "p" * 21, "<script>"])
def test_what_is_no_name_of_a_language_is_dropped(named: str) -> None:
    assert [one.language for one in read(f"```{named}\nls -la\n```\n[1]\n")] in ([""], ["", ""])
    assert [one.language for one in read("```c++ title=a\nls -la\n```\n[1]\n")] == ["c++"]


def test_labels_of_a_comparison_become_sections() -> None:
    found = read(
        "**Similarities:**\n- both are paid [1]\n\nDIFFERENCES: Staff get more [2].\n## Conclusion\nIt depends [1]."
    )
    assert [(s.section, s.text) for s in found] == [
        ("similarities", "both are paid"),
        ("differences", "Staff get more."),
        ("conclusion", "It depends."),
    ]


def test_what_is_not_in_the_documents_is_collected_and_not_a_sentence() -> None:
    parser = DraftParser()
    found = parser.feed("Pay is monthly [1].\n**NOT_IN_DOCUMENTS:** the bonus.\n") + parser.close()
    assert [s.text for s in found] == ["Pay is monthly."]
    assert parser.missing == ["the bonus"]


def test_a_list_of_sources_at_the_end_is_left_out() -> None:
    assert shown("Pay is monthly [1].\n\nSources:\n[1] Handbook, page 3.") == [("Pay is monthly.", (1,))]


def test_a_cut_text_loses_its_unfinished_sentence() -> None:
    parser = DraftParser()
    found = parser.feed("Pay is monthly [1]. Bonuses are not pai")
    assert [s.text for s in found + parser.close(complete=False)] == ["Pay is monthly."]


def test_a_sentence_without_end_is_ended() -> None:
    assert all(len(sentence.text) <= 2000 for sentence in read("word " * 3000))
