"""Extracts: which units of the passages are said, in what order and form, and how much of a list that is."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.values import (
    TAUGHT_SOURCE,
    AnswerFormat,
    AnswerStyle,
    BlockKind,
    Chunk,
    Document,
    Intent,
    RetrievedChunk,
    ShownExtent,
    WritingBrief,
    replace,
)
from pipeline.write.extractive import complete_lists
from tests.doubles.samples import evidence, extracted, indexed

PROSE, HEADING, ITEM, STEP = BlockKind.PROSE, BlockKind.HEADING, BlockKind.ITEM, BlockKind.STEP
HEADER, ROW, CODE = BlockKind.HEADER, BlockKind.ROW, BlockKind.CODE
Said = list[tuple[BlockKind, str]]


def passages(name: str, *blocks: tuple[BlockKind, str], tokens: int = 500, query: int = 0) -> list[RetrievedChunk]:
    document = Document(id=name, filename=f"{name}.md", title=name.title())
    return indexed(document, *blocks, tokens=tokens, query=query)


def said(question: str, *found: RetrievedChunk, **brief: object) -> Said:
    asked = WritingBrief.model_validate({"question": question, "queries": (question,), **brief})
    return [(sentence.kind, sentence.text) for sentence in extracted(asked, found).sentences]


LEAVE = passages(
    "leave",
    (PROSE, "Our leave policy was last reviewed by the people team in spring. It covers all of our offices."),
    (PROSE, "Full-time staff have 25 days of paid leave a year. Unused days lapse at the end of March."),
)[0]
PARKING = passages("parking", (PROSE, "Parking is behind the building. The gate opens at seven."))[0]
CODES = passages(
    "codes",
    (HEADER, "Code | Meaning | First response"),
    (ROW, "P1 | Everything is down | 15 minutes"),
    (ROW, "P2 | One service is slow | 1 hour"),
    (ROW, "P3 | A small defect | 1 day"),
)[0]


def test_sentences_are_said_once_and_in_the_order_of_the_document() -> None:
    copy = replace(LEAVE, chunk=replace(LEAVE.chunk, id="copy", document_id="copy"))
    texts = [
        text for _, text in said("What happens to unused days of paid leave?", LEAVE, copy, style=AnswerStyle.DETAILED)
    ]
    assert texts == sorted(set(texts), key=LEAVE.chunk.text.index)


def test_a_follow_up_that_changes_one_thing_is_not_told_what_stood_there() -> None:
    tyres, service = "A tyre change for the Osprey costs 96 euros.", "A service for the Osprey costs 310 euros."
    workshop = passages("workshop", (PROSE, f"{tyres} {service} Ask for the Osprey desk."))[0]
    assert (PROSE, tyres) in said("How much is a tyre change and a service for the Osprey?", workshop)
    told = said("And a service?", workshop, topic="How much is a service for the Osprey?")
    assert (PROSE, service) in told
    assert (PROSE, tyres) not in told


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("Which optional parts does the plan have?", True),
        ("What are the optional parts of the plan?", True),
        ("What is an optional part of the plan?", False),
        ("How many optional parts does the plan have?", False),
    ],
)
def test_a_list_over_which_all_stands_answers_what_asks_for_several(question: str, whole: bool) -> None:
    plan = passages(
        "plan",
        (PROSE, "The optional parts of the plan are for those who have to have them. The plan has parts for all."),
        (HEADING, "Optional parts"),
        *((ITEM, text) for text in ("a desk by the window", "a locker", "a key to the roof")),
    )[0]
    kinds = [kind for kind, _ in said(question, plan)]
    assert (kinds == [ITEM] * 3) is whole


def test_what_a_person_replied_is_said_whole() -> None:
    reply = ("Only on Fridays, from two.", "Bring your own cup.", "Ask the front desk for the key.")
    document = Document(id="taught/1", filename="1.txt", title="When is the kitchen closed?", source=TAUGHT_SOURCE)
    kept = indexed(document, *reply)[0]
    assert [text for _, text in said("When is the kitchen closed?", kept, PARKING)] == list(reply)


def test_a_definition_is_said_where_its_term_stands_before_it_by_itself() -> None:
    glossary = passages(
        "glossary",
        (PROSE, "Slotting moves articles; the safety stock is looked at as well, and the safety stock is counted."),
        (PROSE, "Safety stock. The quantity below which an article must not fall."),
    )
    assert (PROSE, "The quantity below which an article must not fall.") in said(
        "What does safety stock mean?", *glossary
    )


@pytest.mark.parametrize(
    ("lead", "listed"),
    [
        ("Every new colleague receives:", [(ITEM, "A laptop with two chargers"), (ITEM, "A badge")]),
        ("You get special leave for these occasions:", [(HEADER, "Occasion | Days"), (ROW, "Own wedding | 2")]),
        ("Withdraw a release with:", [(CODE, "make withdraw")]),
    ],
)
def test_what_ends_with_a_colon_never_stands_alone(lead: str, listed: Said) -> None:
    found = said(lead.rstrip(":") + "?", *passages("p", (PROSE, lead), *listed, (PROSE, "The end of it all.")))
    assert found[: 1 + len(listed)] == [(PROSE, lead), *listed]


def test_headings_behind_a_lead_in_are_the_list_that_it_announces() -> None:
    types = passages(
        "types",
        (PROSE, "There are two types of badge:"),
        (HEADING, "Visitor badge"),
        (PROSE, "It is valid for a day."),
        (HEADING, "Staff badge"),
        (PROSE, "It is valid for five years."),
    )
    found = said("Which types of badge are there?", *types)
    assert found[:2] == [(PROSE, "There are two types of badge:"), (ITEM, "Visitor badge")]
    assert (ITEM, "Staff badge") in found


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("phone number of Sales", "Sales | Amber Holt | 555 0101"),
        ("What is the phone number of Support?", "Support | Ravi Menon | 555 0102"),
        ("Who manages After-sales?", "After-sales | Tim Ho | 555 0103"),
    ],
)
def test_a_row_is_looked_up_by_the_cell_that_the_question_names(question: str, row: str) -> None:
    header = "Department | Manager | Phone"
    rows = ("After-sales | Tim Ho | 555 0103", "Sales | Amber Holt | 555 0101", "Support | Ravi Menon | 555 0102")
    contacts = passages("contacts", (HEADER, header), *((ROW, one) for one in rows))
    assert said(question, *contacts) == [(HEADER, header), (ROW, row)]


def test_a_figure_in_a_cell_is_named_only_beside_the_name_of_its_column() -> None:
    header, first, third = "Floor | Rooms | Kitchens", "1 | 3 | 2", "3 | 12 | 1"
    floors = passages("floors", (HEADER, header), (ROW, first), (ROW, "2 | 4 | 1"), (ROW, third), (ROW, "4 | 9 | 3"))
    assert said("How many rooms are on floor 3?", *floors) == [(HEADER, header), (ROW, third)]
    assert said("Which floor has 2 kitchens?", *floors) == [(HEADER, header), (ROW, first)]


@pytest.mark.parametrize("form", [AnswerFormat.PROSE, AnswerFormat.PLAIN, AnswerFormat.STEPS])
def test_a_row_is_read_out_where_the_form_has_no_tables(form: AnswerFormat) -> None:
    assert said("What does P2 mean?", CODES, format=form) == [
        (PROSE, "Code: P2, Meaning: One service is slow, First response: 1 hour")
    ]


def test_a_procedure_is_given_whole_with_the_code_and_lists_of_its_steps() -> None:
    upgrade = passages(
        "upgrade",
        (HEADING, "Upgrade the server"),
        (STEP, "Stop the server."),
        (CODE, "server stop"),
        (STEP, "Install the package."),
        (STEP, "Start the server again."),
        (PROSE, "If the disk is full, call the storage team."),
    )
    found = said("How do I upgrade the server?", *upgrade, PARKING, intent=Intent.PROCEDURE, format=AnswerFormat.STEPS)
    assert [kind for kind, _ in found] == [STEP, CODE, STEP, STEP]


def test_code_that_is_asked_for_comes_with_the_sentence_above_it() -> None:
    release = passages("release", (PROSE, "Releases are built from main."), (CODE, "make build\nmake publish"))
    assert said("Which command builds a release?", *release)[-1] == (CODE, "make build\nmake publish")


MANY = passages(
    "moving",
    (HEADING, "Move the cluster"),
    *((STEP, f"Move part {number} of the cluster to the new hall and test it.") for number in range(60)),
    tokens=200,
)


class Shelf:
    """The reading side of a library that holds one document."""

    def __init__(self, found: Sequence[RetrievedChunk]) -> None:
        self._found = found

    async def neighbours(self, chunk: Chunk) -> tuple[Chunk | None, Chunk | None]:
        chunks: list[Chunk | None] = [None, *(one.chunk for one in self._found), None]
        return chunks[chunk.position], chunks[chunk.position + 2]


@pytest.mark.parametrize("start", [0, 2])
def test_a_list_that_was_cut_is_whole_again_or_says_how_much_is_shown(start: int) -> None:
    brief = WritingBrief(question="How do I move the cluster?", intent=Intent.PROCEDURE, format=AnswerFormat.STEPS)
    whole, _ = asyncio.run(complete_lists(brief, evidence(brief, MANY[start : start + 1]), Shelf(MANY)))  # type: ignore[arg-type]
    found = whole.passages
    part = extracted(brief, found)
    assert part.extent == ShownExtent(shown=len(part.sentences), total=60, kind=STEP)
    assert sum(len(sentence.text) for sentence in part.sentences) <= brief.max_length
    whole = extracted(replace(brief, wants_all=True), found)
    assert whole.extent is None
    assert [sentence.text.split()[2] for sentence in whole.sentences] == [str(number) for number in range(60)]
    assert {sentence.kind for sentence in whole.sentences} == {STEP}


def test_of_the_rows_that_a_question_names_those_are_listed_that_it_names_most_of() -> None:
    parts = passages(
        "parts",
        (HEADER, "Part | Fits | In stock"),
        (ROW, "Bell | City 5 | 3"),
        (ROW, "Chain | City 5 | 8"),
        (ROW, "Pedal | Town 2 | 5"),
    )
    asked = {"intent": Intent.LIST, "format": AnswerFormat.BULLETS}
    rows = [text for kind, text in said("List all parts for the City 5", *parts, **asked) if kind is ROW]
    assert rows == ["Bell | City 5 | 3", "Chain | City 5 | 8"]


def test_rows_that_are_named_are_all_that_was_asked_for() -> None:
    assert extracted(WritingBrief(question="What does P2 mean?"), [CODES]).extent is None
    everything = extracted(
        WritingBrief(question="List the codes", intent=Intent.LIST, format=AnswerFormat.BULLETS), [CODES]
    )
    assert (len(everything.sentences), everything.extent) == (4, None)


def test_a_comparison_is_a_table_of_the_two_sides_and_names_the_chunks_of_its_cells() -> None:
    staff = passages("staff", (PROSE, "Full-time staff have 25 days of leave."))
    hired = passages("hired", (PROSE, "Contractors have no paid leave."), query=1)
    asked = WritingBrief(
        question="Compare leave of full-time staff and contractors",
        queries=("leave full-time staff", "leave contractors"),
        sides=("full-time staff", "contractors"),
        intent=Intent.COMPARISON,
        format=AnswerFormat.TABLE,
    )
    found = extracted(asked, [*staff, *hired]).sentences
    assert [sentence.text for sentence in found] == [
        "full-time staff | contractors",
        "Full-time staff have 25 days of leave. | Contractors have no paid leave.",
    ]
    assert found[1].chunk_ids == (staff[0].chunk.id, hired[0].chunk.id)
    one_side = extracted(asked, staff).sentences
    assert [sentence.text for sentence in one_side] == ["Full-time staff have 25 days of leave."]


def test_an_overview_lets_every_document_have_its_say() -> None:
    both = said("Summarise the leave and parking rules", LEAVE, PARKING, intent=Intent.SUMMARY)
    assert {text in LEAVE.chunk.text for _, text in both} == {True, False}


BLOCKS = st.lists(
    st.tuples(
        st.sampled_from(list(BlockKind)),
        st.text(min_size=1, max_size=60).map(str.strip).filter(lambda text: bool(text) and "\n" not in text),
    ),
    min_size=1,
    max_size=12,
)


@given(
    st.lists(BLOCKS, max_size=4),
    st.text(max_size=60),
    st.sampled_from(list(Intent)),
    st.sampled_from(list(AnswerFormat)),
    st.sampled_from(list(AnswerStyle)),
    st.sampled_from([(), ("a", "b")]),
    st.booleans(),
)
def test_whatever_is_found_every_unit_said_is_a_unit_of_its_passage(
    blocks: list[list[tuple[BlockKind, str]]],
    question: str,
    intent: Intent,
    form: AnswerFormat,
    style: AnswerStyle,
    sides: tuple[str, ...],
    everything: bool,
) -> None:
    found = [one for n, units in enumerate(blocks) for one in passages(f"p{n}", *units, query=n % 2)]
    brief = WritingBrief(
        question=question,
        queries=sides or (question,),
        sides=sides,
        intent=intent,
        format=form,
        style=style,
        wants_all=everything,
    )
    texts = {
        one.chunk.id: {one.chunk.text_at(n) for n in range(len(one.chunk.units))}
        | {one.chunk.readable_row(n) for n in range(len(one.chunk.units))}
        for one in found
    }
    for sentence in extracted(brief, found).sentences:
        if sides and form is AnswerFormat.TABLE and sentence.kind in (HEADER, ROW):
            continue
        assert any(sentence.text in texts[chunk_id] for chunk_id in sentence.chunk_ids)
