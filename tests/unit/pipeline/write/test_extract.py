"""Extracts: which units of the passages are said, in what order and form."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.read import layout
from pipeline.read.asked import read
from pipeline.read.evidence import gather
from pipeline.text import sentences
from pipeline.values import (
    BlockKind,
    Brief,
    Chunk,
    Document,
    Finished,
    Format,
    Intent,
    RetrievedChunk,
    Sentence,
    Style,
    Unit,
)
from pipeline.write.extract import ExtractiveWriter, extract

PROSE, HEADING, ITEM, STEP = BlockKind.PROSE, BlockKind.HEADING, BlockKind.ITEM, BlockKind.STEP
HEADER, ROW, CODE = BlockKind.HEADER, BlockKind.ROW, BlockKind.CODE


def passage(
    name: str, *blocks: tuple[BlockKind, str], query: int = 0, document: str = "", position: int = 0, score: float = 0.8
) -> RetrievedChunk:
    """A passage of blocks; prose is taken apart into sentences. No vectors: words alone must do."""
    text = ""
    units: list[Unit] = []
    for kind, block in blocks:
        text += "\n" if text else ""
        for start, end in sentences(block) if kind is PROSE else [(0, len(block))]:
            units.append(Unit(start=len(text) + start, end=len(text) + end, kind=kind))
        text += block
    owner = document or name
    return RetrievedChunk(
        chunk=Chunk(id=name, document_id=owner, text=text, units=tuple(units), position=position),
        document=Document(id=owner, filename=f"{owner}.md", title=owner.title()),
        score=score,
        query=query,
    )


def said(question: str, *passages: RetrievedChunk, **brief: object) -> list[tuple[BlockKind, str]]:
    found = extract(Brief.model_validate({"question": question, "queries": (question,), **brief}), passages)
    return [(sentence.kind, sentence.text) for sentence in found]


LEAVE = passage(
    "leave",
    (PROSE, "Our leave policy was last reviewed by the people team in spring. It covers all of our offices."),
    (PROSE, "Full-time staff have 25 days of paid leave a year. Unused days lapse at the end of March."),
)
PARKING = passage("parking", (PROSE, "Parking is behind the building. The gate opens at seven."))


def test_the_sentence_that_answers_is_said_and_cited() -> None:
    found = extract(Brief(question="How many days of paid leave do full-time staff have?"), [LEAVE, PARKING])
    assert "Full-time staff have 25 days of paid leave a year." in [sentence.text for sentence in found]
    assert all(sentence.chunk_ids == ("leave",) for sentence in found if "25 days" in sentence.text)


def test_the_writer_yields_sentences_and_then_one_end() -> None:
    async def pieces() -> list[Sentence | Finished]:
        return [
            piece async for piece in ExtractiveWriter().write(Brief(question="When does the gate open?"), [PARKING], ())
        ]

    *drafted, end = asyncio.run(pieces())
    assert "The gate opens at seven." in [piece.text for piece in drafted if isinstance(piece, Sentence)]
    assert isinstance(end, Finished)
    assert end.complete


@pytest.mark.parametrize("passages", [(), (passage("empty", (HEADING, "Only a heading")),)])
def test_nothing_to_say_is_an_empty_extract(passages: Sequence[RetrievedChunk]) -> None:
    assert extract(Brief(question="What is the plan?"), passages) == []


def test_sentences_are_said_in_the_order_of_the_document() -> None:
    texts = [text for _, text in said("What happens to unused days of paid leave?", LEAVE, style=Style.DETAILED)]
    assert texts == sorted(texts, key=LEAVE.chunk.text.index)


def test_a_sentence_that_leans_on_the_one_before_brings_it_along() -> None:
    text = "The Aurora gateway replaced the old proxy. It requires a hardware key for every remote login."
    found = said("What requires a hardware key for remote login?", passage("aurora", (PROSE, text)))
    assert found[0] == (PROSE, "The Aurora gateway replaced the old proxy.")


def test_an_item_comes_after_its_lead_in() -> None:
    kit = passage(
        "kit",
        (PROSE, "Every new colleague receives:"),
        (ITEM, "A laptop with two chargers"),
        (ITEM, "A building badge from reception"),
    )
    found = said("Where do I get a building badge?", kit)
    assert found[0] == (PROSE, "Every new colleague receives:")
    assert (ITEM, "A building badge from reception") in found


def test_a_row_comes_after_the_header_of_its_table() -> None:
    plans = passage(
        "plans", (HEADER, "Plan | Calls | Price"), (ROW, "Trial | 5 | free"), (ROW, "Plus | 100 | 140 dollars")
    )
    found = said("What is the price of the Plus plan?", plans)
    assert found[0] == (HEADER, "Plan | Calls | Price")
    assert (ROW, "Plus | 100 | 140 dollars") in found


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
    contacts = passage("contacts", (HEADER, header), *((ROW, one) for one in rows))
    assert said(question, contacts) == [(HEADER, header), (ROW, row)]


def test_a_thing_of_the_wanted_kind_stands_for_its_name() -> None:
    found = passage("contacts", (HEADER, "Department | Owner | Phone"), (ROW, "Sales | Amber Holt | 555 0101"))
    for question in ("What is the phone number of Sales?", "Who owns Sales?"):
        row = gather(read(question), [found])[0][1]
        assert set(read(question).terms) <= frozenset().union(*row.near)


def test_a_procedure_is_given_whole_and_in_order() -> None:
    steps = ["Open the settings.", "Choose a new token.", "Copy it into the vault.", "Revoke the old one."]
    rotate = passage("rotate", (HEADING, "Rotate an API token"), *((STEP, step) for step in steps))
    found = said("How do I rotate an API token?", rotate, PARKING, intent=Intent.PROCEDURE, format=Format.STEPS)
    assert [text for kind, text in found if kind is STEP] == steps


def test_steps_go_on_into_the_next_passage_of_the_document() -> None:
    first = passage("a", (HEADING, "Rotate a token"), (STEP, "Open settings."), (STEP, "Make a token."), document="doc")
    second = passage("b", (STEP, "Store the token."), (STEP, "Revoke the old."), document="doc", position=1)
    found = said("How to rotate a token?", first, second, intent=Intent.PROCEDURE, format=Format.STEPS)
    assert [text for kind, text in found if kind is STEP][-1] == "Revoke the old."


def test_a_list_is_given_whole_with_what_leads_it_in() -> None:
    holidays = passage(
        "holidays",
        (PROSE, "The office is closed on these public holidays:"),
        (ITEM, "New Year's Day"),
        (ITEM, "Labour Day"),
        (ITEM, "Boxing Day"),
    )
    found = said("List the public holidays", holidays, LEAVE, intent=Intent.LIST, format=Format.BULLETS)
    assert [kind for kind, _ in found] == [PROSE, ITEM, ITEM, ITEM]


def test_a_comparison_is_a_table_of_the_two_sides() -> None:
    staff = passage("staff", (PROSE, "Full-time staff have 25 days of leave."))
    hired = passage("hired", (PROSE, "Contractors have no paid leave."), query=1)
    found = extract(
        Brief(
            question="Compare leave of full-time staff and contractors",
            queries=("leave full-time staff", "leave contractors"),
            sides=("full-time staff", "contractors"),
            intent=Intent.COMPARISON,
            format=Format.TABLE,
        ),
        [staff, hired],
    )
    assert [(sentence.kind, sentence.text) for sentence in found] == [
        (HEADER, "full-time staff | contractors"),
        (ROW, "Full-time staff have 25 days of leave. | Contractors have no paid leave."),
    ]
    assert found[1].chunk_ids == ("staff", "hired")


def test_one_sentence_about_both_sides_is_said_once_and_not_in_a_table() -> None:
    both = passage("both", (PROSE, "Employees and contractors badge in at the gate."))
    asked = Brief(
        question="Compare badges of employees and contractors",
        queries=("badges of employees", "badges of contractors"),
        sides=("employees", "contractors"),
        format=Format.TABLE,
    )
    assert [sentence.text for sentence in extract(asked, [both])] == ["Employees and contractors badge in at the gate."]


def test_a_comparison_with_one_empty_side_says_what_there_is() -> None:
    staff = passage("staff", (PROSE, "Full-time staff have 25 days of leave."))
    found = said(
        "Compare leave of full-time staff and contractors",
        staff,
        queries=("leave full-time staff", "leave contractors"),
        sides=("full-time staff", "contractors"),
        format=Format.TABLE,
    )
    assert found == [(PROSE, "Full-time staff have 25 days of leave.")]


def test_an_overview_lets_every_document_have_its_say() -> None:
    found = said("Summarise the leave and parking rules", LEAVE, PARKING, intent=Intent.SUMMARY)
    assert {kind for kind, _ in found} == {ITEM}
    assert any(text in LEAVE.chunk.text for _, text in found)
    assert any(text in PARKING.chunk.text for _, text in found)


def test_an_overview_of_a_document_that_is_named_keeps_to_it() -> None:
    found = said("Summarise leave", LEAVE, PARKING, intent=Intent.SUMMARY)
    assert found
    assert all(text in LEAVE.chunk.text for _, text in found)


def test_a_question_above_its_answer_is_read_but_not_repeated() -> None:
    faq = passage(
        "faq", (PROSE, "Can I bring my dog to the office?"), (PROSE, "Yes, on Fridays."), (PROSE, "Lunch is at noon.")
    )
    texts = [text for _, text in said("Can I bring my dog?", faq)]
    assert texts[0] == "Yes, on Fridays."


def test_a_short_line_above_text_is_taken_for_a_heading() -> None:
    page = passage("page", (PROSE, "Replacing a badge"), (PROSE, "Reception makes a new one while you wait."))
    assert said("How is a badge replaced?", page) == [(PROSE, "Reception makes a new one while you wait.")]


def test_bullet_style_gives_bullets_and_detailed_says_more() -> None:
    assert {kind for kind, _ in said("How much paid leave is there?", LEAVE, style=Style.BULLET)} == {ITEM}
    concise, detailed = (
        said("How much paid leave is there?", LEAVE, style=style) for style in (Style.CONCISE, Style.DETAILED)
    )
    assert len(detailed) >= len(concise)


def test_the_same_sentence_is_said_once() -> None:
    copy = LEAVE.model_copy(update={"chunk": LEAVE.chunk.model_copy(update={"id": "copy"})})
    texts = [text for _, text in said("How many days of paid leave do full-time staff have?", LEAVE, copy)]
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "Wie viele Urlaubstage haben Angestellte?",
            "Das Büro liegt am Fluss. Angestellte haben 30 Urlaubstage im Jahr. Der Aufzug ist alt.",
            "Angestellte haben 30 Urlaubstage im Jahr.",
        ),
        (
            "Combien de jours de congé ont les salariés ?",
            "Le bureau est au bord du fleuve. Les salariés ont 25 jours de congé. L'ascenseur est vieux.",
            "Les salariés ont 25 jours de congé.",
        ),
        (
            "¿Cuántos días de vacaciones tienen los empleados?",
            "La oficina está junto al río. Los empleados tienen 23 días de vacaciones. El ascensor es viejo.",
            "Los empleados tienen 23 días de vacaciones.",
        ),
        (
            "有給休暇は何日ですか",
            "事務所は川の近くにあります。有給休暇は年に20日です。エレベーターは古いです。",
            "有給休暇は年に20日です。",
        ),
    ],
)
def test_other_languages_are_extracted_from(question: str, text: str, answer: str) -> None:
    assert answer in [said_text for _, said_text in said(question, passage("page", (PROSE, text)))]


UNITS = st.lists(
    st.tuples(
        st.sampled_from(list(BlockKind)),
        st.text(min_size=1, max_size=60).map(str.strip).filter(lambda text: bool(text) and "\n" not in text),
    ),
    min_size=1,
    max_size=12,
)


@given(
    st.lists(UNITS, max_size=4),
    st.text(max_size=60),
    st.sampled_from(list(Intent)),
    st.sampled_from(list(Format)),
    st.sampled_from(list(Style)),
    st.sampled_from([(), ("a", "b")]),
)
def test_whatever_is_found_every_unit_said_is_a_unit_of_its_passage(
    blocks: list[list[tuple[BlockKind, str]]],
    question: str,
    intent: Intent,
    form: Format,
    style: Style,
    sides: tuple[str, ...],
) -> None:
    passages = [passage(f"p{n}", *units, query=n % 2) for n, units in enumerate(blocks)]
    brief = Brief(question=question, queries=sides or (question,), sides=sides, intent=intent, format=form, style=style)
    read_out = form in (Format.PROSE, Format.PLAIN, Format.STEPS)
    texts = {
        p.chunk.id: [
            layout.spelled_out(p.chunk, n) if read_out and unit.kind is ROW else p.chunk.text[unit.start : unit.end]
            for n, unit in enumerate(p.chunk.units)
        ]
        for p in passages
    }
    for sentence in extract(brief, passages):
        assert sentence.chunk_ids
        if sides and form is Format.TABLE and sentence.kind in (HEADER, ROW):
            continue
        assert any(sentence.text in texts[chunk_id] for chunk_id in sentence.chunk_ids)


def test_an_extract_keeps_within_its_length_by_leaving_whole_units_out() -> None:
    long = passage("long", *((ITEM, f"Rule {n}: everyone keeps the kitchen clean on day {n}.") for n in range(40)))
    found = extract(
        Brief(question="List the kitchen rules", intent=Intent.LIST, format=Format.BULLETS, max_length=200), [long]
    )
    assert sum(len(sentence.text) + 1 for sentence in found) <= 200
    assert len(found) > 1


PERMITS = passage(
    "permits",
    (PROSE, "Full members receive 30 guest permits a year."),
    (HEADER, "Group | Guest permits | Notice"),
    (ROW, "Full, main house | 30 permits | 2 weeks"),
    (ROW, "Full, branch house | by agreement | 2 weeks"),
    (ROW, "Volunteers | none | 3 days"),
)


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("Do I receive guest permits as a volunteer?", "Volunteers | none | 3 days"),
        ("How many guest permits do branch house members receive?", "Full, branch house | by agreement | 2 weeks"),
    ],
)
def test_a_row_that_is_asked_for_goes_before_a_sentence_about_another_group(question: str, row: str) -> None:
    assert said(question, PERMITS) == [(HEADER, "Group | Guest permits | Notice"), (ROW, row)]


def test_a_sentence_about_the_group_that_is_asked_for_stays_before_the_table() -> None:
    found = said("How many guest permits do full members receive?", PERMITS)
    assert found == [(PROSE, "Full members receive 30 guest permits a year.")]


def test_an_item_that_the_question_names_is_said_without_its_neighbours() -> None:
    models = passage(
        "models",
        (PROSE, "You can choose between these models:"),
        (ITEM, "Aero 13, 16 GB"),
        (ITEM, "Aero 14, 32 GB (designers only)"),
        (ITEM, "Board 13, Linux, 32 GB (engineers only)"),
    )
    assert said("Who can choose Board 13?", models) == [
        (PROSE, "You can choose between these models:"),
        (ITEM, "Board 13, Linux, 32 GB (engineers only)"),
    ]


def test_a_table_does_not_push_what_follows_it_away_from_its_heading() -> None:
    club = passage(
        "club",
        (HEADING, "Guest room"),
        (HEADER, "Guest | Nights | Price"),
        (ROW, "Friend | 3 | 20"),
        (ROW, "Parent | 5 | 10"),
        (ROW, "Child | 7 | 0"),
        (PROSE, "The guest room is booked at the desk. It can be shared by two guests."),
    )
    assert (PROSE, "It can be shared by two guests.") in said("Can the guest room be shared?", club)


CODES = passage(
    "codes",
    (HEADER, "Code | Meaning | First response"),
    (ROW, "P1 | Everything is down | 15 minutes"),
    (ROW, "P2 | One service is slow | 1 hour"),
    (ROW, "P3 | A small defect | 1 day"),
)


@pytest.mark.parametrize("form", [Format.BULLETS, Format.TABLE, None])
def test_of_a_table_only_the_row_that_is_named_is_shown(form: Format | None) -> None:
    found = extract(Brief(question="What does P2 mean?", format=form), [CODES])
    assert [(one.kind, one.text) for one in found] == [
        (HEADER, "Code | Meaning | First response"),
        (ROW, "P2 | One service is slow | 1 hour"),
    ]
    assert [one.opens for one in found] == [True, False]


@pytest.mark.parametrize("form", [Format.PROSE, Format.PLAIN, Format.STEPS])
def test_a_row_is_read_out_where_the_form_has_no_tables(form: Format) -> None:
    assert said("What does P2 mean?", CODES, format=form) == [
        (PROSE, "Code: P2, Meaning: One service is slow, First response: 1 hour")
    ]


def test_a_table_comes_with_the_sentence_that_leads_in_to_it() -> None:
    leave = passage(
        "leave",
        (PROSE, "You get paid special leave for these occasions:"),
        (HEADER, "Occasion | Days"),
        (ROW, "Own wedding | 2"),
        (ROW, "Birth of a child | 2"),
        (PROSE, "Ask your manager first."),
    )
    assert said("Which occasions give paid special leave?", leave)[:4] == [
        (PROSE, "You get paid special leave for these occasions:"),
        (HEADER, "Occasion | Days"),
        (ROW, "Own wedding | 2"),
        (ROW, "Birth of a child | 2"),
    ]


def test_who_somebody_is_is_not_told_by_what_stands_beside_their_name_in_a_table() -> None:
    rows = passage("rows", (HEADER, "Licence | Seats | Owner"), (ROW, "Drawing tool | 5 | Rana Ortega"))
    roles = passage("roles", (PROSE, "Tech lead: Rana Ortega."))
    assert said("Who is Rana Ortega?", roles, rows)[0] == (PROSE, "Tech lead: Rana Ortega.")
    assert said("Which licence does Rana Ortega own?", rows, roles)[-1] == (ROW, "Drawing tool | 5 | Rana Ortega")


def test_an_overview_is_of_the_document_that_is_named_and_of_its_sections() -> None:
    other = passage("mail", (PROSE, "Hi all,"), (PROSE, "The summer party is moved to the third of July."))
    notes = passage(
        "notes",
        (PROSE, "Notes by Lea."),
        (BlockKind.HEADING, "Figures"),
        (ITEM, "Revenue in the first quarter was 3.1 million euros."),
        (ITEM, "Eleven customers were won in the first quarter."),
        (BlockKind.HEADING, "Offices"),
        (ITEM, "The Lyon office moves to Rue Garibaldi in September."),
    )
    title = notes.document.model_copy(update={"title": "All-hands notes, first quarter"})
    found = extract(
        Brief(question="Summarize the all-hands", intent=Intent.SUMMARY),
        [other, notes.model_copy(update={"document": title})],
    )
    assert {sentence.chunk_ids for sentence in found} == {("notes",)}
    assert len(found) == 3
