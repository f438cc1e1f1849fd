"""The text of an answer in parts: faithful, cut only between sentences, and the same as what was streamed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.slack import markup
from adapters.slack.layout import PART, Draft, parts
from pipeline.values import BlockKind, CitedSentence
from tests.contracts.answers import URL, cited

LINKS = {URL, "https://wiki.acme.example/a_(b)"}


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("**bold**, _soft_, ~~gone~~ and `x < y`", "**bold**, _soft_, ~~gone~~ and `x &lt; y`"),
        (f"see [the policy]({URL})", f"see [the policy]({URL})"),
        (f"see {URL}.", f"see [{URL}]({URL})."),
        (
            "see https://wiki.acme.example/a_(b)!",
            "see [https://wiki.acme.example/a_(b)](https://wiki.acme.example/a_(b))!",
        ),
        ("see [the policy](https://other.example)", "see the policy"),
        (
            "see https://other.example/x, or mail hr@acme.example.",
            "see `https://other.example/x`, or mail `hr@acme.example`.",
        ),
        ("versions 1.2.3 and 3.11, e.g. today", "versions 1.2.3 and 3.11, e.g. today"),
        ("R&D & <b>", "R&D & &lt;b&gt;"),
        ("C:\\Users\\ann", "C:\\Users\\ann"),
        ("[http](x)://evil.example", "`http://evil.example`"),
        ("# not a heading", "\u200b# not a heading"),
        ("![picture](https://other.example/p.png)", "picture"),
    ],
)
def test_markdown_keeps_its_form_and_loses_what_is_not_permitted(written: str, shown: str) -> None:
    assert markup.inline(written, LINKS) == shown


def test_a_table_goes_on_with_its_header_in_the_next_part() -> None:
    header = CitedSentence(text="Rule | Form", kind=BlockKind.HEADER)
    rows = [CitedSentence(text=f"Rule number {n} | Form {n}", kind=BlockKind.ROW, numbers=(1,)) for n in range(300)]
    told = parts(cited(sentences=[header, *rows]), [])
    assert len(told) > 2
    assert all(part.startswith("| Rule | Form |\n| --- | --- |\n| Rule number") for part in told)


def test_code_is_cut_at_lines_and_fenced_again() -> None:
    code = CitedSentence(
        text="\n".join(f"line {n} of the script" for n in range(500)), kind=BlockKind.CODE, language="sh"
    )
    told = parts(cited(sentences=[code]), [])
    assert all(part.count("```") % 2 == 0 for part in told)
    lines = re.findall(r"line \d+ of the script", "\n".join(told))
    assert lines == code.text.split("\n")


def test_steps_go_on_counting_in_the_next_part() -> None:
    steps = [CitedSentence(text=f"Do thing {n} {'carefully ' * 20}", kind=BlockKind.STEP) for n in range(1, 60)]
    told = "\n".join(parts(cited(sentences=steps), []))
    assert re.findall(r"^(\d+)\. Do thing (\d+)", told, re.MULTILINE) == [(str(n), str(n)) for n in range(1, 60)]


sentences = st.builds(
    CitedSentence,
    text=st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=300),
    kind=st.sampled_from([BlockKind.PROSE, BlockKind.ITEM, BlockKind.STEP, BlockKind.ROW, BlockKind.HEADER]),
    numbers=st.just((1,)),
    opens=st.booleans(),
    section=st.sampled_from(["", "similarities", "differences"]),
)


def test_a_sentence_that_nothing_can_be_shown_of_leaves_what_was_streamed_the_beginning_of_the_answer() -> None:
    invisible = CitedSentence(text="\u200b", numbers=(1,))
    draft = Draft()
    draft.add(invisible)
    assert parts(cited(sentences=[invisible]), [])[0].startswith(draft.text)


@settings(max_examples=60, deadline=None)
@given(st.lists(sentences, min_size=1, max_size=30), st.sampled_from(["", "Closest:", "The documents say: " * 20]))
def test_what_was_streamed_is_the_beginning_of_the_answer(written: list[CitedSentence], preface: str) -> None:
    draft = Draft(["A note."])
    first = parts(cited(sentences=written, preface=preface), ["A note."])[0]
    for number, sentence in enumerate(written):
        draft.add(sentence, "" if number else preface)
        if len(draft.text) <= PART:
            assert first.startswith(draft.text)


def test_a_preface_leaves_no_message_short_of_the_sentences_that_fit_below_it() -> None:
    written = [CitedSentence(text=f"Rule {n} says that request {n} needs form {n}.", numbers=(1,)) for n in range(120)]
    told = parts(cited(sentences=written, preface="The closest passages say:"), [])
    assert all(len(part) > PART - 100 for part in told[:-1])
    assert told[0].startswith("The closest passages say:")


@settings(max_examples=60, deadline=None)
@given(st.lists(sentences, min_size=1, max_size=40))
def test_a_draft_that_is_stopped_is_told_in_parts_that_a_message_can_be(written: list[CitedSentence]) -> None:
    draft = Draft(["A note."])
    for sentence in written:
        draft.add(sentence)
    told = draft.parts("Stopped.")
    assert all(0 < len(part) <= PART for part in told)
    assert told[-1].endswith("Stopped.")


@settings(max_examples=60, deadline=None)
@given(st.lists(sentences, min_size=1, max_size=40))
def test_no_part_is_longer_than_a_message_may_be(written: list[CitedSentence]) -> None:
    assert all(0 < len(part) <= PART for part in parts(cited(sentences=written, preface="Closest:"), ["A note."]))
