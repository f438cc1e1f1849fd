"""Questions that rules make from the handbooks of public repositories."""

from __future__ import annotations

import random

import pytest

from training.manuals import Section, asked, rows, sections

VERBS = frozenset({"create", "remove"})
HANDBOOK = """---
title: Leave
---
# Leave
Everybody has leave, and this page says how much of it there is, and what has to be done for it.
## How do I ask for leave?
Write to your manager at least two weeks before the first day. The answer comes **within three days** and is
entered in [the calendar](https://example.org/calendar).
```
# not a heading
```
## Create a calendar entry
1. Open the calendar of the team and choose the first day of your leave with the mouse.
2. Write your name into the field.
## Carry over
| Country | Days | Until |
| --- | --- | --- |
| Denmark | 5 | March |
| Finland | 7 | May |
| Norway | 14 | June |
| Sweden | 3 | April |
"""


def test_a_section_is_what_stands_under_one_heading_without_its_markup() -> None:
    found = {one.heading: one for one in sections(HANDBOOK)}
    assert "within three days and is\nentered in the calendar." in found["How do I ask for leave?"].text
    assert "not a heading" not in found
    assert found["Create a calendar entry"].text.startswith("Open the calendar")
    assert found["Carry over"].tables[0][:2] == (("Country", "Days", "Until"), ("Denmark", "5", "March"))


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("Who approves my leave?", "Who approves my leave?"),
        ("Create a calendar entry", "How do I create a calendar entry?"),
        ("3.1 Remove an old entry", "How do I remove an old entry?"),
        ("How to move an entry", "How do I move an entry?"),
        ("Calendar entries of others", ""),
        ("Create", ""),
    ],
)
def test_a_heading_is_a_question_where_it_asks_or_instructs(heading: str, question: str) -> None:
    assert asked(heading, VERBS) == question


def test_every_question_has_its_section_and_a_wrong_passage_of_the_same_document() -> None:
    found = list(rows("leave", list(sections(HANDBOOK)), VERBS, random.Random(2)))
    for question in ("How do I ask for leave?", "How do I create a calendar entry?"):
        here = {row["label"]: row["passage"] for row in found if row["text"] == question}
        assert set(here) == {0, 1}
        assert here[0] != here[1]


@pytest.mark.parametrize("seed", range(30))
def test_what_is_asked_of_a_table_stands_in_the_row_that_is_marked_and_in_no_wrong_passage(seed: int) -> None:
    table = (("Country", "Days"), *((f"Country{n}", str(n)) for n in range(12)))
    found = list(rows("leave", [Section("Carry over", "", (table,))], VERBS, random.Random(seed)))
    for row in found:
        name = next(cell for cell, _ in table if cell in row["text"].rstrip("?").split())
        if row["label"]:
            start, end = row["evidence"]
            assert row["passage"][start:end].split(" | ")[0] == name
        else:
            assert name not in row["passage"].replace("\n", " | ").split(" | ")
